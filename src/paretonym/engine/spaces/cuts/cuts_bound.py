"""Bound on how far from optimal cuts can be: branch and bound over boxes of genomes, for every k at once.

It starts from what a search has found. A box is closed for a k if no genome in it can lose less than what is
known with at least this k. The box with the widest gap is divided first: one part must have a cut, the other
must not have it. So the walk can be stopped at any time, and what no cuts can be below is then the least of
all open boxes. Genomes that the bounds suggest are evaluated: some are better than all before.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import Limits
from paretonym.base.rounding import rounded
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.measures import CLASS_SIZE, LOSS
from paretonym.engine.spaces.cuts.cut_relaxation import Boxes, CutRelaxation
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Archive, Evaluator, added
from paretonym.engine.spaces.cuts.genome_space import Bits, Branch, Genomes, GenomeSpace

# Sizes of the smallest class for which bounds are kept.
MOST_SIZES = 192
# Boxes that are divided at once; the result must not depend on the number of threads, so neither does this.
_BATCH = 32
_PIECE = 4
# Beyond this many open boxes, the last ones are taken first: memory stays bounded.
_MOST_OPEN = 400_000
# Sums of numbers that are not whole may be too large by less than this share.
_LOOSER = 2e-12


class LeastLosses(NamedTuple):
    """No cuts with at least the k of a step lose less than its second number; `complete` if what was found
    is all there is."""

    steps: tuple[tuple[int, float], ...]
    complete: bool


class _Box(NamedTuple):
    """A box in the queue: those with the widest gap first, then in the order of their numbers. `least` holds
    bounds for sizes from place `low` on; outside of these it is closed. There may be many: bits are packed,
    and bounds are rounded down to half their length."""

    rank: float
    number: int
    forced: bytes
    allowed: bytes
    low: int
    least: npt.NDArray[np.float32]
    gap: int

    @property
    def high(self) -> int:
        return self.low + len(self.least)


def is_bounded(problem: CutsProblem) -> bool:
    """True if the question is one of k and loss, and classes are suppressed by their size alone."""
    names = sorted(objective.name for objective in problem.objectives)
    by_size = problem.rule.kind in ("order", "any") and problem.rule.keys == (CLASS_SIZE,)
    few = problem.cube.rows <= library.MOST_ROWS
    return names == sorted((CLASS_SIZE, LOSS)) and by_size and few and not problem.from_classes


class CutsBound:
    """The open boxes, and what is known without them."""

    def __init__(
        self,
        problem: CutsProblem,
        archive: Archive,
        evaluator: Evaluator,
        limits: Limits,
        pool: Executor | None,
    ) -> None:
        self.problem, self.archive, self.evaluator = problem, archive, evaluator
        self.limits, self.pool = limits, pool
        names = [objective.name for objective in problem.objectives]
        self._k, self._loss = names.index(CLASS_SIZE), names.index(LOSS)
        self.bounded = 0
        self._closures = closures(problem.space)
        self._begin()

    def _begin(self, steps: tuple[tuple[int, float], ...] = ((1, 0.0),)) -> None:
        """Take what is known now as what is to be beaten: all cuts are open, above what was proven before."""
        self.sizes = self._wanted_sizes()
        self.relaxation = CutRelaxation.of(self.problem, self.sizes)
        self._ranked: list[_Box] = []
        self._stack: list[_Box] = []
        self._numbers = count()
        starts, losses = np.array(steps).T
        before = losses[np.searchsorted(starts, self.sizes, side="right") - 1]
        coarse, fine = self.problem.space.ends
        least = before * self.relaxation.whole * (1 - _LOOSER)
        self._taken = [_Box(0.0, 0, _packed(coarse), _packed(fine), 0, _shortened(least), -1)]
        # What single genomes allow: other cuts may show the same groups, if they suppress other rows.
        self._single = np.full(len(self.sizes), np.inf)
        self._known = self._losses()

    def _losses(self) -> Floats:
        """The least loss known with at least each size; 2 where there is none."""
        k, loss = self.archive.front.values[:, self._k], self.archive.front.values[:, self._loss]
        return np.array([loss[k >= size].min(initial=2.0) for size in self.sizes])

    def walk(self, most: int | None) -> None:
        """Divide boxes until none is open, the time is over or so many boxes were bounded. The result is then
        `proven`, also after an interrupt. The box of all cuts is bounded in any case."""
        if self.bounded == 0:
            self._bound(self._taken)
        while not self.limits.over and (most is None or self.bounded < most):
            self._take()
            if self._taken:
                self._bound(list(self._children()))
            elif not self._again():
                return

    def _again(self) -> bool:
        """Begin again if nothing is open and what was found has other values of k now."""
        proven = self.proven()
        if proven.complete or np.array_equal(self._wanted_sizes(), self.sizes):
            return False
        self._begin(proven.steps)
        self._bound(self._taken)
        return True

    def _wanted_sizes(self) -> Integers:
        return sizes_for(self.archive.front.values[:, self._k], self.problem.cube.rows)

    def _take(self) -> None:
        """The next boxes that are still open."""
        while (self._ranked or self._stack) and len(self._taken) < self._batch:
            box = self._stack.pop() if self._stack else heappop(self._ranked)
            if self._open(box.low, box.least).any():
                self._taken.append(box)

    @property
    def _batch(self) -> int:
        """Boxes that are divided at once: fewer if each takes long."""
        return max(2, min(_BATCH, 4_000_000 // (self.problem.cube.tuples * len(self.problem.space.axes))))

    def _open(self, low: int, least: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
        """For which sizes something better than what is known may be below these bounds."""
        return np.asarray(self._as_losses(least) < self._known[low : low + len(least)], dtype=np.bool_)

    def _as_losses(self, numerators: npt.NDArray[np.floating]) -> Floats:
        looser = 0.0 if self.relaxation.exact else _LOOSER
        return rounded(numerators.astype(np.float64) / self.relaxation.whole * (1 - looser))

    def _children(self) -> Iterator[_Box]:
        """Both parts of every box taken."""
        needed, dependent = self._closures
        for box in self._taken:
            forced, allowed = self._bits(box)
            yield box._replace(forced=_packed(forced | needed[box.gap]))
            yield box._replace(allowed=_packed(allowed & ~dependent[box.gap]))

    def _bits(self, *boxes: _Box) -> Genomes:
        """The forced and the allowed cuts of boxes, one after the other."""
        packed = np.frombuffer(
            b"".join(bits for box in boxes for bits in (box.forced, box.allowed)), dtype=np.uint8
        )
        return np.unpackbits(
            packed.reshape(2 * len(boxes), -1), axis=1, count=self.problem.space.length
        ).astype(np.bool_)

    def _bound(self, boxes: list[_Box]) -> None:
        """Bound boxes, evaluate the genomes that they suggest, and keep those that are still open."""
        pieces = [boxes[start : start + _PIECE] for start in range(0, len(boxes), _PIECE)]
        target = self._known * self.relaxation.whole * (1 + _LOOSER)
        run = map if self.pool is None or len(pieces) < 2 else self.pool.map
        results = list(run(lambda piece: self.relaxation(self._stacked(piece), target), pieces))
        self.bounded += len(boxes)
        least = np.concatenate([result.least for result in results])
        gaps = np.concatenate([result.gap for result in results])
        suggested = np.concatenate([result.genomes for result in results])
        alone = np.array([box.forced == box.allowed for box in boxes])
        suggested[alone] = self._bits(*boxes)[::2][alone]
        self._evaluate(suggested[alone | (gaps >= 0)])
        for place in np.flatnonzero(~alone & (gaps >= 0)).tolist():
            self._keep(boxes[place], int(gaps[place]), least[place])
        for place in np.flatnonzero(alone).tolist():
            part = slice(boxes[place].low, boxes[place].high)
            single = np.maximum(self.relaxation.of_genome(self.problem, suggested[place]), least[place])
            self._single[part] = np.minimum(self._single[part], single[part])
        self._taken = []

    def _evaluate(self, genomes: Genomes) -> None:
        fresh = self.evaluator.fresh(genomes)
        if len(fresh):
            for _ in added(self.archive, self.evaluator, fresh):
                pass
            self._known = self._losses()

    def _keep(self, box: _Box, gap: int, least: Floats) -> None:
        """Put a box into the queue, for the sizes for which it is open."""
        places = box.low + np.flatnonzero(self._open(box.low, least[box.low : box.high]))
        if len(places) == 0:
            return
        low, high = int(places[0]), int(places[-1]) + 1
        width = self._known[low:high] - least[low:high] / self.relaxation.whole
        rank = -float(width.max())
        new = box._replace(
            rank=rank, number=next(self._numbers), low=low, least=_shortened(least[low:high]), gap=gap
        )
        if len(self._ranked) < _MOST_OPEN:
            heappush(self._ranked, new)
        else:
            self._stack.append(new)

    def _stacked(self, boxes: list[_Box]) -> Boxes:
        least = np.zeros((len(boxes), len(self.sizes)))
        for row, box in zip(least, boxes, strict=True):
            row[box.low : box.high] = box.least
        bits = self._bits(*boxes)
        return Boxes(
            np.ascontiguousarray(bits[::2]),
            np.ascontiguousarray(bits[1::2]),
            np.array([box.low for box in boxes], dtype=np.int64),
            np.array([box.high for box in boxes], dtype=np.int64),
            least,
        )

    def proven(self) -> LeastLosses:
        """Losses that no cuts are below: the less of what was found and of what open boxes allow."""
        open_boxes = self._single.copy()
        for box in (*self._ranked, *self._stack, *self._taken):
            part = slice(box.low, box.high)
            open_boxes[part] = np.minimum(open_boxes[part], box.least)
        losses = self._losses()
        least = np.minimum(self._as_losses(open_boxes), losses)
        steps: list[tuple[int, float]] = []
        for size, loss in zip(self.sizes.tolist(), least.tolist(), strict=True):
            # Where no release has this k, what holds below it still does.
            if loss <= 1 and (not steps or loss > steps[-1][1]):
                steps.append((size, loss))
        return LeastLosses(tuple(steps), self._complete(least))

    def _complete(self, least: Floats) -> bool:
        """True if nothing is left between what was found: for every solution, nothing of a larger k loses
        less than the next one."""
        front = self.archive.front
        order = np.argsort(front.values[:, self._k])
        k, losses = front.values[order, self._k], front.values[order, self._loss]
        after = np.concatenate([[1], k + 1])
        bounds = np.concatenate([losses, [2.0]])
        places = np.searchsorted(self.sizes, after, side="right") - 1
        reached = (places >= 0) & (least[places] >= bounds)
        # Nobody has more rows than there are.
        return bool((reached | (after > self.problem.cube.rows)).all())


def _packed(bits: Bits) -> bytes:
    return np.packbits(bits).tobytes()


def _shortened(numbers: Floats) -> npt.NDArray[np.float32]:
    """Numbers of half the length that are never larger."""
    short = numbers.astype(np.float32)
    return np.where(short > numbers, np.nextafter(short, np.float32(-np.inf)), short)


def sizes_for(found: Floats, rows: int) -> Integers:
    """The sizes of the smallest class to keep bounds for: those found, and the next larger ones; evenly
    thinned out if there are too many."""
    own = np.unique(np.concatenate([[1], found])).astype(np.int64)
    every = np.unique(np.concatenate([own, own + 1]))
    every = every[every <= rows]
    for sizes in (every, own):
        if len(sizes) <= MOST_SIZES:
            return sizes
    return own[np.linspace(0, len(own) - 1, MOST_SIZES).astype(np.int64)]


def closures(space: GenomeSpace) -> tuple[Genomes, Genomes]:
    """For every gap, the cuts that a cut there needs, and those that need it: itself, in an open branch;
    between the children of a closed one, all these cuts and those of the branches above, and everything
    inside the branch."""
    needed, dependent = np.eye(space.length, dtype=np.bool_), np.eye(space.length, dtype=np.bool_)
    for j, axis in enumerate(space.axes):
        _close(axis.root, space.starts[j], np.zeros(space.length, dtype=np.bool_), needed, dependent)
    return needed, dependent


def _close(branch: Branch, start: int, above: Bits, needed: Genomes, dependent: Genomes) -> None:
    inside = slice(start + branch.first, start + branch.after - 1)
    if branch.open:
        needed[inside] |= above
        return
    gaps = [start + gap for gap in branch.cuts]
    through = above.copy()
    through[gaps] = True
    needed[gaps] |= through
    for gap in gaps:
        dependent[gap, inside] = True
    for child in branch.children:
        _close(child, start, through, needed, dependent)
