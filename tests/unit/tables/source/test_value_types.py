"""Parquet files and dataframes: types, missing values, and one content from every kind."""

from __future__ import annotations

import datetime
import decimal
import zoneinfo
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source.engines import read
from paretonym.tables.source.table_counts import Column, Counts


class Unordered(list[str | None]):
    """Cells of which only the number matters: the order of rows is not kept."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and Counter(self) == Counter(other)

    __hash__ = None


def rows(column: Column) -> Unordered:
    assert column.weights is not None
    codes = np.repeat(column.codes, column.weights).tolist()
    return Unordered(column.texts[code] if code >= 0 else None for code in codes)


def only(data: Any) -> tuple[str, list[str | None]]:
    """The type and the rows of a table's only column."""
    (column,) = read(data).columns
    assert len(set(column.texts)) == len(column.texts) == len(column.values)
    assert column.values.null_count == 0
    assert set(range(len(column.texts))) == set(column.codes.tolist()) - {-1}
    return column.type, rows(column)


MIDNIGHT = datetime.datetime(2020, 1, 2)
NOON = datetime.datetime(2020, 1, 2, 12, 30)
DAY = datetime.date(2020, 1, 2)

# name: an Arrow column, its type, its rows
ARROW: dict[str, tuple[Any, str, list[str | None]]] = {
    "text": (pa.array(["b", None, "a", ""]), "text", ["b", None, "a", None]),
    "large text": (pa.array(["b", "é"], pa.large_string()), "text", ["b", "é"]),
    "text view": (pa.array(["b", "é"], pa.string_view()), "text", ["b", "é"]),
    "nothing": (pa.nulls(2), "text", [None, None]),
    "integer": (pa.array([7, None, -7], pa.int8()), "integer", ["7", None, "-7"]),
    "largest integer": (pa.array([2**64 - 1], pa.uint64()), "integer", [str(2**64 - 1)]),
    "boolean": (pa.array([True, None, False]), "boolean", ["true", None, "false"]),
    "decimal": (
        pa.array([decimal.Decimal("1.50"), decimal.Decimal("-2.00"), None]),
        "decimal",
        ["1.50", "-2.00", None],
    ),
    "short decimal": (pa.array([decimal.Decimal("1.50")], pa.decimal32(5, 2)), "decimal", ["1.50"]),
    "tiny decimal": (pa.array([decimal.Decimal("0.00000001")]), "decimal", ["0.00000001"]),
    "float": (
        pa.array([37.0, 0.1, float("nan"), None, 1e16]),
        "decimal",
        ["37", "0.1", None, None, "10000000000000000"],
    ),
    "short float": (pa.array([0.1, 37.0], pa.float32()), "decimal", ["0.1", "37"]),
    "half float": (pa.array(np.array([0.1, 37.0], np.float16)), "decimal", ["0.1", "37"]),
    "whole floats": (pa.array([37.0, float("nan"), -1.0]), "integer", ["37", None, "-1"]),
    "two zeros": (pa.array([0.0, -0.0, 0.5]), "decimal", ["0", "0", "0.5"]),
    "large whole floats": (pa.array([2.0**60]), "decimal", ["1152921504606847000"]),
    "date": (pa.array([DAY, None]), "date", ["2020-01-02", None]),
    "date in milliseconds": (pa.array([DAY], pa.date64()), "date", ["2020-01-02"]),
    "midnights": (pa.array([MIDNIGHT, None], pa.timestamp("ns")), "date", ["2020-01-02", None]),
    "the earliest moment": (
        pa.array([-(2**63)], pa.timestamp("ns")),
        "text",
        ["1677-09-21T00:12:43.145224192"],
    ),
    "moments": (
        pa.array([MIDNIGHT, NOON], pa.timestamp("ns")),
        "text",
        ["2020-01-02", "2020-01-02T12:30:00"],
    ),
    "fine moments": (
        pa.array([NOON.replace(microsecond=1500)], pa.timestamp("ns")),
        "text",
        ["2020-01-02T12:30:00.001500"],
    ),
    "midnights in a zone": (
        pa.array(
            [datetime.datetime(2020, 1, 1, 23, tzinfo=datetime.UTC)], pa.timestamp("us", "Europe/Berlin")
        ),
        "date",
        ["2020-01-02"],
    ),
    "moments in a zone": (
        pa.array([datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)], pa.timestamp("us", "Europe/Berlin")),
        "text",
        ["2020-01-02T01:00:00+0100"],
    ),
    "dictionary with unused values": (
        pa.DictionaryArray.from_arrays(pa.array([2, None, 1, 2]), pa.array(["x", "y", "z"])),
        "text",
        ["z", None, "y", "z"],
    ),
    "dictionary with a null and a value twice": (
        pa.DictionaryArray.from_arrays(pa.array([2, 1, 0, 3]), pa.array(["x", None, "x", ""])),
        "text",
        ["x", None, "x", None],
    ),
    "dictionary of integers": (pa.array([3, 1, 3]).dictionary_encode(), "integer", ["3", "1", "3"]),
    "chunks": (pa.chunked_array([["b"], [], ["a", "b"]]), "text", ["b", "a", "b"]),
    "chunks of dictionaries": (
        pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]),
        "text",
        ["b", "a", "b"],
    ),
}


