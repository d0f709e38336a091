"""Inference: the quasi-identifiers of a target are known, and a secret is guessed from the nearest rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.arrays import Integers
from paretonym.criteria.compared_rows import TIE, ComparedRows, chosen
from paretonym.criteria.success_rate import Criterion, SuccessRate

# A number is guessed if it is at most so far from the true one, as a share of that.
TOLERANCE = 0.05


def inference(rows: ComparedRows, known: Sequence[str], secret: str, targets: int, seed: int) -> Criterion:
    """Measure how well a secret column is guessed for people of the original and of the control.

    The guess is the value that most of the nearest rows have; ties are decided by chance. Rows, never
    classes, are neighbours, and a cell that stands for several values votes for each of them with an equal
    share. A number within 5 % of the true one is right.
    """
    generator = np.random.default_rng(seed)
    places = [place for place in rows.places(known) if rows.columns[place].name != secret]
    (column,) = rows.places([secret])
    rates = []
    for table in (rows.original, rows.control):
        people = chosen(table, targets, generator)
        guesses = _guesses(rows, people, places, column, generator)
        rates.append(_rate(rows, column, people[:, column], guesses))
    possible = np.flatnonzero(rows.columns[column].possible(rows.cells[:, column]))
    people = chosen(rows.original, targets, generator)
    naive = _rate(rows, column, people[:, column], generator.choice(possible, len(people)))
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
