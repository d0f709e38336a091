"""Roll-up where a suppressed row takes all rows of its person or household with it.

Which units stay depends on all classes of a node at once, so nodes are counted one by one: for each set of
units that stays, the rows that are left are counted as a table in which nobody is suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Mask
from paretonym.base.errors import Bug
from paretonym.engine.counts.class_statistics import Statistic
from paretonym.engine.counts.cube import Cube, classes_at
from paretonym.engine.counts.rollup import Counted, Visits
from paretonym.engine.counts.tuple_layout import CellCosts, Plan


def count_units_at(
    cube: Cube,
    node: int,
    levels: Sequence[int],
    costs: CellCosts,
    statistics: Sequence[Statistic],
    suppressible: int,
    every_threshold: bool,
) -> Counted:
    """The candidates of a node: one for every set of whole units that stays at some threshold on size, or the
    last of them alone. `costs[c][j][l]` holds what a row costs in each group of axis j's l-th level."""
    units = cube.units
    if units is None:
        raise Bug("no rows of this cube are suppressed together")
    above = np.array([[level - axis.lowest for level, axis in zip(levels, cube.axes, strict=True)]])
    of_tuple, groups, _ = classes_at(cube, levels)
    price = np.array(
        [sum(cost[j][level][groups[:, j]] for j, level in enumerate(above[0].tolist())) for cost in costs]
    ).reshape(len(costs), len(groups))
    rows, sizes = units.sizes(of_tuple, len(groups), np.ones(units.number, dtype=np.bool_))

    def candidate(stay: Mask) -> Counted:
        plan = Plan.of(cube.only(stay), (), 0, False, statistics)
        counted = Visits(plan).visit(np.array([node]), above)
        gone = rows - units.sizes(of_tuple, len(groups), stay)[0]
        # Suppressed rows, and sums over all classes, are those of the input.
        counted.facts[:, 1], counted.facts[:, 4] = gone.sum(), (sizes * sizes).sum()
        if plan.persons:
            counted.facts[:, 7] = sizes.sum()
        return counted._replace(costs=(price @ gone)[None])

    steps: list[Mask] = list(units.steps(of_tuple, len(groups), suppressible))
    return Counted.joined([candidate(stay) for stay in (steps if every_threshold else steps[-1:])])
