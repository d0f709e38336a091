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


def test_values_and_persons_in_several_classes_are_counted_in_numpy() -> None:
    none = Suppression("limit", Fraction(0))
    assert not compiled(Problem.of(cube(1, one_tuple=False), ("k", "loss"), none))
    assert not compiled(Problem.of(cube(1, one_tuple=True), ("k", "l", "loss"), none))


def test_a_person_counts_once_in_a_class() -> None:
    tuples, ids = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 0, 2])
    persons = Persons.of(3, tuples, ids)
    assert not persons.one_tuple_each
    assert persons.facts == (3, 1)
    assert persons.in_classes(np.array([0, 1, 2]), 3).tolist() == [2, 1, 1]
    assert persons.in_classes(np.array([0, 0, 0]), 1).tolist() == [3]
    values = Persons.of(3, tuples, ids, np.array([0, 1, 1, 1, 0]), 2)
    assert values.in_classes(np.array([0, 0, 1]), 2).tolist() == [[1, 2], [1, 0]]
