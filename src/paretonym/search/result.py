"""What a search comes back with."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.search.archive import Best


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
