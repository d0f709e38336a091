"""The published JSON Schema of schema files: made from the table of keys, and of one mind with the reader."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema import schema_from
from paretonym.tables.schema.schema_keys import COLUMN_KEYS, SCHEMA_KEYS
from scripts.make_schema_format import FILE, schema_format, shape, text

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("examples", "src/paretonym/tables/source", "tests/reference/data")
    for path in (ROOT / folder).rglob("*.toml")
    if "[columns" in path.read_text(encoding="utf-8")
)
VALUES: tuple[Any, ...] = (
    "x", "", "drop", "value", "people", "top", "yes", ".", ",", "integer", 0, 1, -1, 2.5, 1e12, True, False,
    [], [1, 2], [2, 1], [1], ["a", "b"], ["a", 1], [True], {}, {"a": 1}, None,
)  # fmt: skip


def valid(entry: dict[str, Any]) -> bool:
    return bool(jsonschema_rs.validator_for(schema_format()).is_valid(entry))


def test_the_published_one_is_that_of_the_table() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run scripts/make_schema_format.py"
    jsonschema_rs.meta.validate(json.loads(text()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_schema_file_fits(path: Path) -> None:
    assert valid(tomllib.loads(path.read_text(encoding="utf-8")))


def blocks() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        every = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        found += [(page.name, block) for block in every if "[columns" in block]
    return found


def test_every_example_of_the_documentation_fits() -> None:
    assert len(blocks()) > 10
    for page, block in blocks():
        entry = tomllib.loads(block)
        lacks_role = any("role" not in column for column in entry["columns"].values())
        assert valid(entry) or lacks_role, f"{page}: {block}"


@pytest.mark.parametrize("name", [*COLUMN_KEYS, *(f"schema.{key}" for key in SCHEMA_KEYS)])
def test_whatever_the_reader_accepts_fits(name: str) -> None:
    """And what has another type is refused by both."""
    key = SCHEMA_KEYS[name[7:]] if name.startswith("schema.") else COLUMN_KEYS[name]
    fits = jsonschema_rs.validator_for(shape(key)).is_valid
    accepted = [value for value in VALUES if key.read(value) is not None]
    assert accepted
    assert all(map(fits, accepted))
    wrong = [value for value in VALUES if fits(value) and key.read(value) is None]
    assert all(isinstance(value, int | float | list) for value in wrong), "an order or a bound, never a type"


@pytest.mark.parametrize(
    "column",
    [
        {"role": "quasy"},
        {"hierarchy": {"flat": True}},
        {"role": "quasi", "hierarchy": {"flat": True, "mask": 2}},
        {"role": "quasi", "hierarchy": {"intervall": [5]}},
        {"role": "quasi", "hierarchy": {"date": ["fortnight"]}},
        {"role": "quasi", "tpo": 9},
    ],
)
def test_what_is_misspelled_fits_neither(column: dict[str, Any]) -> None:
    entry = {"columns": {"age": column}}
    assert not valid(entry)
    with pytest.raises(InputError):
        schema_from(entry)
