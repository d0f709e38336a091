"""What the page is told about a schema while it is edited: every problem at its field, no value too many."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from paretonym.base.errors import MOST_VALUES_SHOWN
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.schema_drafts import Upload
from tests.web.conftest import TABLES


@pytest.fixture
def review(client: TestClient, explorer: Explorer) -> Any:
    """The survey with two quasi-identifiers, or other entries for some columns."""
    upload = explorer.upload = Upload(TABLES / "survey.csv", "survey.csv")
    names = [c.name for c in upload.table.columns]

    def reviewed(**columns: Any) -> dict[str, Any]:
        given = {"age": AGE, "sex": SEX, **columns}
        entries = {name: given.get(name, {"role": "drop"}) for name in names}
        schema = {"missing": "value", "null": ["NA", "95+"], "columns": entries}
        answer = client.post("/api/review", json={"description": schema})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    return reviewed


AGE = {"role": "quasi", "hierarchy": {"intervals": [10, 40]}}
SEX = {"role": "quasi", "hierarchy": {"flat": True}}
WRONG: dict[str, tuple[dict[str, Any], str, str | None, str]] = {
    "top is a word": ({**AGE, "top": "old"}, "age", "top", "top is the text 'old'"),
    "bottom above top": ({**AGE, "bottom": 80, "top": 20}, "age", "bottom", "bottom 80 is not below top 20"),
    "bottom of words": ({**SEX, "order": ["f", "m"], "bottom": 3}, "sex", "bottom", "are not numbers"),
    "one level alone": ({**AGE, "levels": [1]}, "age", "levels", "levels is [1]"),
    "levels upside down": ({**AGE, "levels": [2, 1]}, "age", "levels", "levels is [2, 1]"),
    "levels too high": ({**AGE, "levels": [0, 9]}, "age", "levels", "levels goes up to 9"),
    "no importance": ({**AGE, "importance": 0}, "age", "importance", "importance is the number 0"),
    "order of nothing": ({**SEX, "order": []}, "sex", "order", "order is an empty list"),
    "order twice": ({**SEX, "order": ["x", "x"]}, "sex", "order", "order lists 'x' twice"),
    "order without all": ({**SEX, "order": ["x"]}, "sex", "order", "not in order"),
    "order of intervals": ({**AGE, "order": ["1"]}, "age", "order", "this kind of hierarchy has its own"),
    "widths": ({"role": "quasi", "hierarchy": {"intervals": [-1]}}, "age", "hierarchy", "-1"),
    "level of a quasi": ({**AGE, "level": 1}, "age", "level", "level has no meaning for the role quasi"),
    "level too high": (
        {"role": "sensitive", "hierarchy": {"intervals": [10]}, "level": 5}, "age", "level", "level 5 is not",
    ),
    "numbers without level": ({"role": "sensitive"}, "age", "release_level", "has 95 values and no level"),
    "no dates": (
        {"role": "quasi", "hierarchy": {"date": ["year"]}, "format": "%Y"}, "sex", "format", "not dates of",
    ),
    "half a format": (
        {"role": "quasi", "hierarchy": {"date": ["month"]}, "format": "%Y"}, "age", "format", "the format",
    ),
    "unknown to where": ({**AGE, "unknown": "x"}, "age", "unknown", "unknown is the text 'x'"),
    "undecided": ({"role": "undecided"}, "sex", "role", "its role is undecided"),
    "whose number it is": ({"role": "other"}, "respondent_id", "kept", "its name suggests a number"),
    "no such key": ({**SEX, "'order'": 1}, "sex", None, "the key ''order'' is unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_problem_stands_at_its_field(review: Any, name: str) -> None:
    entry, column, key, wrong = WRONG[name]
    found = review(**{column: entry})["problems"]
    told = [p for p in found if p["column"] == column]
    assert [p["field"] for p in told][:1] == [key]
    assert wrong in told[0]["wrong"]


def test_a_problem_is_english_whatever_the_language_of_the_page(client: TestClient, review: Any) -> None:
    """Fields are named by their labels, which are German there."""
    entry, column, _, _ = WRONG["undecided"]
    english = review(**{column: entry})["problems"]
    client.params = client.params.set("language", "de")
    assert review(**{column: entry})["problems"] == english


def test_what_else_is_right_can_be_seen(review: Any) -> None:
    """Another column's levels, and those of the column whose bounds are wrong."""
    found = review(age={**AGE, "top": "old"})
    assert [len(c["levels"]) for c in found["columns"] if c["name"] == "age"] == [4]
    found = review(age={**AGE, "levels": [0, 9]})
    assert [len(c["levels"]) for c in found["columns"] if c["name"] == "age"] == [4]


def test_fields_do_what_they_say(review: Any) -> None:
    found = review(age={**AGE, "bottom": 20, "top": 80, "levels": [1, 2], "importance": 2.5})
    age = next(c for c in found["columns"] if c["name"] == "age")
    assert (age["lowest"], age["highest"], found["lattice"]) == (1, 2, 4)
    assert age["levels"][0]["examples"][0] == "<20"


def test_values_are_offered_where_they_are_few(review: Any, explorer: Explorer) -> None:
    found = review()
    table = explorer.known_upload().table
    assert found["values"]["age"] is None
    assert len([t for t in table.column("age").texts if t]) > MOST_VALUES_SHOWN
    assert found["values"]["sex"] == sorted(t for t in table.column("sex").texts if t.strip())


def test_values_of_others_are_never_offered(review: Any) -> None:
    """Neither of sensitive columns nor of those left out; no message shows one either."""
    found = review(sex={"role": "sensitive", "order": ["nobody"]})
    assert set(found["values"]) == {"age"}
    told = [p for p in found["problems"] if p["column"] == "sex"]
    assert told[0]["field"] == "order"
    assert "'" not in told[0]["wrong"]
