"""Individual risk against the sum that it stands for, and its closed forms."""

from __future__ import annotations

from decimal import Decimal, getcontext
from math import log

import numpy as np
import pytest

from paretonym.engine.measures.estimated_population import individual_risk


def risk_of(f: int, p: float) -> float:
    return float(individual_risk(np.array([float(f)]), np.array([f / p]))[0])


def summed(f: int, p: float) -> float:
    """Σ_h 1/h · P(F = h | f), term by term, with 40 digits."""
    getcontext().prec = 40
    share = Decimal(f) / Decimal(f / p)
    rest, h = 1 - share, f
    chance, total = share**f, Decimal(0)
    while chance > Decimal(10) ** -25 or h < f / p:
        total += chance / h
        chance *= rest * h / (h - f + 1)
        h += 1
    return float(total)


@pytest.mark.parametrize("f", [1, 2, 3, 7, 29, 30, 31, 200])
@pytest.mark.parametrize("p", [0.999, 0.75, 0.5, 0.499, 0.1, 0.02])
def test_against_the_sum(f: int, p: float) -> None:
    assert risk_of(f, p) == pytest.approx(summed(f, p), rel=1e-12)


def test_closed_forms() -> None:
    for p in (0.3, 0.02, 1e-6, 1e-12):
        assert risk_of(1, p) == pytest.approx(-p / (1 - p) * log(p), rel=1e-12)
    # Everybody of the population is in the sample, or the weights say less than that.
    assert individual_risk(np.array([1.0, 4.0, 50.0]), np.array([1.0, 3.0, 50.0])).tolist() == [1, 0.25, 0.02]


def test_it_falls_with_either_size() -> None:
    sizes = np.arange(1.0, 200)
    assert (np.diff(individual_risk(sizes, 50 * sizes)) < 0).all()
    assert (np.diff(individual_risk(np.full(199, 3.0), 3 + sizes)) < 0).all()
