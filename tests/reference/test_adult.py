"""The built-in example beside a second evaluation of all its 17,920 nodes by numpy alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import paretonym
from paretonym.source import examples
from tests.naive import adult_twin
from tests.naive.comparing import same_vectors

LIMITS = (
    ("0", "limit", Fraction(0)),
    ("0.01", "limit", Fraction(1, 100)),
    ("0.1", "limit", Fraction(1, 10)),
    ("any:0.05", "any", Fraction(5, 100)),
)


@pytest.mark.slow
def test_adult_equals_a_second_evaluation() -> None:
    """One test, so that all limits share one evaluation of the nodes."""
    study = paretonym.example("adult")
    second = adult_twin.adult(Path(examples.__file__).parent)
    assert (study.cube.rows, len(second.nodes)) == (second.rows, 17_920)
    for suppress, rule, fraction in LIMITS:
        front = study.explore("k", "loss", suppress=suppress)
        assert front.search.complete
        assert same_vectors(front.vectors().tolist(), adult_twin.frontier(second, rule, fraction)), suppress
