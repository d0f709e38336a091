"""Every registered search finds what its card declares, the same in every run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paretonym.search.collecting import Best
from paretonym.search.exploring import SEARCHES, SearchMethod
from paretonym.search.problem import Problem
from paretonym.search.progress import Progress
from paretonym.testing.failing import ExamFailed
from paretonym.testing.search_exam import SEARCH_CHECKS, sit_search_exam


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("check", SEARCH_CHECKS)
def test_search(name: str, check: str) -> None:
    for seed in range(25):
        SEARCH_CHECKS[check](SEARCHES[name], seed)


def forgetful(problem: Problem, threads: int, progress: Progress) -> tuple[Best, int]:
    """Loses the first solution."""
    best, evaluated = SEARCHES["exhaustive"].run(problem, threads, progress)
    return replace(best, counted=best.counted.take(slice(1, None)), values=best.values[1:]), evaluated


def fickle(problem: Problem, threads: int, progress: Progress) -> tuple[Best, int]:
    """Two threads find less than one."""
    return (forgetful if threads > 1 else SEARCHES["exhaustive"].run)(problem, threads, progress)


@pytest.mark.parametrize(("search", "said"), [(forgetful, "not the frontier"), (fickle, "with 2 threads")])
def test_the_exam_finds_a_false_search(search: SearchMethod, said: str) -> None:
    with pytest.raises(ExamFailed, match=said):
        sit_search_exam(SearchMethod(search, exact=True), seeds=range(3))  # type: ignore[arg-type]
