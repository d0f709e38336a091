"""Sums of weights against rows that are added one by one."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import count
from math import log
from random import Random
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.engine.counts.tuple_counts import count_weights
from paretonym.study.study import Study

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "w": {"role": "weight"},
}
PERSONS = {"whose": {"role": "person"}, **COLUMNS}
WEIGHTS = ("0.5", "1", "1.0", "2.25", "40", "1e2", ".125", "+3")


def study(columns: dict[str, list[Any]], described: dict[str, Any], **more: Any) -> Study:
    import pyarrow

    return Study(pyarrow.table(columns), {"columns": described, **more})


def sample(seed: int) -> dict[str, list[str]]:
    random = Random(seed)
    rows = range(random.randint(1, 25))
    return {
        "age": [str(random.randint(20, 25)) for _ in rows],
        "sex": [random.choice("fm") for _ in rows],
        "w": [random.choice(WEIGHTS) for _ in rows],
    }


def naive_risk(f: int, people: Fraction) -> float:
    """Σ_h 1/h · P(F = h | f), term by term."""
    p = min(1.0, f / float(people))
    chance, total = p**f, 0.0
    for h in count(f):
        total += chance / h
        chance *= (1 - p) * h / (h - f + 1)
        if chance < 1e-14 and h > people:
            return total
    raise AssertionError


def fewest(
    sizes: dict[tuple[str, str], int], people: dict[tuple[str, str], Fraction], factor: float = 1.0
) -> float:
    """The smallest class of the population, which has at least the rows of the sample."""
    return min(max(size, float(people[values]) * factor) for values, size in sizes.items())


@pytest.mark.parametrize("seed", range(6))
def test_twin(seed: int) -> None:
    columns = sample(seed)
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    people: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for age, sex, weight in zip(*columns.values(), strict=True):
        sizes[age, sex] += 1
        people[age, sex] += Fraction(weight)
    # The lowest level of a search changes nothing: risk is that of the values.
    coarse = {**COLUMNS, "age": {**COLUMNS["age"], "levels": [1, 2]}}
    for described in (COLUMNS, coarse):
        own = study(columns, described)
        values = own.cube.finest or own.cube
        found = count_weights(own.source, own.bound, values)
        assert sorted(found.people.tolist()) == sorted(found.unit * weight for weight in people.values())
        risk = own.risk().sample
        assert risk is not None
        assert risk.population == pytest.approx(float(sum(people.values())))
        assert risk.smallest == pytest.approx(fewest(sizes, people))
        expected = sum(f * naive_risk(f, people[c]) for c, f in sizes.items())
        assert risk.expected == pytest.approx(expected, rel=1e-9)
        scaled = own.risk(sampling_fraction="5%").sample
        assert scaled is not None
        factor = 20 * len(columns["w"]) / float(sum(people.values()))
        assert scaled.population == pytest.approx(20 * len(columns["w"]))
        assert scaled.smallest == pytest.approx(fewest(sizes, people, factor))


def test_equal_weights_are_a_sampling_fraction() -> None:
    columns = {**sample(3), "w": ["50"] * len(sample(3)["w"])}
    weighted = study(columns, COLUMNS).risk().sample
    plain = study(columns, {**COLUMNS, "w": {"role": "drop"}}).risk(sampling_fraction="2%").sample
    assert weighted is not None
    assert plain is not None
    assert (weighted.weights, plain.weights) == ("given", None)
    assert weighted.expected == pytest.approx(plain.expected)
    assert weighted.smallest == pytest.approx(plain.smallest)
    assert weighted.uniques.uniques == pytest.approx(plain.uniques.uniques)


def test_a_unique_by_hand() -> None:
    """f = 1 and F = 4: −(¼ / ¾)·ln ¼."""
    found = study({"age": ["20"], "sex": ["f"], "w": ["4"]}, COLUMNS).risk().sample
    assert found is not None
    assert found.expected == pytest.approx(-log(0.25) / 3)
    assert (found.smallest, found.as_json()["estimated_k_map"], found.warnings) == (4, 4, ())


def test_a_person_counts_once() -> None:
    columns = {"whose": ["a", "a", "b"], "age": ["20"] * 3, "sex": ["f"] * 3, "w": ["3", "3.0", "5"]}
    found = study(columns, PERSONS).risk().sample
    assert found is not None
    assert (found.rows, found.population, found.smallest) == (2, 8, 8)
    with pytest.raises(InputError) as caught:
        study({**columns, "w": ["3", "4", "5"]}, PERSONS).risk()
    assert str(caught.value).endswith(
        "column 'w': weights differ between the rows of 1 of 2 people; give everybody one weight, or give "
        'the column the role "drop"'
    )


def test_events_are_no_people() -> None:
    assert study(sample(1), COLUMNS, rows="events").risk().sample is None


@pytest.mark.parametrize("weight", ["1", "0.25"])
def test_weights_that_say_nothing_of_a_population(weight: str) -> None:
    columns = {"age": ["20", "21"], "sex": ["f", "m"], "w": [weight] * 2}
    found = study(columns, COLUMNS).risk()
    assert found.sample is not None
    assert (found.sample.expected, found.sample.smallest, found.sample.fraction) == (2, 1, 1)
    assert found.warnings == (
        "The weights add up to hardly more than the 2 people in the table, or to fewer, as if these were the "
        "whole population. If weights were scaled to their number, give the sampling fraction, too.",
    )
    assert found.as_json()["warnings"] == list(found.warnings)
    assert study(columns, COLUMNS).risk(sampling_fraction=0.1).warnings == ()
