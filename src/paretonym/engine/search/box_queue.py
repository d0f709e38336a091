"""Boxes of a lattice: all nodes between two, with what is known of both ends; and a queue of open boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Literal, NamedTuple, TypeAlias

from paretonym.base.arrays import Floats, Integers

# Beyond this many open boxes, each box that is taken is finished before the next one: memory stays bounded.
MOST_OPEN = 200_000
NOWHERE = -1
Side: TypeAlias = Literal["upper", "lower"]


class Known(NamedTuple):
    """Facts of a node and everything below it: the best that inherited objectives can be, as costs, and
    the rows that must be suppressed for each size of the staircase. `least` holds for the node and everything
    above it: the floors of costs that are known only where they are evaluated."""

    best: Floats
    stairs: Integers
    least: Floats


class End(NamedTuple):
    """Facts of one end of a box: what holds at the node `source`, which is this end once that is
    evaluated, a node beyond it until then."""

    source: int = NOWHERE
    known: Known | None = None


class Box(NamedTuple):
    """All nodes between two, by their numbers, and what is known of both ends. Boxes are taken by rank, then
    in the order of their numbers."""

    rank: int
    number: int
    low: int
    high: int
    upper: End = End()
    lower: End = End()

    @property
    def evaluated(self) -> int:
        """Number of its nodes that are evaluated: only its ends can be."""
        if self.low == self.high:
            return int(self.high in (self.upper.source, self.lower.source))
        return (self.upper.source == self.high) + (self.lower.source == self.low)

    def with_end(self, side: Side, end: End) -> Box:
        """The box, with what is known of one end."""
        return self._replace(upper=end) if side == "upper" else self._replace(lower=end)

    @property
    def done(self) -> bool:
        """True if nothing is left of it to evaluate."""
        return self.low == self.high and self.evaluated > 0


Boxes: TypeAlias = list[Box]


class BoxQueue:
    """The open boxes: those with most to gain first, and if there are too many, the last first."""

    def __init__(self) -> None:
        self._ranked: Boxes = []
        self._stack: Boxes = []
        self._numbered = 0

    def __iter__(self) -> Iterator[Box]:
        yield from self._ranked
        yield from self._stack

    def parts(self) -> tuple[Boxes, Boxes]:
        """The ranked boxes in the order in which they will be taken, and the stack."""
        return sorted(self._ranked, key=lambda box: (box.rank, box.number)), self._stack

    def restore(self, ranked: Boxes, stack: Boxes) -> None:
        """Open boxes as `parts` gave them."""
        self._ranked = [box._replace(number=number) for number, box in enumerate(ranked)]
        self._stack, self._numbered = stack, len(ranked)

    def __bool__(self) -> bool:
        return bool(self._ranked or self._stack)

    def add(self, boxes: Iterable[Box]) -> None:
        for box in boxes:
            numbered = box._replace(number=self._numbered)
            self._numbered += 1
            if len(self._ranked) < MOST_OPEN:
                heappush(self._ranked, numbered)
            else:
                self._stack.append(numbered)

    def take(self, most: int) -> Boxes:
        if self._stack:
            taken, self._stack = self._stack[-most:], self._stack[:-most]
            return taken
        return [heappop(self._ranked) for _ in range(min(most, len(self._ranked)))]
