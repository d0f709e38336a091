"""What a reader estimates, by explicit enumeration of populations and classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
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


def unchanged(table: Table) -> Classes:
    """Every row shown as it is."""
    classes: dict[tuple[Shown, ...], list[Row]] = {}
    for row in table.rows:
        classes.setdefault(tuple(frozenset([row[q.name]]) for q in table.quasis), []).append(row)
    return classes


def tabulated(table: Table, classes: Classes, names: Sequence[str]) -> dict[tuple[Value, ...], Fraction]:
    """The shares of the values of some columns: every row spread evenly over what it shows."""
    places = {quasi.name: place for place, quasi in enumerate(table.quasis)}
    counts: dict[tuple[Value, ...], Fraction] = {}
    for region, rows in classes.items():
        for row in rows:
            shown = [region[places[name]] if name in places else frozenset([row[name]]) for name in names]
            weight = Fraction(1, math.prod(map(len, shown)))
            for values in product(*shown):
                counts[values] = counts.get(values, Fraction(0)) + weight
    whole = sum(counts.values(), Fraction(0))
    return {values: count / whole for values, count in counts.items()}


def cramer(shares: Mapping[tuple[Value, ...], Fraction]) -> float:
    own: dict[Value, Fraction] = {}
    other: dict[Value, Fraction] = {}
    for (a, b), share in shares.items():
        own[a], other[b] = own.get(a, Fraction(0)) + share, other.get(b, Fraction(0)) + share
    least = min(len(own), len(other)) - 1
    if least == 0:
        return 0.0
    total = sum(
        (
            (shares.get((a, b), Fraction(0)) - own[a] * other[b]) ** 2 / (own[a] * other[b])
            for a in own
            for b in other
        ),
        Fraction(0),
    )
    return math.sqrt(total / least)


def analyst_errors(table: Table, classes: Classes) -> dict[str, float]:
    """How far one-way tables, associations and two-way tables are off, each on average."""
    sensitive = {column.name for column in table.sensitive}
    names = [*(quasi.name for quasi in table.quasis), *(column.name for column in table.sensitive)]
    original = unchanged(table)
    single = []
    for name in names:
        p, q = (tabulated(table, each, [name]) for each in (original, classes))
        single.append(
            sum((abs(p.get(v, Fraction(0)) - q.get(v, Fraction(0))) for v in {*p, *q}), Fraction(0)) / 2
        )
    pairs = [(a, b) for a, b in combinations(names, 2) if not {a, b} <= sensitive]
    association, propensity = [], []
    for pair in pairs:
        p, q = (tabulated(table, each, pair) for each in (original, classes))
        association.append(abs(cramer(p) - cramer(q)))
        cells = [(p.get(v, Fraction(0)), q.get(v, Fraction(0))) for v in {*p, *q}]
        propensity.append(sum((x + y) / 2 * (x / (x + y) - Fraction(1, 2)) ** 2 for x, y in cells))
    return {
        "marginal-error": float(sum(single) / len(single)),
        "association-error": sum(association) / len(pairs) if pairs else 0.0,
        "pmse": float(sum(propensity) / len(pairs)) if pairs else 0.0,
    }


def squared_error(table: Table, classes: Classes) -> float:
    """How far midpoints are from the values, beside how these vary, on average over columns of numbers."""
    errors = []
    for place, quasi in enumerate(table.quasis):
        values = [number(row[quasi.name]) for row in table.rows]
        listed = [number(leaf) for leaf in quasi.levels[0]]
        if None in values or None in listed:
            continue
        numbers = [value for value in values if value is not None]
        mean = sum(numbers, Fraction(0)) / len(numbers)
        whole = sum((value - mean) ** 2 for value in numbers)
        if not whole:
            continue
        error = whole
        for region, rows in classes.items():
            shown = [value for leaf in region[place] if (value := number(leaf)) is not None]
            middle = (min(shown) + max(shown)) / 2
            for row in rows:
                value = number(row[quasi.name]) or Fraction(0)
                error += (value - middle) ** 2 - (value - mean) ** 2
        errors.append(error / whole)
    return float(sum(errors) / len(errors)) if errors else 0.0


def number(value: Value) -> Fraction | None:
    try:
        return None if value is None else Fraction(value)
    except ValueError:
        return None


def fitted_loss(table: Table, classes: Classes, column: Sensitive, rounds: int) -> float:
    """The loss of a reader who fits the cells of every class to the shares of all values, cell by cell."""
    rows = [row for each in classes.values() for row in each]
    names = [quasi.name for quasi in table.quasis]
    joint = {(region, cell): 1.0 for region in classes for cell in product(*region)}
    for _ in range(rounds):
        for region, members in classes.items():
            whole = sum(joint[region, cell] for cell in product(*region))
            for cell in product(*region):
                joint[region, cell] *= len(members) / whole
        for place, name in enumerate(names):
            for value in {cell[place] for _, cell in joint}:
                whole = sum(weight for (_, cell), weight in joint.items() if cell[place] == value)
                factor = sum(row[name] == value for row in rows) / whole if whole else 0.0
                for key in joint:
                    joint[key] *= factor if key[1][place] == value else 1.0
    large = populations(table, Fraction(1, 20))
    total = 0.0
    for population in large:
        guess = dict.fromkeys(column.values, 0.0)
        for region, members in classes.items():
            whole = sum(joint[region, cell] for cell in product(*region))
            share = sum(
                joint[region, cell]
                for cell in product(*region)
                if all(wanted is None or v in wanted for v, wanted in zip(cell, population, strict=True))
            )
            for row in members:
                guess[row[column.name]] += share / whole
        inside = [row for row in table.rows if belongs(table, population, row)]
        true = {v: Fraction(sum(row[column.name] == v for row in inside)) for v in column.values}
        total += distance(column, true, {value: Fraction(number) for value, number in guess.items()})
    return total / len(large) if large else 0.0
