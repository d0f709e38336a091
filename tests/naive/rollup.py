"""The roll-up in plain numpy: slower, and easy to follow."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.errors import Bug
from paretonym.engine.counts.class_statistics import COMBINED, Combine, Statistic
from paretonym.engine.counts.cube import Cube, classes_at
from paretonym.engine.counts.rollup import Counted
from paretonym.engine.search.node_evaluation import Evaluator
from paretonym.engine.search.problem import Problem


def plain_evaluator(problem: Problem) -> Evaluator:
    """Node by node."""
    thresholds = [o.statistics for o in problem.thresholds] if not problem.by_size else ((),)

    def evaluate(numbers: Integers) -> Counted:
        parts = [
            node_facts(
                problem.cube,
                levels,
                problem.unit_costs,
                problem.statistics,
                problem.suppressible,
                problem.every_threshold,
                thresholds,
            )
            for levels in problem.lattice.level_table(numbers).tolist()
        ]
        nodes = np.repeat(numbers, [len(facts) for facts, _, _ in parts])
        return Counted(nodes, *(np.concatenate(column) for column in zip(*parts, strict=True)))

    return evaluate


def node_facts(
    cube: Cube,
    levels: Sequence[int],
    costs: Sequence[Sequence[Sequence[Integers]]],
    statistics: Sequence[Statistic],
    suppressible: int,
    every_threshold: bool,
    thresholds: Sequence[Sequence[Statistic]] = ((),),
) -> tuple[Integers, Integers, Floats]:
    """Counts, costs and statistics of one node as a visit gives them. `costs[c][j][l]`: unit costs of axis
    j's l-th level; `thresholds`: what each threshold is about, nothing for the size of a class."""
    ids, groups, rows = classes_at(cube, levels)
    sizes = cube.class_sizes(ids, rows)
    if cube.units is not None:
        return _facts_of_units(
            cube, ids, _each_row(cube, levels, costs, groups), statistics, suppressible, every_threshold
        )
    spent = rows[:, None] * _each_row(cube, levels, costs, groups)
    stays = _staying(rows, [_goodness(cube, key, sizes, ids) for key in thresholds], suppressible)
    if not every_threshold:
        stays = stays[-1:]
    return (
        np.array([_facts(cube, rows, sizes, mask) for mask in stays], dtype=np.int64),
        np.array([spent[~mask].sum(axis=0) for mask in stays], dtype=np.int64),
        np.array(
            [[_statistic(cube, s, ids, sizes, mask, suppressible) for s in statistics] for mask in stays]
        ).reshape(len(stays), len(statistics)),
    )


def _each_row(
    cube: Cube, levels: Sequence[int], costs: Sequence[Sequence[Sequence[Integers]]], groups: Integers
) -> Integers:
    """What one row of each class costs, by kind."""
    cost_of_row = np.zeros((len(groups), len(costs)), dtype=np.int64)
    for c, cost in enumerate(costs):
        for j, axis in enumerate(cube.axes):
            cost_of_row[:, c] += cost[j][levels[j] - axis.lowest][groups[:, j]]
    return cost_of_row


def _facts_of_units(
    cube: Cube,
    ids: Integers,
    each_row: Integers,
    statistics: Sequence[Statistic],
    suppressible: int,
    every_threshold: bool,
) -> tuple[Integers, Integers, Floats]:
    """The facts of a node where a suppressed row takes the others of its unit with it: thresholds are on
    size."""
    if cube.units is None:
        raise Bug("no rows of this cube are suppressed together")
    classes = len(each_row)
    steps = list(cube.units.steps(ids, classes, suppressible))
    before, facts, spent, measured = cube.units.sizes(ids, classes, steps[0]), [], [], []
    for units in steps if every_threshold else steps[-1:]:
        rows, sizes = cube.units.sizes(ids, classes, units)
        remaining, occupied = cube.only(units), rows > 0
        facts_of_step = _facts(remaining, rows[occupied], sizes[occupied], occupied[occupied])
        # Suppressed rows, and sums over all classes, are those of the input.
        facts_of_step[1], facts_of_step[4] = int(before[0].sum() - rows.sum()), int((before[1] ** 2).sum())
        if cube.persons is not None:
            facts_of_step[7] = int(before[1].sum())
        facts.append(facts_of_step)
        spent.append((before[0] - rows) @ each_row)
        tuples_that_stay = cube.units.rows_of_tuples(units, cube.tuples) > 0
        own_ids = (np.cumsum(occupied) - 1)[ids[tuples_that_stay]]
        measured.append(
            [
                _statistic(remaining, s, own_ids, sizes[occupied], occupied[occupied], suppressible)
                for s in statistics
            ]
        )
    return (
        np.array(facts, dtype=np.int64),
        np.array(spent, dtype=np.int64),
        np.array(measured).reshape(len(facts), len(statistics)),
    )


def _staying(rows: Integers, goodness: list[Floats], suppressible: int) -> list[Mask]:
    """Which classes stay at each tuple of thresholds that leaves any and suppresses few enough rows; every
    set of classes occurs once. Thresholds ascend, the last key fastest."""
    if len(goodness) == 1:
        return _staying_by_one(rows, goodness[0], suppressible)
    masks: dict[bytes, Mask] = {}
    for limits in itertools.product(*(np.unique(values) for values in goodness)):
        mask = np.ones(len(rows), dtype=np.bool_)
        for values, limit in zip(goodness, limits, strict=True):
            mask &= values >= limit
        if mask.any() and rows[~mask].sum() <= suppressible:
            masks.setdefault(mask.tobytes(), mask)
    return list(masks.values())


def _staying_by_one(rows: Integers, goodness: Floats, suppressible: int) -> list[Mask]:
    """Which classes stay at each threshold on one key, which needs the classes below it and no others."""
    limits, places = np.unique(goodness, return_inverse=True)
    gone = np.concatenate([[0], np.cumsum(np.bincount(places, weights=rows))[:-1]])
    return [goodness >= limit for limit in limits[gone <= suppressible]]


def _goodness(cube: Cube, key: Sequence[Statistic], sizes: Integers, ids: Integers) -> Floats:
    """The quantity that a threshold is about (more is better): the worst of its columns, or the size of the
    class."""
    if not key:
        return sizes.astype(np.float64)
    columns = []
    for statistic in key:
        margin = cube.margin(statistic.column)
        values = statistic.of_every_class(margin, ids, len(sizes), margin.shares, sizes)
        columns.append(-values if COMBINED[statistic.kind] is Combine.MOST else values)
    worst: Floats = np.min(columns, axis=0)
    return worst


def _statistic(
    cube: Cube, statistic: Statistic, ids: Integers, sizes: Integers, stays: Mask, suppressible: int
) -> float:
    margin = cube.margin(statistic.column)
    if statistic.reach:
        values = statistic.of_every_class(margin, ids, len(sizes), margin.shares, sizes)
        return statistic.reached(margin, values, sizes, suppressible)
    stays = np.ones_like(stays) if statistic.every else stays
    return statistic.over_staying_classes(margin, ids, stays, sizes)


def _facts(cube: Cube, rows: Integers, sizes: Integers, mask: Mask) -> list[int]:
    stays, rows_that_stay = sizes[mask], rows[mask]
    facts = [
        int(stays.min()),
        int(rows.sum() - rows_that_stay.sum()),
        len(stays),
        int((stays * stays).sum()),
        int((sizes * sizes).sum()),
        int((stays == 1).sum()),
    ]
    if cube.persons is None:
        return facts
    return [*facts, int(stays.sum()), int(sizes.sum()), int((rows_that_stay * rows_that_stay).sum())]
