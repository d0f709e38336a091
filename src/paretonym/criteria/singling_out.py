"""Singling out: predicates drawn from the table that exactly one row of the original satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.criteria.success_rate import Criterion, SuccessRate

# Columns in a conjunction, and draws for each predicate that is wanted.
CONJUNCTION, DRAWS = 3, 4
# Sizes of subsamples of the control, and how often each is drawn, to fit how successes grow with size.
SIZES, REPEATS = 10, 5
# How likely it is that a random row satisfies a predicate: candidates of the fit.
_CHANCES = np.logspace(-7, 0, 200, endpoint=False)
# Predicates that are evaluated at once.
_BLOCK = 64


class Condition(NamedTuple):
    """The values of a column that satisfy a condition."""

    column: int
    values: Mask

    @property
    def key(self) -> tuple[int, bytes]:
        return self.column, np.packbits(self.values).tobytes()


Predicate = tuple[Condition, ...]


def singling_out(rows: ComparedRows, targets: int, seed: int) -> Criterion:
    """Measure how many predicates single somebody out: exactly one distinct row satisfies them.

    Half of them at most are about rare and extreme values of one column, the rest are conjunctions over three
    columns of a row of the table. How often a predicate singles out depends on the number of rows: successes
    in the control are scaled to the size of the original by a curve fitted to subsamples of the control.
    """
    generator = np.random.default_rng(seed)
    original, control = (np.unique(table, axis=0) for table in (rows.original, rows.control))
    predicates = _distinct(
        [*_univariate(rows, generator, targets // 2), *_multivariate(rows, generator, DRAWS * targets)]
    )[:targets]
    satisfied = _Satisfied(rows, predicates)
    successes = satisfied.singled(original)
    scale = _growth(satisfied, control, generator, len(original))
    expected = min(satisfied.singled(control) * scale, len(predicates))
    naive = _Satisfied(rows, _random(rows, generator, len(predicates))).singled(original)
    attacks = len(predicates)
    return Criterion(
        "singling-out",
        f"{CONJUNCTION} columns",
        SuccessRate(successes, attacks),
        SuccessRate(expected, attacks),
        SuccessRate(naive, attacks),
    )


def _univariate(rows: ComparedRows, generator: np.random.Generator, most: int) -> list[Predicate]:
    """Predicates about one column: values that the table shows once, and the ends of numbers."""
    predicates: list[Predicate] = []
    for place, column in enumerate(rows.columns):
        number = np.bincount(rows.cells[:, place], rows.weights, len(column.single))
        alone = np.flatnonzero(number == 1).tolist()
        predicates += [(Condition(place, column.members(cell)),) for cell in alone]
        if column.numbers is not None:
            values = np.flatnonzero(column.possible(np.flatnonzero(number)))
            below, above = (np.zeros(len(column.values), dtype=np.bool_) for _ in range(2))
            below[: values[0] + 1] = above[values[-1] :] = True
            predicates += [(Condition(place, below),), (Condition(place, above),)]
    order = generator.permutation(len(predicates))[:most]
    return [predicates[place] for place in order]


def _multivariate(rows: ComparedRows, generator: np.random.Generator, number: int) -> Iterator[Predicate]:
    """Conjunctions of what a random row shows in some columns; of a number, from it on or up to it, towards
    the nearer end."""
    width = min(CONJUNCTION, len(rows.columns))
    drawn = generator.choice(len(rows.cells), number, p=rows.weights / rows.weights.sum())
    for row in drawn:
        places = np.sort(generator.choice(len(rows.columns), width, replace=False))
        yield tuple(
            Condition(place, _towards_end(rows.columns[place], rows.cells[row, place])) for place in places
        )


def _towards_end(column: ComparedColumn, cell: int) -> Mask:
    """The values of a cell; for one number those from it to the nearer end of the column."""
    place, half = int(column.single[cell]), len(column.values) // 2
    if column.numbers is None or place < 0:
        return column.members(cell)
    every = np.arange(len(column.values))
    return every >= place if place >= half else every <= place


def _random(rows: ComparedRows, generator: np.random.Generator, number: int) -> list[Predicate]:
    """Conjunctions of single values of random columns, all equally likely: the naive attack."""
    width = min(CONJUNCTION, len(rows.columns))
    predicates = []
    for _ in range(number):
        places = np.sort(generator.choice(len(rows.columns), width, replace=False))
        conditions = []
        for place in places:
            values = np.zeros(len(rows.columns[place].values), dtype=np.bool_)
            values[generator.integers(len(values))] = True
            conditions.append(Condition(int(place), values))
        predicates.append(tuple(conditions))
    return predicates


def _distinct(predicates: Sequence[Predicate]) -> list[Predicate]:
    """Each predicate once, in the order of the first ones."""
    by_key = {tuple(condition.key for condition in predicate): predicate for predicate in predicates}
    return list(by_key.values())


class _Satisfied:
    """Which values satisfy each predicate, to count the rows that do."""

    def __init__(self, rows: ComparedRows, predicates: Sequence[Predicate]) -> None:
        self.columns, self.predicates = rows.columns, predicates

    def singled(self, table: Integers) -> int:
        """How many predicates exactly one row satisfies."""
        every = np.ones((len(table), 1), dtype=np.float32)
        return int(self.singled_in_samples(table, every)[0])

    def singled_in_samples(self, table: Integers, samples: npt.NDArray[np.float32]) -> Integers:
        """How many predicates exactly one row satisfies in each of some samples: `samples[r, i]` is 1 if row
        r is in sample i."""
        masks: dict[tuple[int, bytes], Mask] = {}
        singled = np.zeros(samples.shape[1], dtype=np.int64)
        for first in range(0, len(self.predicates), _BLOCK):
            block = np.ones((len(self.predicates[first : first + _BLOCK]), len(table)), dtype=np.bool_)
            for satisfied, predicate in zip(block, self.predicates[first:], strict=False):
                for condition in predicate:
                    mask = masks.get(condition.key)
                    if mask is None:
                        mask = masks[condition.key] = condition.values[table[:, condition.column]]
                    satisfied &= mask
            singled += (block.astype(np.float32) @ samples == 1).sum(axis=0)
        return singled


def _growth(satisfied: _Satisfied, control: Integers, generator: np.random.Generator, wanted: int) -> float:
    """By how much successes grow from the size of the control to a wanted number of rows."""
    if not len(control) or wanted == len(control):
        return 1.0
    sizes = np.linspace(max(len(control) // SIZES, 1), len(control), SIZES).astype(int).repeat(REPEATS)
    samples = np.zeros((len(control), len(sizes)), dtype=np.float32)
    for sample, size in zip(samples.T, sizes, strict=True):
        sample[generator.choice(len(control), size, replace=False)] = 1
    successes = satisfied.singled_in_samples(control, samples)[:, None]
    curves = _singling_chance(sizes[:, None], _CHANCES[None, :])
    norms = (curves * successes).sum(axis=0) / (curves**2).sum(axis=0)
    errors = ((curves * norms - successes) ** 2).sum(axis=0)
    chance = _CHANCES[int(np.argmin(errors))]
    return float(
        _singling_chance(np.array(wanted), chance) / _singling_chance(np.array(len(control)), chance)
    )


def _singling_chance(rows: Integers, chance: Floats | float) -> Floats:
    """The mean chance that exactly one of some rows satisfies a predicate that a random row satisfies with a
    chance of at most so much: (1 − (1 + n·w)·(1 − w)^n)/((n + 1)·w)."""
    n, w = np.asarray(rows, dtype=np.float64), np.asarray(chance, dtype=np.float64)
    result: Floats = (1 - (1 + n * w) * np.exp(n * np.log1p(-w))) / ((n + 1) * w)
    return result
