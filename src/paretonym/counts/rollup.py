"""One thread's way over nodes of the lattice: the compiled visits, and their memory."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import kernel_library as library
from paretonym.counts import kernel_structures as structures
from paretonym.counts.node_counts import FACTS, Counted, joined, room
from paretonym.counts.tuple_layout import Plan, most_thresholds

# Prefixes whose classes are kept for jumps, and the memory that they may take for each thread.
_MOST_PREFIXES = 600
_MOST_KEPT = 64_000_000
_FIRST_ROOM = 4096
# A walk joins blocks of classes in a table of the last digit's values, if these are few enough.
_MOST_LAST = 1 << 12
_BY_SIZE = np.empty((2, 0), dtype=np.int64)


class Visits:
    """Memory of one thread for visiting nodes of a plan. Without `thresholds`, classes are suppressed by
    size; else these name for each of two thresholds the places of its statistics, -1 for the size of the
    class, -2 for none."""

    def __init__(self, plan: Plan, thresholds: Integers | None = None) -> None:
        self.plan = plan
        self._thresholds = _BY_SIZE if thresholds is None else thresholds
        self._by_size = thresholds is None
        self._walk = _walk(plan, 0 if self._by_size else plan.tuples.length * plan.layout.costs)
        self._table = hash_table(plan.tuples.length)
        self._space = threshold_space(
            plan.tuples.length, plan.requests, plan.layout.costs, plan.suppressible if self._by_size else None
        )
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
        return parts[0] if len(parts) == 1 else joined(parts)

    def _some(self, numbers: Integers, levels: Integers) -> tuple[int, Counted]:
        """As many nodes as there is room for: how many candidates they have is not always known before."""
        plan, written = self.plan, np.zeros(1, dtype=np.int64)
        most = most_thresholds(plan.suppressible) if plan.every_threshold else 1
        length = len(numbers) * most if self._by_size else self._room
        out = room(length, FACTS, plan.layout.costs, plan.requests.statistics)
        nodes = library.call(
            "visit", plan.layout, plan.requests, plan.tuples, self._walk, self._table, self._space,
            self._thresholds.shape[1], self._thresholds, plan.suppressible, int(plan.every_threshold),
            len(numbers), numbers, levels, as_out(out), written,
        )  # fmt: skip
        return nodes, out.take(slice(int(written[0])))


def as_out(counted: Counted) -> structures.Counted:
    """Where C writes candidates."""
    return structures.Counted(
        room=len(counted.nodes),
        facts=counted.facts.shape[1],
        costs=counted.costs.shape[1],
        statistics=counted.statistics.shape[1],
        node=counted.nodes,
        fact=counted.facts,
        cost=counted.costs,
        statistic=counted.statistics,
    )


def hash_table(classes: int) -> structures.Table:
    """Memory to tell so many classes apart."""
    size = max(16, 1 << (2 * classes - 1).bit_length())
    return structures.Table(size=size, slots=np.zeros(size, dtype=np.uint32))


def threshold_space(
    classes: int, requests: structures.Requests, costs: int, suppressible: int | None
) -> structures.Thresholds:
    """Scratch memory for thresholds: on class size where it is said how many rows may go, else on pairs."""
    ranked = classes if suppressible is None else 0
    limit = 1 if suppressible is None else suppressible + 1
    most = most_thresholds(suppressible or 0)

    def whole(length: int) -> Integers:
        return np.zeros(length, dtype=np.int64)

    return structures.Thresholds(
        classes=classes,
        ranked=ranked,
        limit=limit,
        most=most,
        statistics=requests.statistics,
        costs=costs,
        values=requests.values,
        histogram=whole(limit),
        sizes=whole(most),
        gone=whole(most),
        small=whole(classes),
        rank=whole(ranked),
        order=whole(ranked),
        spare=whole(ranked),
        rank_rows=whole(ranked),
        rank_classes=whole(ranked),
        rank_squares=whole(ranked),
        rank_unique=whole(ranked),
        rank_smallest=whole(ranked),
        totals=whole(requests.values),
        sorting=whole(requests.values),
        measured=np.empty((requests.statistics, classes)),
        goodness=np.empty((2, ranked)),
        rank_costs=np.empty((ranked, costs)),
        gone_costs=np.empty(costs),
        rank_measured=np.empty((ranked, requests.statistics)),
        shares=np.empty(requests.values),
    )


def _walk(plan: Plan, costed: int) -> structures.Walk:
    """Memory of a walk, standing before the first node. Untouched memory costs nothing."""
    tuples, positions = plan.tuples, plan.layout.positions
    depth, prefixes = _prefixes(plan) if plan.jumping else (0, 0)
    row_bytes = 8 * tuples.words + 8 + 4 * tuples.width
    kept = min(prefixes * tuples.length, max(_MOST_KEPT // row_bytes, 4 * tuples.length))
    rows = 1 + prefixes if depth else positions + 1
    space = tuples.length + kept if depth else rows * tuples.length
    begins = np.zeros(rows, dtype=np.int64) if depth else np.arange(rows) * tuples.length
    # Classes with counts of further columns are grouped one by one.
    last = 1 << int(plan.layout.bits[-1])
    in_blocks = not depth and tuples.words == 1 and tuples.width == 0 and last <= _MOST_LAST
    blocks, lasts, words = (tuples.length + 1, last, (last - 1) // 64 + 1) if in_blocks else (0, 0, 0)
    return structures.Walk(
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
        codes=np.empty((tuples.length, tuples.words), dtype=np.uint64),
        counts=np.empty(space, dtype=np.int64),
        begins=begins,
        lengths=np.zeros(rows, dtype=np.int64),
        levels=np.full(positions, -1, dtype=np.int64),
        holder=np.full(positions, -1, dtype=np.int64),
        kept=np.full(prefixes, -1, dtype=np.int64),
        used=np.array([1, tuples.length], dtype=np.int64),
        source=np.zeros(positions, dtype=np.int64),
        block_keys=np.empty(blocks, dtype=np.uint64),
        block_begins=np.empty(blocks, dtype=np.int64),
        block_sizes=np.empty(blocks, dtype=np.int64),
        block_target=np.empty(blocks, dtype=np.int64),
        block_head=np.empty(blocks, dtype=np.int64),
        taken=np.zeros(words, dtype=np.uint64),
        dense=np.zeros(lasts, dtype=np.int64),
        cells=np.empty((space, tuples.width), dtype=np.int32),
        class_costs=np.empty(costed),
    )


def _prefixes(plan: Plan) -> tuple[int, int]:
    """How many positions' prefixes are kept, and how many prefixes there are: of one position at least, and
    of all but the last at most."""
    depth, prefixes, combinations = 0, 0, 1
    for steps in plan.layout.steps.tolist():
        combinations *= steps + 1
        if depth and (prefixes + combinations > _MOST_PREFIXES or depth == plan.layout.positions - 1):
            break
        prefixes += combinations
        depth += 1
    return depth, prefixes
