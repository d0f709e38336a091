"""Many texts at once: order, numbers and dates beside what reads one text after the other."""

from __future__ import annotations

import datetime
from decimal import Decimal
from importlib import import_module

import numpy as np
import pytest

from paretonym.tables.schema.hierarchies.date_line import _iso_day, months_of, read_days
from paretonym.tables.schema.hierarchies.level_table import text_order
from paretonym.tables.schema.hierarchies.number_line import parse_number, read_numbers

TEXTS = {
    "nothing": (),
    "empty texts": ("", "", ""),
    "one length": ("30", "10", "20", "10"),
    "several words": tuple(f"{'x' * 7}{'y' * (number % 20)}{number}" for number in range(200, 0, -1)),
    "beginnings": ("ab", "a", "abc", "", "b", "a "),
    "long": ("b" * 40, "a" * 40),
    "not ASCII": ("é", "z", "ä", "e", "\U0001f600", "\uffff"),
    "half a character": ("\ud800", "a"),
    "the character zero": ("a\0", "a", "a\0\0", "a\0b"),
}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few texts are read as many are."""
    for name in ("level_table", "number_line", "date_line"):
        monkeypatch.setattr(import_module(f"paretonym.tables.schema.hierarchies.{name}"), "MANY", 0)


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_texts_are_ordered_as_python_orders_them(texts: tuple[str, ...]) -> None:
    assert text_order(texts).tolist() == sorted(range(len(texts)), key=texts.__getitem__)


NUMBERS = (
    "0", "-0", "007", "12.50", "-3.5", "0.1", "123456789012345678", "-999999999999999999",
    "1234567890123456789",
    "2.345678901234567", "99999999999999999.9", "12.", ".5", "-", "--1", "1-", "1.2.3", "+5", "1e3", " 7", "",
    "x", "1,5", "-.5", "5.-", "٣",
)  # fmt: skip


@pytest.mark.parametrize("least", [(), (Decimal("0.001"),), (Decimal("1e-30"),)], ids=["", "finer", "finest"])
def test_numbers_are_those_that_are_read_one_by_one(least: tuple[Decimal, ...]) -> None:
    """Alone, in pairs, and all together: which path reads a text depends on the others."""
    groups: list[tuple[str, ...]] = [(text,) for text in NUMBERS]
    groups += [(first, second) for first in NUMBERS for second in NUMBERS]
    for texts in (*groups, NUMBERS, ()):
        found = read_numbers(texts, least)
        for text, scaled, readable in zip(texts, found.scaled.tolist(), found.readable.tolist(), strict=True):
            expected = parse_number(text)
            assert readable == (expected is not None)
            if expected is not None:
                assert int(scaled) * Decimal(1).scaleb(-found.decimals) == expected, texts


DATES = (
    "2020-02-29", "2019-02-29", "1900-02-29", "2000-02-29", "0001-01-01", "0000-01-01", "9999-12-31",
    "2020-13-01", "2020-00-01", "2020-04-31", "2020-04-00", "2020-4-3  ", "20200403", "2020/04/03",
    "abcd-ef-gh",
    "", "2020-01-0١",
)  # fmt: skip
LONGER = (" 2020-01-01", "2020-01-01T10:00", "2020-01-01 ", "2020-01-01x")


@pytest.mark.parametrize("texts", [(text,) for text in DATES] + [DATES, DATES[:-1], (*DATES, *LONGER)])
def test_days_are_those_that_are_read_one_by_one(texts: tuple[str, ...]) -> None:
    assert read_days(texts, None).tolist() == [_iso_day(text) for text in texts]


def test_months_are_those_of_the_calendar() -> None:
    days = np.array([1, 31, 32, 365, 366, 719162, 719163, 730179, 3652059])
    dates = [datetime.date.fromordinal(day) for day in days.tolist()]
    assert months_of(days).tolist() == [12 * date.year + date.month - 1 for date in dates]
