"""Persons: every search and measure against the slow twin, where a person's quasi-identifiers agree and where
they differ; and the bounds that an exact search relies on, over all pairs of nodes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym as pn
from paretonym.base.errors import NoSolution
from paretonym.engine.recoding import Suppression
from paretonym.engine.search import Problem
from paretonym.engine.search.bounds import is_monotone
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.tables.data_kinds import OwnFrame
from tests.naive import persons as naive
from tests.naive.persons import Visit
from tests.naive.twin import comparable

MEASURES = tuple(
    naive.values([v := Visit("a", 1, "m", "flu", "no")], naive.Candidate((0, 0), ((v,),), (), ((v,),)))
)


@st.composite
def visits(draw: st.DrawFn, constant: bool | None = None) -> list[Visit]:
    """Some rows of some persons; with `constant`, everybody's age and sex are the same in all of them."""
    constant = draw(st.booleans()) if constant is None else constant
    ages, sexes = st.integers(0, 7), st.sampled_from("mf")
    rows = []
    for number in range(draw(st.integers(2, 9))):
        own = draw(ages), draw(sexes)
        for _ in range(draw(st.integers(1, 4))):
            age, sex = own if constant else (draw(ages), draw(sexes))
            ill, paid = draw(st.sampled_from(["flu", "hiv", "cold"])), draw(st.sampled_from(["yes", "no"]))
            rows.append(Visit(f"p{number}", age, sex, ill, paid))
    return rows


