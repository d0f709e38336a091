"""Households counted member by member: the slow twin of everything that counts households."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

SCHEMA = {
    "columns": {
        "home": {"role": "household"},
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}
NODES = tuple(itertools.product(range(4), range(2)))


class Member(NamedTuple):
    home: str
    age: int
    sex: str
    ill: str


def table(rows: Sequence[Member]) -> dict[str, list[str]]:
    """The rows as columns of texts."""
    return {name: [str(getattr(row, name)) for row in rows] for name in Member._fields}


def shown(row: Member, levels: tuple[int, int]) -> tuple[object, object]:
    return (row.age, row.age // 2, row.age // 4, "*")[levels[0]], (row.sex, "*")[levels[1]]


def sizes(rows: Sequence[Member], levels: tuple[int, int]) -> Counter[tuple[object, object]]:
    return Counter(shown(row, levels) for row in rows)


def at_thresholds(
    rows: Sequence[Member], levels: tuple[int, int], allowed: int
) -> Iterator[tuple[int, list[Member]]]:
    """Every threshold on the size of a class that suppresses few enough rows, and the rows that stay."""
    classes = sizes(rows, levels)
    for least in sorted(set(classes.values())):
        stay = [row for row in rows if classes[shown(row, levels)] >= least]
        if stay and len(rows) - len(stay) <= allowed:
            yield least, stay


def without_households(rows: Sequence[Member], levels: tuple[int, int], least: int) -> list[Member]:
    """The rows that stay if a suppressed row takes its household with it, until no class is below."""
    left = list(rows)
    while True:
        classes = sizes(left, levels)
        gone = {row.home for row in left if classes[shown(row, levels)] < least}
        if not gone:
            return left
        left = [row for row in left if row.home not in gone]


def members(
    rows: Collection[Member], levels: tuple[int, int]
) -> dict[str, tuple[tuple[object, object], ...]]:
    """What each household shows: its members in any order."""
    found = defaultdict(list)
    for row in rows:
        found[row.home].append(shown(row, levels))
    return {home: tuple(sorted(each, key=str)) for home, each in found.items()}


def k_household(stay: Collection[Member], levels: tuple[int, int]) -> int:
    return min(Counter(members(stay, levels).values()).values())


def household_risks(stay: Collection[Member], levels: tuple[int, int]) -> list[Fraction]:
    """For each household the probability that at least one of its members is found."""
    classes = Counter(shown(row, levels) for row in stay)
    found = []
    for each in members(stay, levels).values():
        missed = Fraction(1)
        for one in each:
            missed *= 1 - Fraction(1, classes[one])
        found.append(1 - missed)
    return found


def loss(rows: Sequence[Member], stay: Sequence[Member], levels: tuple[int, int]) -> float:
    ages, sexes = {row.age for row in rows}, {row.sex for row in rows}
    spent = Fraction((len(rows) - len(stay)) * 2)
    for row in stay:
        age, sex = shown(row, levels)
        for domain, alike in (
            (ages, [v for v in ages if shown(row._replace(age=v), levels)[0] == age]),
            (sexes, [v for v in sexes if shown(row._replace(sex=v), levels)[1] == sex]),
        ):
            if len(domain) > 1:
                spent += Fraction(len(alike) - 1, len(domain) - 1)
    return float(spent / (2 * len(rows)))
