"""What a reader estimates, by explicit enumeration of populations and classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from tests.naive.levels import Quasi, Shown, Value
from tests.naive.twin import Classes, Row, Table
from tests.naive.values import Sensitive, divergence

Population: TypeAlias = tuple[Shown | None, ...]
Counts: TypeAlias = Mapping[Value, Fraction]


def populations(table: Table, share: Fraction) -> list[Population]:
    """Every large conjunction of at most one predicate for each quasi-identifier, at least one in all."""
    choices = [[None, *predicates(quasi)] for quasi in table.quasis]
    found = []
    for population in product(*choices):
        rows = [row for row in table.rows if belongs(table, population, row)]
        if any(population) and rows and len(rows) >= share * len(table.rows):
            found.append(population)
    return found


def predicates(quasi: Quasi) -> list[Shown]:
    """The distinct sets of all levels, the whole domain left out."""
    sets = dict.fromkeys(shown for level in quasi.levels for shown in level.values())
    return [shown for shown in sets if len(shown) < quasi.domain]


def belongs(table: Table, population: Population, row: Row) -> bool:
    pairs = zip(table.quasis, population, strict=True)
    return all(wanted is None or row[quasi.name] in wanted for quasi, wanted in pairs)


def estimated(population: Population, classes: Classes, column: Sensitive) -> Counts:
    """How often each value is expected: every shown value is equally likely, whatever the sensitive one."""
    counts: dict[Value, Fraction] = {}
    for region, rows in classes.items():
        weight = Fraction(1)
        for shown, wanted in zip(region, population, strict=True):
            if wanted is not None:
                weight *= Fraction(len(shown & wanted), len(shown))
        for row in rows:
            value = row[column.name]
            counts[value] = counts.get(value, Fraction(0)) + weight
    return counts


def distance(column: Sensitive, true: Counts, guess: Counts) -> float:
    if not any(guess.values()):
        return math.log(2)
    wholes = [sum(counts.values(), Fraction(0)) for counts in (true, guess)]
    left, right = (
        {value: count / whole for value, count in counts.items()}
        for counts, whole in zip((true, guess), wholes, strict=True)
    )
    return divergence(column, left, right)


def utility_loss(table: Table, guesses: Sequence[Classes], share: Fraction = Fraction(1, 20)) -> float:
    """The mean over columns and populations; `guesses` holds the classes that each column is seen in."""
    found = populations(table, share)
    if not found:
        return 0.0
    total = 0.0
    for column, classes in zip(table.sensitive, guesses, strict=True):
        for population in found:
            inside = [row for row in table.rows if belongs(table, population, row)]
            true = {v: Fraction(sum(r[column.name] == v for r in inside)) for v in column.values}
            total += distance(column, true, estimated(population, classes, column))
    return total / (len(found) * len(table.sensitive))
