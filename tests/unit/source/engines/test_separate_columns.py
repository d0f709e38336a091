"""Columns counted one by one: the values, the rows that are left and the sample of a table in memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym.errors import InputError
from paretonym.schema.draft import draft_schema
from paretonym.source.data_source import Omission
from paretonym.source.engines import engine_registry, open_columns, read, relation, separate_columns
from paretonym.source.engines.separate_columns import SampledValues, SeparateColumns
from paretonym.source.table_counts import Counts
from paretonym.testing.random_tables import text_table

# Born and age add up to a year; some cells are missing, one is a word for that.
ROWS = 300
COLUMNS: dict[str, list[Any]] = {
    "person": [f"p{n}" for n in range(ROWS)],
    "born": [1950 + n * 7 % 50 for n in range(ROWS)],
    "age": [2024 - 1950 - n * 7 % 50 for n in range(ROWS)],
    "city": ["Kiel", "Ulm", None, "?", " Bonn"] * (ROWS // 5),
    "note": [None if n % 11 else "x" for n in range(ROWS)],
}


@pytest.fixture(params=["parquet", "csv", "sqlite", "polars"])
def separate(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> SeparateColumns:
    given: Any = str(tmp_path / "people")
    frame, options = polars.DataFrame(COLUMNS), {}
    if request.param == "parquet":
        parquet.write_table(pa.table(COLUMNS), given)
    elif request.param == "csv":
        frame.write_csv(given)
    elif request.param == "polars":
        given = frame.lazy()
    else:
        with closing(sqlite3.connect(given)) as database:
            database.execute(
                "create table people (person text, born integer, age integer, city text, note text)"
            )
            database.executemany("insert into people values (?, ?, ?, ?, ?)", frame.rows())
            database.commit()
        given, options = f"sqlite:///{given}", {"table": "people"}
    monkeypatch.setattr(engine_registry, "_is_large", lambda data: True)
    found = open_columns(given, table=options.get("table"))
    assert isinstance(found, SeparateColumns)
    return found


@pytest.fixture
def table() -> Counts:
    return read(pa.table(COLUMNS))


def counts(column: Any) -> dict[str, int]:
    return dict(zip(column.texts, column.counts.tolist(), strict=True)) | {"(null)": column.nulls}


def test_values_and_rows_that_are_left(separate: SeparateColumns, table: Counts) -> None:
    assert (separate.names, separate.rows) == (table.names, ROWS)
    for name in table.names:
        # A CSV file has no other way to write a null.
        assert _bare(counts(separate.column(name))) == _bare(counts(table.column(name)))
    gone = {name: _gone(separate.column(name), ("?", "")) for name in ("city", "note")}
    expected = table.omitting(Omission({name: _gone(table.column(name), ("?", "")) for name in gone}))
    left = separate.omitting(Omission(gone))
    assert left.rows == expected.rows > 0
    assert _bare(counts(left.column("born"))) == _bare(counts(expected.column("born")))
    assert separate.omitting(Omission()) is separate


def _bare(found: dict[str, int]) -> dict[str, int]:
    nulls = found.pop("(null)") + found.pop("", 0)
    return {**found, "": nulls}


def _gone(column: Any, texts: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.array([*(text in texts for text in column.texts), True])


def test_a_draft_is_that_of_the_table(separate: SeparateColumns, table: Counts) -> None:
    found, expected = draft_schema(separate), draft_schema(table)
    assert found.suggestions == expected.suggestions
    assert found.decisions == expected.decisions
    # A lazy frame gives no sample of its rows.
    if separate.sample(["age"], 10):
        assert any("'age' follows from 'born'" in each for each in expected.noticed)
        assert found.noticed == expected.noticed
        (ages,) = separate.sample(["age"], 10)
        texts = [separate.column("age").texts[code] for code in ages.tolist()]
        assert texts == [str(age) for age in COLUMNS["age"][::30]]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separate_columns, "MOST_VALUES", 60)
    monkeypatch.setattr(separate_columns, "MOST_SAMPLED", 50)


def test_of_identifiers_only_some_values_are_brought(
    few: None, separate: SeparateColumns, table: Counts
) -> None:
    """What is drafted says the same: how many there are is counted where they are."""
    found, person = draft_schema(separate), separate.column("person")
    assert found.suggestions == draft_schema(table).suggestions
    assert int(person.counts.sum()) + person.nulls == ROWS
    # A lazy frame gives no sample of its rows.
    if separate.sample(["age"], 10):
        assert isinstance(person, SampledValues)
        assert (len(person.texts), person.distinct) == (50, ROWS)
        assert len(separate.column("born").texts) == 50


def test_many_values_that_repeat_are_brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separate_columns, "MOST_VALUES", 60)
    monkeypatch.setattr(engine_registry, "_is_large", lambda data: True)
    monkeypatch.setattr(relation, "MOST_REPEATED", 20)
    path = tmp_path / "visits.parquet"
    parquet.write_table(pa.table({"person": [f"p{n % 100}" for n in range(ROWS)], "n": [1] * ROWS}), path)
    found = open_columns(str(path))
    assert len(found.column("person").texts) == 100
    monkeypatch.setattr(relation, "MOST_REPEATED", 200)
    few = open_columns(str(path)).column("person")
    assert isinstance(few, SampledValues)
    assert few.distinct == 100


def test_rows_that_change_meanwhile_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_registry, "_is_large", lambda data: True)
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    found = open_columns(str(path))
    path.write_text("a,b\n1,2\n3,4\n5,6\n")
    with pytest.raises(InputError, match="the data were changed while they were counted"):
        found.column("b")


def test_a_sample_is_spread_evenly_over_the_rows() -> None:
    table = text_table({"a": ["x", "y", "x"]})
    assert table.sample(["a"], 2)[0].tolist() == [0, 1]
    assert table.sample(["a"], 3)[0].tolist() == [0, 0, 1]
