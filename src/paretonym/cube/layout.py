"""How a cube is laid out for visiting nodes: packed keys, mappings between levels, costs, value counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Cube, Margin
from paretonym.cube.packing import Keys, Packing
from paretonym.cube.requests import Requests, Statistic, margins_for, requests_for

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Cells: TypeAlias = npt.NDArray[np.int32]
CellCosts: TypeAlias = Sequence[Sequence[Sequence[Floats]]]


# What is listed of a digit: its position, where it stands in a key, and where what its groups add begins.
POSITION, SHIFT, MASK, PLACE = range(4)
ASPECTS = 4
# Classes of single levels are kept up to so many bytes for each thread.
_MOST_KEPT = 150_000_000
# What stands behind the kept positions is looked up at once if it can be so many things, else digit by digit
# and counted in a table of so many cells.
_MOST_BEHIND = 1 << 14
_MOST_CELLS = 1 << 18


class Layout(NamedTuple):
    """What stays the same over all visits. Positions are in walking order, levels count from the lowest.

    `mappings[starts[p, a, b] + g]` is the group at level b of group g at level a, and `dearer[c, …]` at the
    same place what a row of that group then costs more. `groups[p, l]` counts the groups. If keys of all
    digits do not fit into a word, `columns` holds the digits and keys are places among the tuples.
    """

    shifts: Integers
    bits: Integers
    steps: Integers
    groups: Integers
    mappings: npt.NDArray[np.int32]
    starts: Integers
    dearer: Floats
    columns: npt.NDArray[np.int32]
    suppressible: int
    every_threshold: bool

    @property
    def codes(self) -> int:
        """How many groups all digits have room for."""
        return sum(1 << bits for bits in self.bits.tolist())


class State(NamedTuple):
    """Where a visit stands. The last row but one of `keys`, `counts`, `costs` and `cells` holds the tuples,
    `rows[p]` is the row with the classes last rolled up at position p, `rows[-1]` the spare one.

    `origin[p]` is the position that holds the classes of the levels up to p. The classes of the levels at
    the first `depth` positions alone are kept once they are known: `kept[slots[p] + i]` is the row of the
    i-th prefix that ends at position p, -1 if there is none yet; `unused` is the first row never used.
    `lookup` and `dense`, a table of -1 to count in, serve what stands behind them. If that is too much to
    look up at once, `codes_of` is what each of `digits` adds to `codes`; `before` is then the level of each
    digit as it is in the prefix, -1 behind. Without keys `lookup` and `dense` are a hash table of classes,
    `slots_used` lists what is taken of it.
    """

    keys: Keys
    counts: Integers
    costs: Floats
    cells: Cells
    lengths: Integers
    rows: Integers
    origin: Integers
    levels: Integers
    target: Integers
    depth: int
    slots: Integers
    kept: Integers
    unused: Integers
    dense: Integers
    lookup: Integers
    codes_of: Integers
    digits: Integers
    codes: Integers
    before: Integers
    slots_used: Integers


@dataclass(frozen=True, eq=False)
class Plan:
    """A cube laid out: `order[p]` is the axis at position p; tuples are sorted by their packed keys. For
    `jumping` the classes of the first few positions' levels are kept once they are known."""

    order: tuple[int, ...]
    layout: Layout
    keys: Keys
    counts: Integers
    costs: Floats
    cells: Cells
    requests: Requests
    jumping: bool

    def state(self) -> State:
        """Memory for one thread, standing at the node of lowest levels."""
        positions, length = len(self.order), len(self.keys)
        depth, slots, extra = self._prefixes()
        rows = positions + 2 + extra
        behind = 1 << int(self.layout.shifts[depth - 1]) if depth else 0
        at_once = behind <= _MOST_BEHIND
        wide = self.layout.columns.size > 0
        if wide:
            behind, at_once = 2 << length.bit_length(), True
        state = State(
            keys=np.empty((rows, length), dtype=np.int64),
            counts=np.empty((rows, length), dtype=np.int64),
            costs=np.empty((rows, *self.costs.shape), dtype=np.float64),
            cells=np.empty((rows, *self.cells.shape), dtype=np.int32),
            lengths=np.zeros(rows, dtype=np.int64),
            rows=np.arange(positions + 2, dtype=np.int64),
            origin=np.full(positions, positions, dtype=np.int64),
            levels=np.zeros(positions, dtype=np.int64),
            target=np.empty(length, dtype=np.int64),
            depth=depth,
            slots=np.array(slots[:-1], dtype=np.int64),
            kept=np.full(slots[-1], -1, dtype=np.int64),
            unused=np.array([positions + 2], dtype=np.int64),
            dense=np.full(behind if at_once else _MOST_CELLS, -1, dtype=np.int64),
            lookup=np.zeros(behind if at_once else 0, dtype=np.int64),
            codes_of=np.zeros(self.layout.codes, dtype=np.int64),
            digits=np.zeros((positions, ASPECTS), dtype=np.int64),
            codes=np.zeros(length, dtype=np.int64),
            before=np.full(positions, -1, dtype=np.int64),
            slots_used=np.zeros(length if wide else 0, dtype=np.int64),
        )
        # No kept prefix has been looked up yet, not even that of the lowest levels.
        state.levels[:depth] = -1
        state.keys[positions] = self.keys
        state.counts[positions] = self.counts
        state.costs[positions] = self.costs
        state.cells[positions] = self.cells
        state.lengths[positions] = length
        return state

    def _prefixes(self) -> tuple[int, list[int], int]:
        """How many positions' prefixes are kept, where those that end at each begin, and the rows they need:
        as many as fit, none where nodes come in walking order anyway."""
        row_bytes = len(self.keys) * (16 + 8 * len(self.costs) + 4 * self.cells.shape[1])
        depth, slots, extra, combinations = 0, [0], 0, 1
        for steps in self.layout.steps[:-1].tolist() if self.jumping and not self.layout.columns.size else ():
            if (extra + combinations * steps) * row_bytes > _MOST_KEPT:
                break
            extra += combinations * steps
            combinations *= steps + 1
            slots.append(slots[-1] + combinations)
            depth += 1
        return depth, slots, extra


