"""Every registered search finds what it says, the same in every run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paretonym.base.budget import Limits
from paretonym.engine.search import exact
from paretonym.engine.search.archive import Found, Search, Unresolved
from paretonym.engine.search.bounds import has_floor, inherited
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.search_options import STANDARD, Tuning
from paretonym.engine.spaces import SPACES
from paretonym.research.exams.candidates import ExamFailed
from paretonym.research.exams.search_exam import (
    EVERYTHING,
    SCOPES,
    SEARCH_CHECKS,
    random_problem,
    sit_search_exam,
)
from paretonym.research.papers.methods import search_pbg, search_poka

SEARCHES: dict[str, Search] = {
    "exact": exact.search_exact,
    "exhaustive": search_exhaustive,
    "poka": search_poka,
    "pbg": search_pbg,
}
SEEDS = {"exact": 400, "exhaustive": 60, "poka": 60, "pbg": 40}
PARTS = 8


def test_every_search_of_the_lattice_sits_the_exam() -> None:
    assert SEARCHES.keys() == SPACES["lattice"].searches.keys()


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", SEARCHES)
def test_search(name: str, part: int) -> None:
    sit_search_exam(SEARCHES[name], range(part, SEEDS[name], PARTS), SCOPES.get(name))


@pytest.mark.parametrize("seed", [818, 894, 1014, 1338])
def test_rivals_are_rounded_like_values(seed: int) -> None:
    """A floor of 1/3 must not be taken for more than the value 0.3333333333 of the node it bounds."""
    SEARCH_CHECKS["stopped"](SEARCHES["exact"], seed, EVERYTHING)


def test_bounds_are_used() -> None:
    """Otherwise the exam of exact would be one of exhaustive."""
    problems = [random_problem(seed) for seed in range(100)]
    prunable = [p for p in problems if inherited(p) and any(has_floor(o) for o in p.objectives)]
    found = [SEARCHES["exact"](problem, Limits(threads=1)) for problem in prunable]
    saved = [f.evaluated < p.lattice.size for f, p in zip(found, prunable, strict=True)]
    assert len(prunable) > 40
    assert sum(saved) > 20
    assert all(f.complete for f in found)
    assert {len(problem.objectives) for problem in problems} == {1, 2, 3, 4, 5}


def test_a_sweep_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact search that gives bounds up after a few nodes."""
    monkeypatch.setattr(exact, "_SOON", 1)
    monkeypatch.setattr(exact, "_TOO_MANY", 0.2)
    monkeypatch.setattr(exact, "_ALMOST_ALL", 0.2)
    sit_search_exam(SEARCHES["exact"], range(60))


def exhaustive(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    return SEARCHES["exhaustive"](problem, limits)


def shortened(found: Found) -> Found:
    best = replace(found.best, counted=found.best.counted.take(slice(1, None)), values=found.best.values[1:])
    return replace(found, best=best)


def forgetful(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Loses the first solution."""
    return shortened(exhaustive(problem, limits))


def fickle(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Two threads find less than one."""
    return (forgetful if limits.threads > 1 else exhaustive)(problem, limits)


def boastful(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Stops early and calls it complete."""
    return replace(exhaustive(problem, limits), complete=True, open=0)


def modest(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Never says that it is complete, although no node is open."""
    return replace(exhaustive(problem, limits), complete=False)


def carefree(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Stops early and sees no rivals."""
    found = exhaustive(problem, limits)
    none = tuple(Unresolved(0, tuple(row)) for row in found.best.values.tolist())
    return replace(found, unresolved=none if found.open else ())


def sceptical(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Stops early and sees rivals that can do no more than the solutions."""
    found = carefree(problem, limits)
    rivals = tuple(replace(rival, nodes=1) for rival in found.unresolved)
    return replace(found, unresolved=rivals)


def hasty(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Tells of progress that goes back."""
    for done in (2, 1):
        limits.progress(done, problem.lattice.size)
    return exhaustive(problem, Limits(threads=1, seconds=limits.seconds))


FALSE_SEARCHES: tuple[tuple[Search, str], ...] = (
    (forgetful, "not the frontier"),
    (fickle, "with 2 threads"),
    (boastful, "not the frontier"),
    (modest, "or neither"),
    (carefree, "has no rival"),
    (sceptical, "by more than its rival could"),
    (hasty, "progress goes back"),
)


@pytest.mark.parametrize(("search", "said"), FALSE_SEARCHES)
def test_the_exam_finds_a_false_search(search: Search, said: str) -> None:
    with pytest.raises(ExamFailed, match=said):
        sit_search_exam(search, seeds=range(12))


def test_the_exam_measures_again() -> None:
    """A vector that no candidate has does not pass because the search says so."""

    def inventive(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
        found = exhaustive(problem, limits)
        facts = found.best.counted.facts.copy()
        facts[:, 0] += 1000
        counted = found.best.counted._replace(facts=facts)
        return replace(found, best=replace(found.best, counted=counted), complete=False, open=1)

    seed = next(s for s in range(50) if random_problem(s).objectives[0].name == "k")
    with pytest.raises(ExamFailed, match="not that of any candidate"):
        SEARCH_CHECKS["frontier"](inventive, seed, EVERYTHING)
