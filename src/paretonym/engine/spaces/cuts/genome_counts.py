"""Counting many recodings at once, each a choice of cuts for every column: how tuples are laid out for it.

Columns are combined into a few parts. A part has far fewer distinct combinations of atoms than there are
tuples, so the groups of a part are computed once for each combination, and a tuple needs one look-up per part
instead of one per column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from queue import Empty, SimpleQueue
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.factorize import distinct_rows, group_sums, starts_of, summed
from paretonym.engine.counts import Counted, Margin, requests_for
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_space import CutAxis

# The columns of a part can be recoded in at most this many ways, so that a small table distinguishes them.
MOST_WAYS = 1 << 16
_CANDIDATES = 400
# The numbers of the kinds of rules in the compiled code.
_KINDS = ("order", "mean", "any")
# The facts of every candidate, the sum over rows of what the rule is about, and how many cuts are hidden.
_FACTS = 8


class _Space(NamedTuple):
    table: interface.Table
    own: interface.GenomeSpace
    thresholds: interface.Thresholds


@dataclass(frozen=True, eq=False)
class GenomeCounter:
    """Counts genomes; may be called from several threads at once. Memory is lent to one thread at a time and
    returned afterwards."""

    problem: CutsProblem
    genomes: interface.Genomes
    requests: interface.Requests
    ways: int
    idle: SimpleQueue[_Space]

    def __call__(self, bits: npt.NDArray[np.bool_]) -> Counted:
        """The candidates of each genome; `nodes` are places among the genomes."""
        try:
            space = self.idle.get_nowait()
        except Empty:
            space = self._space()
        parts: list[Counted] = []
        done, room = 0, _CANDIDATES if self.problem.rule.kind == "any" else 1
        while done < len(bits) or not parts:
            part, some = self._some(np.ascontiguousarray(bits[done:]), room, space)
            parts.append(part._replace(nodes=part.nodes + done))
            done += some
            room *= 2
        self.idle.put(space)
        return Counted.joined(parts)

    def _some(self, bits: npt.NDArray[np.bool_], each: int, space: _Space) -> tuple[Counted, int]:
        """As many genomes as there is room for."""
        problem, written = self.problem, np.zeros(1, dtype=np.int64)
        places, rule = problem.threshold_places, problem.rule
        out = Counted.room(max(len(bits), 1) * each, _FACTS, self.genomes.costs, self.requests.statistics)
        done = library.call(
            "count_genomes", self.genomes, self.requests, *space, places.shape[1], places,
            _KINDS.index(rule.kind), int(rule.whole), problem.suppressible, *bits.shape, bits,
            out.for_kernels(), written,
        )  # fmt: skip
        return out.take(slice(int(written[0]))), done

    def _space(self) -> _Space:
        genomes, length = self.genomes, self.genomes.tuples
        genome_space = interface.GenomeSpace.made(
            axes=genomes.axes,
            atoms=genomes.atoms,
            costs=genomes.costs,
            tuples=length,
            combined=genomes.combined,
            limit=self.problem.suppressible + 1,
            width=self.requests.values,
            dense=np.full(self.ways, -1, dtype=np.int32),
        )
        return _Space(
            interface.Table.for_classes(length),
            genome_space,
            interface.Thresholds.for_classes(length, self.requests, genomes.costs, None),
        )


def genome_counter(problem: CutsProblem) -> GenomeCounter:
    """The counter for the genomes of a problem."""
    axes, cube = problem.space.axes, problem.cube
    atoms, rows, merged = problem.space.tuples(cube)
    margins = cube.margins_of(s.column for s in problem.statistics)
    columns, sizes, gaps = list(atoms.T), [len(axis) for axis in axes], [axis.gaps for axis in axes]
    starts, named = starts_of(sizes), [axis.named_sets for axis in axes]
    parts = _parts(columns, sizes)
    ways = max(int(np.prod([sizes[j] for j in part], dtype=object)) for part in parts)
    combinations, combination_starts, listed_starts, part_of_tuple = _combine(columns, starts, parts)
    value_starts, values, value_counts = _values(margins, merged, len(rows))
    lengths = [(size + 1) ** 2 for size in sizes]
    genomes = interface.Genomes.made(
        combined=int(combination_starts[-1]),
        rows=int(rows.sum()),
        atom_starts=starts,
        cost_starts=starts_of(lengths)[:-1],
        atom_rows=np.concatenate(
            [group_sums(column, rows, size) for column, size in zip(columns, sizes, strict=True)]
        ),
        axis=np.array([j for part in parts for j in part], dtype=np.int64),
        part_axes=np.array([0, *accumulate(map(len, parts))], dtype=np.int64),
        combination_starts=combination_starts,
        listed_starts=listed_starts,
        counts=rows,
        value_starts=value_starts,
        combinations=combinations,
        part=part_of_tuple,
        line_atoms=np.array([gaps_of_axis.length * gaps_of_axis.numeric for gaps_of_axis in gaps]),
        set_starts=starts_of([sets.size // 2 for sets in named]),
        set_first=np.concatenate([sets[:, 0].ravel() for sets in named]),
        set_after=np.concatenate([sets[:, 1].ravel() for sets in named]),
        always=np.concatenate([axis.listed for axis in axes]),
        edge_ranks=np.concatenate([gaps_of_axis.edge_ranks[:-1] for gaps_of_axis in gaps]),
        round_ranks=np.concatenate([gaps_of_axis.round_ranks[:-1] for gaps_of_axis in gaps]),
        whole=np.concatenate([gaps_of_axis.whole for gaps_of_axis in gaps]),
        followed=np.concatenate([gaps_of_axis.followed for gaps_of_axis in gaps]),
        tuple_atoms=(atoms + starts[:-1]).astype(np.int32),
        values=values,
        value_counts=value_counts,
        cost=np.concatenate([unit_costs(problem, axis) for axis in axes], axis=1),
    )
    return GenomeCounter(problem, genomes, requests_for(margins, problem.statistics), ways, SimpleQueue())


def unit_costs(problem: CutsProblem, axis: CutAxis) -> Integers:
    """Costs of one row in every group of neighbouring atoms, by its first and by the one after its last:
    one row of the table for each cost."""
    size = len(axis)
    firsts, afters = np.triu_indices(size + 1, 1)
    sets = axis.sets(firsts, afters)
    tables = np.zeros((len(problem.costs), (size + 1) ** 2), dtype=np.int64)
    for table, rule in zip(tables, problem.costs.values(), strict=True):
        table[firsts * (size + 1) + afters] = rule.unit(axis.axis, sets)
    return tables


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
    *before, width = accumulate((len(margin.labels) for margin in margins), initial=0)
    numbers = [
        merged[margin.tuples] * width + margin.values + start
        for margin, start in zip(margins, before, strict=True)
    ]
    nothing = np.empty(0, dtype=np.int64)
    counts = [margin.counts for margin in margins]
    cells, times = summed(np.concatenate([nothing, *numbers]), np.concatenate([nothing, *counts]))
    starts = np.searchsorted(cells, np.arange(tuples + 1) * width).astype(np.int64)
    return starts, (cells % max(width, 1)).astype(np.int32), times.astype(np.int32)
