"""Frames of Spark, Spark Connect, Dask and Ibis are counted where they are, as rows in memory are counted."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import dask.dataframe as dask
import duckdb
import ibis
import narwhals as nw
import pandas
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from dask import config

from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.engines import read
from paretonym.tables.source.engines.data_reader import open_source
from paretonym.tables.source.engines.lazy_frame import errors_without_values
from tests.spark_session import NEEDS_JAVA, ONE_SPARK, ZONE, connected, spark

Frame = Callable[[pa.Table], Any]


def test_a_full_disk_is_named_and_nothing_else() -> None:
    for text, words in (
        (
            "java.io.IOException: No space left on device (row 'secret')",
            "rows: no space is left on a disk that spark",
        ),
        (
            "row 'secret'",
            r"rows: spark could not compute it \(RuntimeError\); check that no other",
        ),
    ):
        with pytest.raises(InputError, match=words) as found, errors_without_values("spark", "rows"):
            raise RuntimeError(text)
        assert "secret" not in str(found.value)


def _dask(table: pa.Table) -> Any:
    return dask.from_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=3)


def _ibis(table: pa.Table) -> Any:
    connection = ibis.duckdb.connect()
    connection.con.execute(f"set timezone = '{ZONE}'")
    connection.con.register("given", table)
    return connection.table("given")


def _duckdb(table: pa.Table) -> Any:
    connection = duckdb.connect()
    connection.execute(f"set timezone = '{ZONE}'")
    return connection.from_arrow(table)


JAVA = [NEEDS_JAVA, ONE_SPARK]
FRAMES = [
    pytest.param(lambda table: spark().createDataFrame(table), id="spark", marks=JAVA),
    pytest.param(lambda table: connected().createDataFrame(table), id="connect", marks=JAVA),
    pytest.param(_dask, id="dask"),
    pytest.param(_ibis, id="ibis"),
    pytest.param(_duckdb, id="duckdb"),
]
IN_SPARK = FRAMES[:2]

COLUMNS: Mapping[str, Any] = {
    "large": pa.array([2**53 + 1, 2**53 + 2, None, -(2**63)], pa.int64()),
    "small": pa.array([1, -1, None, 1], pa.int8()),
    "blanks": pa.array(["a ", "a", "A", None]),
    "empty": pa.array(["", None, " ", "ä"]),
    "whole": pa.array([0.0, -0.0, float("nan"), None]),
    "broken": pa.array([0.1, 1e300, -5e-324, 0.1]),
    "single": pa.array([0.1, 0.5, None, 0.1], pa.float32()),
    "truth": pa.array([True, False, None, True]),
    "money": pa.array([Decimal("1.50"), Decimal("-0.05"), None, Decimal("1.50")], pa.decimal128(10, 2)),
    "wide": pa.array([Decimal(10**37 + 1), Decimal(10**37), None, Decimal(1)], pa.decimal128(38, 0)),
    "day": pa.array(
        [datetime.date(2020, 2, 29), None, datetime.date(1582, 10, 4), datetime.date(9999, 1, 1)]
    ),
    "moment": pa.array(
        [datetime.datetime(2020, 1, 1, 12, 0, 0, 1), None, datetime.datetime(1900, 1, 1), None],
        pa.timestamp("us"),
    ),
    "zoned": pa.array(
        [datetime.datetime(2020, 10, 25, 0, 30), datetime.datetime(2020, 10, 25, 1, 30), None, None],
        pa.timestamp("us", ZONE),
    ),
    "midnight": pa.array([datetime.datetime(2020, 6, 30, 22), None, None, None], pa.timestamp("us", ZONE)),
    "a.b `c": pa.array(["x", "y", None, "x"]),
    "n": pa.array([1, 1, 1, 2]),
}


def _in_utc(kind: Any) -> Any:
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


@pytest.mark.parametrize("frame", FRAMES)
def test_the_same_columns_as_in_memory(frame: Frame) -> None:
    table = pa.table(COLUMNS)
    source = open_source(frame(table), Wanted())
    if frame is not _dask:
        # The others keep the moment, not the zone that it was written in.
        table = table.cast(pa.schema([field.with_type(_in_utc(field.type)) for field in table.schema]))
    expected = read(table)
    assert source.names == expected.names
    for column in expected.columns:
        found = source.column(column.name)
        assert found.type == column.type, column.name
        counted = dict(zip(found.texts, found.counts.tolist(), strict=True))
        assert counted == dict(zip(column.texts, column.counts.tolist(), strict=True)), column.name
        assert found.nulls == column.nulls, column.name
    assert source.fingerprint == expected.fingerprint


@pytest.mark.parametrize("frame", FRAMES)
def test_the_same_frontier_and_repeats(frame: Frame) -> None:
    rows = range(200)
    table = pa.table(
        {
            "Person": [f"p{n}" for n in rows],
            "age": [20 + n * 7 % 40 if n % 9 else None for n in rows],
            "town": [("Ulm", "ulm", "Ulm ")[n % 3] for n in rows],
            "illness": [("flu", "cold", "gout")[n % 7 % 3] for n in rows],
        }
    )
    schema: dict[str, Any] = {
        "missing": "drop",
        "columns": {
            "Person": {"role": "identifier"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
            "town": {"role": "quasi", "hierarchy": {"flat": True}},
            "illness": {"role": "sensitive"},
        },
    }
    study = Study(frame(table), schema)
    assert study.source.entries < len(table)
    assert study.explore(space="lattice").as_json() == Study(table, schema).explore(space="lattice").as_json()
    twice = table.set_column(0, "Person", pa.array(["p1", *(f"p{n}" for n in rows[1:])]))
    with pytest.raises(InputError, match="this identifier repeats: 1 value is in 2 rows"):
        Study(frame(twice), schema).explore(space="lattice")


@pytest.mark.parametrize("frame", FRAMES)
def test_types_that_are_not_supported(frame: Frame) -> None:
    table = pa.table({"a": [1, 2], "parts": pa.array([[1], [2]], pa.list_(pa.int64()))})
    with pytest.raises(
        InputError, match=r"column 'parts': its type, list, is not supported|could not compute"
    ):
        open_source(frame(table), Wanted())
    assert open_source(frame(table), Wanted(frozenset("a"))).rows == 2


@pytest.mark.parametrize("frame", FRAMES)
def test_no_row(frame: Frame) -> None:
    table = pa.table({"a": [1], "b": ["x"]})
    with pytest.raises(InputError, match="the dataframe: there are no rows; give a table with rows"):
        open_source(nw.from_native(frame(table)).filter(nw.col("a") > 1).to_native(), Wanted())


@pytest.mark.parametrize("frame", IN_SPARK)
def test_an_error_in_spark_shows_no_value(frame: Frame) -> None:
    given = frame(pa.table({"a": ["7", "secret"]})).selectExpr("cast(a as int) as a")
    with pytest.raises(InputError, match=r"spark could not compute it \(CAST_INVALID_INPUT\)") as caught:
        open_source(given, Wanted())
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("frame", IN_SPARK)
def test_room_in_memory_is_known_before_rows_are_brought_back(
    frame: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paretonym.tables.source.engines.duckdb_session.SMALLEST_MEMORY", 1)
    given = frame(pa.table({"a": list(range(50))}))
    with pytest.raises(
        InputError, match=r"more than \d+ different rows in the columns that are counted \('a'\)"
    ):
        open_source(given, Wanted(), memory="1KB")


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_integers_that_dask_has_merged_are_refused(tmp_path: Path) -> None:
    """With a missing one among them, 2^53 and 2^53 + 1 are one number in a frame that says integers."""
    path = tmp_path / "t.parquet"
    schema = {"columns": {"id": {"role": "quasi", "missing": "value", "hierarchy": {"flat": True}}}}
    for cells, fine in (([2**53, 2**53 + 1, None], False), ([2**53, 2**53 + 1], True), ([7, None], True)):
        parquet.write_table(pa.table({"id": pa.array(cells * 5, pa.int64())}), path)
        exact = Study(dask.read_parquet(path, dtype_backend="pyarrow"), schema)
        assert exact.cube.digest == Study(path, schema).cube.digest
        if fine:
            assert Study(dask.read_parquet(path), schema).cube.digest == exact.cube.digest
            continue
        with pytest.raises(
            InputError, match="dask has read these integers as floating-point numbers"
        ) as error:
            Study(dask.read_parquet(path), schema)
        assert "column 'id'" in str(error.value)
        assert 'dtype_backend="pyarrow"' in str(error.value)


def test_objects_in_dask_are_texts_whatever_it_is_told() -> None:
    """Otherwise the values together would decide a type: one moment more, and dates have times."""
    cells = [Decimal("1.50"), Decimal("2"), None]
    group = {"role": "quasi", "hierarchy": {"flat": True}}
    schema = {"columns": {"x": {"role": "other", "kept": "yes"}, "g": group}}
    for converted in (True, False):
        with config.set({"dataframe.convert-string": converted}):
            frame = pandas.DataFrame({"x": pandas.Series(cells, dtype=object), "g": ["a", "a", "b"]})
            column = Study(dask.from_pandas(frame, npartitions=1), schema).source.column("x")
            assert (column.type, sorted(column.texts), column.nulls) == ("text", ["1.50", "2"], 1)
