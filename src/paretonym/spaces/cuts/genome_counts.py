"""Counting many recodings at once, each a choice of cuts for every column: how tuples are laid out for it.

Columns are combined into a few parts. A part has far fewer distinct combinations of atoms than there are
tuples, so the groups of a part are computed once for each combination, and a tuple needs one look-up per part
instead of one per column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Counted, Margin
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.factorize import distinct_rows
from paretonym.recoding import Gaps

# The columns of a part can be recoded in at most this many ways, so that a small table distinguishes them.
MOST_WAYS = 1 << 16
# The facts of every candidate, the sum over rows of what the rule is about, and how many cuts are hidden.
FACTS = 8
_CANDIDATES = 400


class Rule(NamedTuple):
    """Which classes are suppressed, in the form that the compiled code takes: `kind` as in `KINDS`, by two
    thresholds, each a list of places of statistics, -1 for class size, -2 for none; `whole` numbers of them
    only."""

    kind: str
    thresholds: Integers
    whole: bool
    suppressible: int


KINDS = ("order", "mean", "any")


class _Space(NamedTuple):
    table: interface.Table
    own: interface.GenomeSpace
    thresholds: interface.Thresholds


@dataclass(frozen=True, eq=False)
class GenomeCounter:
    """Counts genomes; may be called from several threads at once. Memory is lent to one thread at a time and
    returned afterwards."""

    genomes: interface.Genomes
    requests: interface.Requests
    rule: Rule
    ways: int
    idle: SimpleQueue[_Space]

    def __call__(self, bits: npt.NDArray[np.bool_]) -> Counted:
        """The candidates of each genome; `nodes` are places among the genomes."""
        try:
            space = self.idle.get_nowait()
        except Empty:
            space = self._space()
        parts: list[Counted] = []
        done, each = 0, _CANDIDATES if self.rule.kind == "any" else 1
        while done < len(bits) or not parts:
            part, some = self._some(np.ascontiguousarray(bits[done:]), each, space)
            parts.append(part._replace(nodes=part.nodes + done))
            done += some
            each *= 2
        self.idle.put(space)
        return Counted.joined(parts)

    def _some(self, bits: npt.NDArray[np.bool_], each: int, space: _Space) -> tuple[Counted, int]:
        """As many genomes as there is room for."""
        rule, written = self.rule, np.zeros(1, dtype=np.int64)
        out = Counted.room(max(len(bits), 1) * each, FACTS, self.genomes.costs, self.requests.statistics)
        done = library.call(
            "count_genomes", self.genomes, self.requests, *space, rule.thresholds.shape[1], rule.thresholds,
            KINDS.index(rule.kind), int(rule.whole), rule.suppressible, *bits.shape, bits, out.for_kernels(),
            written,
        )  # fmt: skip
        return out.take(slice(int(written[0]))), done

    def _space(self) -> _Space:
        genomes, length = self.genomes, self.genomes.tuples
        own = interface.GenomeSpace.made(
            axes=genomes.axes,
            atoms=genomes.atoms,
            costs=genomes.costs,
            tuples=length,
            combined=genomes.combined,
            limit=self.rule.suppressible + 1,
            width=self.requests.values,
            dense=np.full(self.ways, -1, dtype=np.int32),
        )
        return _Space(
            interface.Table.for_classes(length),
            own,
            interface.Thresholds.for_classes(length, self.requests, genomes.costs, None),
        )


def genome_counter(
    atoms: Sequence[npt.NDArray[np.integer]],
    sizes: Sequence[int],
    counts: Integers,
    costs: Sequence[Sequence[Integers]],
    margins: Sequence[Margin],
    requests: interface.Requests,
    rule: Rule,
    gaps: Sequence[Gaps],
) -> GenomeCounter:
    """The counter for genomes. `atoms[j][t]` is the atom of axis j in tuple t, `sizes[j]` how many there are;
    `costs[c][j]` holds what a row costs in each group of axis j, for every first atom and every last;
    `gaps[j]` where its cuts are shown."""
    first, merged, _ = distinct_rows(list(atoms), list(sizes))
    rows = np.zeros(len(first), dtype=np.int64)
    np.add.at(rows, merged, counts)
    columns = [np.asarray(column)[first].astype(np.int32) for column in atoms]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    chosen = _parts(columns, sizes)
    ways = max(int(np.prod([sizes[j] for j in part], dtype=object)) for part in chosen)
    combinations, combination_starts, listed_starts, parts = _combine(columns, starts, chosen)
    value_starts, values, value_counts = _values(margins, merged, len(first))
    lengths = [(size + 1) ** 2 for size in sizes]
    own = [column + start for column, start in zip(columns, starts[:-1], strict=True)]
    genomes = interface.Genomes.made(
        combined=int(combination_starts[-1]),
        rows=int(rows.sum()),
        atom_starts=starts,
        cost_starts=np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64),
        atom_rows=_rows_of_atoms(columns, sizes, rows),
        axis=np.array([j for part in chosen for j in part], dtype=np.int64),
        part_axes=np.concatenate([[0], np.cumsum([len(part) for part in chosen])]).astype(np.int64),
        combination_starts=combination_starts,
        listed_starts=listed_starts,
        counts=rows,
        value_starts=value_starts,
        combinations=combinations,
        part=parts,
        line_atoms=np.array([each.length if each.numeric else -each.length for each in gaps]),
        edge_ranks=np.concatenate([each.edge_ranks[:-1] for each in gaps]),
        round_ranks=np.concatenate([each.round_ranks[:-1] for each in gaps]),
        whole=np.concatenate([each.whole for each in gaps]),
        followed=np.concatenate([each.followed for each in gaps]),
        tuple_atoms=np.stack(own, axis=1).astype(np.int32),
        values=values,
        value_counts=value_counts,
        cost=np.array([np.concatenate([c.ravel() for c in cost]) for cost in costs]).reshape(len(costs), -1),
    )
    return GenomeCounter(genomes, requests, rule, ways, SimpleQueue())


def _rows_of_atoms(columns: Sequence[interface.Small], sizes: Sequence[int], rows: Integers) -> Integers:
    """How many rows every atom has."""
    counts = [
        np.bincount(column, weights=rows, minlength=size) for column, size in zip(columns, sizes, strict=True)
    ]
    return np.rint(np.concatenate(counts)).astype(np.int64)


def _parts(columns: list[interface.Small], sizes: Sequence[int]) -> list[list[int]]:
    """Columns in parts, the largest first: a column joins the part where it makes the fewest combinations."""
    few = max(64, len(columns[0]) // 8)
    parts: list[list[int]] = []
    for j in sorted(range(len(columns)), key=lambda j: (-sizes[j], j)):
        best, fewest = None, few
        for place, part in enumerate(parts):
            ways = int(np.prod([sizes[i] for i in (*part, j)], dtype=object))
            if ways <= MOST_WAYS:
                made = len(distinct_rows([columns[i] for i in (*part, j)], [sizes[i] for i in (*part, j)])[0])
                if made <= fewest:
                    best, fewest = place, made
        if best is None:
            parts.append([j])
        else:
            parts[best].append(j)
    return parts


def _combine(
    columns: list[interface.Small], starts: Integers, chosen: list[list[int]]
) -> tuple[interface.Unsigned, Integers, Integers, interface.Unsigned]:
    listed, combination_starts, places, parts = [], [0], [0], []
    for part in chosen:
        sizes = [int(columns[j].max()) + 1 for j in part]
        first, which, _ = distinct_rows([columns[j] for j in part], sizes)
        listed.append(np.stack([columns[j][first] + starts[j] for j in part], axis=1).ravel())
        parts.append(which + combination_starts[-1])
        combination_starts.append(combination_starts[-1] + len(first))
        places.append(places[-1] + len(first) * len(part))
    return (
        np.concatenate(listed).astype(np.uint32),
        np.array(combination_starts, dtype=np.int64),
        np.array(places, dtype=np.int64),
        np.stack(parts).astype(np.uint32),
    )


def _values(
    margins: Sequence[Margin], merged: Integers, tuples: int
) -> tuple[Integers, interface.Small, interface.Small]:
    """The values of all further columns, side by side, for each tuple."""
    nothing = np.empty(0, dtype=np.int64)
    if not margins:
        return np.zeros(tuples + 1, dtype=np.int64), nothing.astype(np.int32), nothing.astype(np.int32)
    before = np.cumsum([0, *(len(margin.labels) for margin in margins)])
    owners = np.concatenate([merged[margin.tuples] for margin in margins])
    values = np.concatenate([m.values + start for m, start in zip(margins, before, strict=False)])
    first, which, _ = distinct_rows([owners, values], [tuples, int(before[-1])])
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, which, np.concatenate([margin.counts for margin in margins]))
    starts = np.searchsorted(owners[first], np.arange(tuples + 1)).astype(np.int64)
    return starts, values[first].astype(np.int32), counts.astype(np.int32)