def most_thresholds(suppressible: int) -> int:
    """The most thresholds a node can have when at most so many rows may go.

    Distinct sizes 1 + 2 + … + d of suppressed classes must not exceed the limit; one more size stays.
    """
    return int((1 + 8 * suppressible) ** 0.5) // 2 + 2


def walking_order(cube: Cube) -> tuple[int, ...]:
    """Axes in walking order: the one with the most levels turns last and fastest, since roll-ups of the last
    digit are the cheapest; ties by number of groups, then by schema order."""
    return tuple(sorted(range(len(cube.axes)), key=lambda j: (cube.axes[j].steps, _groups(cube, j), j)))


def jumping_order(cube: Cube) -> tuple[int, ...]:
    """Axes in the order for visiting few nodes far apart: the one with the most groups first, so that what
    comes after it is rolled up from few classes already."""
    return tuple(sorted(range(len(cube.axes)), key=lambda j: (-_groups(cube, j), j)))


def lay_out(
    cube: Cube,
    cell_costs: CellCosts,
    suppressible: int,
    every_threshold: bool,
    statistics: Sequence[Statistic] = (),
    order: tuple[int, ...] | None = None,
) -> Plan:
    """Lay a cube out. `cell_costs[c][j][l]` holds what a row costs in each group of axis j's l-th level; the
    values of the columns that `statistics` need are counted for every class, side by side."""
    jumping = order is not None
    order = order or walking_order(cube)
    packing = digits(cube, order, faster_first=not jumping)
    columns = cube.groups[:, order] if not packing.fits else np.empty((0, 0), dtype=np.int32)
    keys = packing.pack([cube.groups[:, j] for j in order]) if packing.fits else np.arange(cube.tuples)
    rank = np.argsort(keys, kind="stable")
    mappings, dearer, starts = _mappings(cube, order, cell_costs)
    layout = Layout(
        shifts=np.array(packing.shifts, dtype=np.int64),
        bits=np.array(packing.bits, dtype=np.int64),
        steps=np.array([cube.axes[j].steps for j in order], dtype=np.int64),
        groups=_group_counts(cube, order),
        mappings=mappings,
        starts=starts,
        dearer=dearer,
        columns=np.ascontiguousarray(columns, dtype=np.int32),
        suppressible=suppressible,
        every_threshold=every_threshold,
    )
    costs = np.zeros((len(cell_costs), len(keys)))
    for c, cost in enumerate(cell_costs):
        for j in order:
            costs[c] += cost[j][0][cube.groups[rank, j]]
    margins = margins_for(cube, statistics)
    cells = [np.zeros((len(keys), 0), dtype=np.int32), *(_dense(m, cube.tuples)[rank] for m in margins)]
    return Plan(
        order,
        layout,
        keys[rank],
        cube.counts[rank],
        costs,
        np.concatenate(cells, axis=1),
        requests_for(margins, statistics),
        jumping,
    )


