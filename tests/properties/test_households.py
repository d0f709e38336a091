"""Households: every search against the slow twin, and the bound that an exact search relies on, over all
pairs of nodes and all numbers of suppressed rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym as pn
from paretonym.engine.measures.class_size import reachable_k_household
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.recoding import Classes, Suppression
from paretonym.study import SearchName
from tests.naive import households as naive
from tests.naive.households import Member
from tests.naive.twin import comparable

PAIRS = [
    (low, high)
    for low in naive.NODES
    for high in naive.NODES
    if all(a <= b for a, b in zip(low, high, strict=True))
]


@st.composite
def homes(draw: st.DrawFn) -> list[Member]:
    """Some households of up to three members; several of them alike."""
    some = st.tuples(st.integers(0, 7), st.sampled_from("mf"), st.sampled_from(["flu", "hiv"]))
    kinds = draw(st.lists(st.lists(some, min_size=1, max_size=3), min_size=1, max_size=4))
    found = []
    for number in range(draw(st.integers(2, 8))):
        members = draw(st.permutations(draw(st.sampled_from(kinds))))
        found += [Member(f"h{number}", *each) for each in members]
    return draw(st.permutations(found))


def loss_of(rows: list[Member], stay: list[Member], levels: Any) -> float:
    """The loss as values are rounded."""
    return float(comparable(float(naive.loss(rows, stay, levels))))


def study_of(rows: list[Member], **settings: object) -> pn.Study:
    return pn.Study(pa.table(naive.table(rows)), schema={**naive.SCHEMA, **settings})


def best(vectors: set[tuple[float, ...]]) -> set[tuple[float, ...]]:
    """The non-dominated ones: all but the last are to be high."""

    def costs(one: tuple[float, ...]) -> tuple[float, ...]:
        return (*(-v for v in one[:-1]), one[-1])

    def beaten(one: tuple[float, ...]) -> bool:
        return any(
            other != one and all(a <= b for a, b in zip(costs(other), costs(one), strict=True))
            for other in vectors
        )

    return {one for one in vectors if not beaten(one)}


@settings(max_examples=40, deadline=None)
@given(homes(), st.sampled_from(["0", "0.2", "any:0.3"]), st.sampled_from(["exact", "exhaustive"]))
def test_searches_find_the_frontier_of_households(
    rows: list[Member], suppress: str, search: SearchName
) -> None:
    every = suppress.startswith("any")
    allowed = int(float(suppress.removeprefix("any:")) * len(rows) + 1e-9)
    names = ("k", "k-household", "loss") if every else ("k-household", "loss")
    vectors: set[tuple[float, ...]] = set()
    for levels in naive.NODES:
        found = list(naive.at_thresholds(rows, levels, allowed))
        for least, stay in found if every else found[-1:]:
            values = naive.k_household(stay, levels), loss_of(rows, stay, levels)
            vectors.add((least, *values) if every else values)
    front = study_of(rows).explore(*names, suppress=suppress, search=search)
    assert {tuple(s.values[name] for name in names) for s in front} == best(vectors)
    assert front.search.complete


@settings(max_examples=40, deadline=None)
@given(homes(), st.integers(0, 8), st.sampled_from(["exact", "exhaustive"]))
def test_whole_households_are_suppressed(rows: list[Member], allowed: int, search: SearchName) -> None:
    """A suppressed row takes its household with it, repeated until no class is too small."""
    allowed, names = min(allowed, len(rows) - 1), ("k", "k-household", "loss")
    vectors: set[tuple[float, ...]] = set()
    for levels in naive.NODES:
        left = [naive.without_households(rows, levels, least) for least in range(1, len(rows) + 1)]
        stay = [each for each in left if each and len(rows) - len(each) <= allowed][-1]
        k = min(naive.sizes(stay, levels).values())
        vectors.add((k, naive.k_household(stay, levels), loss_of(rows, stay, levels)))
    study = study_of(rows, suppress={"unit": "household"})
    front = study.explore(*names, suppress=Suppression("limit", Fraction(allowed, len(rows))), search=search)
    assert {tuple(s.values[name] for name in names) for s in front} == best(vectors)
    for solution in front:
        levels = tuple(solution.recoding.as_json()["levels"].values())
        stay = naive.without_households(rows, levels, int(solution.values["k"]))
        released = study.release(solution.recoding)
        assert sorted(released["ill"].to_pylist()) == sorted(row.ill for row in stay)
        assert solution.suppressed == len(rows) - len(stay)


@settings(max_examples=60, deadline=None)
@given(homes(), st.data())
def test_no_specialization_has_more_households_alike_than_the_bound(
    rows: list[Member], data: st.DataObject
) -> None:
    """Whatever rows are suppressed, by class or not."""
    cube = study_of(rows).cube
    gone = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=len(rows) // 2))
    stay = [row for place, row in enumerate(rows) if place not in gone]
    for low, high in PAIRS:
        levels = {axis.name: min(level, axis.highest) for axis, level in zip(cube.axes, high, strict=True)}
        classes = Classes.at_levels(cube, levels)
        bound = reachable_k_household(Seen(cube, classes, classes.rows > 0), len(gone))
        assert naive.k_household(stay, low) <= bound


def test_a_suppressed_member_can_make_households_alike() -> None:
    """Why k-household is inherited only with the number of suppressed rows added: three couples of which
    nobody else has the second member's age are unique; without these members they are alike."""
    rows = [Member(f"h{n}", age, "m", "flu") for n in range(3) for age in (0, 2 + 2 * n)]
    assert naive.k_household(rows, (0, 0)) == 1
    front = study_of(rows).explore("k-household", "loss", suppress=0.5, space="lattice")
    assert (3.0, 0.5) in {(s.values["k-household"], s.values["loss"]) for s in front}
    assert naive.k_household(rows, (1, 0)) == 1


def test_members_count_as_often_as_they_are_there() -> None:
    """Twins are two members: {1, 1, 2} is not {1, 2, 2}, and {1, 2} is not {1, 1, 2}."""
    ages = [(1, 1, 2), (2, 1, 2), (2, 1), (1, 2, 1)]
    rows = [Member(f"h{n}", age, "m", "flu") for n, each in enumerate(ages) for age in each]
    realized = study_of(rows).explore("k-household", "loss", suppress=0, space="lattice")
    assert [s.values["k-household"] for s in realized if s.values["loss"] == 0] == [1]
    assert naive.k_household(rows, (0, 0)) == 1


def test_the_measure_needs_the_column() -> None:
    people = {"columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}}}
    with pytest.raises(pn.InputError, match="k-household needs a column of role household"):
        pn.Study(pa.table({"age": ["1", "2"]}), schema=people).explore("k-household", "loss", space="lattice")
