"""Persons counted row by row, with sets and fractions: the slow twin of everything that counts persons."""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from tests.naive.boundaries import Column

SCHEMA = {
    "columns": {
        "person": {"role": "person"},
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
        "paid": {"role": "class", "kept": "yes"},
    }
}


class Visit(NamedTuple):
    person: str
    age: int
    sex: str
    ill: str
    paid: str


def table(rows: Sequence[Visit]) -> dict[str, list[str]]:
    """The rows as columns of texts."""
    return {name: [str(getattr(row, name)) for row in rows] for name in Visit._fields}


@dataclass(frozen=True)
class Candidate:
    levels: tuple[int, int]
    stays: tuple[tuple[Visit, ...], ...]
    gone: tuple[Visit, ...]
    classes: tuple[tuple[Visit, ...], ...]


def shown(row: Visit, levels: tuple[int, int]) -> tuple[object, object]:
    age = (row.age, row.age // 2, row.age // 4, "*")[levels[0]]
    return age, (row.sex, "*")[levels[1]]


def classes_at(rows: Sequence[Visit], levels: tuple[int, int]) -> list[tuple[Visit, ...]]:
    found = defaultdict(list)
    for row in rows:
        found[shown(row, levels)].append(row)
    return [tuple(found[key]) for key in sorted(found, key=str)]


def people(rows: Sequence[Visit]) -> set[str]:
    return {row.person for row in rows}


NODES = tuple(itertools.product(range(4), range(2)))


def candidates(rows: Sequence[Visit], allowed: int, every: bool) -> Iterator[Candidate]:
    """Every node with every threshold on the number of persons that suppresses few enough rows."""
    for levels in NODES:
        classes = classes_at(rows, levels)
        possible = []
        for least in sorted({len(people(each)) for each in classes}):
            stays = tuple(each for each in classes if len(people(each)) >= least)
            gone = tuple(row for each in classes if len(people(each)) < least for row in each)
            if len(gone) <= allowed:
                possible.append(Candidate(levels, stays, gone, tuple(classes)))
        yield from possible if every else possible[-1:]


def candidates_of_pairs(rows: Sequence[Visit], allowed: int, names: Sequence[str]) -> Iterator[Candidate]:
    """Every node with every set of classes that thresholds on the first two measures of single classes
    leave."""
    keys = [name for name in names if name not in ("loss", "gl", "sl")][:2]
    for levels in NODES:
        classes = classes_at(rows, levels)

        def goodness(own: tuple[Visit, ...], name: str) -> float:
            value = values(rows, Candidate(levels, (own,), (), (own,)))[name]  # noqa: B023
            return -float(value) if name in ("t", "alpha") else float(value)

        measured = {each: [goodness(each, name) for name in keys] for each in classes}
        seen = set()
        for limits in itertools.product(*({own[i] for own in measured.values()} for i in range(len(keys)))):
            stays = tuple(each for each in classes if all(map(operator.ge, measured[each], limits)))
            gone = tuple(row for each in classes if each not in stays for row in each)
            if stays and len(gone) <= allowed and stays not in seen:
                seen.add(stays)
                yield Candidate(levels, stays, gone, tuple(classes))


def without_persons(rows: Sequence[Visit], levels: tuple[int, int], least: int) -> list[Visit]:
    """The rows that stay if a suppressed row takes all of its person with it, until no class is below."""
    left = list(rows)
    while True:
        gone = {row.person for each in classes_at(left, levels) if len(people(each)) < least for row in each}
        if not gone:
            return left
        left = [row for row in left if row.person not in gone]


def added_rows(
    old: Sequence[Visit], new: Sequence[Visit], levels: tuple[int, int], least: int
) -> list[Visit]:
    """The new rows that stay beside an old release of whole persons: nobody whom it suppressed, and of
    everybody else all new rows or none, until all of them are in classes of enough persons of both."""
    released = without_persons(old, levels, least)
    banned = people(old) - people(released)
    while True:
        left = [row for row in new if row.person not in banned]
        short = [each for each in classes_at([*released, *left], levels) if len(people(each)) < least]
        gone = {row.person for each in short for row in each if row in left}
        if not gone:
            return left
        banned |= gone


def candidates_of_persons(rows: Sequence[Visit], allowed: int) -> Iterator[Candidate]:
    """Every node with the highest threshold that suppresses few enough rows, whole persons at a time."""
    for levels in NODES:
        found = None
        for least in range(1, len(people(rows)) + 1):
            left = without_persons(rows, levels, least)
            if left and len(rows) - len(left) <= allowed:
                gone = tuple(row for row in rows if row.person not in people(left))
                found = Candidate(
                    levels, tuple(classes_at(left, levels)), gone, tuple(classes_at(rows, levels))
                )
        if found is not None:
            yield found


def holders(rows: Sequence[Visit]) -> dict[str, int]:
    """How many persons have each value in some row."""
    return {
        value: len({row.person for row in rows if row.ill == value}) for value in {row.ill for row in rows}
    }


def a_share(rows: Sequence[Visit]) -> Fraction:
    """The largest share of the persons that have one value."""
    return Fraction(max(holders(rows).values()), len(people(rows)))


def shares(rows: Sequence[Visit]) -> dict[str, Fraction]:
    found = holders(rows)
    return {value: Fraction(count, sum(found.values())) for value, count in found.items()}


def variation(rows: Sequence[Visit], every: Sequence[Visit]) -> float:
    p, q = shares(rows), shares(every)
    return float(sum(abs(p.get(v, Fraction(0)) - q[v]) for v in q) / 2)


def ratio(rows: Sequence[Visit], every: Sequence[Visit]) -> float:
    p, q = shares(rows), shares(every)
    return max(abs(math.log(p[v] / q[v])) for v in p)


def likeness(rows: Sequence[Visit], every: Sequence[Visit]) -> float:
    p, q = shares(rows), shares(every)
    return float(max([Fraction(0), *((p[v] - q[v]) / q[v] for v in p)]))


def entropy(rows: Sequence[Visit]) -> float:
    return math.exp(-sum(float(p) * math.log(p) for p in shares(rows).values()))


def loss(rows: Sequence[Visit], candidate: Candidate) -> float:
    """Every shown set by the domain values in it, in rows."""
    ages, sexes = {row.age for row in rows}, {row.sex for row in rows}
    spent = Fraction(len(candidate.gone) * 2)
    for row in itertools.chain(*candidate.stays):
        age, sex = shown(row, candidate.levels)
        for domain, alike in (
            (ages, [v for v in ages if shown(row._replace(age=v), candidate.levels)[0] == age]),
            (sexes, [v for v in sexes if shown(row._replace(sex=v), candidate.levels)[1] == sex]),
        ):
            if len(domain) > 1:
                spent += Fraction(len(alike) - 1, len(domain) - 1)
    return float(spent / (2 * len(rows)))


def values(rows: Sequence[Visit], candidate: Candidate) -> dict[str, float]:
    """Every measure that depends on whether rows or persons are counted, and some that must not."""
    stays, everybody = candidate.stays, candidate.classes
    sizes, every = [len(people(each)) for each in stays], [len(people(each)) for each in everybody]
    right = sum(max(sum(r.paid == v for r in each) for v in {r.paid for r in each}) for each in stays)
    return {
        "k": min(sizes),
        "weighted-k": sum(n * n for n in every) / sum(every),
        "l": float(min(1 / a_share(each) for each in stays)),
        "alpha": float(max(a_share(each) for each in stays)),
        "l-distinct": min(len(holders(each)) for each in stays),
        "l-entropy": min(entropy(each) for each in stays),
        "t": max(variation(each, rows) for each in stays),
        "delta": max(ratio(each, rows) for each in stays),
        "beta": max(likeness(each, rows) for each in stays),
        "spread-k": sum(n * n for n in sizes),
        "risk-highest": 1 / min(sizes),
        "risk-average": len(sizes) / sum(sizes),
        "uniques": sizes.count(1),
        "sl": len(candidate.gone) / len(rows),
        "loss": loss(rows, candidate),
        "discernibility": sum(len(each) ** 2 for each in stays) + len(candidate.gone) * len(rows),
        "average-class": sum(map(len, stays)) / len(stays),
        "classification-error": 1 - right / len(rows),
    }


@dataclass(frozen=True)
class Cuts:
    """Groups of ages, from the first up to and with the last, and whether the sexes are apart."""

    ages: tuple[tuple[int, ...], ...]
    apart: bool

    def shown(self, row: Visit) -> tuple[object, object]:
        return next(group for group in self.ages if row.age in group), row.sex if self.apart else "*"


def every_cut(rows: Sequence[Visit]) -> Iterator[Cuts]:
    ages = sorted({row.age for row in rows})
    sexes = {row.sex for row in rows}
    for bits in itertools.product([False, True], repeat=len(ages) - 1):
        ends = [0, *(place + 1 for place, bit in enumerate(bits) if bit), len(ages)]
        groups = tuple(tuple(ages[one:other]) for one, other in itertools.pairwise(ends))
        for apart in (False, True) if len(sexes) > 1 else (False,):
            yield Cuts(groups, apart)


def cut_candidates(
    rows: Sequence[Visit], allowed: int, every: bool
) -> Iterator[tuple[Cuts, Candidate, float]]:
    """Every choice of cuts with every threshold on persons that suppresses few enough rows and whose
    boundaries may be shown; and what it loses."""
    for cuts in every_cut(rows):
        found = defaultdict(list)
        for row in rows:
            found[cuts.shown(row)].append(row)
        classes = tuple(tuple(each) for each in found.values())
        possible = []
        for least in sorted({len(people(each)) for each in classes}):
            stays = tuple(each for each in classes if len(people(each)) >= least)
            gone = tuple(row for each in classes if len(people(each)) < least for row in each)
            if len(gone) <= allowed:
                possible.append(Candidate((0, 0), stays, gone, classes))
        for each in possible if every else possible[-1:]:
            ages = shown_ages(rows, cuts, each)
            if ages is not None:
                yield cuts, each, loss_of_cuts(rows, cuts, each, ages)


def shown_ages(rows: Sequence[Visit], cuts: Cuts, candidate: Candidate) -> dict[int, int] | None:
    """How many ages of the table the label of each age that stays holds; None if a cut cannot be shown. Ages
    are shown by two years from level 1 on."""
    k = min(len(people(each)) for each in candidate.stays)
    left = [row for each in candidate.stays for row in each]
    sizes = Counter(
        {age: len({row.person for row in left if row.age == age}) for age in {r.age for r in left}}
    )
    group_of = {age: number for number, group in enumerate(cuts.ages) for age in group}
    column = Column(str, lambda point: point % 2 == 0)
    stays = sorted({row.age for row in left})
    ends = [min(row.age for row in rows)]
    for one, other in itertools.pairwise(stays):
        if group_of[one] != group_of[other]:
            point = column.boundary(one, other, stays, sizes, k)
            if point is None:
                return None
            ends.append(point)
    ends.append(max(row.age for row in rows) + 1)
    held = {}
    for age in stays:
        place = max(place for place, end in enumerate(ends) if end <= age)
        held[age] = len({row.age for row in rows if ends[place] <= row.age < ends[place + 1]})
    return held


def loss_of_cuts(rows: Sequence[Visit], cuts: Cuts, candidate: Candidate, held: Mapping[int, int]) -> float:
    ages, sexes = {row.age for row in rows}, {row.sex for row in rows}
    spent = Fraction(len(candidate.gone) * 2)
    for row in itertools.chain(*candidate.stays):
        _, sex = cuts.shown(row)
        spent += Fraction(held[row.age] - 1, len(ages) - 1) if len(ages) > 1 else 0
        spent += int(sex == "*" and len(sexes) > 1)
    return float(spent / (2 * len(rows)))
