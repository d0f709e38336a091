"""Rules of suppression: read exactly as written, refused word for word."""

from __future__ import annotations

from fractions import Fraction

import pytest

from paretonym.base.errors import InputError
from paretonym.engine.recoding.suppression import Suppression, parse_suppression

CHOICES = "use, for example, 0.01, 1%, any or any:0.1"
NUMBERS = "give a decimal such as 0.01 or a percentage such as 1%"


@pytest.mark.parametrize(
    ("text", "rule", "fraction", "written"),
    [
        ("0.01", "limit", Fraction(1, 100), "0.01"),
        ("1%", "limit", Fraction(1, 100), "0.01"),
        (" 2.5 % ", "limit", Fraction(1, 40), "0.025"),
        (0, "limit", Fraction(0), "0"),
        (0.0, "limit", Fraction(0), "0"),
        (0.1, "limit", Fraction(1, 10), "0.1"),
        (0.00001, "limit", Fraction(1, 100000), "0.00001"),
        ("any", "any", Fraction(1, 10), "any:0.1"),
        ("any:0.05", "any", Fraction(5, 100), "any:0.05"),
        ("any:5%", "any", Fraction(5, 100), "any:0.05"),
        ("any:0", "any", Fraction(0), "any:0"),
        ("0.999999999", "limit", Fraction(999999999, 10**9), "0.999999999"),
    ],
)
def test_read(text: str | float, rule: str, fraction: Fraction, written: str) -> None:
    suppression = parse_suppression(text)
    assert (suppression.rule, suppression.fraction) == (rule, fraction)
    assert str(suppression) == written
    assert parse_suppression(written) == suppression
    assert parse_suppression(suppression) is suppression


@pytest.mark.parametrize(
    ("text", "rows", "allowed"),
    [
        ("0.29", 100, 29),
        ("29%", 100, 29),
        ("0.01", 30_162, 301),
        ("0.1", 10, 1),
        ("0.3", 10, 3),
        ("0.7", 10, 7),
    ],
)
def test_rows_are_counted_exactly(text: str, rows: int, allowed: int) -> None:
    assert parse_suppression(text).allowed(rows) == allowed


@pytest.mark.parametrize("text", ["1.5", "-0.1", "-1%", "any:1.01", "any:-0.1"])
def test_outside(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse_suppression(text)
    assert str(error.value) == f"suppress: '{text}' is not a fraction from 0 to below 1; {CHOICES}"


@pytest.mark.parametrize("text", ["1", "100%"])
def test_a_limit_of_everything_says_what_to_write(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse_suppression(text)
    assert str(error.value) == (
        f"suppress: with '{text}' no row need stay; give a share below 100 %, or suppress='any:1', which "
        "tries every threshold"
    )


@pytest.mark.parametrize("text", ["any:1", "any:100%"])
def test_every_threshold_leaves_a_row(text: str) -> None:
    assert str(parse_suppression(text)) == "any:1"
    assert [parse_suppression(text).allowed(rows) for rows in (1, 2, 100)] == [0, 1, 99]


@pytest.mark.parametrize("text", ["some", "", "any:", "any:x", "0,1", "nan", "inf", "1%%", "--", "0x1"])
def test_no_number(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse_suppression(text)
    assert str(error.value) == f"suppress: '{text}' is not a number; {NUMBERS}"


def test_is_a_value() -> None:
    assert Suppression("any", Fraction(1, 10)) == parse_suppression("any")
    assert len({parse_suppression("1%"), parse_suppression("0.010")}) == 1
