"""POkA: from one solution to the next less private one, through nodes that both generalize.

Dewri, Ray, Ray, Whitley, "POkA: identifying Pareto-optimal k-anonymous nodes in a domain hierarchy lattice"
(2009), Sections 4 and 5. From a *base node* the search goes `depth` levels down to *ground nodes* (depth
search) and from there up again (height search), as far as k and the loss stay below those of the base. The
node of highest k that it passes, of these the one of least loss, is the next solution and the next base,
until k is 2 or less.

The paper's recursion with its two memo lists visits each node once for a base and asks for the best of all
it visited. Here whole layers of the lattice are visited together: the same nodes are evaluated and the same
values come out, without a recursion that a deep lattice could exhaust.

Where the paper leaves a case open:

- Fewer than `depth` levels are left below the base: the bottom of the lattice is the ground node.
- Nothing is found: the nodes between base and ground count too, which are otherwise skipped without being
  evaluated; if that does not help, the search goes one level deeper, and so on to the bottom. The paper
  skips them because the next solution, if it lies below the base, is a neighbour of it. That fails on ties:
  if no neighbour loses less than the base, the next solution may lie further down (classification error on
  Adult is such a case at the very top).
- A neighbour of the base as ground node (depth 1) must have less k and less loss too, as the paper's text
  says and its pseudo-code omits.

Ties, and losses that are not monotone once rows are suppressed, can hide solutions: nothing is proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.budget import Limits
from paretonym.base.errors import Field, InputError
from paretonym.base.thread_pool import workers
from paretonym.engine.recoding import Lattice
from paretonym.engine.search import STANDARD, Found, Problem, Tuning
from paretonym.research.papers.methods.evaluation_cache import Ledger

LOSSES = ("loss", "discernibility", "classification-error")
# The search ends at a solution of this k or less.
LAST = 2


def search_poka(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Solutions with decreasing k and loss, each found from the previous one. The objectives are k and a
    loss."""
    check_suitable(problem)
    with workers(limits.threads) as pool:
        ledger = Ledger(problem, limits, pool)
        path = descend(ledger, limits, tuning)
    return ledger.found(ledger.first_places(path.nodes))


def check_suitable(problem: Problem) -> None:
    """Refuse questions that the method cannot answer."""
    names = sorted(o.card.name for o in problem.objectives)
    if len(names) != 2 or "k" not in names or not any(name in LOSSES for name in names):
        raise InputError.of(
            Field("search"),
            "poka trades k against one loss, and these objectives are others",
            f"ask for k and one of {', '.join(LOSSES)}, or use {Field('search', 'pbg')} or exact",
        )
    if problem.every_threshold:
        raise InputError.of(
            Field("search"),
            f"poka knows one k for each node, and {Field('suppress', str(problem.suppression))} gives "
            "several",
            f"give a limit such as {Field('suppress', '0.01')}, or use {Field('search', 'exact')}",
        )


def base_levels(lattice: Lattice, tuning: Tuning) -> tuple[int, ...]:
    """The node to begin with: the levels given, the highest for all others."""
    levels = dict(zip(lattice.names, lattice.highest, strict=True))
    lowest = dict(zip(lattice.names, lattice.lowest, strict=True))
    for name, level in tuning.base or ():
        if name not in levels:
            wrong = f"'{name}' is not a quasi-identifier"
            remedy = f"the quasi-identifiers are: {', '.join(lattice.names)}"
            raise InputError.of(Field("base"), wrong, remedy)
        if not lowest[name] <= level <= levels[name]:
            raise InputError.of(
                Field("base"),
                f"'{name}' has no level {level}",
                f"give one from {lowest[name]} to {levels[name]}",
            )
        levels[name] = level
    return tuple(levels.values())


