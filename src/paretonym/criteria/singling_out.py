"""Singling out: predicates drawn from the table that exactly one row of the original satisfies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.criteria.success_rate import Criterion, SuccessRate

# Columns in a conjunction, conjunctions that are drawn for each predicate that is wanted, and combinations of
# columns that are drawn from.
CONJUNCTION, DRAWS, MOST_COMBINATIONS = 3, 2, 200
# With fewer predicates that single out a row of the table, those that do not are tried as well.
FEWEST = 20
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
    columns of a row of the table. The attacker takes those that one row of the table satisfies, and any where
    there are none. How often a predicate singles out depends on the number of rows: successes in the control
    are scaled to the size of the original by a curve fitted to subsamples of the control.
    """
    generator = np.random.default_rng(seed)
    original, control = (np.unique(table, axis=0) for table in (rows.original, rows.control))
    univariate = _univariate(rows, generator)
    multivariate = _distinct(_multivariate(rows, generator, DRAWS * targets))
    alone = [_alone(rows, predicates) for predicates in (univariate, multivariate)]
    few, many = alone if len(alone[0]) + len(alone[1]) >= FEWEST else (univariate, multivariate)
    predicates = few[: targets // 2]
    predicates += many[: targets - len(predicates)]
    successes = _singled(predicates, original)
    scale = _growth(predicates, control, generator, len(original))
    attacks = len(predicates)
    expected = min(_singled(predicates, control) * scale, attacks)
    naive = _singled(_random(rows, generator, attacks), original)
    return Criterion(
        "singling-out",
        f"{CONJUNCTION} columns",
        SuccessRate(successes, attacks),
        SuccessRate(expected, attacks),
        SuccessRate(naive, attacks),
    )


def _alone(rows: ComparedRows, predicates: list[Predicate]) -> list[Predicate]:
    """The predicates that one row of the table satisfies."""
    weights = rows.weights[:, None].astype(np.float32)

    def meeting(condition: Condition) -> Mask:
        return rows.columns[condition.column].meeting(condition.values)

    singled = [mask[:, 0] for mask in _singled_blocks(predicates, rows.cells, weights, meeting)]
    places = np.flatnonzero(np.concatenate(singled)).tolist() if singled else []
    return [predicates[place] for place in places]


def _univariate(rows: ComparedRows, generator: np.random.Generator) -> list[Predicate]:
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
    return _distinct(predicates[place] for place in generator.permutation(len(predicates)))


def _multivariate(rows: ComparedRows, generator: np.random.Generator, number: int) -> Iterator[Predicate]:
    """Conjunctions of what a row shows in some columns; of a number, from it on or up to it, towards the
    nearer end. Rows that are alone in these columns come first."""
    chosen = _combinations(len(rows.columns), generator)
    alone = [_rows_alone(rows, places) for places in chosen]
    pairs = np.stack(
        [np.repeat(np.arange(len(alone)), [len(each) for each in alone]), np.concatenate(alone)], axis=1
    )
    if len(pairs) < FEWEST:
        drawn = generator.choice(len(rows.cells), number, p=rows.weights / rows.weights.sum())
        pairs = np.stack([generator.integers(len(chosen), size=number), drawn], axis=1)
    for combination, row in generator.permutation(pairs)[:number].tolist():
        places = chosen[combination]
        yield tuple(
            Condition(place, _towards_end(rows.columns[place], rows.cells[row, place])) for place in places
        )


def _combinations(columns: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """The combinations of columns that conjunctions are over; some of them if there are many."""
    width = min(CONJUNCTION, columns)
    if comb(columns, width) <= MOST_COMBINATIONS:
        return list(combinations(range(columns), width))
    drawn = (np.sort(generator.choice(columns, width, replace=False)) for _ in range(MOST_COMBINATIONS))
    return list(dict.fromkeys(tuple(places.tolist()) for places in drawn))


def _rows_alone(rows: ComparedRows, places: Sequence[int]) -> Integers:
    """The rows of the table whose cells in some columns no other row has."""
    key = np.zeros(len(rows.cells), dtype=np.int64)
    for place in places:
        key = key * len(rows.columns[place].single) + rows.cells[:, place]
    _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    return np.asarray(first[np.bincount(of_row, rows.weights) == 1])


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


def _distinct(predicates: Iterable[Predicate]) -> list[Predicate]:
    """Each predicate once, in the order of the first ones."""
    by_key = {tuple(condition.key for condition in predicate): predicate for predicate in predicates}
    return list(by_key.values())


def _singled(predicates: Sequence[Predicate], table: Integers) -> int:
    """How many predicates exactly one row satisfies."""
    every = np.ones((len(table), 1), dtype=np.float32)
    return int(_singled_in_samples(predicates, table, every)[0])


def _singled_in_samples(
    predicates: Sequence[Predicate], table: Integers, samples: npt.NDArray[np.float32]
) -> Integers:
    """How many predicates exactly one row satisfies in each of some samples."""
    blocks = _singled_blocks(predicates, table, samples, lambda condition: condition.values)
    return sum((mask.sum(axis=0) for mask in blocks), np.zeros(samples.shape[1], dtype=np.int64))


def _singled_blocks(
    predicates: Sequence[Predicate],
    table: Integers,
    samples: npt.NDArray[np.float32],
    satisfying: Callable[[Condition], Mask],
) -> Iterator[Mask]:
    """Mark the predicates that exactly one row satisfies in each of some samples, block by block. `samples[r,
    i]` is how often row r is in sample i; `satisfying` marks the codes of the table that satisfy a
    condition."""
    masks: dict[tuple[int, bytes], Mask] = {}
    for first in range(0, len(predicates), _BLOCK):
        block = np.ones((len(predicates[first : first + _BLOCK]), len(table)), dtype=np.bool_)
        for row, predicate in enumerate(predicates[first : first + _BLOCK]):
            for condition in predicate:
                mask = masks.get(condition.key)
                if mask is None:
                    mask = masks[condition.key] = satisfying(condition)[table[:, condition.column]]
                block[row] &= mask
        yield block.astype(np.float32) @ samples == 1


def _growth(
    predicates: Sequence[Predicate], control: Integers, generator: np.random.Generator, wanted: int
) -> float:
    """By how much successes grow from the size of the control to a wanted number of rows."""
    if not len(control) or wanted == len(control):
        return 1.0
    sizes = np.linspace(max(len(control) // SIZES, 1), len(control), SIZES).astype(int).repeat(REPEATS)
    samples = np.zeros((len(control), len(sizes)), dtype=np.float32)
    for sample, size in zip(samples.T, sizes, strict=True):
        sample[generator.choice(len(control), size, replace=False)] = 1
    successes = _singled_in_samples(predicates, control, samples)[:, None]
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
