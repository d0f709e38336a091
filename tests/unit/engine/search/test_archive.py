"""Collecting and evaluating: independent of order, of batches and of threads."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from paretonym.base.budget import usable_cores
from paretonym.engine.search import archive as collecting
from paretonym.engine.search.archive import Best, Collector, best_of, merged
from paretonym.engine.search.exhaustive import stretches
from paretonym.engine.search.node_evaluation import evaluator
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.search_exam import random_problem


def parts(problem: Problem) -> list[Best]:
    evaluate = evaluator(problem)
    return [best_of(problem, evaluate(numbers)) for numbers in stretches(problem)]


def same(left: Best, right: Best) -> bool:
    pairs = zip((*left.counted, left.values), (*right.counted, right.values), strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("patience", [0, 50_000])
@pytest.mark.parametrize("seed", range(15))
def test_the_order_of_parts_does_not_matter(
    seed: int, patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "_PATIENCE", patience)
    problem = random_problem(seed)
    found = parts(problem)
    whole = merged(problem, found)
    collector = Collector(problem)
    for part in Random(seed).sample(found, len(found)):
        collector.add(part)
    assert same(collector.best(), whole)
    assert same(collector.best(), whole)


@pytest.mark.parametrize("seed", range(15))
def test_every_node_comes_once(seed: int) -> None:
    problem = random_problem(seed)
    numbers = np.concatenate(list(stretches(problem)))
    assert sorted(numbers.tolist()) == list(range(problem.lattice.size))


def test_of_equals_the_smallest_levels_stay() -> None:
    """Among nodes with the same vector the first in dictionary order, with any number of threads."""
    for seed in range(30):
        problem = random_problem(seed)
        evaluate = evaluator(problem)
        counted = evaluate(np.arange(problem.lattice.size, dtype=np.int64))
        values = problem.values(problem.facts(counted)).tolist()
        for node, vector in zip(*_found(problem), strict=True):
            equals = [int(n) for n, other in zip(counted.nodes, values, strict=True) if other == vector]
            assert node == min(equals)


def _found(problem: Problem) -> tuple[list[int], list[list[float]]]:
    best = merged(problem, parts(problem))
    return best.counted.nodes.tolist(), best.values.tolist()


def test_cores() -> None:
    assert usable_cores() >= 1
