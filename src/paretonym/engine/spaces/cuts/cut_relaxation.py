"""Lower bounds of the loss of all cuts in a box: a question to the space of cuts, laid out for them.

A box holds all genomes with some forced cuts and without some excluded ones. Its bound adds up, over the
columns, the least that a column can cost if all other columns show the forced cuts only: with fewer cuts,
classes are larger and fewer rows are lost (docs/explanation/how-far-from-optimal.md has the proof). Losses
are numerators over `whole` here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from queue import Empty, SimpleQueue
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.factorize import group_sums, starts_of
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.measures import CostRule
from paretonym.engine.recoding import ALWAYS_SHOWN
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_classes import genome_classes
from paretonym.engine.spaces.cuts.genome_space import Bits, Branch, CutAxis, Genomes

# An axis with more runs of places, times sizes, is bounded by its finest cuts: memory is limited.
MOST_RUNS = 1 << 24
# Whole numbers up to here are exact in a float.
_EXACT = 1 << 53


class Boxes(NamedTuple):
    """Boxes of genomes: the cuts that all have, and those that some may have; bounds are asked for sizes of
    the smallest class from place `low` up to but excluding `high`, and `least` is what is known."""

    forced: Genomes
    allowed: Genomes
    low: Integers
    high: Integers
    least: Floats


class Bounded(NamedTuple):
    """Bounds of boxes, the gap at which to divide each (-1: it needs no division), and a genome of each."""

    least: Floats
    gap: Integers
    genomes: Genomes


@dataclass(frozen=True, eq=False)
class CutRelaxation:
    """Bounds boxes for some sizes of the smallest class; may be called from several threads at once."""

    table: interface.CutTable
    sizes: Integers
    suppressible: int
    whole: float
    # Whether numerators are whole numbers, so that bounds are exact.
    exact: bool
    idle: SimpleQueue[tuple[interface.CutSpace, interface.Table]]

    @classmethod
    def of(cls, problem: CutsProblem, sizes: Integers) -> CutRelaxation:
        rule = CostRule.named("generalization", problem.cube)
        table = _cut_table(problem, rule)
        return cls(table, sizes, problem.suppressible, float(rule.whole), rule.whole < _EXACT, SimpleQueue())

    @property
    def most_places(self) -> int:
        """The largest number of places of an axis that is divided."""
        return max(isqrt(MOST_RUNS // len(self.sizes)) - 1, 2)

    @property
    def effort(self) -> float:
        """About how many genomes are evaluated in the time that one box takes."""
        places = np.diff(self.table.atom_starts).astype(np.float64)
        runs = float((places[places <= self.most_places] ** 2).sum()) * len(self.sizes)
        return 4 + 0.4 * runs / int(self.table.tuples * self.table.axes)

    def __call__(self, boxes: Boxes, known: Floats) -> Bounded:
        """Bounds of boxes; `known` is the least cost known for each size, above which nothing is wanted."""
        try:
            space, slots = self.idle.get_nowait()
        except Empty:
            space, slots = self._memory()
        result = Bounded(
            boxes.least.copy(), np.empty(len(boxes.low), dtype=np.int64), np.zeros_like(boxes.forced)
        )
        library.call(
            "bound_cuts", self.table, space, slots, self.sizes, known, self.suppressible,
            *boxes.forced.shape, boxes.forced, boxes.allowed, boxes.low, boxes.high, *result,
        )  # fmt: skip
        self.idle.put((space, slots))
        return result

    def of_genome(self, problem: CutsProblem, genome: Bits) -> Floats:
        """The least loss of a release that shows the groups of a genome, for each size: infinite if more
        rows would be lost than may be suppressed, if a cut cannot be shown, or if a group between two cuts
        would lose all its rows."""
        made, costs = genome_classes(problem, genome), np.zeros(1)
        lost = made.rows < self.sizes[:, None]
        most = problem.space.shown_up_to[genome]
        hidden = (self.sizes > most[most >= 0].min(initial=ALWAYS_SHOWN)) | (
            lost @ made.rows > self.suppressible
        )
        for j, (axis, (firsts, afters)) in enumerate(
            zip(problem.space.axes, problem.space.groups(genome), strict=True)
        ):
            places = self.table.cost_starts[j] + firsts * (len(axis) + 1) + afters
            costs = costs + self.table.cost[places][made.shown[:, j]]
            on_line = int((firsts < axis.gaps.length).sum()) if (axis.shown_up_to >= 0).any() else 0
            for group in range(on_line if on_line > 1 else 0):
                hidden |= lost[:, made.shown[:, j] == group].all(axis=1)
        least: Floats = np.where(lost, self.table.whole[0], costs) @ made.rows
        return np.where(hidden, np.inf, least)

    def _memory(self) -> tuple[interface.CutSpace, interface.Table]:
        table = self.table
        widest = int(np.diff(table.atom_starts).max(initial=1))
        space = interface.CutSpace.made(
            tuples=table.tuples,
            tuples_after=table.tuples + 1,
            atoms=table.atoms,
            places=min(widest, self.most_places) + 1,
            sizes=len(self.sizes),
            sizes_after=len(self.sizes) + 1,
        )
        return space, interface.Table.for_classes(table.tuples)


def _cut_table(problem: CutsProblem, rule: CostRule) -> interface.CutTable:
    axes = problem.space.axes
    atoms, counts, _ = problem.space.tuples(problem.cube)
    sizes = [len(axis) for axis in axes]
    rows = [group_sums(atoms[:, j], counts, size) for j, size in enumerate(sizes)]
    costs = [_group_costs(axis, rule) for axis in axes]
    lengths = [len(cost) ** 2 for cost in costs]
    whole = float(rule.most)
    most = np.array([cost[np.isfinite(cost)].max(initial=0.0) for cost in costs])
    # What a suppressed row costs beyond all columns (a column of one value costs nothing) goes to the first.
    most[0] += whole - most.sum()
    # None lies in front of the first atom.
    largest_k = [problem.space.shown_up_to[problem.space.part(j)] for j in range(len(axes))]
    boundary = [np.concatenate([[-1], each]) for each in largest_k]
    return interface.CutTable.made(
        rows=int(counts.sum()),
        atom_starts=starts_of(sizes),
        cost_starts=starts_of(lengths)[:-1],
        counts=counts,
        atom_rows=np.concatenate(rows),
        boundary=np.concatenate(boundary).astype(np.int64),
        tuple_atoms=atoms,
        cost=np.concatenate([cost.ravel() for cost in costs]),
        most=most,
        whole=np.array([whole]),
    )


def _group_costs(axis: CutAxis, rule: CostRule) -> Floats:
    """Costs of one row in every group of neighbouring atoms, by its first and by the one after its last;
    infinite where a cut column has no such group."""
    result = np.full((len(axis) + 1, len(axis) + 1), np.inf)
    firsts, afters = np.concatenate(list(_groups(axis.root)), axis=1)
    result[firsts, afters] = rule.unit(axis.axis, axis.sets(firsts, afters))
    return result


def _groups(branch: Branch) -> Iterator[Integers]:
    """All groups that a branch can have: the first atoms, and those after the last."""
    if branch.open:
        yield np.stack(np.triu_indices(branch.after - branch.first + 1, 1)) + branch.first
    elif branch.whole:
        yield np.array([[branch.first], [branch.after]])
    for child in branch.children:
        yield from _groups(child)
