"""A question to the space local: what is traded off, which chains there are, and the measured releases of
one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import comb
from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Cube
from paretonym.errors import Field, InputError
from paretonym.frontier import Solution, frontier_places
from paretonym.measures import (
    ALWAYS,
    CLASS_SIZE,
    CostRule,
    Objective,
    Realized,
    Requirement,
    Settings,
)
from paretonym.number_text import number_to_json
from paretonym.recoding import ClassCondition, Classes, Keep, Lattice, Suppression
from paretonym.rounding import rounded
from paretonym.search import Asked, Problem
from paretonym.spaces.local.chain_counts import ChainCounts
from paretonym.spaces.local.local_recoding import Chain, LocalRecoding, classes_at_nodes, nodes_of_tuples

# There may be so many chains that their number fills a page; any larger number is replaced by this one.
MOST_COUNTED = 10**18


class Candidate(NamedTuple):
    """A measured release: its objectives, and what a frontier says of it; its id comes later."""

    values: tuple[float, ...]
    solution: Solution


@dataclass(frozen=True, eq=False)
class LocalProblem(Asked):
    """One question to the chains of nodes of one cube."""

    cube: Cube
    objectives: tuple[Objective, ...]
    suppression: Suppression
    settings: Settings = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()

    def __post_init__(self) -> None:
        for asked in (*self.objectives, *(requirement.objective for requirement in self.requirements)):
            rule = asked.card.counted.rule
            if rule is not None and CostRule.named(rule, self.cube).by_level:
                raise InputError.of(
                    Field("objectives"),
                    f"{asked.name} needs one level for each column, but the space local mixes levels",
                    "omit it, or use loss",
                )

    @cached_property
    def on_lattice(self) -> Problem:
        """The same question to the lattice: chains of one node."""
        return Problem(self.cube, self.objectives, self.suppression, self.settings, self.requirements)

    @property
    def lattice(self) -> Lattice:
        return self.on_lattice.lattice

    @property
    def size(self) -> int:
        return min(number_of_chains([extent - 1 for extent in self.lattice.shape]), MOST_COUNTED)

    @property
    def suppressed_by(self) -> str:
        return str(self.suppression)

    @property
    def suppressible(self) -> int:
        return self.on_lattice.suppressible

    @cached_property
    def measured(self) -> tuple[Objective, ...]:
        """The objectives, and the other measures of every solution."""
        return self.on_lattice.measured_with(ALWAYS)

    @cached_property
    def watched(self) -> tuple[Objective, ...]:
        """The measures of single classes, other than their size, that objectives or requirements ask for."""
        asked = (*self.objectives, *(each.objective for each in self.requirements if each.prunes))
        found = {o.name: o for o in asked if o.card.algebra.classwise and o.name != CLASS_SIZE}
        return tuple(found.values())

    @cached_property
    def _thresholds(self) -> tuple[Objective, ...]:
        """The measures, other than class size, whose thresholds decide which classes stay."""
        asked = self.on_lattice.thresholds if self.on_lattice.every_threshold else ()
        return tuple(o for o in asked if o.name != CLASS_SIZE)

    @property
    def least_size(self) -> int:
        """The smallest class size that any solution may have."""
        limits = (each.limit for each in self.requirements if each.objective.name == CLASS_SIZE)
        return max([1, *(int(np.ceil(limit.bound)) for limit in limits if limit.sense == "at-least")])

    def candidates(self, chain: Chain, k: int, most: int | None = None) -> Iterator[Candidate]:
        """The admissible releases of a chain. If thresholds on more than class size are candidates of their
        own, at most so many of them, evenly spread."""
        counts = ChainCounts.of(self.cube)
        node = counts.nodes_of_tuples(chain, k) if counts.exact else nodes_of_tuples(self.cube, chain, k)
        rows = np.bincount(node, weights=self.cube.counts, minlength=len(chain) + 1)
        if not rows[:-1].any() or rows[-1] > self.suppressible:
            return
        # Nodes that show no row are no part of the chain.
        used = [place for place in range(len(chain)) if rows[place]]
        chain = tuple(chain[place] for place in used)
        classes = classes_at_nodes(self.cube, chain, np.searchsorted(used, node))
        size = int(classes.sizes[classes.sizes >= k].min())
        for keep in self._conditions(classes, size, most):
            made = Realized.of_classes(self.cube, classes, keep)
            if made.suppressed <= self.suppressible and (found := self._measured(made, chain, keep)):
                yield found

    def _conditions(self, classes: Classes, size: int, most: int | None) -> Iterator[Keep]:
        """What a class must have to stay: its size, and every combination of thresholds, each of which leaves
        enough rows, and which leave some class together."""
        sized = (ClassCondition.best_side(CLASS_SIZE, "max", size),)
        large = classes.sizes >= size
        values = [o.of_classes(self.cube, classes) for o in self._thresholds]
        steps = [
            _spread(_steps(o, own, classes.rows, large, self.suppressible), most)
            for o, own in zip(self._thresholds, values, strict=True)
        ]
        better = [1.0 if o.direction == "max" else -1.0 for o in self._thresholds]
        for bounds in product(*steps):
            stays = large.copy()
            for sign, own, bound in zip(better, values, bounds, strict=True):
                stays &= sign * own >= sign * bound
            if not stays.any():
                continue
            yield (
                *sized,
                *(
                    ClassCondition.best_side(o.name, o.direction, number_to_json(bound))
                    for o, bound in zip(self._thresholds, bounds, strict=True)
                ),
            )

    def _measured(self, made: Realized, chain: Chain, keep: Keep) -> Candidate | None:
        facts = made.facts((*self.measured, *(requirement.objective for requirement in self.requirements)))
        if not self.admissible(facts)[0]:
            return None
        values = {o.name: float(rounded(o.value(facts))[0]) for o in self.measured}
        names = self.lattice.names
        named = tuple(tuple(zip(names, levels, strict=True)) for levels in chain)
        recoding = LocalRecoding(named, keep)
        vector = tuple(values[o.name] for o in self.objectives)
        return Candidate(vector, Solution("", values, made.suppressed, recoding))


def _steps(asked: Objective, values: Floats, rows: Integers, large: Mask, suppressible: int) -> list[float]:
    """The thresholds on a measure of classes that suppress few enough rows, the weakest first."""
    better = 1.0 if asked.direction == "max" else -1.0
    found = []
    for bound in sorted(set(values[large].tolist()), key=lambda value: better * value):
        if rows[~(large & (better * values >= better * bound))].sum() > suppressible:
            break
        found.append(bound)
    return found


def _spread(steps: list[float], most: int | None) -> list[float]:
    if most is None or len(steps) <= most:
        return steps
    return [steps[place] for place in np.linspace(0, len(steps) - 1, most).astype(int).tolist()]


def number_of_chains(steps: Sequence[int], length: int | None = None) -> int:
    """The number of chains, of at most `length` nodes or of any, in a lattice whose columns have that many
    levels above the lowest.

    Σ_r Σ_i (−1)^(r−i)·C(r−1, i−1)·Π_j C(steps_j + i, i): a column runs through i nodes that need not differ
    in C(steps + i, i) ways, and inclusion and exclusion leaves the chains of r different nodes.

    >>> number_of_chains([1]), number_of_chains([1, 1]), number_of_chains([1, 1], length=1)
    (3, 11, 4)
    """
    longest = min(sum(steps) + 1, length or sum(steps) + 1)
    ways = [1] * (longest + 1)
    for nodes in range(1, longest + 1):
        for own in steps:
            ways[nodes] *= comb(own + nodes, nodes)
    return sum(
        (-1) ** (nodes - some) * comb(nodes - 1, some - 1) * ways[some]
        for nodes in range(1, longest + 1)
        for some in range(1, nodes + 1)
    )


@dataclass(frozen=True, eq=False)
class ChainsFound:
    """The best candidates, their objectives, and how many chains were evaluated."""

    candidates: tuple[Candidate, ...]
    values: Floats
    evaluated: int
    open: int
    complete: bool = False
    in_part: int = 0
    interrupted: bool = False

    @classmethod
    def of(
        cls,
        problem: LocalProblem,
        candidates: Sequence[Candidate],
        evaluated: int,
        complete: bool = False,
        interrupted: bool = False,
    ) -> ChainsFound:
        """The best of some candidates. Of those with equal objectives the shortest chain is kept, then the
        one that is first in dictionary order."""
        best = best_of(problem, candidates)
        # A chain may have been evaluated twice, and not with every class size.
        left = 0 if complete else max(problem.size - evaluated, 1)
        return cls(best, vectors(problem, best), evaluated, left, complete, interrupted=interrupted)

    def take(self, places: Integers) -> ChainsFound:
        whole = len(places) == len(self.candidates)
        chosen = tuple(self.candidates[place] for place in places.tolist())
        return replace(self, candidates=chosen, values=self.values[places], complete=self.complete and whole)


def vectors(problem: LocalProblem, candidates: Sequence[Candidate]) -> Floats:
    """The objectives of candidates, one row each."""
    rows = [candidate.values for candidate in candidates]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(problem.objectives))


def best_of(problem: LocalProblem, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Those that no other one dominates, one for each vector."""

    def simplicity(place: int) -> tuple[int, str]:
        entry = candidates[place].solution.recoding.as_json()
        return len(entry["chain"]), str(entry)

    order = sorted(range(len(candidates)), key=simplicity)
    ordered = [candidates[place] for place in order]
    kept = frontier_places(
        vectors(problem, ordered), problem.directions, np.arange(len(ordered), dtype=np.int64)
    )
    return tuple(ordered[place] for place in kept.tolist())
