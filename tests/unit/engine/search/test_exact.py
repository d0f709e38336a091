"""Exact search: how many floors are worked out at once changes nothing; bounds are given up where they close
too little, and only there."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from paretonym.base.budget import Limits
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search import exact
from paretonym.engine.search.archive import Found
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.search_exam import random_problem
from paretonym.study.study import example


def found_with(seed: int, seconds: float | None = None) -> Found:
    return search_exact(random_problem(seed), Limits(threads=1, seconds=seconds))


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("seconds", [None, 0.0])
def test_layers_of_more_nodes_than_are_taken_at_once(
    at_once: int, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a lattice with a layer of more than 131,072 nodes; also where the time is over at once."""
    usual = [found_with(seed, seconds) for seed in range(12)]
    assert exact._AT_ONCE == 131_072
    monkeypatch.setattr(exact, "_AT_ONCE", at_once)
    for seed, one in enumerate(usual):
        other = found_with(seed, seconds)
        assert other.best.values.tolist() == one.best.values.tolist()
        assert other.best.counted.nodes.tolist() == one.best.counted.nodes.tolist()
        assert (other.evaluated, other.complete, other.open) == (one.evaluated, one.complete, one.open)
        assert other.unresolved == one.unresolved


class GivenUp(NamedTuple):
    """What a search found, and after how many evaluations it gave its bounds up; None if it did not."""

    found: Found
    after: int | None


def searched(names: tuple[str, ...], suppress: str, monkeypatch: pytest.MonkeyPatch) -> GivenUp:
    after: list[int] = []
    given_up = exact._Descent.sweep_all

    def noted(descent: exact._Descent) -> Found:
        after.append(descent.count)
        return given_up(descent)

    monkeypatch.setattr(exact._Descent, "sweep_all", noted)
    problem = Problem.of(example("adult").cube, names, parse_suppression(suppress))
    found = search_exact(problem, Limits(threads=1))
    every = search_exhaustive(problem, Limits(threads=1))
    assert found.complete
    assert found.values.tolist() == every.values.tolist()
    assert found.best.counted.nodes.tolist() == every.best.counted.nodes.tolist()
    return GivenUp(found, after[0] if after else None)


@pytest.mark.parametrize("names", [("k", "loss", "sl"), ("k", "gl", "sl"), ("k", "sl", "entropy-loss")])
def test_bounds_that_close_little_are_given_up_soon(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before they have cost half as much as the sweep that follows, in which a node costs a fifth."""
    found, after = searched(names, "1%", monkeypatch)
    assert found.evaluated == 17_920
    assert after is not None
    assert after < 17_920 / 10


@pytest.mark.parametrize(
    ("names", "suppress"),
    [
        (("k", "loss"), "5%"),
        (("k", "loss"), "20%"),
        (("k", "gl", "sl"), "0.1%"),
        (("l", "average-class"), "1%"),
        (("k", "loss", "sl"), "any:0.1"),
    ],
)
def test_bounds_that_close_much_are_not_given_up(
    names: tuple[str, ...], suppress: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, after = searched(names, suppress, monkeypatch)
    assert after is None
    assert found.evaluated < 17_920 / 2


@pytest.mark.parametrize(
    ("names", "suppress", "pay"),
    [
        (("k", "discernibility"), "1%", True),
        (("k", "loss", "discernibility"), "1%", False),
        (("k", "loss", "discernibility"), "0", True),
        (("k", "gl", "sl", "discernibility"), "1%", False),
    ],
)
def test_boxes_are_for_bounds_that_are_tight(names: tuple[str, ...], suppress: str, pay: bool) -> None:
    problem = Problem.of(example("adult").cube, names, parse_suppression(suppress))
    assert exact.boxes_pay(problem, Limits(threads=1)) == pay
    assert exact.boxes_pay(problem, Limits(threads=1, seconds=60))
    assert (search_exact(problem, Limits(threads=1)).evaluated < 17_920) == pay
