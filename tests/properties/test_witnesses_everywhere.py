"""Exact search with witnesses called wherever it can be, where tables would be too small for them."""

from __future__ import annotations

from random import Random

import pytest

from paretonym.base.budget import Limits
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.search import witness_bounds as witnessing
from paretonym.engine.search.exact import search_exact
from paretonym.research.exams.random_tables import random_table
from paretonym.research.exams.search_exam import random_problem, sit_search_exam
from paretonym.study.study import Study

QUESTIONS = (
    (("k", "loss"), "0"),
    (("k", "loss"), "0.02"),
    (("loss", "k"), "0.1"),
    (("sl", "k", "precision-loss"), "0.05"),
    (("k", "l", "entropy-loss"), "0"),
    (("k", "l", "loss"), "0.02"),
    (("t", "loss", "k"), "0.1"),
    (("k", "l-distinct", "l-entropy", "loss"), "0.05"),
    (("k", "beta", "t-js", "loss"), "0.05"),
    (("k", "loss"), "any:0.1"),
    (("gl", "k", "sl"), "any:0.05"),
)


@pytest.fixture(autouse=True)
def _everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnessing, "_LEAST", 2)
    monkeypatch.setattr(witnessing, "_MOST", 1.0)
    monkeypatch.setattr(witnessing, "_ENOUGH", 1)
    monkeypatch.setattr(witnessing, "_ADVANCE", 10**9)


def large(seed: int) -> Study:
    """Six quasi-identifiers and thousands of nodes."""
    for attempt in range(100):
        drawn = random_table(Random(f"{seed} {attempt}"), quasi=(6, 6), rows=(300, 300), sensitive=1)
        if 1000 <= Lattice.of(drawn.study().cube).size <= 10_000:
            return drawn.study()
    raise AssertionError


@pytest.mark.parametrize("decade", range(8))
def test_exam(decade: int) -> None:
    sit_search_exam(search_exact, range(10 * decade, 10 * decade + 10))


def test_the_exam_hears_witnesses() -> None:
    found = [search_exact(random_problem(seed), Limits(threads=1)).in_part for seed in range(80)]
    assert sum(found) > 5


@pytest.mark.parametrize(("objectives", "suppress"), QUESTIONS)
@pytest.mark.parametrize("per_suppressible", [0.5, 4])
def test_equals_exhaustive(
    objectives: tuple[str, ...], suppress: str, per_suppressible: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witnessing, "_PER_SUPPRESSIBLE", per_suppressible)
    settled = 0
    for seed in range(4):
        study = large(seed)
        exact = study.explore(*objectives, suppress=suppress, space="lattice")
        every = study.explore(*objectives, suppress=suppress, search="exhaustive")
        assert exact.search.complete
        assert exact.vectors().tolist() == every.vectors().tolist()
        assert exact.record is not None
        settled += exact.record.in_part
    assert settled > 0
