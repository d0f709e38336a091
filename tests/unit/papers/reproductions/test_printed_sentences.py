"""Sentences of the papers are judged by what was measured, never by what was hoped."""

from __future__ import annotations

import pytest

from paretonym.papers.reproductions.printed_sentences import SENTENCES, flat_regions
from paretonym.papers.reproductions.reproduction import Fact, Panel, Result, Series
from paretonym.papers.reproductions.reproduction_registry import REPRODUCTIONS


def judged(name: str, place: int, result: Result) -> str:
    return SENTENCES[name][place].check(result).answer


def test_every_sentence_belongs_to_a_reproduction() -> None:
    assert set(SENTENCES) <= set(REPRODUCTIONS)
    result = Result(tuple(Fact(str(i), "utility-loss", loss) for i, loss in enumerate((0.01, 0.03, 0.05))))
    said = REPRODUCTIONS["li-li-figure-2a"].say(result)
    assert said[0].endswith("differs: 2 of 3 are below 0.04, the highest is 0.0500.")


@pytest.mark.parametrize(("wrong", "answer"), [(0, "yes"), (1, "no")])
def test_all_are_optimal_or_not(wrong: int, answer: str) -> None:
    facts = [Fact(row, "found, no optima", wrong) for row in ("loss", "classification-error")]
    assert judged("poka-figure-4", 0, Result(tuple(facts))) == answer


@pytest.mark.parametrize(("share", "answer"), [(0.051, "yes"), (0.16, "differs")])
def test_a_small_share(share: float, answer: str) -> None:
    assert judged("pbg-table-2b", 0, Result((Fact("k, loss", "share of nodes", share),))) == answer


@pytest.mark.parametrize(
    ("losses", "answer"),
    [((0.0, 0.1, 0.2, 0.3), "no"), ((0.0, 0.14, 0.16, 0.3), "yes")],
)
def test_flat_regions_cost_less_than_the_rest(losses: tuple[float, ...], answer: str) -> None:
    """k doubles at each step, for a third of the losses each, or in the middle for a fifteenth."""
    plot = Panel("plot", ("k", "loss"), (Series("solutions", (2.0, 4.0, 8.0, 16.0), losses),))
    assert flat_regions(Result((), (plot,))).answer == answer


@pytest.mark.parametrize(("last", "answer"), [(0.1, "yes"), (0.5, "no")])
def test_errors_fall_from_curve_to_curve(last: float, answer: str) -> None:
    curves = tuple(Series(str(error), (0.1, 0.2), (error, error)) for error in (0.4, last))
    result = Result((), (Panel("errors", ("privacy-loss", "query-error"), curves),))
    assert judged("li-li-figure-3b", 0, result) == answer
