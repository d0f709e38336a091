"""Columns that determine each other are noticed when a schema is drafted, and others are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from paretonym.tables.schema.draft.draft_schema import draft_schema
from paretonym.tables.source.table_counts import Counts

ROWS = 300
ALIKE = (
    "generalizing one protects nothing while the other is shown exactly; drop all but one of them, or "
    "generalize all of them (levels)"
)


def noticed(table: Counts) -> list[str]:
    return [sentence.partition(":")[0] for sentence in draft_schema(table).noticed]


@pytest.fixture
def drawn() -> random.Random:
    return random.Random(7)


def test_a_discharge_follows_from_admission_and_stay(
    table: Callable[..., Counts], drawn: random.Random
) -> None:
    admitted = [date(2024, 1, 1) + timedelta(drawn.randrange(360)) for _ in range(ROWS)]
    stays = [drawn.randrange(1, 20) for _ in range(ROWS)]
    left = [day + timedelta(stay) for day, stay in zip(admitted, stays, strict=True)]
    found = draft_schema(
        table(admitted=list(map(str, admitted)), stay=list(map(str, stays)), discharge=list(map(str, left)))
    )
    assert found.noticed == (f"'discharge' is the sum of 'admitted' and 'stay': {ALIKE}",)
    assert "# Warning: 'discharge' is the sum of" in found.text


@pytest.mark.parametrize("other", [None, "visited"])
def test_age_follows_from_birth(
    table: Callable[..., Counts], drawn: random.Random, other: str | None
) -> None:
    """Age today, or on the day of another date."""
    births = [date(1940, 1, 1) + timedelta(drawn.randrange(25_000)) for _ in range(ROWS)]
    days = [date(2009, 1, 1) + timedelta(drawn.randrange(5_000)) for _ in range(ROWS)]
    until = [date(2025, 6, 1)] * ROWS if other is None else days
    ages = [int((day - born).days // 365.2425) for day, born in zip(until, births, strict=True)]
    given = {} if other is None else {other: list(map(str, days))}
    columns = {"birth": list(map(str, births)), "age": list(map(str, ages)), **given}
    assert noticed(table(**columns)) == ["'age' follows from 'birth'"]


def test_year_of_birth_too(table: Callable[..., Counts], drawn: random.Random) -> None:
    years = [drawn.randrange(1930, 2000) for _ in range(ROWS)]
    ages = [2020 - year - drawn.randrange(2) for year in years]
    assert noticed(table(yob=list(map(str, years)), age=list(map(str, ages)))) == ["'age' follows from 'yob'"]


def test_codes_of_the_same_thing(table: Callable[..., Counts], drawn: random.Random) -> None:
    levels = [drawn.choice([("low", "1"), ("middle", "2"), ("high", "3")]) for _ in range(ROWS)]
    towns = [drawn.choice([("Ulm", "south"), ("Graz", "south"), ("Kiel", "north")]) for _ in range(ROWS)]
    found = noticed(
        table(
            education=[text for text, _ in levels],
            grade_level=[code for _, code in levels],
            town=[town for town, _ in towns],
            region=[region for _, region in towns],
        )
    )
    assert found == [
        "'education' and 'grade_level' determine each other",
        "'region' follows from 'town'",
    ]


def test_columns_that_have_nothing_to_do_with_each_other(
    table: Callable[..., Counts], drawn: random.Random
) -> None:
    columns = {
        "age": [str(drawn.randrange(18, 90)) for _ in range(ROWS)],
        "admitted": [str(date(2024, 1, 1) + timedelta(drawn.randrange(360))) for _ in range(ROWS)],
        "born": [str(date(1930, 1, 1) + timedelta(drawn.randrange(30_000))) for _ in range(ROWS)],
        "children": [str(drawn.randrange(4)) for _ in range(ROWS)],
        "rare": [drawn.choice(["no"] * 60 + ["yes"]) for _ in range(ROWS)],
        "town": [f"town {drawn.randrange(60)}" for _ in range(ROWS)],
    }
    assert noticed(table(**columns)) == []


def test_a_few_rows_say_nothing(table: Callable[..., Counts]) -> None:
    assert noticed(table(education=["a", "b"] * 4, thing=["1", "2"] * 4)) == []