def average_depth(shape: tuple[int, ...]) -> int:
    """The paper's depth: the levels of a quasi-identifier on average, rounded up.

    >>> average_depth((7, 4, 4, 4, 2, 2, 5, 2))
    3
    """
    return max(1, -(-sum(extent - 1 for extent in shape) // len(shape)))


class Descent(NamedTuple):
    """The nodes that were found, beginning with the base; `amended` counts those for which the search went
    on where the paper's would have ended."""

    nodes: Integers
    amended: int


def descend(ledger: Ledger, limits: Limits, tuning: Tuning) -> Descent:
    """From the base to one solution after the other."""
    problem = ledger.problem
    size_first = problem.objectives[0].name == "k"
    depth = tuning.depth or average_depth(problem.lattice.shape)
    node = problem.lattice.number(base_levels(problem.lattice, tuning))
    path: list[int] = []
    ledger.look(np.array([node]))
    following: int | None = node
    amendments = 0
    while following is not None:
        path.append(following)
        base = Base(ledger, limits, following, size_first)
        following, amended = (None, False) if base.k <= LAST else base.next(depth)
        amendments += amended
    return Descent(np.array(path, dtype=np.int64), amendments)


@dataclass(frozen=True, eq=False)
class Base:
    """A solution from which the search for the next one starts. Levels are counted from the lowest
    allowed."""

    ledger: Ledger
    limits: Limits
    node: int
    size_first: bool

    @cached_property
    def levels(self) -> Integers:
        result: Integers = self.ledger.problem.above_lowest(np.array([self.node]))[0]
        return result

    @property
    def k(self) -> float:
        return float(self.size_and_loss(np.array([self.node]))[0, 0])

    def size_and_loss(self, nodes: Integers) -> Floats:
        values = self.ledger.values[self.ledger.first_places(nodes)]
        return values if self.size_first else values[:, ::-1]

    def next(self, depth: int) -> tuple[int | None, bool]:
        """The node of highest k below that of the base that loses less, None if none is found; and whether
        the paper's search would have ended before."""
        deepest = int(self.levels.sum())
        depth = min(depth, deepest)
        again = range(max(depth, 2), deepest + 1)
        for below, skipping in [(depth, True), *((deeper, False) for deeper in again)]:
            nodes = self._search(below, skipping)
            if nodes:
                return self._best(np.array(nodes, dtype=np.int64)), not skipping
            if self.limits.over:
                break
        return None, False

    def _best(self, nodes: Integers) -> int:
        size, loss = self.size_and_loss(nodes).T
        return int(nodes[np.lexsort((nodes, loss, -size))[0]])

    def _search(self, depth: int, skipping: bool) -> list[int]:
        """The nodes with less k and less loss on the ways up from the nodes `depth` below the base.

        With `skipping`, what is specialized from the base, and no neighbour of it, is not evaluated.
        """
        layer, better = self.ground(depth), []
        while len(layer) and not self.limits.over:
            nodes = layer @ self._weights
            inside = self._inside(layer)
            evaluated = ~inside if skipping else np.ones(len(layer), dtype=np.bool_)
            lower = np.zeros(len(layer), dtype=np.bool_)
            lower[evaluated] = self._lower(nodes[evaluated])
            better += nodes[lower].tolist()
            layer = self._above(layer[lower | inside])
        return better

    @property
    def _weights(self) -> Integers:
        return np.array(self.ledger.problem.lattice.weights, dtype=np.int64)

    def _inside(self, layer: Integers) -> Mask:
        """Which nodes are specialized from the base in more than one step."""
        steps = self.levels - layer
        result: Mask = (steps >= 0).all(axis=1) & (steps.sum(axis=1) > 1)
        return result

    def _lower(self, nodes: Integers) -> Mask:
        """Evaluate nodes; which of them have less k and less loss than the base."""
        self.ledger.look(nodes)
        limit = self.size_and_loss(np.array([self.node]))[0]
        result: Mask = (self.size_and_loss(nodes) < limit).all(axis=1)
        return result

    def _above(self, layer: Integers) -> Integers:
        """All nodes one level above those of a layer, each once."""
        tops = np.array(self.ledger.problem.lattice.shape) - 1
        return _distinct([_stepped(layer[layer[:, j] < tops[j]], j, 1) for j in range(len(tops))])

    def ground(self, depth: int) -> Integers:
        """The nodes this many levels below the base, each once."""
        layer = self.levels[None, :]
        for _ in range(depth):
            layer = _distinct([_stepped(layer[layer[:, j] > 0], j, -1) for j in range(layer.shape[1])])
        return layer


def _stepped(layer: Integers, axis: int, step: int) -> Integers:
    moved = layer.copy()
    moved[:, axis] += step
    return moved


def _distinct(parts: list[Integers]) -> Integers:
    return np.unique(np.concatenate(parts), axis=0)