@pytest.mark.parametrize("name", ARROW)
def test_arrow_columns(name: str) -> None:
    array, kind, expected = ARROW[name]
    assert only(pa.table({"a": array})) == (kind, expected)


@pytest.mark.parametrize("name", sorted(set(ARROW) - {"dictionary with a null and a value twice"}))
def test_parquet_columns(tmp_path: Path, name: str) -> None:
    array, kind, expected = ARROW[name]
    path = tmp_path / "people.data"
    parquet.write_table(pa.table({"a": array}), path)
    assert only(path) == (kind, expected)


def test_many_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    values = [str(index * 7 % 11) for index in range(100)]
    parquet.write_table(pa.table({"a": values, "b": range(100)}), path, row_group_size=9)
    table = read(path)
    assert rows(table.column("a")) == values
    assert table.column("a").texts == tuple(sorted({*values}))
    assert (table.name, table.kind, table.path) == ("people.parquet", "file", str(path))
    assert table.fingerprint.startswith("sum:")


PANDAS: dict[str, tuple[Any, str, list[str | None]]] = {
    "integers with a missing one": ([1, None, 2], "integer", ["1", None, "2"]),
    "nullable integers": (pd.array([1, None], dtype="Int64"), "integer", ["1", None]),
    "nullable booleans": (pd.array([True, None], dtype="boolean"), "boolean", ["true", None]),
    "categories, one unused": (
        pd.Categorical(["u", None, "v"], categories=["v", "w", "u"]),
        "text",
        ["u", None, "v"],
    ),
    "categories of integers": (pd.Categorical([3, 1], categories=[1, 2, 3]), "integer", ["3", "1"]),
    "objects, all text": (pd.Series(["x", None, np.nan], dtype=object), "text", ["x", None, None]),
    "strings": (pd.Series(["x", None], dtype="string"), "text", ["x", None]),
    "objects, all dates": (pd.Series([DAY, None], dtype=object), "date", ["2020-01-02", None]),
    "objects, all booleans": (pd.Series([True, None], dtype=object), "boolean", ["true", None]),
    "datetimes": (pd.to_datetime(pd.Series(["2020-01-02", None])), "date", ["2020-01-02", None]),
    "objects, numbers in digits of their own": (
        pd.Series([*map(decimal.Decimal, ("1.50", "2", "1E+3", "-0.0", "NaN")), None], dtype=object),
        "decimal",
        ["1.50", "2", "1000", "0.0", None, None],
    ),
}


@pytest.mark.parametrize("name", PANDAS)
def test_pandas_columns(name: str) -> None:
    values, kind, expected = PANDAS[name]
    assert only(pd.DataFrame({"a": values})) == (kind, expected)


BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    "objects",
    [
        [DAY, NOON],
        [NOON.replace(tzinfo=BERLIN), NOON.replace(tzinfo=datetime.UTC)],
        [NOON, NOON.replace(tzinfo=BERLIN)],
    ],
)
def test_objects_of_which_the_first_would_decide(objects: list[Any]) -> None:
    """Arrow takes the time for a date, or the moment for one of the first zone."""
    for some in (objects, objects[::-1]):
        with pytest.raises(InputError, match="it contains values of different types"):
            read(pd.DataFrame({"a": pd.Series(some, dtype=object)}))


def test_two_midnights_of_one_day_are_one_date() -> None:
    """Where clocks are set back at one in the morning, midnight comes twice."""
    hours = [datetime.datetime(2020, 11, 1, hour, tzinfo=datetime.UTC) for hour in (4, 5, 6)]
    array = pa.array(hours, pa.timestamp("us", "America/Havana"))
    assert only(pa.table({"a": array})) == ("text", ["2020-11-01", "2020-11-01", "2020-11-01T01:00:00-0500"])


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["w", "v", "u"])])
def test_polars_categories(dtype: Any) -> None:
    assert only(pl.DataFrame({"a": pl.Series(["u", None, "v"], dtype=dtype)})) == ("text", ["u", None, "v"])


def test_one_content_has_one_fingerprint() -> None:
    arrow = pa.table({"age": [40, None, 39], "sex": ["f", "m", "f"], "on": [DAY, DAY, None]})
    frames = [
        arrow,
        arrow.to_pandas(),
        arrow.to_pandas().set_index(pd.Index(["x", "y", "z"])),
        arrow.to_pandas().astype({"sex": "category"}),
        pl.DataFrame(arrow),
        pl.DataFrame(arrow).lazy(),
        duckdb.sql("select * from arrow"),
    ]
    tables = [read(frame) for frame in frames]
    assert len({table.fingerprint for table in tables}) == 1
    kinds = [table.kind for table in tables]
    assert kinds == ["pyarrow"] + ["pandas"] * 3 + ["polars"] * 2 + ["pyarrow"]
    assert {(table.name, table.path) for table in tables} == {("the dataframe", None)}


