"""The measured criteria, row by row: twins of `paretonym/criteria`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from paretonym.evidence.criteria import ComparedRows
from paretonym.evidence.criteria.singling_out import Predicate


def naive_satisfying(predicates: Sequence[Predicate], table: np.ndarray) -> list[int]:
    """How many rows satisfy each predicate."""
    return [
        sum(all(condition.values[row[condition.column]] for condition in predicate) for row in table.tolist())
        for predicate in predicates
    ]


def naive_inference_rate(rows: ComparedRows, names: Sequence[str], secret: str) -> float | None:
    """The share of right guesses for all of the original; None if some guess is a tie."""
    places, (column,) = rows.places(names), rows.places([secret])
    right = 0
    for person in rows.original.tolist():
        nearness = [
            sum(_nearness(rows, place, person[place], row[place]) for place in places)
            for row in rows.cells.tolist()
        ]
        votes: dict[int, int] = {}
        for near, row, weight in zip(nearness, rows.cells.tolist(), rows.weights.tolist(), strict=True):
            if near == max(nearness):
                votes[row[column]] = votes.get(row[column], 0) + weight
        winners = [value for value, number in votes.items() if number == max(votes.values())]
        if len(winners) > 1:
            return None
        right += winners[0] == person[column]
    return right / len(rows.original)


def _nearness(rows: ComparedRows, place: int, value: int, cell: int) -> Fraction:
    """How near a value is to a cell that stands for one value."""
    if rows.columns[place].numbers is None:
        return Fraction(value == cell)
    return 1 - Fraction(abs(value - cell), len(rows.columns[place].values) - 1)
