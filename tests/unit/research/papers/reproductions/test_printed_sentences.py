"""Sentences of the papers are judged by what was measured, never by what was hoped."""

from __future__ import annotations

import pytest

from paretonym.research.papers.reproductions.printed_sentences import flat_regions
from paretonym.research.papers.reproductions.reproduction import Fact, Panel, Result, Series
from paretonym.research.papers.reproductions.reproduction_registry import REPRODUCTIONS
from paretonym.research.papers.reproductions.sentence_registry import SENTENCES


def judged(name: str, place: int, result: Result) -> str:
    return SENTENCES[name][place].check(result).answer


def test_every_sentence_belongs_to_a_reproduction() -> None:
    assert set(SENTENCES) <= set(REPRODUCTIONS)
    result = Result(tuple(Fact(str(i), "utility-loss", loss) for i, loss in enumerate((0.01, 0.03, 0.05))))
    first = SENTENCES["li-li-figure-2a"][0].judged(result)
    assert first.endswith("differs: 2 of 3 are below 0.04, the highest is 0.0500.")


@pytest.mark.parametrize(("wrong", "answer"), [(0, "yes"), (1, "no")])
def test_all_are_optimal_or_not(wrong: int, answer: str) -> None:
    facts = [Fact(row, "found, no optima", wrong) for row in ("loss", "classification-error")]
    assert judged("poka-figure-4", 0, Result(tuple(facts))) == answer


@pytest.mark.parametrize(
    ("share", "ratio", "answer"), [(0.051, 1, "yes"), (0.16, 1, "differs"), (0.051, 0.94, "differs")]
)
def test_a_small_share(share: float, ratio: float, answer: str) -> None:
    facts = Fact("k, loss", "share of nodes", share), Fact("k, loss", "ratio", ratio)
    assert judged("pbg-table-2b", 0, Result(facts)) == answer


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


def test_a_contradiction_is_named() -> None:
    facts = [Fact(f"depth {depth}", "true optima", min(depth, 3)) for depth in range(1, 7)]
    first = SENTENCES["poka-table-3"][0].judged(Result((*facts, Fact("exact", "true optima", 4))))
    assert '" yes: 3 of 4, all but the table as it is. The paper itself: POkA ends at k' in first
    later = SENTENCES["poka-table-3"][1].check(Result(tuple(facts)))
    assert later.answer == "yes"


@pytest.mark.parametrize(("up", "answer"), [((0.3, 0.2, 0.1), "yes"), ((0.1, 0.2, 0.3), "differs")])
def test_two_losses_against_each_other(up: tuple[float, ...], answer: str) -> None:
    plot = Panel("Problem 3", ("gl", "sl"), (Series("solutions", (0.1, 0.2, 0.3), up),))
    assert judged("tradeoffs-figure-8", 0, Result((), (plot,))) == answer


@pytest.mark.parametrize(("low", "answer"), [(0.1, "yes"), (0.9, "differs")])
def test_which_requirement_is_best(low: float, answer: str) -> None:
    """A point of t-closeness that dominates those of another curve, or is dominated."""
    closeness = Series("t-closeness (JS)", (0.2,), (low,))
    result = Result((), (Panel("losses", ("p", "u"), (closeness, Series("k-anonymity", (0.3,), (0.5,)))),))
    assert judged("li-li-figure-3a", 0, result) == answer


@pytest.mark.parametrize(("k", "answer"), [(36.0, "yes"), (35.0, "differs")])
def test_what_is_reached_here(k: float, answer: str) -> None:
    result = Result((Fact("suppress 10%", "k at loss 26%", k),))
    assert judged("tradeoffs-figure-7", 2, result) == answer
