"""The size sweep: what sizes say is exact, and the frontier stays that of all nodes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from paretonym.base.budget import Limits
from paretonym.engine.frontier import as_costs
from paretonym.engine.measures import Limit, Requirement
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search import exact, size_sweep, witness_bounds
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.node_evaluation import evaluator
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.size_sweep import ascent_pays, sweep_is_needed, sweep_pays, swept
from paretonym.research.exams.random_tables import random_table
from paretonym.study.study import example
from tests.naive.rollup import plain_evaluator

FROM_BELOW = (
    ("k", "loss", "classification-error"),
    ("classification-error", "gl", "sl"),
    ("k", "classification-error"),
    ("classification-error", "spread-k", "discernibility", "loss"),
)
QUESTIONS = (
    ("k", "l", "discernibility"),
    ("l", "average-class"),
    ("k", "t", "gl", "sl"),
    ("t-js", "sl", "loss"),
    ("l-entropy", "l-distinct", "discernibility"),
    ("k", "l", "t", "loss", "sl"),
)
# Other bounds would do here; sizes make them sharper.
BOUNDED = (("k", "l", "loss"), ("k", "t", "l-distinct", "loss"), ("k", "t-ordered", "t-js", "precision-loss"))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are counted however many rows may be suppressed."""
    monkeypatch.setattr(size_sweep, "_FEW_ROWS", 1.0)
    monkeypatch.setattr(size_sweep, "_SOME_ROWS", 1.0)


def test_only_where_few_rows_may_go() -> None:
    """Beyond, taking off what suppressed rows cost takes longer than the bounds save."""
    cube, limits = example("adult").cube, Limits(threads=1)
    for names, pays in (("loss", [True, False, False]), ("discernibility", [True, True, False])):
        problems = [
            Problem.of(cube, ("k", "l", names), parse_suppression(share)) for share in ("3%", "5%", "10%")
        ]
        assert [sweep_pays(problem, limits) for problem in problems] == pays


def drawn(seed: int, names: tuple[str, ...], suppress: str) -> Problem:
    table = random_table(Random(seed), quasi=(2, 4), rows=(5, 60), sensitive=2, labelled=True)
    return Problem.of(table.study().cube, names, parse_suppression(suppress))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("names", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("suppress", ["0", "0.1", "0.3"])
def test_equals_exhaustive(names: tuple[str, ...], suppress: str) -> None:
    for seed in range(8):
        problem, limits = drawn(seed, names, suppress), Limits(threads=1)
        assert sweep_is_needed(problem, limits)
        found, every = search_exact(problem, limits), search_exhaustive(problem, limits)
        assert found.complete
        assert found.values.tolist() == every.values.tolist()
        assert found.evaluated + found.in_part == problem.lattice.size


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("names", BOUNDED, ids=" ".join)
@pytest.mark.parametrize("sized", [True, False])
def test_with_sizes_and_without(names: tuple[str, ...], sized: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same frontier, with as few witnesses as are useful."""
    if not sized:
        monkeypatch.setattr(exact, "sweep_pays", lambda problem, limits: False)
    monkeypatch.setattr(witness_bounds, "_LEAST", 4)
    counted = 0
    for seed in range(10):
        problem, limits = drawn(100 + seed, names, "0.05"), Limits(threads=1)
        found, every = search_exact(problem, limits), search_exhaustive(problem, limits)
        assert found.complete
        assert found.values.tolist() == every.values.tolist()
        counted += found.evaluated + found.in_part == problem.lattice.size > found.evaluated
    assert counted or not sized


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("names", FROM_BELOW, ids=" ".join)
@pytest.mark.parametrize("suppress", ["0.05", "0.1", "0.3", "0.6"])
@pytest.mark.parametrize("small", [1, 8])
def test_from_the_bottom(
    names: tuple[str, ...], suppress: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all measures of values are bounded by more specific nodes: the same frontier, with requirements
    too, and whether or not the bounds are given up."""
    monkeypatch.setattr(size_sweep, "_SMALL", small)
    ascents = 0
    for seed in range(12):
        problem, limits = drawn(300 + seed, names, suppress), Limits(threads=1 + seed % 2)
        limit = Limit.parsed("k >= 2" if seed % 3 else "classification-error <= 60%")
        required = (Requirement.of(limit, problem.cube),) if seed % 4 == 0 else ()
        problem = replace(problem, requirements=required)
        ascents += ascent_pays(problem, limits)
        monkeypatch.setattr(exact, "_HALF", 0.1 if seed % 5 == 0 else 1.0)
        found, every = search_exact(problem, limits), search_exhaustive(problem, limits)
        assert found.complete
        assert found.values.tolist() == every.values.tolist()
    assert ascents > 3


def test_floors_of_suppressed_rows_hold() -> None:
    """The costs of a node are at least those of a more specific one with nothing suppressed, and what is
    counted of its suppressed rows."""
    compared = 0
    for seed in range(30):
        problem = drawn(400 + seed, ("classification-error", "k"), ("0.05", "0.2", "0.5")[seed % 3])
        asked = replace(problem, unsuppressed=problem.objectives[:1])
        nodes = np.arange(problem.lattice.size)
        below, above = np.nonzero(
            (problem.above_lowest(nodes)[:, None] <= problem.above_lowest(nodes)[None]).all(axis=2)
        )
        facts = asked.facts(plain_evaluator(asked)(nodes))
        every, own = asked.with_nothing_suppressed(facts, problem.objectives[0]), asked.values(facts)[:, 0]
        more = swept(problem, Limits(threads=1), None, (0,)).more[:, 0]
        assert (own[above] >= every[below] + more[above] - 1e-9).all()
        labels = len(problem.cube.classes[0].labels)
        assert (more >= facts.gone / labels / problem.cube.rows - 1e-9).all()
        compared += int((more[above] > 0).sum())
    assert compared > 1000


def test_bounds_where_nothing_is_suppressed() -> None:
    """At a specialization without suppressed rows no measure of classes is better than it is over all classes
    of the more general node; what all classes have is what a search without suppression finds there."""
    names = (
        "k",
        "l",
        "l-distinct",
        "l-entropy",
        "t",
        "t-ordered",
        "t-tree",
        "t-js",
        "beta",
        "alpha",
    )
    compared = 0
    for seed in range(5):
        problem = drawn(200 + seed, names, "0.2")
        asked = replace(problem, unsuppressed=problem.objectives[1:])
        nodes = np.arange(problem.lattice.size)
        below, above = np.nonzero(
            (problem.above_lowest(nodes)[:, None] <= problem.above_lowest(nodes)[None]).all(axis=2)
        )
        strict = drawn(200 + seed, names, "0")
        alone = strict.values(strict.facts(evaluator(strict)(nodes)))
        for evaluate in (evaluator(asked), plain_evaluator(asked)):
            facts = asked.facts(evaluate(nodes))
            values, whole = asked.values(facts), facts.gone == 0
            for place, objective in enumerate(problem.objectives[1:], start=1):
                every = asked.with_nothing_suppressed(facts, objective)
                assert every == pytest.approx(alone[:, place], rel=1e-9), objective.name
                own, known = as_costs(
                    np.stack([values[:, place], every], axis=1), [objective.direction] * 2
                ).T
                checked = whole[below]
                assert (own[below] >= known[above] - 2e-12)[checked].all(), objective.name
                compared += int(checked.sum())
    assert compared > 1000


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
    assert not sweep_is_needed(drawn(0, names, suppress), Limits())
    assert not sweep_is_needed(drawn(0, ("k", "l", "sl"), "0.1"), Limits(seconds=1.0))