def best(vectors: list[tuple[float, ...]], directions: list[str]) -> set[tuple[float, ...]]:
    def costs(vector: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(-v if d == "max" else v for v, d in zip(vector, directions, strict=True))

    def beaten(one: tuple[float, ...]) -> bool:
        return any(
            all(a <= b for a, b in zip(costs(other), costs(one), strict=True)) and other != one
            for other in vectors
        )

    return {vector for vector in vectors if not beaten(vector)}


def rounded(value: float) -> float:
    """As values are rounded; a value that is rounded already stays."""
    return float(comparable(float(value)))


OBJECTIVES = (("k", "loss"), ("k", "l", "loss"), ("t", "loss"), ("l-distinct", "loss"), ("k", "alpha", "sl"))


@settings(max_examples=40, deadline=None)
@given(visits(), st.sampled_from(OBJECTIVES), st.sampled_from(["0", "0.2", "any:0.3"]))
def test_exact_and_exhaustive_search_find_the_frontier_of_persons(
    rows: list[Visit], names: tuple[str, ...], suppress: str
) -> None:
    every = suppress.startswith("any")
    study = pn.Study(naive_frame(rows), schema=naive.SCHEMA)
    share = float(suppress.removeprefix("any:"))
    allowed = int(share * len(rows) + 1e-9)
    made = (
        naive.candidates_of_pairs(rows, allowed, names) if every else naive.candidates(rows, allowed, every)
    )
    found = [naive.values(rows, c) for c in made]
    for search in ("exact", "exhaustive"):
        front = study.explore(*names, suppress=suppress, search=search)
        directions = [objective.direction for objective in front.objectives]
        expected = best([tuple(rounded(each[name]) for name in names) for each in found], directions)
        assert {tuple(rounded(s.values[name]) for name in names) for s in front} == expected
        assert front.search.complete


def naive_frame(rows: list[Visit]) -> OwnFrame:
    import pyarrow as pa

    return pa.table(naive.table(rows))


@settings(max_examples=40, deadline=None)
@given(visits())
def test_every_measure_of_every_node_is_that_of_the_twin(rows: list[Visit]) -> None:
    study = pn.Study(naive_frame(rows), schema=naive.SCHEMA)
    front = study.explore("k", "loss", suppress="0", search="exhaustive")
    twin = {c.levels: naive.values(rows, c) for c in naive.candidates(rows, 0, False)}
    for solution in front:
        levels = solution.recoding.as_json()["levels"]
        seen = study.realized(solution.recoding).measure(*MEASURES)
        expected = twin[levels["age"], levels["sex"]]
        assert {name: rounded(v) for name, v in seen.items()} == {n: rounded(v) for n, v in expected.items()}


@pytest.mark.parametrize("constant", [True, False])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_a_search_takes_for_monotone_is_so_between_all_pairs_of_nodes(
    constant: bool, data: st.DataObject
) -> None:
    rows = data.draw(visits(constant))
    study = pn.Study(naive_frame(rows), schema=naive.SCHEMA)
    allowed = data.draw(st.integers(0, len(rows) // 3))
    twin = {c.levels: naive.values(rows, c) for c in naive.candidates(rows, allowed, False)}
    problem = Problem.of(study.cube, MEASURES, pn_limit(allowed, len(rows)))
    assert problem.suppressible == allowed
    taken = [o for o in problem.objectives if is_monotone(problem, o)]
    assert "k" in {o.name for o in taken}
    for objective in taken:
        sign = 1 if objective.direction == "max" else -1
        for low, high in PAIRS:
            below, above = twin[low][objective.name], twin[high][objective.name]
            assert sign * above >= sign * below - 1e-12, (objective.name, low, high)
    for size in range(1, 10):
        for low, high in PAIRS:
            assert in_smaller(rows, high, size) <= in_smaller(rows, low, size)


PAIRS = [
    (low, high)
    for low in naive.NODES
    for high in naive.NODES
    if low != high and np.all(np.array(low) <= high)
]


def in_smaller(rows: list[Visit], levels: tuple[int, int], size: int) -> int:
    """The rows in classes of fewer persons."""
    return sum(len(each) for each in naive.classes_at(rows, levels) if len(naive.people(each)) < size)


def pn_limit(allowed: int, rows: int) -> Suppression:
    return Suppression("limit", Fraction(allowed, rows))


def test_without_that_condition_alpha_gets_worse_when_a_node_is_generalized() -> None:
    """Why only k and l-distinct are inherited if a person can be in several classes: the classes {a: flu},
    {a: hiv, b: cold}, with one value per person, merge into one in which … a has two of three."""
    rows = [
        Visit("a", 0, "m", "flu", "no"), Visit("b", 0, "m", "hiv", "no"),
        Visit("a", 4, "m", "hiv", "no"), Visit("b", 4, "m", "flu", "no"),
    ]  # fmt: skip
    twin = {c.levels: naive.values(rows, c) for c in naive.candidates(rows, 0, False)}
    assert twin[0, 0]["alpha"] == 0.5
    assert twin[3, 0]["alpha"] == 1.0


UNITS = (("k", "loss"), ("k", "l", "loss"), ("t", "loss"), ("k", "alpha", "sl"))


@settings(max_examples=30, deadline=None)
@given(visits(), st.sampled_from(UNITS), st.integers(0, 12))
def test_whole_persons_are_suppressed_wherever_their_rows_are(
    rows: list[Visit], names: tuple[str, ...], allowed: int
) -> None:
    """A suppressed row takes its person's others with it, repeated until no class is too small."""
    study = pn.Study(naive_frame(rows), schema={**naive.SCHEMA, "suppress": {"unit": "person"}})
    allowed = min(allowed, len(rows) - 1)
    found = [naive.values(rows, each) for each in naive.candidates_of_persons(rows, allowed)]
    for search in ("exact", "exhaustive"):
        front = study.explore(*names, suppress=pn_limit(allowed, len(rows)), search=search)
        directions = [objective.direction for objective in front.objectives]
        expected = best([tuple(rounded(each[name]) for name in names) for each in found], directions)
        assert {tuple(rounded(s.values[name]) for name in names) for s in front} == expected
    for solution in front:
        levels = tuple(solution.recoding.as_json()["levels"].values())
        twin = next(each for each in naive.candidates_of_persons(rows, allowed) if each.levels == levels)
        seen = study.realized(solution.recoding).measure(*MEASURES)
        expected_values = {name: rounded(v) for name, v in naive.values(rows, twin).items()}
        assert {name: rounded(v) for name, v in seen.items()} == expected_values
        # Nobody is there in part: all rows of a person, or none.
        assert study.release(solution.recoding).num_rows == sum(map(len, twin.stays))


@settings(max_examples=40, deadline=None)
@given(visits(), st.integers(1, 5))
def test_fewer_rows_of_whole_persons_go_at_more_general_nodes(rows: list[Visit], least: int) -> None:
    """What makes k under a limit, and the staircase, bounds of an exact search."""
    stay = {levels: naive.without_persons(rows, levels, least) for levels in naive.NODES}
    assert all(len(stay[low]) <= len(stay[high]) for low, high in PAIRS)


@settings(max_examples=25, deadline=None)
@given(visits(), st.sampled_from([0, 2, 5]))
def test_local_recoding_counts_persons(rows: list[Visit], allowed: int) -> None:
    """What is found is what is counted in every class, and nowhere are there fewer persons than stated."""
    study = pn.Study(naive_frame(rows), schema=naive.SCHEMA)
    allowed = min(allowed, len(rows) - 1)
    front = study.explore("k", "loss", suppress=pn_limit(allowed, len(rows)), space="local")
    for solution in front:
        made = study.realized(solution.recoding)
        of_row = made.classes.of_tuple
        stay: dict[int, list[Visit]] = {}
        tuples = sorted({(row.age, row.sex) for row in rows})
        for row in rows:
            if made.stays[of_row[tuples.index((row.age, row.sex))]]:
                stay.setdefault(int(of_row[tuples.index((row.age, row.sex))]), []).append(row)
        assert solution.values["k"] == min(len(naive.people(own)) for own in stay.values())
        assert solution.suppressed == len(rows) - sum(map(len, stay.values())) <= allowed
        measured = made.measure("alpha", "l-distinct")
        assert rounded(measured["alpha"]) == rounded(max(float(naive.a_share(own)) for own in stay.values()))
        assert measured["l-distinct"] == min(len(naive.holders(own)) for own in stay.values())
    # No node of the lattice is better: it is a sequence of one.
    nodes = [naive.values(rows, each) for each in naive.candidates(rows, allowed, False)]
    vectors = [tuple(rounded(s.values[name]) for name in ("k", "loss")) for s in front]
    for each in nodes:
        assert any(k >= each["k"] and loss <= rounded(each["loss"]) + 1e-9 for k, loss in vectors)


@settings(max_examples=60, deadline=None)
@given(visits(), visits(), st.integers(2, 4))
def test_new_rows_of_whole_persons_are_those_of_the_twin(
    rows: list[Visit], new: list[Visit], least: int
) -> None:
    """New rows of old persons, of persons that the old release suppressed, and of strangers: all of a person
    stay or go; nobody who was suppressed comes back; every class of both files has enough persons."""
    # So that every level of both columns is there.
    rows = [*rows, Visit("z", 0, "m", "flu", "no"), Visit("z", 7, "f", "flu", "no")]
    new = [row._replace(person=row.person if n % 3 else f"new {row.person}") for n, row in enumerate(new)]
    study = pn.Study(naive_frame(rows), schema={"suppress": {"unit": "person"}, **naive.SCHEMA})
    for levels in naive.NODES:
        released = naive.without_persons(rows, levels, least)
        if not released:
            continue
        recoding = LatticeRecoding.of(dict(zip(("age", "sex"), levels, strict=True)), {"k": f">={least}"})
        expected = naive.added_rows(rows, new, levels, least)
        if not expected:
            with pytest.raises(NoSolution, match="Every new row would have to be suppressed"):
                study.apply(recoding, naive_frame(new))
            continue
        table, union = study.apply(recoding, naive_frame(new))
        assert sorted(table["ill"].to_pylist()) == sorted(row.ill for row in expected)  # type: ignore[index]
        both = naive.classes_at([*released, *expected], levels)
        assert union.k == min(len(naive.people(each)) for each in both) >= least
        assert (union.old, union.stay, union.left_out) == (
            len(released), len(expected), len(new) - len(expected),
        )  # fmt: skip
        assert union.returning == sum(
            row.person in naive.people(rows) - naive.people(released) for row in new
        )
