"""Singling out: predicates drawn from the table that exactly one row of the original satisfies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.evidence.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.evidence.criteria.success_rate import Criterion, SuccessRate

# Columns in a conjunction, conjunctions that are drawn for each predicate that is wanted, and combinations of
# columns that are drawn from.
CONJUNCTION, DRAWS, MOST_COMBINATIONS = 3, 2, 200
# With fewer predicates that single out a row of the table, those that do not are tried as well.
FEWEST = 20
# A mixture is fitted to the numbers of control rows that satisfy predicates: its least mean, how many it
# has, and steps of the fit.
LEAST_RATE, RATES, STEPS = 1e-3, 120, 500
# Parts of the control, each of which is left out once to see how uncertain the fit is.
PARTS = 20


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

    How often a predicate singles out depends on the number of people: what is expected among as many others
    as the original has is estimated from the control.
    """
    generator = np.random.default_rng(seed)
    predicates = drawn_predicates(rows, targets, generator)
    original, control = (np.unique(table, axis=0) for table in (rows.original, rows.control))
    attacks, growth = len(predicates), len(original) / len(control)
    numbers, others = _without_parts(predicates, control, generator)
    naive = satisfying_rows(_random(rows, generator, attacks), original)
    return Criterion(
        "singling-out",
        f"{CONJUNCTION} columns",
        SuccessRate(int((satisfying_rows(predicates, original) == 1).sum()), attacks),
        expected_success(numbers, len(original) / np.maximum(others, 1)),
        SuccessRate(int((naive == 1).sum()), attacks),
        growth,
    )


def drawn_predicates(rows: ComparedRows, targets: int, generator: np.random.Generator) -> list[Predicate]:
    """Different predicates, as many as there are targets or fewer.

    Half of them at most are about rare and extreme values of one column, the rest are conjunctions over three
    columns of a row of the table. The attacker takes those that one row of the table satisfies, and any where
    there are none.
    """
    univariate = _univariate(rows, generator)
    multivariate = _distinct(_multivariate(rows, generator, DRAWS * targets))
    alone = [_alone(rows, predicates) for predicates in (univariate, multivariate)]
    few, many = alone if len(alone[0]) + len(alone[1]) >= FEWEST else (univariate, multivariate)
    few = few[: targets // 2]
    return few + many[: targets - len(few)]


def expected_success(numbers: Integers, growth: Floats) -> SuccessRate:
    """Rate of predicates that single somebody out among `growth[0]` times as many people as a control has, of
    whose rows `numbers[p, 0]` satisfy predicate p. The further columns say the same of parts of the control.

    Numbers of rows are drawn from Poisson distributions, whose means are a mixture that is fitted to all
    numbers by expectation-maximization (a curve with one likelihood for all predicates misses by half on
    Adult). The rate is that of as many attacks as have its uncertainty. Predicates share rows, so that
    resampling them would say too little: parts of the control are left out instead (the delete-a-group
    jackknife).
    """
    attacks, parts = len(numbers), numbers.shape[1] - 1
    values, place = np.unique(numbers, return_inverse=True)
    columns = place.reshape(numbers.shape).T
    samples = np.stack([np.bincount(column, minlength=len(values)) for column in columns]) / attacks
    rates = np.append(0, np.geomspace(LEAST_RATE, 2 * max(int(values[-1]), 1), RATES))
    logarithms = values[:, None] * np.log(np.maximum(rates, 1e-300)) - rates
    likelihood = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    mixture = np.full((len(samples), len(rates)), 1 / len(rates))
    for _ in range(STEPS):
        mixture *= (samples / np.maximum(mixture @ likelihood.T, 1e-300)) @ likelihood
    means = growth[:, None] * rates
    shares = (mixture * means * np.exp(-means)).sum(axis=1)
    share, variance = float(shares[0]), (parts - 1) * float(shares[1:].var())
    worth = attacks if variance == 0 else min(attacks, max(1, round(share * (1 - share) / variance)))
    return SuccessRate(share * worth, worth)


def _without_parts(
    predicates: Sequence[Predicate], table: Integers, generator: np.random.Generator
) -> tuple[Integers, Integers]:
    """Number of rows that satisfy each predicate, in a whole table and without each of its parts, and the
    number of all rows there."""
    part = generator.permutation(len(table)) % PARTS
    staying = np.column_stack([np.ones(len(table), dtype=np.int64), part[:, None] != np.arange(PARTS)])
    return _satisfying(predicates, table, staying, lambda condition: condition.values), staying.sum(axis=0)


def _alone(rows: ComparedRows, predicates: list[Predicate]) -> list[Predicate]:
    """The predicates that one row of the table satisfies."""

    def meeting(condition: Condition) -> Mask:
        return rows.columns[condition.column].meeting(condition.values)

    numbers = _satisfying(predicates, rows.cells, rows.weights[:, None], meeting)[:, 0]
    return [predicates[place] for place in np.flatnonzero(numbers == 1).tolist()]


def _univariate(rows: ComparedRows, generator: np.random.Generator) -> list[Predicate]:
    """Predicates about one column: values that the table shows once, and the ends of numbers."""
    predicates: list[Predicate] = []
    for place, column in enumerate(rows.columns):
        number = np.bincount(rows.cells[:, place], rows.weights, len(column.single))
        alone = np.flatnonzero(number == 1).tolist()
        predicates += [(Condition(place, column.members(cell)),) for cell in alone]
        values = np.flatnonzero(column.possible(np.flatnonzero(number)))
        if column.numbers is not None and len(values):
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


def satisfying_rows(predicates: Sequence[Predicate], table: Integers) -> Integers:
    """Number of rows that satisfy each predicate."""
    every = np.ones((len(table), 1), dtype=np.int64)
    return _satisfying(predicates, table, every, lambda condition: condition.values)[:, 0]


def _satisfying(
    predicates: Sequence[Predicate],
    table: Integers,
    weights: Integers,
    satisfying: Callable[[Condition], Mask],
) -> Integers:
    """The sums of each column of weights over the rows that satisfy each predicate; `satisfying` marks the
    codes of the table that satisfy a condition."""
    masks: dict[tuple[int, bytes], Mask] = {}
    numbers = np.zeros((len(predicates), weights.shape[1]), dtype=np.int64)
    for place, predicate in enumerate(predicates):
        marked = np.ones(len(table), dtype=np.bool_)
        for condition in predicate:
            mask = masks.get(condition.key)
            if mask is None:
                mask = masks[condition.key] = satisfying(condition)[table[:, condition.column]]
            marked &= mask
        numbers[place] = weights[marked].sum(axis=0)
    return numbers
