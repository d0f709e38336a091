"""Requirements as people write them."""

from __future__ import annotations

import pytest

from paretonym.audit.checks import parse_requirement, rounded
from paretonym.base.errors import InputError


@pytest.mark.parametrize(
    ("text", "measure", "comparison", "bound"),
    [
        ("k>=5", "k", ">=", 5),
        (" k >= 5 ", "k", ">=", 5),
        ("alpha<50%", "alpha", "<", 0.5),
        ("l-distinct@the diagnosis>=2", "l-distinct@the diagnosis", ">=", 2),
        ("uniques=0", "uniques", "=", 0),
        ("uniques==0", "uniques", "=", 0),
        ("delta-release<=inf", "delta-release", "<=", float("inf")),
        ("t-release<=.3", "t-release", "<=", 0.3),
    ],
)
def test_what_is_read(text: str, measure: str, comparison: str, bound: float) -> None:
    requirement = parse_requirement(text)
    assert (requirement.measure, requirement.comparison, requirement.bound) == (measure, comparison, bound)


@pytest.mark.parametrize(
    "text", ["", "k", "k>", ">=5", "k>=five", "k>=nan", "5<=k", "k>>5", "k!=3", "k>=5>=3"]
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="require="):
        parse_requirement(text)


@pytest.mark.parametrize(
    ("text", "found", "holds"),
    [
        ("k>=5", 5, True),
        ("k>5", 5, False),
        ("k<=5", 6, False),
        ("t-release<=0.3", 0.1 + 0.2, True),
        ("t-release<0.3", 0.1 + 0.2, False),
        ("t-release<=0.3", 0.3001, False),
        ("uniques=0", 0, True),
        ("spread-k=10000000001", 10000000002, False),
    ],
)
def test_when_it_holds(text: str, found: float, holds: bool) -> None:
    assert parse_requirement(text).holds(found) is holds


def test_counts_keep_all_their_digits() -> None:
    assert rounded(123456789012) == 123456789012