@pytest.mark.parametrize(
    "other",
    [{"a": ["x", "y"]}, {"b": ["x", "x"]}, {"a": ["x", None]}, {"a": ["x", "x", "x"]}, {"a": [1, 1]}],
)
def test_other_content_has_another_fingerprint(other: dict[str, list[Any]]) -> None:
    one = read(pa.table({"a": ["x", "x"]}))
    assert read(pa.table(other)).fingerprint != one.fingerprint


def test_the_callers_frame_is_left_alone() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["u"], categories=["u", "v"]), "b": [-0.0]})
    before = frame.copy(deep=True)
    read(frame)
    pd.testing.assert_frame_equal(frame, before)


KINDS = "it contains values of different types, or of an unsupported type; convert all of them to text"
TYPE = "convert it to text, a number, a date or a boolean, or remove it"
REFUSED: dict[str, tuple[Any, str]] = {
    "mixed objects": (pd.DataFrame({"a": [1, "secret"]}), f"the dataframe, column 'a': {KINDS}"),
    "objects of no kind": (pd.DataFrame({"a": [object()]}), f"the dataframe, column 'a': {KINDS}"),
    "lists": (
        pl.DataFrame({"a": [[1]]}),
        f"the dataframe, column 'a': its type, large_list, is not supported; {TYPE}",
    ),
    "structs and bytes, both told": (
        pa.table({"a": [{"x": 1}], "b": [b"secret"], "c": ["fine"]}),
        f"the dataframe, column 'a': its type, struct, is not supported; {TYPE}\n"
        f"the dataframe, column 'b': its type, binary, is not supported; {TYPE}",
    ),
    "durations": (
        pa.table({"a": pa.array([1], pa.duration("s"))}),
        f"the dataframe, column 'a': its type, duration, is not supported; {TYPE}",
    ),
    "intervals": (
        pd.DataFrame({"a": pd.cut([1, 2], [0, 1, 2])}),
        f"the dataframe, column 'a': its type, extension, is not supported; {TYPE}",
    ),
    "infinite": (
        pl.DataFrame({"a": [1.5, float("inf")]}),
        "the dataframe, column 'a': it contains an infinite number; replace it with a number or leave it "
        "empty",
    ),
    "the same name twice": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "the dataframe: columns 1 and 2 have the same name; give every column a different name; if "
        "the first line of a file is data, add a header above it",
    ),
    "not UTF-8": (
        pa.table({"a": pa.array([b"secret\xff"]).view(pa.string())}),
        "the dataframe, column 'a': it contains text that is not UTF-8; write the data again as UTF-8",
    ),
    "the same name twice in Arrow": (
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
        "the dataframe: columns 1 and 2 have the same name; give every column a different name; if "
        "the first line of a file is data, add a header above it",
    ),
    "numbers as names": (
        pd.DataFrame([[1]]),
        "the dataframe: the name of column 1 is of type int, not text; "
        "rename the columns so that every name is text",
    ),
    "no name": (
        pa.table({"": [1]}),
        "the dataframe: column 1 has no name; give every column a different name; if the first "
        "line of a file is data, add a header above it",
    ),
    "no column": (pd.DataFrame(), "the dataframe: there are no columns; give a table with columns and rows"),
    "no row": (pl.DataFrame({"a": []}), "the dataframe: there are no rows; give a table with rows"),
    "a list": (
        [1],
        "the data: a list is not a table; "
        "give the path of a CSV or Parquet file, or a dataframe (pandas, polars, pyarrow)",
    ),
    "a series": (
        pd.Series([1]),
        "the data: a Series is not a table; "
        "give the path of a CSV or Parquet file, or a dataframe (pandas, polars, pyarrow)",
    ),
    "nothing": (
        None,
        "the data: a NoneType is not a table; "
        "give the path of a CSV or Parquet file, or a dataframe (pandas, polars, pyarrow)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_dataframes(name: str) -> None:
    data, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        read(data)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kind", "number"),
    [(pa.date32(), 2**31 - 1), (pa.timestamp("s"), 10**13), (pa.timestamp("us", "UTC"), -(2**63))],
)
def test_years_that_cannot_be_written_are_refused(kind: Any, number: int) -> None:
    """Arrow writes them as `<value out of range: …>`, or in a time zone as other years."""
    with pytest.raises(InputError, match="not in the years 1 to 9999; correct it, or convert"):
        read(pa.table({"a": pa.array([0, number], kind)}))


def test_refused_parquet(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(pa.table({"a": [[1]], "b": ["x"]}), path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == f"{path}, column 'a': its type, list, is not supported; {TYPE}"
    parquet.write_table(pa.table({"a": pa.array([], pa.string())}), path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: there are no rows; give a table with rows"


def test_a_table_is_found_by_name() -> None:
    table: Counts = read(pa.table({"a": [1], "b": ["x"]}))
    assert table.names == ("a", "b")
    assert rows(table.column("b")) == ["x"]
