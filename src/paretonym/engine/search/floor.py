"""The floor: a proven lower bound on the loss of every k-anonymous release by sets of these hierarchies.

Let c_k(r) be the least cost of a node at which the class of row r has at least k rows, or persons, in the
whole table. Whatever made a release, the class of r lies inside the class of a node that shows the same sets:
r costs at least c_k(r), and a suppressed row costs 1. So the mean of c_k is a bound on the loss. Nodes are
those of all levels, whatever a schema allows.

Where a lattice is too large to visit, columns are divided into groups whose lattices are not: a row costs at
least the sum of what it costs in each of them, since its class has at least k rows in each. Row by row, the
tuples nearest to it say more: c_k(r) is the least that r costs in sets that show it together with enough of
them. Those are looked for among a few hundred; others cost more than the dearest of these does alone. Where
a stated number of evaluations is not enough, what is then proven counts.

Where a person may be in several tuples, a class is taken to have as many persons as its tuples have together:
too many, so that the bound is lower than it could be, and still a bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from paretonym.base.arrays import Codes, Floats, Integers
from paretonym.base.budget import usable_cores
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.counts import Cube, Plan
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.measures import CostRule
from paretonym.engine.recoding import ShownSets

# Nodes times tuples that are visited: for all columns, or for each group of them where these are more.
MOST_VISITED = 1 << 29
MOST_IN_GROUP = 1 << 25
# In the latter case: pairs of tuples times levels that are compared; how many tuples are the nearest; sets
# that are evaluated, for all tuples and sizes; tuples at a time.
MOST_COMPARED, NEAREST, MOST_EVALUATED, TUPLES_AT_ONCE = 1 << 36, 250, 1 << 30, 256
# Not worth it where fewer than one in so many tuples can be compared with all the others.
LEAST_COMPARED = 20
# Steps from level to level, as the kernel adds them, stay below this together; it sorts costs into so many.
MOST_STEPS, RANGES = 1 << 30, 4096
# Sizes that are handled in one walk, and parts that a walk is divided into.
SIZES_AT_ONCE = 64
PARTS = 8


def floors(cube: Cube, sizes: Sequence[int], threads: int | None = None) -> Floats:
    """The least loss that any release by sets of these hierarchies can have, for each k in `sizes`; never
    above the truth."""
    finest, wanted = cube.of_values, np.unique(np.asarray(sizes, dtype=np.int64))
    rule = CostRule.named("generalization", finest)
    least = np.zeros((finest.tuples, len(wanted)))
    if not rule.whole:
        return np.zeros(len(sizes))
    groups = column_groups(finest)
    for columns in groups:
        for start in range(0, len(wanted), SIZES_AT_ONCE):
            part = slice(start, start + SIZES_AT_ONCE)
            least[:, part] += least_costs(finest, columns, rule, wanted[part], threads)
    if len(groups) > 1:
        _raise_by_neighbours(finest, rule, wanted, least, threads)
    total = finest.counts @ np.minimum(least, rule.most) / rule.whole
    # Sums of floats may be a little too high.
    result: Floats = np.floor(total * (1 - 1e-12) * 1e12) / 1e12
    return result[np.searchsorted(wanted, np.asarray(sizes, dtype=np.int64))]


def least_costs(
    cube: Cube, columns: Sequence[int], rule: CostRule, sizes: Integers, threads: int | None = None
) -> Floats:
    """The least cost of a row of each tuple, in some columns, at a node at which its class reaches each of
    the sizes."""
    walk = _Walk.of(cube, columns, rule, sizes)
    threads = threads or usable_cores()
    result = np.full((cube.tuples, len(sizes) + 1), np.inf)
    begins = list(walk.begins())
    with workers(min(threads, len(begins))) as pool:
        for _, least in in_parallel(walk.least_above, begins, pool, threads):
            np.minimum(result, least, out=result)
    # A class that reaches a size reaches the smaller ones.
    least = np.minimum.accumulate(result[:, :0:-1], axis=1)[:, ::-1]
    return least[np.argsort(walk.rank)]


def column_groups(cube: Cube) -> list[tuple[int, ...]]:
    """All columns, or groups of them whose lattices are small enough to be visited."""
    levels = [axis.hierarchy.height + 1 for axis in cube.axes]
    if prod(levels) * cube.tuples <= MOST_VISITED:
        return [tuple(range(len(levels)))]
    groups = list[list[int]]()
    for j, number in enumerate(levels):
        for group in groups:
            if prod(levels[i] for i in group) * number * cube.tuples <= MOST_IN_GROUP:
                group.append(j)
                break
        else:
            groups.append([j])
    return [tuple(group) for group in groups]


def neighbours(cube: Cube, rule: CostRule) -> tuple[interface.Neighbours, Integers, int]:
    """The tuples at all levels; what a row of each costs as it is; and by what steps from level to level are
    divided."""
    groups, steps = list[Codes](), list[Integers]()
    alone, scale = np.zeros(cube.tuples, dtype=np.int64), rule.most // MOST_STEPS + 1
    for j, axis in enumerate(cube.axes):
        codes = [axis.mapping(0, level)[cube.groups[:, j]] for level in range(axis.hierarchy.height + 1)]
        costs = [rule.unit(axis, ShownSets.of_level(axis, level))[of] for level, of in enumerate(codes)]
        alone += costs[0]
        groups += codes[:-1]
        steps += [step // scale for step in np.diff(costs, axis=0)]
    table = interface.Neighbours.made(
        tuples=cube.tuples,
        places=len(groups),
        groups=np.array(groups, dtype=np.int32),
        steps=np.array(steps, dtype=np.int32),
        sizes=cube.class_sizes(np.arange(cube.tuples), cube.counts).astype(np.int64),
    )
    return table, alone, scale


def least_unions(
    table: interface.Neighbours, tuples: Integers, sizes: Integers, evaluations: int
) -> Integers:
    """The least that a row of some tuples costs more than as it is, in a class of each size, in steps."""
    space = interface.NeighbourSpace.made(
        tuples=table.tuples,
        bytes=table.places // 8 + 1,
        nearest=NEAREST,
        depths=NEAREST + 1,
        room=NEAREST * (NEAREST + 1) // 2,
        ranges=RANGES,
    )
    result = np.empty((len(tuples), len(sizes)), dtype=np.int32)
    library.call("least_unions", table, space, len(tuples), tuples, len(sizes), sizes, evaluations, result)
    return result.astype(np.int64)


def _raise_by_neighbours(
    cube: Cube, rule: CostRule, sizes: Integers, least: Floats, threads: int | None
) -> None:
    """Raise what rows cost at least, a line for each tuple, to what sets cost that show it together with its
    neighbours: for all tuples, or for as many of them as can be compared, evenly."""
    places = sum(axis.hierarchy.height for axis in cube.axes)
    most = min(MOST_COMPARED // max(cube.tuples * places, 1), cube.tuples)
    if most * LEAST_COMPARED < cube.tuples:
        return
    table, alone, scale = neighbours(cube, rule)
    tuples = np.linspace(0, cube.tuples - 1, most).astype(np.int64)
    evaluations = MOST_EVALUATED // max(len(tuples) * len(sizes), 1)
    parts = [tuples[begin : begin + TUPLES_AT_ONCE] for begin in range(0, len(tuples), TUPLES_AT_ONCE)]
    threads = threads or usable_cores()

    def steps_of(number: int) -> Integers:
        return least_unions(table, parts[number], sizes, evaluations)

    with workers(threads) as pool:
        for number, steps in in_parallel(steps_of, range(len(parts)), pool, threads):
            part = parts[number]
            least[part] = np.maximum(least[part], alone[part, None] + steps * float(scale))


@dataclass(frozen=True, eq=False)
class _Walk:
    """All nodes of some columns, from fine to coarse. The first `fixed` positions are the same in one part of
    a walk. `units[p][l]` is what a row costs in each group of position p at level l; `rank` is the order of
    the tuples."""

    plan: Plan
    units: tuple[tuple[Integers, ...], ...]
    sizes: Integers
    rank: Integers
    fixed: int

    @classmethod
    def of(cls, cube: Cube, columns: Sequence[int], rule: CostRule, sizes: Integers) -> _Walk:
        axes = tuple(replace(cube.axes[j], highest=cube.axes[j].hierarchy.height) for j in columns)
        rows = cube.class_sizes(np.arange(cube.tuples), cube.counts)
        counted = replace(
            cube.without("person", "unit"), axes=axes, groups=cube.groups[:, list(columns)], counts=rows
        )
        order = counted.walking_order
        plan = Plan.of(counted, (), 0, False, (), order)
        units = tuple(
            tuple(
                rule.unit(axes[j], ShownSets.of_level(axes[j], level)) for level in range(axes[j].steps + 1)
            )
            for j in order
        )
        parts = np.cumprod([len(levels) for levels in units[:-1]])
        fixed = min(int(np.searchsorted(parts, PARTS)) + 1, len(parts))
        return cls(plan, units, sizes, plan.rank, fixed)

    def begins(self) -> Iterator[tuple[int, ...]]:
        """The levels of the fixed positions, part by part."""
        return product(*(range(len(levels)) for levels in self.units[: self.fixed]))

    def least_above(self, begin: tuple[int, ...]) -> Floats:
        """The least costs of all tuples, in a column after an empty one for each size, over the nodes with
        these levels of the fixed positions."""
        # Without its other columns, a tuple may occur several times.
        classes, place = self._raised(self.plan.tuples, 0, 0, 0)
        for position, level in enumerate(begin):
            classes, target = self._raised(classes, position, 0, level)
            place = target[place]
        costs = np.zeros(classes.length, dtype=np.int64)
        for position, level in enumerate([*begin, *[0] * (len(self.units) - self.fixed)]):
            costs += self.units[position][level][self._groups(classes, position)]
        return self._least(self.fixed, classes, costs)[place]

    def _least(self, position: int, classes: interface.Classes, costs: Integers) -> Floats:
        if position == len(self.units):
            best = np.full((classes.length, len(self.sizes) + 1), np.inf)
            best[np.arange(len(best)), np.searchsorted(self.sizes, classes.counts, side="right")] = costs
            return best
        best = self._least(position + 1, classes, costs)
        others = costs - self.units[position][0][self._groups(classes, position)]
        place, cells = np.arange(classes.length), np.arange(classes.length) * best.shape[1]
        for level in range(1, len(self.units[position])):
            classes, target = self._raised(classes, position, level - 1, level)
            place, before, others = target[place], others, np.empty(classes.length, dtype=np.int64)
            others[target] = before
            costs = others + self.units[position][level][self._groups(classes, position)]
            if position + 1 < len(self.units):
                np.minimum(best, self._least(position + 1, classes, costs)[place], out=best)
                continue
            reached = cells + np.searchsorted(self.sizes, classes.counts, side="right")[place]
            best.flat[reached] = np.minimum(best.flat[reached], costs[place])
        return best

    def _raised(
        self, classes: interface.Classes, position: int, low: int, high: int
    ) -> tuple[interface.Classes, Integers]:
        """The classes after one position went from a level to a higher one, and the class of each."""
        length, layout = classes.length, self.plan.layout
        levels = np.zeros((2, layout.positions), dtype=np.int64)
        levels[:, position] = low, high
        merged = interface.Classes.made(length=length, words=layout.words, width=0)
        codes, target = np.empty((length, layout.words), dtype=np.uint64), np.empty(length, dtype=np.int64)
        table = interface.Table.for_classes(max(length, 1))
        number = library.call("group", layout, table, levels[0], levels[1], classes, merged, codes, target)
        lowest_classes = interface.Classes.made(
            keys=merged.keys[:number], counts=merged.counts[:number], cells=merged.cells[:number]
        )
        return lowest_classes, target

    def _groups(self, classes: interface.Classes, position: int) -> Integers:
        layout = self.plan.layout
        words = classes.keys[:, layout.word[position]] >> np.uint64(layout.shift[position])
        groups: Integers = (words & np.uint64((1 << int(layout.bits[position])) - 1)).astype(np.int64)
        return groups
