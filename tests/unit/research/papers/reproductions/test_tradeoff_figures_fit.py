"""A form fitted to a frontier: exact where the frontier has one, honest about its error where not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.frontier.pareto_frontier import Objective, TableFacts
from paretonym.engine.frontier.search_facts import SearchFacts
from paretonym.engine.spaces.cuts import crowding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.papers.methods.nsga2 import preferred, ranks
from paretonym.research.papers.reproductions.tradeoff_figures import fitted
from paretonym.study.explored_run import Run, Solution


def frontier(pairs: list[tuple[float, float]]) -> Run:
    solutions = tuple(
        Solution(str(i), {"k": k, "loss": loss}, 0, LatticeRecoding.of({"q": i}, {"k": ">=1"}))
        for i, (k, loss) in enumerate(pairs)
    )
    return Run(
        TableFacts(100, 100, ("q",), ()),
        (SearchFacts("lattice", 10, "exact", True, None, "0"),),
        (Objective("k", "max"), Objective("loss", "min")),
        solutions,
    )


def test_a_polynomial_of_the_logarithm_is_found_exactly() -> None:
    points = [(float(k), 0.1 + 0.02 * math.log(k) ** 2) for k in (100, 50, 20, 10, 5, 2, 1)]
    form = fitted(frontier(points))
    assert form.logarithmic
    assert len(form.coefficients) >= 3
    assert form.error < 1e-12
    assert form(30.0) == pytest.approx(0.1 + 0.02 * math.log(30) ** 2)


def test_a_short_range_is_taken_as_it_is_and_errors_are_told() -> None:
    form = fitted(frontier([(5.0, 0.5), (4.0, 0.3), (3.0, 0.2), (2.0, 0.0)]), highest=1)
    assert not form.logarithmic
    assert form.coefficients == pytest.approx((-0.31, 0.16))
    assert form.worst == pytest.approx(0.03)
    assert form.left_out > form.error > 0
    assert str(form) == "loss ≈ -0.31 + 0.16·k"


def test_two_solutions_have_no_form() -> None:
    with pytest.raises(InputError, match="three solutions or more"):
        fitted(frontier([(2.0, 0.5), (1.0, 0.0)]))


def test_the_lonelier_of_the_last_rank_that_fits_stay() -> None:
    values = np.array([[9.0, 0.9], [5.0, 0.5], [4.9, 0.49], [1.0, 0.0], [1.0, 0.9]])
    assert ranks(values, ["max", "min"]).tolist() == [0, 0, 0, 0, 1]
    places, rank, lonely = preferred(values, ["max", "min"], 3)
    assert sorted(places.tolist()) == [0, 2, 3]
    assert rank.tolist() == [0, 0, 0]
    assert np.isinf(lonely).sum() == 2
    assert crowding(values[:1]).tolist() == [math.inf]
