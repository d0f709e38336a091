"""Guesses about single columns: role, reason and hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal

import pytest

from paretonym.tables.schema.draft.column_profile import find_layouts, profile
from paretonym.tables.schema.draft.interval_widths import nested_widths
from paretonym.tables.schema.draft.role_guess import Suggestion, guess
from paretonym.tables.schema.name_vocabulary import meaning_of
from paretonym.tables.schema.roles import ROLE_RULES
from paretonym.tables.source.table_counts import Counts

Cells = Sequence[str | None]


@pytest.fixture
def suggest(table: Callable[..., Counts]) -> Callable[..., Suggestion]:
    """What is proposed for one column with these cells."""

    def for_column(name: str, cells: Cells) -> Suggestion:
        return guess(profile(table(**{name: list(cells)}).columns[0]))

    return for_column


FEW = ["a", "b", "c", "a"] * 10
UNIQUE = [f"x{number}" for number in range(40)]
NUMBERS = [str(number % 60) for number in range(120)]
WEIGHTS = [str(1 + number / 8) for number in range(120)]
ROLES = [
    ("patient_id", UNIQUE, "identifier"),
    ("PatientID", FEW, "person"),
    ("patient", [f"p{n % 30}" for n in range(90)], "person"),
    ("patient", FEW, "undecided"),
    ("pid", [str(n % 30) for n in range(90)], "person"),
    ("patient_id", ["p1", "p2", None, "p1"] * 10, "identifier"),
    ("visit_id", FEW, "identifier"),
    ("Versichertennummer", UNIQUE, "identifier"),
    ("e-mail", UNIQUE, "identifier"),
    ("phone", FEW, "drop"),
    ("first_name", FEW, "drop"),
    ("Nachname", FEW, "drop"),
    ("prénom", FEW, "drop"),
    ("Straße", FEW, "drop"),
    ("product_name", FEW, "sensitive"),
    ("fnlwgt", NUMBERS, "drop"),
    ("fnlwgt", WEIGHTS, "weight"),
    ("wgt", [*WEIGHTS, None], "drop"),
    ("pweight", WEIGHTS, "weight"),
    ("sampling weight", WEIGHTS, "weight"),
    ("weight", NUMBERS, "undecided"),
    ("household_id", NUMBERS, "household"),
    ("hhid", UNIQUE, "drop"),
    ("household size", ["1", "2", "3", "7"] * 9, "quasi"),
    ("Haushaltseinkommen", NUMBERS, "sensitive"),
    ("sexe", FEW, "quasi"),
    ("Geschlecht", FEW, "quasi"),
    ("estado civil", FEW, "quasi"),
    ("native-country", FEW, "quasi"),
    ("job title", FEW, "quasi"),
    ("ZIP Code", ["01234", "99999"] * 20, "quasi"),
    ("código postal", ["01234", "99999"] * 20, "quasi"),
    ("Alter", NUMBERS, "quasi"),
    ("Diagnose", FEW, "sensitive"),
    ("salaire", NUMBERS, "sensitive"),
    ("religion", FEW, "sensitive"),
    ("q17", FEW, "sensitive"),
    ("label", FEW, "undecided"),
    ("class", FEW, "undecided"),
    ("thing", FEW, "undecided"),
    ("thing", NUMBERS, "undecided"),
    ("thing", UNIQUE, "identifier"),
    ("thing", [*UNIQUE, "x1"], "drop"),
    ("thing", [f"{number / 7:.4f}" for number in range(40)], "undecided"),
    ("thing", ["same"] * 40, "drop"),
    ("thing", [None] * 40, "drop"),
    ("thing_id", [str(number % 30) for number in range(60)], "identifier"),
    ("thing", [f"he said {number} words to them" for number in range(40)], "drop"),
    ("diagnosis", [f"seen on day {number} with a strong cough" for number in range(40)], "drop"),
    ("comment", FEW, "drop"),
    ("seen", [str(date(2020, 1, 1) + timedelta(days=number)) for number in range(40)], "quasi"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "role"), ROLES)
def test_roles(suggest: Callable[..., Suggestion], name: str, cells: Cells, role: str) -> None:
    assert suggest(name, cells).role == role


LINES = {
    "age": (
        ["17", "54", "92"],
        [
            'type = "integer"',
            "hierarchy.intervals = [5, 10, 20, 40]",
            "top = 90  # the oldest are few: 90 and above are one group",
        ],
    ),
    "zip": (["01234", "99999"], ["hierarchy.keep = [3, 2, 1]"]),
    "sex": (["f", "m"], ["hierarchy.flat = true"]),
    "children": (
        [str(number) for number in range(10)],
        ['type = "integer"', "hierarchy.intervals = [2, 4, 8]"],
    ),
    "birth_date": (
        ["31.12.1980", "01.02.1990"],
        ['type = "date"', 'format = "%d.%m.%Y"', 'hierarchy.date = ["month", "year", "decade"]'],
    ),
    "admitted": (
        ["2020-01-31", "2021-06-01"],
        ['type = "date"', 'hierarchy.date = ["month", "quarter", "year"]'],
    ),
    "salary": (
        [str(number * 1000) for number in range(100)],
        [
            'type = "integer"',
            "hierarchy.intervals = [5000, 10000, 50000]",
            "# release_level = 1  # publish these intervals, and measure l and t by them",
            "# level = 1  # publish the exact numbers; only l and t are measured by these intervals",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_hierarchies(suggest: Callable[..., Suggestion], name: str) -> None:
    cells, lines = LINES[name]
    assert list(suggest(name, cells * 5).lines) == lines


def test_lost_zeros_are_told(suggest: Callable[..., Suggestion]) -> None:
    lost = suggest("zip", ["1234", "99999"] * 20)
    assert lost.reason == (
        "the name suggests a postal code; some are shorter than others, so leading zeros may have been lost "
        "before"
    )
    assert lost.decide.startswith("have leading zeros been lost")
    assert suggest("zip", ["01234", "99999"] * 20).decide == ""


def test_a_tree_to_be_sorted(suggest: Callable[..., Suggestion]) -> None:
    assert suggest("city", ["Ulm", "Wien", 'Bad "X"', "Köln"] * 10).lines == (
        "hierarchy.flat = true",
        "# Flat is all or nothing. Better: sort the 4 values into meaningful sets; delete the line "
        "above and uncomment",
        "# those below.",
        "# [columns.city.hierarchy.tree]",
        '# "first set" = ["Bad \\"X\\"", "Köln"]',
        '# "second set" = ["Ulm", "Wien"]',
    )


def test_a_few_odd_values_do_not_spoil_numbers(suggest: Callable[..., Suggestion]) -> None:
    found = suggest("age", [*NUMBERS, "90+"])
    assert found.lines[:4] == (
        "hierarchy.intervals = [5, 10, 20, 40]",
        "# 120 of 121 values are numbers, the rest not ('90+'): in the set of top or bottom if it says so, "
        "otherwise in",
        "# the top set.",
        'unknown = "top"',
    )


def test_a_few_bad_dates_do_not_make_a_column_text(suggest: Callable[..., Suggestion]) -> None:
    days = [str(date(2008, 1, 1) + timedelta(days=number)) for number in range(400)]
    found = suggest("admitted", [*days, "2008-02-31", "unclear"])
    assert found.role == "quasi"
    assert found.lines[-3:] == (
        "# 400 of 402 values are dates, the rest not ('2008-02-31', 'unclear'): in the top set; correct "
        "them, or list",
        "# them in null if they mean missing.",
        'unknown = "top"',
    )


def test_what_cannot_be_read_is_left_to_a_person(suggest: Callable[..., Suggestion]) -> None:
    two_ways = suggest("born", ["01/02/2020", "03/04/2021"] * 10)
    assert two_ways.role == "undecided"
    assert two_ways.lines[:2] == ('# format = "%d/%m/%Y"', '# format = "%m/%d/%Y"')
    mixed = suggest("born", ["31.12.2020", "2021-01-31"] * 10)
    assert mixed.role == "undecided"
    assert mixed.reason == "dates written in several ways (31 March 2020 as 2020-03-31 and as 31.03.2020)"
    commas = suggest("income", ["1,234", "999"] * 10)
    assert (commas.role, commas.reason) == (
        "undecided",
        "numbers in which the comma marks decimals or thousands",
    )


@pytest.mark.parametrize(
    ("texts", "formats"),
    [
        (("2020-01-31", "2020-01-31T10:00"), (None,)),
        (("31/12/2020", "01/02/2020"), ("%d/%m/%Y",)),
        (("12/31/2020", "01/02/2020"), ("%m/%d/%Y",)),
        (("20201231", "20200101"), ("%Y%m%d",)),
        (("2020112", "2020113"), ()),
        (("31 Dec 2020",), ("%d %b %Y",)),
        (("31.12.2020 23:59",), ("%d.%m.%Y %H:%M",)),
        (("Wien", "2020-01-01"), ()),
        (("12345678",), ()),
    ],
)
def test_date_formats(texts: tuple[str, ...], formats: tuple[str | None, ...]) -> None:
    assert find_layouts(texts)[0] == formats


@pytest.mark.parametrize(
    ("numbers", "widths"),
    [
        (["0", "1"], []),
        (["0", "3"], [2]),
        (["1", "99"], [5, 10, 50]),
        (["0", "1000000"], [50000, 100000, 500000]),
    ],
)
def test_widths(numbers: list[str], widths: list[int]) -> None:
    points = [Decimal(text) for text in numbers]
    assert list(nested_widths(points, points[-1] - points[0], True)) == widths


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("date_of_admission", "date"),
        ("diagnosis_date", "date"),
        ("birthdate", "birth"),
        ("year of birth", "year"),
        ("school name", "place"),
        ("name of product", "private"),
        ("AUFNAHMEDATUM", "date"),
        ("FechaNacimiento", "birth"),
    ],
)
def test_what_names_say(name: str, form: str) -> None:
    meaning = meaning_of(name)
    assert meaning is not None
    assert meaning.form == form


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Sport", "what somebody does in free time"),
        ("Lieblingssport", "what somebody does in free time"),
        ("Transport", "how somebody travels"),
        ("school_transport", "how somebody travels"),
        ("Passport", "a number that belongs to one person"),
        ("Prostate", "health"),
        ("occupation", "schooling and work"),
    ],
)
def test_names_that_contain_others(name: str, says: str) -> None:
    """A transport is no sport, and a sport no work."""
    meaning = meaning_of(name)
    assert meaning is not None
    assert meaning.says == says


@pytest.mark.parametrize("name", ["estate", "reunion", "upgrade"])
def test_an_end_alone_is_not_the_word(name: str) -> None:
    assert meaning_of(name) is None


def test_a_count_with_the_name_of_a_place_is_left_to_a_person(suggest: Callable[..., Suggestion]) -> None:
    found = suggest("hospital", ["0", "1", "2", "3"] * 10)
    assert found.role == "undecided"
    assert found.reason.endswith("its values are numbers: codes of places, or a count")
    assert suggest("hospital", ["North", "South"] * 20).role == "quasi"


@pytest.mark.parametrize("name", ["gender1", "Gender2", "hispanic", "sex_1", "race3"])
def test_numbered_names_and_origins_are_known(suggest: Callable[..., Suggestion], name: str) -> None:
    assert suggest(name, ["1", "2"] * 20).role == "quasi"


@pytest.mark.parametrize(
    "numbers", [range(0, 20_000, 500), range(0, 200, 5), range(40), range(-2_000, 2_000, 100)]
)
def test_every_level_puts_numbers_together(
    suggest: Callable[..., Suggestion], numbers: Iterable[int]
) -> None:
    found = suggest("hours", [str(number) for number in numbers] * 2)
    spelled = next(line for line in found.lines if "intervals" in line)
    first = int(spelled.partition("[")[2].partition(",")[0].rstrip("]"))
    assert len({number // first for number in numbers}) < len(set(numbers))


def test_roles_of_which_nothing_is_released_are_removed() -> None:
    """Columns that say which k people want were listed as if they were released."""
    removed = {role for role in ROLE_RULES if Suggestion("x", role, "").removed}
    assert removed == {"identifier", "person", "household", "required-k", "drop"}
    assert Suggestion("x", "quasi", "").heading == "generalized (quasi)"
    assert Suggestion("x", "other", "").heading == "other"
