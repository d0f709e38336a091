"""A large table that nobody has described yet is known by its first rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym.research.exams.random_tables import text_table
from paretonym.tables.schema.draft import draft_schema
from paretonym.tables.source.engines import data_reader, open_undescribed

FIRST = 300
COLUMNS: dict[str, list[Any]] = {
    "person": [f"p{n}" for n in range(2 * FIRST)],
    "age": [18 + n * 7 % 50 for n in range(2 * FIRST)],
    "city": ["Kiel", "Ulm", "Bonn"] * (FIRST // 3) + ["Jena"] * FIRST,
}


@pytest.fixture(params=["parquet", "csv", "sqlite", "polars"])
def large(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    path, frame = str(tmp_path / "people"), polars.DataFrame(COLUMNS)
    monkeypatch.setattr(data_reader, "_is_large", lambda data: True)
    if request.param == "polars":
        return {"data": frame.lazy()}
    if request.param == "parquet":
        parquet.write_table(pa.table(COLUMNS), path)
    elif request.param == "csv":
        frame.write_csv(path)
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("create table people (person text, age integer, city text)")
            database.executemany("insert into people values (?, ?, ?)", frame.rows())
            database.commit()
        return {"data": f"sqlite:///{path}", "table": "people"}
    return {"data": path}


def test_only_the_first_rows_are_read(large: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_reader, "FIRST_ROWS", FIRST)
    counts = open_undescribed(**large)
    assert (counts.rows, counts.partial, counts.names) == (FIRST, True, tuple(COLUMNS))
    assert set(counts.column("city").texts) == {"Kiel", "Ulm", "Bonn"}
    assert any(f"only the first {FIRST} rows" in sentence for sentence in draft_schema(counts).noticed)


def test_a_table_with_fewer_rows_is_read_whole(large: dict[str, Any]) -> None:
    counts = open_undescribed(**large)
    assert (counts.rows, counts.partial) == (2 * FIRST, False)
    assert not any("only the first" in sentence for sentence in draft_schema(counts).noticed)


def test_a_sample_is_spread_evenly_over_the_rows() -> None:
    table = text_table({"a": ["x", "y", "x"]})
    assert table.sample(["a"], 2)[0].tolist() == [0, 1]
    assert table.sample(["a"], 3)[0].tolist() == [0, 0, 1]
