"""Any table reads the same from CSV, however it is written, from Parquet and from every kind of dataframe."""

from __future__ import annotations

import gzip
import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.tables.source.engines import read
from paretonym.tables.source.table_counts import Counts

Rows = list[list[str | None]]

# Surrogates cannot be written, NUL is refused.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
AWKWARD = st.sampled_from(
    [" 7", "007", "*", '"', '""', ",", ";", "\t", "|", "\n", "\r\n", "\r", "NA", "a, b"]
)
TEXTS = st.text(CHARACTERS, min_size=1, max_size=6) | AWKWARD
# A mark at the very start is the file's.
# Names that hold control characters are refused.
NAMED = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff") | st.sampled_from(
    "\t\n\r"
)
NAMES = st.text(NAMED, min_size=1, max_size=6).filter(lambda name: name.strip() != "")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], Rows]:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    value = st.none() | TEXTS | st.sampled_from(["x", "y"])
    line = st.lists(value, min_size=len(names), max_size=len(names))
    return names, draw(st.lists(line, min_size=1, max_size=8))


def content(table: Counts) -> tuple[list[tuple[str, str]], Counter[tuple[str | None, ...]]]:
    """The names and types of columns, and how often each row occurs."""
    cells = [[(*column.texts, None)[code] for code in column.codes] for column in table.columns]
    assert all(column.texts == tuple(sorted({*column.texts})) for column in table.columns)
    rows: Counter[tuple[str | None, ...]] = Counter()
    for row, often in zip(zip(*cells, strict=True), table.weights.tolist(), strict=True):
        assert row not in rows
        rows[row] = often
    return [(column.name, column.type) for column in table.columns], rows


def expected(names: list[str], rows: Rows) -> tuple[list[tuple[str, str]], Counter[tuple[str | None, ...]]]:
    """The slow twin: by hand, row for row."""
    return [(name, "text") for name in names], Counter(tuple(row) for row in rows)


def blank_led(names: list[str]) -> bool:
    """Whether a blank would be left out of the names, as it should."""
    return len(names) > 1 and all(name.startswith(" ") for name in names[1:])


def quoted(value: str | None, separator: str, always: bool, alone: bool) -> str:
    """A field as a careful program writes it; a missing value that is alone on its line must be quoted."""
    if value is None:
        return '""' if always or alone else ""
    if always or any(character in value for character in f'{separator}"\r\n'):
        return '"' + value.replace('"', '""') + '"'
    return value


@settings(deadline=None)
@given(
    tables(),
    st.sampled_from(",;\t|"),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.booleans(),
)
def test_csv_gives_what_was_written(
    table: tuple[list[str], Rows], separator: str, always: bool, end: str, encoding: str, packed: bool
) -> None:
    names, rows = table
    if blank_led(names):
        return
    alone = len(names) == 1
    lines: Rows = [list(names), *rows]
    fields = ([quoted(value, separator, always, alone) for value in row] for row in lines)
    data = "".join(separator.join(line) + end for line in fields).encode(encoding)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.csv")
        path.write_bytes(gzip.compress(data) if packed else data)
        # With every field quoted the separator cannot be mistaken.
        assert content(read(path, separator=None if always else separator)) == expected(names, rows)


@settings(deadline=None)
@given(tables())
def test_dataframes_and_parquet_give_the_same(table: tuple[list[str], Rows]) -> None:
    names, rows = table
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    arrow = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    frames = [
        arrow,
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype("category"),
        pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String)),
        pl.LazyFrame(columns, schema=dict.fromkeys(names, pl.Categorical)),
    ]
    found = [read(frame) for frame in frames]
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(arrow, Path(folder, "people.parquet"), row_group_size=3)
        found.append(read(Path(folder, "people.parquet")))
    for one in found:
        assert content(one) == expected(names, rows)
    assert len({one.fingerprint for one in found}) == 1


@settings(deadline=None)
@given(st.lists(st.none() | st.integers(-(2**40), 2**40) | st.floats(allow_infinity=False), min_size=1))
def test_numbers_are_written_so_that_they_read_back(values: list[float | None]) -> None:
    floats = [None if value is None else float(value) for value in values]
    found = [read(frame({"a": floats})) for frame in (pd.DataFrame, pl.DataFrame)]
    (column,) = read(pa.table({"a": pa.array(floats, pa.float64())})).columns
    back = {float(text): often for text, often in zip(column.texts, column.counts.tolist(), strict=True)}
    known = [value for value in floats if value is not None and value == value]
    assert back == Counter(known)
    assert column.nulls == len(floats) - len(known)
    assert len(set(column.texts)) == len(column.texts)
    if column.texts:
        assert content(found[0]) == content(found[1])
