"""Roles and keys set in a schema file: the answer takes the question away, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema import read_schema
from paretonym.tables.schema.draft import draft_schema, edit_schema
from tests.unit.tables.schema.conftest import make_table as table

ANSWERS = ("q*=drop", "missing=value", "age.null=['999']", "wage.release_level=1", "age.top=80")


@pytest.fixture
def drafted(tmp_path: Path) -> Path:
    ages = [str(20 + number % 50) for number in range(199)]
    columns: dict[str, Any] = {
        "age": [*ages, "999"],
        "wage": [str(1000 + 37 * number) for number in range(200)],
        "q1": [f"x{number % 4}" for number in range(200)],
        "q2": [None, *(f"y{number % 3}" for number in range(199))],
        "sex": ["m", "f"] * 100,
    }
    path = tmp_path / "people.toml"
    path.write_text(draft_schema(table(**columns)).text)
    return path


def test_an_answer_takes_its_question_away(drafted: Path) -> None:
    before = drafted.read_text()
    assert before.count("# DECIDE") == 3
    content, done = edit_schema(drafted, ANSWERS)
    drafted.write_bytes(content)
    assert [setting.columns for setting in done] == [("q1", "q2"), (), ("age",), ("wage",), ("age",)]
    schema = read_schema(drafted)
    assert {schema.column(name).role for name in ("q1", "q2")} == {"drop"}
    assert (schema.missing, schema.column("age").null) == ("value", ("999",))
    assert schema.column("age").top == 80
    after = drafted.read_text()
    assert "DECIDE" not in after
    assert "# Nothing is left to decide." in after
    # What was not asked stays as it was, line by line.
    rest = [line for line in after.splitlines() if line not in before.splitlines()]
    assert sorted(rest) == sorted(
        [
            "# Nothing is left to decide.",
            'missing = "value"',
            'role = "drop"',
            'role = "drop"',
            "top = 80",
            'null = ["999"]',
            "release_level = 1",
        ]
    )


def test_a_key_is_removed(drafted: Path) -> None:
    drafted.write_bytes(edit_schema(drafted, ["age.top=80"])[0])
    drafted.write_bytes(edit_schema(drafted, ["age.top="])[0])
    assert read_schema(drafted).column("age").top is None


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("q*=drp", "the role 'drp' is unknown; did you mean 'drop'"),
        ("x*=drop", "there is no column 'x\\*'"),
        ("age", "there is no =; write NAME=ROLE, NAME.KEY=VALUE or KEY=VALUE"),
        ("age.tpo=80", "the key 'tpo' is unknown; did you mean 'top'"),
        ("age.top=abc", "top is the text 'abc'; give a number"),
        ("age=person", "identifier"),
    ],
)
def test_what_cannot_be_set_is_refused(drafted: Path, setting: str, words: str) -> None:
    before = drafted.read_bytes()
    settings = [setting, "wage=person"] if setting == "age=person" else [setting]
    with pytest.raises(InputError, match=words):
        edit_schema(drafted, settings)
    assert drafted.read_bytes() == before


def test_roles_are_given_to_a_draft() -> None:
    columns: dict[str, Any] = {
        "age": ["31", "32"] * 20,
        "code": ["a", "b"] * 20,
        "id": [str(number) for number in range(40)],
    }
    people = table(**columns)
    drafted = draft_schema(people, choices={"quasi": ["c*"], "drop": ["a*"], "person": ["id"]})
    assert [one.role for one in drafted.suggestions] == ["drop", "quasi", "person"]
    assert drafted.undecided == ()
    for choices, words in (
        ({"quasi": ["age"], "drop": ["age"]}, "given the roles quasi and drop"),
        ({"person": ["age", "id"]}, "2 columns are given the role person"),
    ):
        with pytest.raises(InputError, match=words):
            draft_schema(people, choices=choices)  # type: ignore[arg-type]
    # A name counts before a pattern.
    named = draft_schema(people, choices={"drop": ["*"], "quasi": ["age"]})
    assert [one.role for one in named.suggestions] == ["quasi", "drop", "drop"]
