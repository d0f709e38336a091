"""Drafts and updates of random tables: always readable, never telling."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.base.files.outputs import write_files
from paretonym.tables.schema.draft.draft_schema import draft_schema
from paretonym.tables.schema.draft.schema_edits import update_schema
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import read_schema, schema_from_text
from paretonym.tables.source.table_counts import Column, Counts

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
NUMBERS = st.integers(-3000, 3000).map(str) | st.decimals(0, 99, places=2, allow_nan=False).map(str)
DATES = st.dates().map(str)
WORDS = [
    "age",
    "zip",
    "sex",
    "city",
    "diagnosis",
    "income",
    "born",
    "patient_id",
    "name",
    "weight",
    "class",
    "year",
]
NAMES = st.sampled_from(WORDS) | TEXTS.filter(str.strip)
CELLS = st.lists(st.none() | NUMBERS, max_size=60) | st.lists(st.none() | TEXTS, max_size=60) | st.lists(
    DATES | st.sampled_from(["?", "NA", "01/02/2020", "007", "90+", "1,5"]), max_size=60
)  # fmt: skip


def made(columns: dict[str, list[str | None]]) -> Counts:
    """A table of these columns, all as long as the longest."""
    rows = max(len(cells) for cells in columns.values())
    built = []
    for name, cells in columns.items():
        distinct: dict[str, int] = {}
        padded = [*cells, *[None] * (rows - len(cells))]
        codes = [-1 if cell is None else distinct.setdefault(cell, len(distinct)) for cell in padded]
        texts = tuple(distinct)
        built.append(Column(name, "text", pa.array(texts), texts, np.array(codes, dtype=np.int32)))
    return Counts.of_rows("people.csv", built)


def no_file(name: str) -> str:
    raise AssertionError(name)


@given(st.dictionaries(NAMES, CELLS, min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_a_draft_is_valid_once_it_is_decided(columns: dict[str, list[str | None]]) -> None:
    if not any(columns.values()):
        return
    table = made(columns)
    drafted = draft_schema(table)
    schema = schema_from_text(drafted.text, "people.toml", no_file)
    assert schema.names == table.names
    text = 'missing = "value"\nrows = "events"\n' + re.sub(
        r'(?m)^role = "undecided"', 'role = "drop"', drafted.text
    )
    schema = schema_from_text(text, "people.toml", no_file)
    if schema.with_role("quasi"):
        bind(schema, table)
        return
    with pytest.raises(InputError) as caught:
        bind(schema, table)
    assert [problem.wrong for problem in caught.value.problems] == ["no column has the role quasi"]


@given(
    st.lists(TEXTS, unique=True, max_size=6),
    st.lists(TEXTS, unique=True, min_size=1, max_size=6),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_an_update_gives_every_value_a_place(before: list[str], after: list[str], listed: bool) -> None:
    known = [text for text in before if text.strip()] or ["known"]
    import tomlkit

    hierarchy = {"order": known} if listed else {"hierarchy": {"tree": {"A set": known}}}
    text = tomlkit.dumps({"missing": "drop", "columns": {"x": {"role": "quasi", **hierarchy}}})
    table = made({"x": [*after, *known]})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.toml"
        path.write_bytes(text.encode())
        write_files(update_schema(path, table).texts)
        bind(read_schema(path), table)
