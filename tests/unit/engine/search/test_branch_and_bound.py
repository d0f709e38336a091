"""Branch and bound over boxes: the exam of an exact search, however few boxes are taken or kept at once."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym
from paretonym.base.budget import Limits
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search import box_queue, branch_and_bound, exact
from paretonym.engine.search.archive import Found
from paretonym.engine.search.bounds import has_floor, inherited
from paretonym.engine.search.branch_and_bound import search_boxes
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.random_tables import random_table
from paretonym.research.exams.search_exam import random_problem, sit_search_exam


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Every lattice counts as a large one."""
    monkeypatch.setattr(exact, "MOST_NODES", 0)
    return monkeypatch


def bounded_problems(most: int) -> list[Problem]:
    """The first problems whose boxes can be closed."""
    found = (random_problem(seed) for seed in range(1000))
    bounded = (p for p in found if inherited(p) and any(map(has_floor, p.objectives)) and p.by_size)
    return [next(bounded) for _ in range(most)]


def summary(found: Found) -> tuple[object, ...]:
    best = found.best
    return (best.counted.nodes.tolist(), best.values.tolist(), found.evaluated, found.open, found.unresolved)


@pytest.mark.parametrize("part", range(4))
def test_exam(boxes: pytest.MonkeyPatch, part: int) -> None:
    sit_search_exam(search_exact, range(part, 40, 4))


@pytest.mark.parametrize(("batch", "most_open", "most_first"), [(1, 1, 1), (2, 3, 5)])
def test_few_boxes_at_once(boxes: pytest.MonkeyPatch, batch: int, most_open: int, most_first: int) -> None:
    """Depth first where more are open than are kept ranked."""
    for name, few in (("_BATCH", batch), ("_MOST_FIRST", most_first)):
        boxes.setattr(branch_and_bound, name, few)
    boxes.setattr(box_queue, "MOST_OPEN", most_open)
    sit_search_exam(search_exact, range(300, 312))


def test_boxes_are_closed_with_many_nodes(boxes: pytest.MonkeyPatch) -> None:
    """Otherwise the exam would be one of evaluating everything."""
    boxes.setattr(branch_and_bound, "_MOST_FIRST", 1)
    problems = bounded_problems(40)
    found = [search_exact(problem, Limits(threads=1)) for problem in problems]
    assert all(each.complete for each in found)
    assert sum(f.evaluated < p.lattice.size for f, p in zip(found, problems, strict=True)) > 20


FROM_BELOW = (
    ("k", "discernibility"),
    ("k", "classification-error"),
    ("k", "loss", "discernibility"),
    ("l", "classification-error", "discernibility"),
)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6), names=st.sampled_from(FROM_BELOW), rule=st.sampled_from(("0", "10%", "30%"))
)
def test_costs_that_are_floored_from_below(seed: int, names: tuple[str, ...], rule: str) -> None:
    """Both ends of boxes are evaluated, no node twice, and nothing is missed."""
    cube = random_table(Random(seed), rows=(5, 60), sensitive=1, labelled=True).study().cube
    problem = Problem.of(cube, names, parse_suppression(rule))
    with patch.object(branch_and_bound, "_MOST_FIRST", 1):
        found = search_boxes(problem, Limits(threads=1))
    every = search_exhaustive(problem, Limits(threads=1))
    assert found.complete
    assert found.values.tolist() == every.values.tolist()
    assert found.evaluated <= problem.lattice.size


def test_floors_from_below_close_nodes() -> None:
    """Discernibility alone beside k: without a floor every node would have to be evaluated."""
    problem = Problem.of(paretonym.example("adult").cube, ("k", "discernibility"), parse_suppression("1%"))
    found = search_exact(problem, Limits(threads=1))
    assert found.complete
    assert found.evaluated < problem.lattice.size / 8
    assert found.values.tolist() == search_exhaustive(problem, Limits(threads=1)).values.tolist()


@pytest.mark.parametrize(
    ("names", "rule"), [(("k", "loss"), "1%"), (("k", "discernibility"), "0"), (("k", "entropy-loss"), "3%")]
)
def test_evaluations_are_foretold(names: tuple[str, ...], rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a factor of three before boxes are taken; the sample of boxes is the same in every run."""
    for name, value in (("SHORT", 0.0), ("_MOST_SWEPT", 0), ("_MOST_FIRST", 100)):
        monkeypatch.setattr(branch_and_bound, name, value)
    said: list[int] = []
    monkeypatch.setattr(
        Limits, "foretell", lambda limits, total, evaluations, seconds: said.append(evaluations)
    )
    problem = Problem.of(paretonym.example("adult").cube, names, parse_suppression(rule))
    found = search_boxes(problem, Limits(threads=1))
    assert len(said) == 1
    assert found.evaluated / 3 <= said[0] <= 3 * found.evaluated, (said, found.evaluated)
