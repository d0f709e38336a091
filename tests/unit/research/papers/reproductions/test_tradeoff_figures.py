"""How the trade-offs paper's numbers are read from frontiers, on frontiers made by hand."""

from __future__ import annotations

from paretonym.engine.frontier.pareto_frontier import Objective, TableFacts
from paretonym.engine.frontier.search_facts import SearchFacts
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.research.papers.reproductions.printed_numbers import TRADEOFFS
from paretonym.research.papers.reproductions.reproduction_registry import REPRODUCTIONS
from paretonym.research.papers.reproductions.tradeoff_figures import adult, best, nominal, panel, safest, true
from paretonym.study.explored_run import Run, Solution


def solution(keep: str, k: float, values: float, loss: float) -> Solution:
    recoding = CutsRecoding((("q", (("a",), ("b",))),), parse_keep({"k,l-distinct": keep}))
    return Solution("x", {"k": k, "l-distinct": values, "loss": loss}, 0, recoding)


FRONT = Run(
    TableFacts(100, 100, ("q",), ("s",)),
    (SearchFacts("cuts", 10, "hybrid", False, 0, "0.1 by k then l-distinct"),),
    (Objective("k", "max"), Objective("l-distinct", "max"), Objective("loss", "min")),
    (solution(">=30,6", 30, 2, 0.25), solution(">=20,4", 20, 4, 0.19), solution(">=5,5", 5, 5, 0.10)),
)


def test_the_pair_that_the_paper_reports_and_the_one_that_holds() -> None:
    assert nominal(FRONT[0]) == (30, 6)
    assert true(FRONT[0]) == (30, 2)


def test_the_pair_by_definition_4() -> None:
    recoding = CutsRecoding((("q", (("a",), ("b",))),), parse_keep({"l,k": ">=4,20"}))
    assert nominal(Solution("x", {"k": 20, "l": 4.2, "loss": 0.25}, 0, recoding)) == (20, 4)


def test_the_safest_within_a_loss() -> None:
    assert safest(FRONT, 0.30, 4, nominal) == 30
    assert safest(FRONT, 0.30, 4, true) == 20
    assert safest(FRONT, 0.20, 5, true) == 5
    assert safest(FRONT, 0.05, 1, true) == 0


def test_the_best_within_limits() -> None:
    assert best(FRONT, "k", loss=0.2) == 20
    assert best(FRONT, "l-distinct", loss=0.05) == 0


def test_numbers_of_rows_are_drawn_by_their_logarithm() -> None:
    drawn = panel("title", FRONT.solutions, "k", "loss")
    assert drawn.logarithmic == (True, False)
    assert drawn.series[0].across == (30, 20, 5)


def test_occupation_is_sensitive_in_the_fourth_problem_alone() -> None:
    assert [margin.name for margin in adult("sensitive").cube.sensitive] == ["occupation"]
    assert len(adult("sensitive").cube.axes) == len(adult("drop").cube.axes) == 8
    assert adult("drop").cube.rows == adult().cube.rows == 30_162
    assert len(adult().cube.axes) == 9


def test_every_figure_and_the_answers_are_there() -> None:
    names = {name for name, each in REPRODUCTIONS.items() if each.paper == TRADEOFFS}
    assert names == {*(f"tradeoffs-figure-{number}" for number in range(6, 12)), "tradeoffs-answers"}
