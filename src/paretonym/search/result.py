"""What a search comes back with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from paretonym.arrays import Floats, Integers
from paretonym.budget import Limits
from paretonym.search.archive import Best
from paretonym.search.problem import Problem
from paretonym.search.search_options import STANDARD, Tuning


@dataclass(frozen=True, slots=True)
class Unresolved:
    """What could still beat a solution: how many nodes, and the best that they could reach together."""

    nodes: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The frontier found, the number of nodes evaluated, and whether it is proven to be all. If not, `open`
    nodes were neither evaluated nor closed, and `unresolved` says for each solution what they could do. Of
    `in_part` nodes some rows were counted, which was enough to close them; all counting in part took as long
    as `effort` evaluations, by the tuples that were counted."""

    best: Best
    evaluated: int
    complete: bool
    open: int = 0
    unresolved: tuple[Unresolved, ...] = ()
    in_part: int = 0
    effort: float = 0.0
    interrupted: bool = False

    @property
    def values(self) -> Floats:
        """The objectives of what was found, one row each."""
        return self.best.values

    def take(self, places: Integers) -> Found:
        """Some of what was found; with less than all it is no complete frontier."""
        return replace(
            self,
            best=Best(self.best.counted.take(places), self.best.values[places]),
            complete=self.complete and len(places) == len(self.best.values),
            unresolved=tuple(self.unresolved[place] for place in places) if self.unresolved else (),
        )


class Search(Protocol):
    """A way to the frontier of a problem on the lattice, or near to it."""

    def __call__(self, problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found: ...
