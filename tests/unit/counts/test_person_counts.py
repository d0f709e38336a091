"""Persons counted compiled and in numpy, and how many there are in classes."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.counts import Cube
from paretonym.counts.person_counts import Persons
from paretonym.recoding import Suppression
from paretonym.search import Problem
from paretonym.search.node_evaluation import compiled, evaluator, plain_evaluator
from tests.naive import persons as naive
from tests.naive.persons import Visit

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


def cube(seed: int, one_tuple: bool) -> Cube:
    random, rows = Random(seed), []
    for number in range(60):
        own = random.randrange(8), random.choice("mf")
        for _ in range(random.randrange(1, 5)):
            age, sex = own if one_tuple else (random.randrange(8), random.choice("mf"))
            rows.append(Visit(f"p{number}", age, sex, random.choice("abc"), random.choice("yn")))
    return pn.Study(pa.table(naive.table(rows)), schema=naive.SCHEMA).cube


@pytest.mark.parametrize("rule", ["limit", "any"])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_counts_of_persons_are_those_of_numpy(rule: Literal["limit", "any"], seed: int) -> None:
    problem = Problem.of(cube(seed, one_tuple=True), OF_SIZES, Suppression(rule, Fraction(1, 5)))
    if not compiled(problem):
        pytest.skip("the kernels are not compiled")
    nodes = np.arange(problem.lattice.size)
    fast, slow = evaluator(problem)(nodes), plain_evaluator(problem)(nodes)
    for one, other in zip(fast, slow, strict=True):
        np.testing.assert_allclose(one, other)
    assert len(fast.nodes) == len(nodes) if rule == "limit" else len(fast.nodes) > len(nodes)


def test_persons_in_several_classes_and_pairs_of_thresholds_are_counted_in_numpy() -> None:
    none = Suppression("limit", Fraction(0))
    assert not compiled(Problem.of(cube(1, one_tuple=False), ("k", "loss"), none))
    assert compiled(Problem.of(cube(1, one_tuple=True), ("k", "l", "loss"), none))
    some = Suppression("any", Fraction(1, 10))
    assert not compiled(Problem.of(cube(1, one_tuple=True), ("k", "l", "loss"), some))


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
    monkeypatch.setattr("paretonym.counts.person_counts.MOST_COMPARED", most)
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
