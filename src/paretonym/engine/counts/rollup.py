"""Roll-up: one thread's visits to nodes of the lattice, compiled, with their memory and what they count."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.counts.tuple_layout import Plan

# Counts of a candidate: its smallest class, rows suppressed, classes, Σ of their squared sizes, the same for
# all classes, and classes of one row.
FACTS = 6
# Where classes are counted in persons, sizes are numbers of persons, and three more follow: the sizes of all
# classes that stay, those of all classes, and Σ of squared numbers of rows.
PERSON_FACTS = 9


class Counted(NamedTuple):
    """The node of each candidate, counts of its classes, the costs of its suppressed rows by kind, and the
    requested statistics, combined over the classes that stay."""

    nodes: Integers
    facts: Integers
    costs: Integers
    statistics: Floats

    def take(self, places: npt.NDArray[np.integer] | slice) -> Counted:
        return Counted(self.nodes[places], self.facts[places], self.costs[places], self.statistics[places])

    @classmethod
    def room(cls, candidates: int, facts: int, costs: int, statistics: int) -> Counted:
        """Memory for this many candidates."""
        return cls(
            np.empty(candidates, dtype=np.int64),
            np.empty((candidates, facts), dtype=np.int64),
            np.empty((candidates, costs), dtype=np.int64),
            np.empty((candidates, statistics), dtype=np.float64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Counted]) -> Counted:
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def for_kernels(self) -> interface.Counted:
        """This memory as C writes to it."""
        return interface.Counted(
            room=len(self.nodes),
            facts=self.facts.shape[1],
            costs=self.costs.shape[1],
            statistics=self.statistics.shape[1],
            node=self.nodes,
            fact=self.facts,
            cost=self.costs,
            statistic=self.statistics,
        )


# Prefixes whose classes are kept for jumps, and the memory that they may take for each thread.
_MOST_PREFIXES = 2400
_MOST_KEPT = 64_000_000
_ENTRY_BYTES = 12
_FIRST_ROOM = 4096
# A walk merges blocks of classes in a table of the last digit's values, if these are few enough.
_MOST_LAST = 1 << 12
_BY_SIZE = np.empty((2, 0), dtype=np.int64)
_NOTHING = np.empty(0, dtype=np.int64)


class Visits:
    """Memory of one thread for visiting nodes of a plan. Without `thresholds`, classes are suppressed by
    size; else these name for each of two thresholds the places of its statistics, -1 for the size of the
    class, -2 for none. Where size decides, the stairs of visited nodes are entered into `bounds`."""

    def __init__(
        self,
        plan: Plan,
        thresholds: Integers | None = None,
        bounds: interface.Bounds | None = None,
    ) -> None:
        self.plan, self._bounds = plan, bounds or _no_bounds()
        self._thresholds = _BY_SIZE if thresholds is None else thresholds
        self._by_size = thresholds is None
        self._walk = _walk(plan, 0 if self._by_size else plan.tuples.length * plan.layout.costs)
        self._kept = _entry_rows(plan, self._walk)
        self._table = interface.Table.for_classes(plan.tuples.length)
        self._holders = _holders(plan)
        self._space = interface.Thresholds.for_classes(
            plan.tuples.length, plan.requests, plan.layout.costs,
            plan.suppressible if self._by_size else None,
            0 if self._holders.holders else plan.entries.length, plan.persons,
        )  # fmt: skip
        self._room = _FIRST_ROOM

    def visit(self, numbers: Integers, levels: Integers) -> Counted:
        """The candidates of each node.

        `levels` holds the levels of each node above the lowest, in the schema's order. Nodes that come in
        the order of the plan cost least.
        """
        ordered, done = np.ascontiguousarray(levels[:, self.plan.order]), 0
        parts: list[Counted] = []
        while done < len(numbers) or not parts:
            nodes, counted = self._some(numbers[done:], ordered[done:])
            done += nodes
            parts.append(counted)
            if nodes == 0:
                self._room *= 2
        return parts[0] if len(parts) == 1 else Counted.joined(parts)

    def _some(self, numbers: Integers, levels: Integers) -> tuple[int, Counted]:
        """Visit as many nodes as there is room for: the number of their candidates is not always known in
        advance."""
        plan, written = self.plan, np.zeros(1, dtype=np.int64)
        most = interface.Thresholds.most_of(plan.suppressible) if plan.every_threshold else 1
        length = len(numbers) * most if self._by_size else self._room
        facts = PERSON_FACTS if plan.persons else FACTS
        out = Counted.room(length, facts, plan.layout.costs, plan.requests.statistics)
        nodes = library.call(
            "visit", plan.layout, plan.requests, plan.tuples, plan.entries, self._holders, self._walk,
            self._kept, self._table, self._space, self._bounds, self._thresholds.shape[1], self._thresholds,
            plan.suppressible, int(plan.every_threshold), len(numbers), numbers, levels, out.for_kernels(),
            written,
        )  # fmt: skip
        return nodes, out.take(slice(int(written[0])))


@cache
def _no_bounds() -> interface.Bounds:
    """Bounds without nodes, for visits that leave none."""
    return interface.Bounds.made(
        nodes=0, places=0, stairs=0, objectives=0, positions=0, size_place=-1, suppressible=0,
        sizes=_NOTHING, place=_NOTHING, tops=_NOTHING, weights=_NOTHING, required=np.empty(0),
    )  # fmt: skip


def _walk(plan: Plan, costed: int) -> interface.Walk:
    """Memory of a walk that has not visited a node yet. Untouched memory costs nothing."""
    tuples, positions = plan.tuples, plan.layout.positions
    depth, prefixes = _prefixes(plan) if plan.jumping else (0, 0)
    row_bytes = 8 * tuples.words + 8 + 4 * tuples.width
    entries = min(prefixes * tuples.length, max(_MOST_KEPT // row_bytes, 4 * tuples.length))
    rows = 1 + prefixes if depth else positions + 1
    space = tuples.length + entries if depth else rows * tuples.length
    begins = np.zeros(rows, dtype=np.int64) if depth else np.arange(rows) * tuples.length
    # Classes with counts of further columns are grouped one by one.
    last = 1 << int(plan.layout.bits[-1])
    counted = tuples.width or plan.entries.length
    in_blocks = not depth and tuples.words == 1 and not counted and last <= _MOST_LAST
    blocks, lasts, words = (tuples.length + 1, last, (last - 1) // 64 + 1) if in_blocks else (0, 0, 0)
    return interface.Walk.made(
        positions=positions,
        tuples=tuples.length,
        words=tuples.words,
        width=tuples.width,
        depth=depth,
        room=space,
        rows=rows,
        prefixes=prefixes,
        costed=costed,
        blocks=blocks,
        lasts=lasts,
        last_words=words,
        keys=np.empty((space, tuples.words), dtype=np.uint64),
        counts=np.empty(space, dtype=np.int64),
        cells=np.empty((space, tuples.width), dtype=np.int32),
        begins=begins,
        levels=np.full(positions, -1, dtype=np.int64),
        holder=np.full(positions, -1, dtype=np.int64),
        kept=np.full(prefixes, -1, dtype=np.int64),
        used=np.array([1, tuples.length], dtype=np.int64),
    )


def _entry_rows(plan: Plan, walk: interface.Walk) -> interface.EntryRows:
    """Memory for the entries of a walk's rows; when jumping, for those of as many prefixes as fit."""
    length, tuples = plan.entries.length, plan.tuples.length if plan.entries.length else 0
    entries = min(walk.prefixes * length, max(_MOST_KEPT // _ENTRY_BYTES, 4 * length))
    begins = np.zeros(walk.rows, dtype=np.int64) if walk.depth else np.arange(walk.rows) * length
    room = length + entries if walk.depth else walk.rows * length
    return interface.EntryRows.made(
        rows=walk.rows, room=room, tuples=tuples, begins=begins, used=np.array([length], dtype=np.int64)
    )


def _holders(plan: Plan) -> interface.Holders:
    """Who has what, with memory for the classes of one node; without anybody where classes add up."""
    person, value = plan.holders
    classes = plan.tuples.length if len(person) else 0
    return interface.Holders.made(person=person, value=value, classes=classes, width=plan.requests.values)


def _prefixes(plan: Plan) -> tuple[int, int]:
    """Number of positions whose prefixes are kept, and number of prefixes: of one position at least, and
    of all but the last at most."""
    depth, prefixes, combinations = 0, 0, 1
    for steps in plan.layout.steps.tolist():
        combinations *= steps + 1
        if depth and (prefixes + combinations > _MOST_PREFIXES or depth == plan.layout.positions - 1):
            break
        prefixes += combinations
        depth += 1
    return depth, prefixes
