"""Indicators against a known frontier, in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from paretonym.engine.frontier.dominance import Grid
from paretonym.research.papers.reproductions.pbg_figures import convergence_error, representation_ratio

TRUTH = np.array([[10.0, 0.8], [5.0, 0.4], [1.0, 0.0]])
ONES = Grid(("max", "min"), (1.0, 0.01))


def test_the_frontier_itself() -> None:
    assert convergence_error(TRUTH, TRUTH) == 0
    assert representation_ratio(TRUTH, TRUTH, ONES) == 1


def test_convergence_error_is_a_sum_of_distances() -> None:
    """(4, 0.4) lies 1/10 from (5, 0.4), (10, 0.6) lies 0.2/0.8 from (10, 0.8)."""
    found = np.array([[4.0, 0.4], [10.0, 0.6], [1.0, 0.0]])
    assert convergence_error(found, TRUTH) == pytest.approx(0.1 + 0.25)


def test_an_objective_that_is_always_zero_does_not_count() -> None:
    assert convergence_error(np.array([[3.0, 0.0]]), np.array([[4.0, 0.0]])) == pytest.approx(0.25)


def test_representation_ratio_counts_boxes() -> None:
    found = np.array([[10.0, 0.8], [4.0, 0.4]])
    assert representation_ratio(found, TRUTH, ONES) == pytest.approx(1 / 3)
    # In boxes of 5 and 0.5 the frontier lies in (2, 1), (1, 0) and (0, 0); the last is beaten.
    wide = Grid(("max", "min"), (5.0, 0.5))
    assert representation_ratio(found, TRUTH, wide) == pytest.approx(1 / 2)
    assert representation_ratio(np.array([[7.0, 0.1]]), TRUTH, wide) == pytest.approx(1 / 2)