def digits(cube: Cube, order: tuple[int, ...], faster_first: bool = False) -> Packing:
    """Where each position stands in a key. The last one stands last. What lies behind a digit forms longer
    runs the further in front it stands, and those merge best: so in front come the positions that are rolled
    up most, which are the faster ones in a walk, and the slower ones, from more classes, in jumps."""
    inner = range(len(order) - 1)
    significance = [*(reversed(inner) if faster_first else inner), len(order) - 1]
    packed = Packing.of([_groups(cube, order[p]) for p in significance])
    place = {p: i for i, p in enumerate(significance)}
    return Packing(
        tuple(packed.shifts[place[p]] for p in range(len(order))),
        tuple(packed.bits[place[p]] for p in range(len(order))),
    )


def _groups(cube: Cube, j: int) -> int:
    return cube.axes[j].groups(cube.axes[j].lowest)


def _group_counts(cube: Cube, order: tuple[int, ...]) -> Integers:
    widest = max(cube.axes[j].steps for j in order) + 1
    counts = np.ones((len(order), widest), dtype=np.int64)
    for p, j in enumerate(order):
        axis = cube.axes[j]
        counts[p, : axis.steps + 1] = [axis.groups(level) for level in range(axis.lowest, axis.highest + 1)]
    return counts


def _mappings(
    cube: Cube, order: tuple[int, ...], cell_costs: CellCosts
) -> tuple[npt.NDArray[np.int32], Floats, Integers]:
    """Every way up from one level to another, behind one another, with what it costs more."""
    widest = max(cube.axes[j].steps for j in order) + 1
    starts = np.zeros((len(order), widest, widest), dtype=np.int64)
    mappings: list[npt.NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
    dearer: list[Floats] = [np.empty((len(cell_costs), 0))]
    place = 0
    for p, j in enumerate(order):
        axis = cube.axes[j]
        for low in range(axis.steps + 1):
            # A level onto itself only at the lowest, where several positions are looked up at once.
            for high in range(low + (low > 0), axis.steps + 1):
                mapping = axis.mapping(axis.lowest + low, axis.lowest + high)
                more = [cost[j][high][mapping] - cost[j][low] for cost in cell_costs]
                starts[p, low, high] = place
                place += len(mapping)
                mappings.append(mapping)
                dearer.append(np.array(more, dtype=np.float64).reshape(len(cell_costs), len(mapping)))
    return np.concatenate(mappings), np.concatenate(dearer, axis=1), starts


def _dense(margin: Margin, tuples: int) -> Cells:
    cells = np.zeros((tuples, len(margin.labels)), dtype=np.int32)
    cells[margin.tuples, margin.values] = margin.counts
    return cells
