"""What a stopped search has proven, against every candidate of small tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
import pytest

from paretonym.base.budget import Limits
from paretonym.engine.frontier import as_costs
from paretonym.engine.measures import CLASS_SIZE, Limit, Requirement
from paretonym.engine.recoding import parse_suppression
from paretonym.engine.search import branch_and_bound, exact
from paretonym.engine.search.archive import Found
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.search_exam import every_vector, random_problem


@dataclass(frozen=True)
class StoppedAfter(Limits):
    """The time is over when it has been looked at this many times."""

    looks: int = 0
    seen: list[int] = field(default_factory=list)

    @property
    def over(self) -> bool:
        self.seen.append(1)
        return len(self.seen) > self.looks


def stopped(search: object, problem: Problem, looks: int) -> Found:
    assert callable(search)
    found = search(problem, StoppedAfter(threads=1, seconds=0.0, looks=looks))
    assert isinstance(found, Found)
    return found


def assert_proven(problem: Problem, found: Found) -> None:
    """No candidate has a k and a lower cost than the step for this k, and bounds rise with k."""
    assert found.least_costs is not None
    cost, steps = found.least_costs
    k = [o.name for o in problem.objectives].index(CLASS_SIZE)
    vectors = np.array(sorted(every_vector(problem)))
    costs = as_costs(vectors, problem.directions)[:, cost]
    for size, least in steps:
        below = vectors[(vectors[:, k] >= size) & (costs < least)]
        assert not len(below), f"{below[0]} is below {least} although its k is at least {size}"
    assert list(steps) == sorted(steps)
    assert [least for _, least in steps] == sorted({least for _, least in steps})


def bounded_problem(seed: int) -> Problem:
    """A problem with k and a cost that has a floor; every second one has a requirement."""
    problem, generator = random_problem(seed), Random(f"gap {seed}")
    names = [CLASS_SIZE, generator.choice(["loss", "gl", "entropy-loss", "precision-loss"])]
    asked = Problem.of(problem.cube, tuple(generator.sample(names, 2)), problem.suppression)
    if generator.random() < 0.5:
        return asked
    k = next(o for o in asked.objectives if o.name == CLASS_SIZE)
    return replace(asked, requirements=(Requirement(k, Limit(CLASS_SIZE, "at-least", 2)),))


@pytest.mark.parametrize("search", ["boxes", "layers", "exhaustive"])
def test_no_release_is_below_the_bound(search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_NODES", 0 if search == "boxes" else 10**6)
    monkeypatch.setattr(branch_and_bound, "_BATCH", 2)
    monkeypatch.setattr(branch_and_bound, "_MOST_FIRST", 3)
    run, unproven = search_exhaustive if search == "exhaustive" else search_exact, 0
    for seed in range(40):
        problem = bounded_problem(seed)
        found = stopped(run, problem, Random(seed).choice([0, 1, 2, 4, 8, 16]))
        if not found.complete:
            unproven += 1
            assert_proven(problem, found)
    assert unproven > 10


def test_the_bound_reaches_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longer the search, the closer: at the end nothing is left between them."""
    monkeypatch.setattr(exact, "MOST_NODES", 0)
    monkeypatch.setattr(branch_and_bound, "_BATCH", 1)
    monkeypatch.setattr(branch_and_bound, "_MOST_FIRST", 1)
    problem = next(p for p in map(bounded_problem, range(100)) if p.lattice.size > 30)
    looks, bounds = 1, []
    while not (found := stopped(search_exact, problem, looks)).complete:
        assert found.least_costs is not None
        bounds.append([max(b for size, b in found.least_costs.steps if size <= k) for k in (1, 2, 3, 5)])
        looks += 1 + looks // 2
    assert len(bounds) > 4
    assert (np.diff(np.array(bounds), axis=0) >= -1e-9).all()


def test_nothing_is_said_without_k() -> None:
    alone = Problem.of(random_problem(1).cube, ("loss",), parse_suppression("0.1"))
    for found in (stopped(search_exact, alone, 0), stopped(search_exhaustive, alone, 0)):
        assert found.least_costs is None
