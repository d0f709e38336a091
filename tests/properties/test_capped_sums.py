"""Sums over classes bound more specific nodes: exact search finds what all nodes give, with fewer of them."""

from __future__ import annotations

from random import Random

import pytest

from paretonym.base.budget import Limits
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.random_tables import random_table

PARTS, CASES = 6, 60
LOSSES = ("loss", "precision-loss", "entropy-loss", "gl", "discernibility", "classification-error")
OTHERS = ("k", "l", "l-distinct", "t", "sl", "gl", "weighted-k", "average-class")
LIMITS = ("0", "0.02", "0.1", "0.3", "0.6")


def drawn_problem(seed: int) -> Problem:
    """A small table; one sum or both, a loss, and perhaps something else."""
    generator = Random(f"sums {seed}")
    table = random_table(generator, quasi=(2, 4), rows=(1, 50), sensitive=1, labelled=True)
    sums = generator.choice([["spread-k"], ["spread-l"], ["spread-k", "spread-l"], []])
    names = [*sums, generator.choice(LOSSES), *generator.sample(OTHERS, generator.randint(0, 2))]
    generator.shuffle(names)
    rule = parse_suppression(generator.choice(LIMITS))
    return Problem.of(table.study().cube, tuple(dict.fromkeys(names)), rule)


def vectors(values: object) -> list[tuple[float, ...]]:
    return sorted(map(tuple, values.tolist()))  # type: ignore[attr-defined]


def compare(seed: int) -> tuple[int, int]:
    """The nodes evaluated by exact search and by the sweep; both frontiers are equal."""
    problem = drawn_problem(seed)
    exact = search_exact(problem, Limits(threads=1))
    every = search_exhaustive(problem, Limits(threads=1))
    assert exact.complete
    assert every.complete
    assert vectors(exact.values) == vectors(every.values), (seed, [o.name for o in problem.objectives])
    return exact.evaluated, every.evaluated


@pytest.mark.parametrize("part", range(PARTS))
def test_exact_is_exhaustive(part: int) -> None:
    counts = [compare(seed) for seed in range(part * CASES, (part + 1) * CASES)]
    assert sum(fewer < every for fewer, every in counts) > CASES // 10
