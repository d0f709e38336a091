"""Persons counted compiled and in numpy, and how many there are in classes."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.engine.counts import Counted, Cube
from paretonym.engine.counts.person_counts import Persons
from paretonym.engine.recoding import Suppression
from paretonym.engine.search import Problem
from paretonym.engine.search.node_evaluation import evaluator, evaluators
from tests.naive import persons as naive
from tests.naive.persons import Visit
from tests.naive.rollup import plain_evaluator

OF_SIZES = (
    "k",
    "weighted-k",
    "spread-k",
    "risk-average",
    "uniques",
    "discernibility",
    "average-class",
    "loss",
)


def cube(seed: int, one_tuple: bool, unit: str = "row") -> Cube:
    """A table of persons, or of households where these are suppressed as a whole."""
    random, rows = Random(seed), []
    for number in range(60):
        own = random.randrange(8), random.choice("mf")
        for _ in range(random.randrange(1, 5)):
            age, sex = own if one_tuple else (random.randrange(8), random.choice("mf"))
            rows.append(Visit(f"p{number}", age, sex, random.choice("abc"), random.choice("yn")))
    role = "household" if unit == "household" else "person"
    columns = naive.SCHEMA["columns"] | {"person": {"role": role}}
    schema = {"columns": columns, "suppress": {"unit": unit}}
    return pn.Study(pa.table(naive.table(rows)), schema=schema).cube


OF_VALUES = ("k", "l", "l-distinct", "l-entropy", "t", "t-js", "delta", "classification-error", "loss")


def by_node(counted: Counted) -> list[tuple[float, ...]]:
    """The candidates as numbers that can be compared, in an order of their own: pairs of thresholds come in
    any order."""
    columns = (counted.nodes[:, None], counted.facts, counted.costs, counted.statistics)
    return sorted(map(tuple, np.round(np.concatenate(columns, axis=1), 9).tolist()))


@pytest.mark.parametrize("one_tuple", [True, False], ids=["one tuple each", "several tuples"])
@pytest.mark.parametrize("names", [OF_SIZES, OF_VALUES, ("l", "loss")], ids=["sizes", "values", "l alone"])
@pytest.mark.parametrize("rule", ["limit", "any"])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_counts_of_persons_are_those_of_numpy(
    rule: Literal["limit", "any"], names: tuple[str, ...], one_tuple: bool, seed: int
) -> None:
    """With thresholds on k, on k and l together, and on l alone; walking and jumping."""
    problem = Problem.of(cube(seed, one_tuple), names, Suppression(rule, Fraction(1, 5)))
    nodes = np.arange(problem.lattice.size)
    slow = by_node(plain_evaluator(problem)(nodes))
    jumping = evaluators(problem, 1, problem.every_threshold, problem.cube.jumping_order)[0]
    for evaluate in (evaluator(problem), jumping):
        fast = evaluate(np.random.default_rng(seed).permutation(nodes))
        np.testing.assert_allclose(by_node(fast), slow, rtol=1e-9, atol=1e-9)
    assert len(slow) == len(nodes) if rule == "limit" else len(slow) > len(nodes)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_finds_the_same_frontier_of_persons(threads: int) -> None:
    random = Random(3)
    rows = [
        Visit(f"p{number}", random.randrange(8), random.choice("mf"), random.choice("abc"), "y")
        for number in range(50)
        for _ in range(3)
    ]
    study = pn.Study(pa.table(naive.table(rows)), schema=naive.SCHEMA)
    asked = study.explore("k", "l", "loss", suppress="any:0.3", threads=threads, space="lattice")
    assert asked == study.explore("k", "l", "loss", suppress="any:0.3", threads=1, space="lattice")


@pytest.mark.parametrize("sex", ["m" * 400, "mf" * 200], ids=["one tuple each", "several tuples"])
def test_persons_with_one_of_many_values(sex: str) -> None:
    rows = [Visit(f"p{n // 2}", n // 2 % 8, sex[n], f"rare {n}", "y") for n in range(400)]
    wide = pn.Study(pa.table(naive.table(rows)), schema=naive.SCHEMA).cube
    problem = Problem.of(wide, ("k", "l", "t", "loss"), Suppression("limit", Fraction(1, 5)))
    nodes = np.arange(problem.lattice.size)
    fast, slow = (by_node(evaluate(problem)(nodes)) for evaluate in (evaluator, plain_evaluator))
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("unit", ["person", "household"])
@pytest.mark.parametrize("share", [0, Fraction(1, 10), Fraction(2, 5)])
@pytest.mark.parametrize("seed", range(3))
def test_whole_units_are_counted_as_in_numpy(
    unit: Literal["person", "household"], share: Fraction, seed: int
) -> None:
    problem = Problem.of(cube(seed, False, unit), OF_VALUES, Suppression("limit", Fraction(share)))
    assert problem.cube.units is not None
    nodes = np.arange(problem.lattice.size)
    fast, slow = (by_node(evaluate(problem)(nodes)) for evaluate in (evaluator, plain_evaluator))
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)


def test_a_person_counts_once_in_a_class() -> None:
    tuples, ids = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 0, 2])
    persons = Persons.of(3, tuples, ids)
    assert not persons.one_tuple_each
    assert persons.facts == (3, 1)
    assert persons.in_classes(np.array([0, 1, 2]), 3).tolist() == [2, 1, 1]
    assert persons.in_classes(np.array([0, 0, 0]), 1).tolist() == [3]
    values = Persons.of(3, tuples, ids, np.array([0, 1, 1, 1, 0]), 2)
    assert values.in_classes(np.array([0, 0, 1]), 2).tolist() == [[1, 2], [1, 0]]


@pytest.mark.parametrize("most", [0, 12])
@pytest.mark.parametrize("valued", [False, True])
def test_persons_are_counted_once_in_a_class_however_many_tuples_they_have(
    most: int, valued: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compared entry by entry, or sorted: the same as sets."""
    monkeypatch.setattr("paretonym.engine.counts.person_counts.MOST_COMPARED", most)
    random = np.random.default_rng(4)
    tuples = random.integers(0, 20, 60)
    ids, values = (random.integers(0, most, 60).astype(np.int32) for most in (9, 3))
    persons = Persons.of(9, tuples, ids, values if valued else None, 3 if valued else 1)
    of_tuple = random.integers(0, 5, 20)
    found = persons.in_classes(of_tuple, 5)
    for place in range(5):
        own = [i for i in range(60) if of_tuple[tuples[i]] == place]
        if valued:
            assert found[place].tolist() == [len({ids[i] for i in own if values[i] == v}) for v in range(3)]
        else:
            assert found[place] == len({ids[i] for i in own})
