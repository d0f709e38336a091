"""Tables with repeated rows, and rows as other tools write them, beside the table that they repeat."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

import pyarrow
import pytest

import paretonym
from paretonym.evidence.criteria import MeasuredCriteria, Referee, measure_criteria
from paretonym.report.table_comparison import compare_tables, named_candidates

NAMES = ("age", "zip", "kg", "ill")
SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "kg": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
        "ill": {"role": "sensitive"},
    }
}
ILLNESSES = ("flu", "HIV", "gout", "cold", "MS")


@cache
def people(seed: int, number: int) -> tuple[tuple[str, ...], ...]:
    draws = Random(seed)
    return tuple(
        (
            f"{draws.randrange(20, 80)}",
            f"{draws.randrange(10000, 99999)}",
            f"{draws.uniform(50, 120):.1f}",
            draws.choice(ILLNESSES),
        )
        for _ in range(number)
    )


def table(rows: Iterable[tuple[str, ...]]) -> pyarrow.Table:
    return pyarrow.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))


ORIGINAL, CONTROL = people(1, 120), people(2, 60)


def measured(rows: Iterable[tuple[str, ...]]) -> MeasuredCriteria:
    return measure_criteria(Referee.of(table(ORIGINAL), table(CONTROL), SCHEMA).read(table(rows)))


@pytest.mark.parametrize("times", [lambda place: 2, lambda place: 1 + place % 3], ids=["twice", "unequally"])
def test_repeated_rows_hide_nobody(times: Any) -> None:
    repeated = measured(row for place, row in enumerate(ORIGINAL) for _ in range(times(place)))
    assert repeated.criteria == measured(ORIGINAL).criteria
    assert min(one.lower for one in repeated.criteria) > 0.5


def test_a_row_repeated_in_another_form_is_the_same_row() -> None:
    intervals = [(f"[{row[0]}, {int(row[0]) + 1})", *row[1:]) for row in ORIGINAL]
    assert measured([*ORIGINAL, *intervals]).criteria == measured(ORIGINAL).criteria


def test_the_copy_is_not_dominated_by_its_double() -> None:
    referee = Referee.of(table(ORIGINAL), table(CONTROL), SCHEMA)
    candidates = named_candidates({"copy": table(ORIGINAL), "double": table([*ORIGINAL, *ORIGINAL])}, {})
    compared = compare_tables(list(candidates), referee, ("singling-out", "pmse"))
    assert compared.words == ("Between copy and double it is not decided: their intervals overlap.",)


@pytest.mark.parametrize("form", ["{} years,DE-{},{} kg,{}", "{},{}.,{} kg,{} "])
def test_units_and_prefixes_hide_nobody(form: str) -> None:
    written = [tuple(form.format(*row).split(",")) for row in ORIGINAL]
    assert measured(written).criteria == measured(ORIGINAL).criteria
    found = paretonym.attack(table(written), original=table(ORIGINAL), control=table(CONTROL), schema=SCHEMA)
    assert (found.reidentified, found.certain("ill"), found.unread) == (120, 120, ())


def test_nothing_is_not_found_where_labels_are_not_read() -> None:
    written = [(f"about {row[0]}{'!' * (place % 2)}", *row[1:]) for place, row in enumerate(ORIGINAL)]
    constant = [(row[0], "*", "*", "flu") for row in written]
    found = paretonym.attack(table(constant), original=table(ORIGINAL), schema=SCHEMA)
    (unread,) = found.unread
    assert "labels of 'age' in the dataframe" in unread
    assert "These attacks found nothing" not in found.conclusion


def fresh_secrets() -> list[tuple[str, ...]]:
    """The people of the original with secrets that were drawn anew."""
    draws = Random(3)
    return [(*row[:-1], draws.choice(ILLNESSES)) for row in ORIGINAL]


@pytest.mark.parametrize(
    "rows",
    [ORIGINAL, [*ORIGINAL, *ORIGINAL], [*ORIGINAL, *fresh_secrets()], people(5, 120), fresh_secrets()],
    ids=["copy", "double", "decoys", "others", "fresh secrets"],
)
def test_a_measured_criterion_never_excuses_a_file(rows: list[tuple[str, ...]]) -> None:
    """What is broken without a control is broken beside one, and says the same of it."""
    alone = paretonym.attack(table(rows), original=table(ORIGINAL), schema=SCHEMA)
    beside = paretonym.attack(table(rows), original=table(ORIGINAL), schema=SCHEMA, control=table(CONTROL))
    assert not alone
    assert not beside
    assert beside.findings == alone.findings


def test_a_high_risk_is_a_success_by_itself() -> None:
    """A column that the schema does not release: linkage cannot be tried."""
    columns = table(ORIGINAL).append_column("made", [["x"] * len(ORIGINAL)])
    beside = {"original": table(ORIGINAL), "control": table(CONTROL), "schema": SCHEMA}
    found = paretonym.attack(columns, **beside)
    assert found.untried
    assert not found
    assert found.conclusion.endswith("and inference of 'ill' lie above 50 % with the whole interval.")
    others = table(people(5, 120)).append_column("made", [["x"] * 120])
    assert paretonym.attack(others, **beside)
    assert paretonym.attack(columns, **beside, level="100%")
