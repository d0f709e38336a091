"""Inference: the quasi-identifiers of a target are known, and a secret is guessed from the nearest rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.evidence.criteria.compared_rows import TIE, ComparedRows, chosen
from paretonym.evidence.criteria.success_rate import Criterion, SuccessRate

# A number is guessed if it is at most so far from the true one, as a share of that.
TOLERANCE = 0.05


def inference(rows: ComparedRows, known: Sequence[str], secret: str, targets: int, seed: int) -> Criterion:
    """Measure how well a secret column is guessed for people of the original and of the control.

    The guess is the value that most of the nearest rows have; ties are decided by chance. Rows, never
    classes, are neighbours, and a cell that stands for several values votes for each of them with an equal
    share. A number within 5 % of the true one is right. Equal rows vote once, since anybody can repeat rows,
    and, in a second attack, each for itself, since they may be as many people: the one that learns more
    counts.
    """
    votes = [rows.once, *([rows] if rows.weights.max() > rows.weights.min() else ())]
    return max((_attack(one, known, secret, targets, seed) for one in votes), key=lambda one: one.risk)


def _attack(rows: ComparedRows, known: Sequence[str], secret: str, targets: int, seed: int) -> Criterion:
    generator = np.random.default_rng(seed)
    places = [place for place in rows.places(known) if rows.columns[place].name != secret]
    (column,) = rows.places([secret])
    rates = []
    for table in (rows.original, rows.control):
        people = chosen(table, targets, generator)
        guesses = _guesses(rows, people, places, column, generator)
        rates.append(_rate(rows, column, people[:, column], guesses))
    possible = np.flatnonzero(rows.columns[column].possible(rows.cells[:, column]))
    every = np.arange(len(rows.columns[column].values))
    people = chosen(rows.original, targets, generator)
    guesses = generator.choice(possible if len(possible) else every, len(people))
    naive = _rate(rows, column, people[:, column], guesses)
    return Criterion("inference", secret, rates[0], rates[1], naive)


def _guesses(
    rows: ComparedRows, people: Integers, places: Sequence[int], column: int, generator: np.random.Generator
) -> Integers:
    """The value that is guessed for each target."""
    projection = rows.projected(places)
    secret = rows.columns[column]
    guesses = np.empty(len(people), dtype=np.int64)
    for target, nearness in enumerate(projection.nearness(people)):
        neighbours = (nearness >= nearness.max() - TIE)[projection.of_row]
        votes = secret.votes(rows.cells[neighbours, column], rows.weights[neighbours])
        guesses[target] = generator.choice(np.flatnonzero(votes >= votes.max() * (1 - TIE)))
    return guesses


def _rate(rows: ComparedRows, column: int, truth: Integers, guesses: Integers) -> SuccessRate:
    """The rate of right guesses."""
    numbers = rows.columns[column].numbers
    right = guesses == truth
    if numbers is not None:
        right |= np.abs(numbers[guesses] - numbers[truth]) <= TOLERANCE * np.abs(numbers[truth])
    return SuccessRate(int(right.sum()), len(truth))
