"""The size sweep: what sizes say is exact, and the frontier stays that of all nodes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from paretonym.budget import Limits
from paretonym.frontier import as_costs
from paretonym.recoding.suppression import parse_suppression
from paretonym.run.study import example
from paretonym.search.exact import search_exact
from paretonym.search.exhaustive import search_exhaustive
from paretonym.search.node_evaluation import evaluator
from paretonym.search.problem import Problem
from paretonym.search.size_sweep import sweep_helps, swept
from paretonym.testing.random_tables import random_table

QUESTIONS = (
    ("k", "l", "discernibility"),
    ("l", "average-class"),
    ("k", "t", "gl", "sl"),
    ("t-js", "sl", "loss"),
    ("l-entropy", "l-distinct", "discernibility"),
)


def drawn(seed: int, names: tuple[str, ...], suppress: str) -> Problem:
    table = random_table(Random(seed), quasi=(2, 4), rows=(5, 60), sensitive=2)
    return Problem.of(table.study().cube, names, parse_suppression(suppress))


@pytest.mark.parametrize("names", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("suppress", ["0", "0.1", "0.3"])
def test_equals_exhaustive(names: tuple[str, ...], suppress: str) -> None:
    for seed in range(8):
        problem, limits = drawn(seed, names, suppress), Limits(threads=1)
        assert sweep_helps(problem, limits)
        found, every = search_exact(problem, limits), search_exhaustive(problem, limits)
        assert found.complete
        assert found.values.tolist() == every.values.tolist()
        assert found.evaluated + found.in_part == problem.lattice.size


@pytest.mark.parametrize("seed", range(5))
def test_costs_are_those_of_an_evaluation(seed: int) -> None:
    problem = drawn(seed, ("k", "l", "gl", "discernibility"), "0.2")
    sizes = swept(problem, Limits(threads=1), None)
    counted = evaluator(problem)(np.arange(problem.lattice.size))
    costs = as_costs(problem.values(problem.facts(counted)), problem.directions)
    assert sizes.places.tolist() == [0, 2, 3]
    assert sizes.costs.tolist() == costs[:, sizes.places].tolist()


def test_most_nodes_are_not_evaluated() -> None:
    problem = Problem.of(example("adult").cube, ("k", "l", "discernibility"), parse_suppression("1%"))
    assert search_exact(problem, Limits()).evaluated < problem.lattice.size / 4


@pytest.mark.parametrize(
    ("names", "suppress"),
    [
        (("k", "l", "sl"), "any:0.1"),
        (("l", "gl"), "any:0.1"),
        (("k", "loss", "sl"), "0.1"),
        (("k", "l", "loss"), "0.1"),
        (("k", "t-release", "sl"), "0.1"),
    ],
)
def test_not_where_it_cannot_help(names: tuple[str, ...], suppress: str) -> None:
    """With several candidates a node; without measures of values; where all is bounded; or nothing is."""
    assert not sweep_helps(drawn(0, names, suppress), Limits())
    assert not sweep_helps(drawn(0, ("k", "l", "sl"), "0.1"), Limits(seconds=1.0))
