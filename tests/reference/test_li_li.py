"""Li & Li's numbers on the 45,222 complete rows of Adult: what is printed, and what the paper found."""

from __future__ import annotations

import pytest

from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.research.papers.reproductions import li_li_figures as li_li
from paretonym.research.papers.reproductions.printed_numbers import LI_LI_OCCUPATIONS, LI_LI_PARAMETERS
from paretonym.research.papers.reproductions.reproduction import Result


@pytest.fixture(scope="module")
def constants() -> Result:
    return li_li.constants()


def test_the_printed_shares(constants: Result) -> None:
    """All but one of the fourteen to the last printed digit; 232 of 45,222 are 0.00513, printed 0.0052."""
    off = [
        abs(constants.measured(f"Q, {name}", "value") - printed)
        for name, printed in LI_LI_OCCUPATIONS.items()
    ]
    assert sum(gap <= 0.00005 + 1e-12 for gap in off) >= 12
    assert max(off) < 0.0002


def test_what_revealing_a_value_costs(constants: Result) -> None:
    for name, printed in (("most", 0.488), ("least", 0.692)):
        row = f"privacy-loss, {name} frequent value revealed"
        assert constants.measured(row, "value") == pytest.approx(printed, abs=0.0006)


def test_without_quasi_identifiers(constants: Result) -> None:
    assert constants.measured("privacy-loss, no quasi-identifiers", "value") == 0
    assert constants.measured("utility-loss, no quasi-identifiers", "value") == pytest.approx(0.05, abs=0.006)


def test_near_the_printed_release(constants: Result) -> None:
    """(0.086, 0.0288) at k = 5,000, with our own trees."""
    assert constants.measured("privacy-loss, k = 5,000", "value") == pytest.approx(0.086, abs=0.0002)
    assert constants.measured("utility-loss, k = 5,000", "value") == pytest.approx(0.0288, abs=0.001)


def test_closeness_beats_diversity() -> None:
    """Figure 2(a): no release under ℓ-diversity beats one under t-closeness, and most are beaten."""
    diverse, close = (li_li.curve("mondrian", name, name) for name in ("l", "t-js"))
    beaten = [li_li._beaten(point, close) for point in zip(diverse.across, diverse.up, strict=True)]
    assert sum(beaten) >= 7
    assert not any(li_li._beaten(point, diverse) for point in zip(close.across, close.up, strict=True))


@pytest.mark.parametrize("requirement", ["l", "t-js"])
def test_buckets_keep_more_utility(requirement: str) -> None:
    """Figure 2(b): at the same privacy loss, for every parameter of the paper."""
    parts, buckets = (li_li.swept(space, requirement) for space in ("mondrian", "buckets"))
    assert len(parts) == len(LI_LI_PARAMETERS[requirement])
    for part, bucket in zip(parts, buckets, strict=True):
        assert isinstance(bucket.recoding, BucketsRecoding)
        # Buckets show no boundaries: for l = 5.5 the generalization has to cut elsewhere.
        if part.recoding.flat()["requirement"] != "l=5.5":
            assert bucket["privacy-loss"] == part["privacy-loss"]
        saved = 1 - bucket["utility-loss"] / part["utility-loss"]
        assert 0.07 < saved < 0.53
