"""One exam for every engine: the same values give the same frontier, release and manifest, byte for byte.

A new engine registers here: how an Arrow table comes into it, and the kinds of values that it does not have.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import dask.dataframe as dask
import duckdb
import ibis
import openpyxl
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym import Study
from paretonym.base.sql_literals import sql_name
from paretonym.research.exams.candidates import ExamFailed
from paretonym.tables.source.dataframe import read_rows
from tests.exams.engine_exam import ENGINE_CHECKS, KINDS, Engine, check_lacks, exam_table, rows_of
from tests.spark_session import NEEDS_JAVA, ONE_SPARK, connected, spark

ZONES = ("timestamps in a zone", "midnights in a zone")


def no_zones(engine: str) -> dict[str, str]:
    return dict.fromkeys(ZONES, f"{engine} keeps the moment, not the zone that it was written in")


def no_cases(engine: str) -> dict[str, str]:
    return {"names that differ in case": f"names in {engine} are the same in any case"}


def csv_file(table: Any, schema: Any, **form: Any) -> Study:
    """Spelled as the canon says: a CSV file has no types."""
    path, typed = Path("exam.csv"), read_rows(table)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(typed.names)
        writer.writerows(rows_of(typed, typed.names))
    return Study(path, schema, **form)


def json_lines(table: Any, schema: Any, **form: Any) -> Study:
    """Whole numbers, true and false as JSON has them, everything else as text."""
    typed, own = read_rows(table), ("booleans", "integers", "integers beyond 2^53")
    raw = {name: table.column(name).to_pylist() for name in own if name in typed.names}
    with Path("exam.jsonl").open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows_of(typed, typed.names)):
            cells = {**dict(zip(typed.names, row, strict=True)), **{n: c[number] for n, c in raw.items()}}
            file.write(json.dumps(cells) + "\n")
    return Study("exam.jsonl", schema, **form)


def workbook(table: Any, schema: Any) -> Study:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(table.column_names)
    cells = [_excel_cells(table.column(name)) for name in table.column_names]
    for row in zip(*cells, strict=True):
        sheet.append(row)
    for line in sheet.iter_rows():
        for cell in line:
            # A text that begins with an equals sign is a text.
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type
    book.create_sheet("empty")
    book.save("exam.xlsx")
    return Study("exam.xlsx", schema)


def _excel_cells(column: Any) -> list[Any]:
    if not pa.types.is_floating(column.type):
        return list(column.to_pylist())
    return [None if cell is None or cell != cell else cell for cell in column.to_pylist()]


NOT_IN_EXCEL = {
    "integers beyond 2^53": "numbers are doubles",
    "decimals": "numbers are doubles",
    "dates": "there are no days before 1900",
    "timestamps with fractions": "moments are doubles",
    **dict.fromkeys(("timestamps in UTC", *ZONES), "there are no zones"),
}


def parquet_file(table: Any, schema: Any, **form: Any) -> Study:
    parquet.write_table(table, "exam.parquet")
    return Study("exam.parquet", schema, **form)


def plain_pandas(table: Any, schema: Any) -> Study:
    return Study(table.to_pandas(), schema)


def arrow_pandas(table: Any, schema: Any) -> Study:
    return Study(table.to_pandas(types_mapper=pandas.ArrowDtype), schema)


def relation(table: Any, schema: Any) -> Study:
    return Study(duckdb.connect().from_arrow(table), schema)


def sqlite_file(table: Any, schema: Any) -> Study:
    """Dates as texts in ISO, as everybody keeps them there."""
    Path("exam.db").unlink(missing_ok=True)
    typed = read_rows(table)
    with closing(sqlite3.connect("exam.db")) as database:
        listed = ", ".join(f"{sql_name(name)} {kind(table, name)}" for name in typed.names)
        database.execute(f"create table people ({listed})")
        marks = ", ".join("?" * len(typed.names))
        cells = [_sqlite_cells(table, name, rows_of(typed, [name])) for name in typed.names]
        database.executemany(f"insert into people values ({marks})", zip(*cells, strict=True))
        database.commit()
    return Study("sqlite:///exam.db", schema, table="people")


def kind(table: Any, name: str) -> str:
    found = table.schema.field(name).type
    return "integer" if pa.types.is_integer(found) else "real" if pa.types.is_floating(found) else "text"


def _sqlite_cells(table: Any, name: str, spelled: Any) -> list[Any]:
    return [cell for (cell,) in spelled] if kind(table, name) == "text" else table.column(name).to_pylist()


def duckdb_file(table: Any, schema: Any, **form: Any) -> Study:
    Path("exam.duckdb").unlink(missing_ok=True)
    with closing(duckdb.connect("exam.duckdb")) as database:
        database.register("given", table)
        database.execute("create table people as from given")
    return Study("duckdb:///exam.duckdb", schema, table="people", **form)


def dask_frame(table: Any, schema: Any) -> Study:
    frame = table.to_pandas(types_mapper=pandas.ArrowDtype)
    return Study(dask.from_pandas(frame, npartitions=3), schema)


def ibis_table(table: Any, schema: Any) -> Study:
    connection = ibis.duckdb.connect()
    connection.con.register("given", table)
    return Study(connection.table("given"), schema)


ENGINES: Mapping[str, Engine] = {
    "CSV": Engine(csv_file),
    "JSON lines": Engine(json_lines),
    "Excel": Engine(workbook, NOT_IN_EXCEL),
    "Parquet": Engine(parquet_file),
    "pandas": Engine(
        plain_pandas, {"integers beyond 2^53": "a column of numpy's integers has no missing values"}
    ),
    "pandas with Arrow's types": Engine(arrow_pandas),
    "polars": Engine(lambda table, schema: Study(polars.DataFrame(table), schema)),
    "polars lazy": Engine(lambda table, schema: Study(polars.DataFrame(table).lazy(), schema)),
    "DuckDB relation": Engine(relation, {**no_zones("DuckDB"), **no_cases("DuckDB")}),
    "DuckDB file": Engine(duckdb_file, {**no_zones("DuckDB"), **no_cases("DuckDB")}),
    "SQLite": Engine(
        sqlite_file,
        {
            **no_cases("SQLite"),
            "booleans": "SQLite has none: they are the integers 1 and 0",
            "decimals": "SQLite has none: they are doubles, or texts",
        },
    ),
    "Dask": Engine(dask_frame),
    "Ibis": Engine(ibis_table, {**no_zones("Ibis with DuckDB"), **no_cases("DuckDB")}),
    "Parquet in Spark": Engine(
        lambda table, schema: parquet_file(table, schema, engine="spark"), no_cases("Spark")
    ),
    "Spark": Engine(lambda table, schema: Study(spark().createDataFrame(table), schema), no_zones("Spark")),
    "Spark Connect": Engine(
        lambda table, schema: Study(connected().createDataFrame(table), schema), no_zones("Spark")
    ),
}
SITTING = [pytest.param(name, marks=[NEEDS_JAVA, ONE_SPARK] if "Spark" in name else []) for name in ENGINES]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files are written into a folder of each test's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("check", ENGINE_CHECKS)
@pytest.mark.parametrize("name", SITTING)
def test_exam(name: str, check: str) -> None:
    if "Spark" in name:
        # Files are read in the session that runs.
        spark()
    ENGINE_CHECKS[check](ENGINES[name])


def test_moments_do_not_depend_on_the_zone_of_the_machine() -> None:
    """DuckDB shows moments in the zone of its session; counted or collected, they are those of UTC."""
    connection = duckdb.connect()
    given = pa.table({"at": pa.array([1_719_837_000, 0], pa.timestamp("s", "UTC")), "q": ["a", "b"]})
    schema = {"columns": {"at": {"role": "other"}, "q": {"role": "quasi", "hierarchy": {"flat": True}}}}
    for zone in ("America/Lima", "Asia/Tokyo", "UTC"):
        connection.execute(f"set timezone = '{zone}'")
        study = Study(connection.from_arrow(given), schema)
        assert set(study.source.column("at").texts) == {"2024-07-01T12:30:00Z", "1970-01-01"}
        assert set(study.table.column("at").texts) == {"2024-07-01T12:30:00Z", "1970-01-01"}


def wrong(change: Any) -> Engine:
    return Engine(lambda table, schema: Study(change(table), schema))


def stripped(table: Any) -> Any:
    cells = [cell and cell.strip() for cell in table.column("text").to_pylist()]
    return table.set_column(table.column_names.index("text"), "text", pa.array(cells))


def without_one(table: Any) -> Any:
    return table.slice(1)


def in_doubles(table: Any) -> Any:
    name = "integers beyond 2^53"
    cells = [None if cell is None else int(float(cell)) for cell in table.column(name).to_pylist()]
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (stripped, "'text' are spelled"),
        (without_one, "are spelled"),
        (in_doubles, "'integers beyond 2\\^53' are spelled"),
        (lambda table: table.drop_columns(["n"]), "the columns are"),
    ],
)
def test_the_exam_finds_what_is_wrong(change: Any, words: str) -> None:
    with pytest.raises(ExamFailed, match=words):
        ENGINE_CHECKS["spellings"](wrong(change))


def test_the_exam_finds_another_frontier() -> None:
    with pytest.raises(ExamFailed, match=r"the frontier differs from that of the table in memory \(turn 0\)"):
        ENGINE_CHECKS["frontiers"](wrong(lambda table: table.slice(30)))


def test_the_exam_finds_identifiers_that_are_not_looked_at() -> None:
    with pytest.raises(ExamFailed, match="is said of an identifier"):
        ENGINE_CHECKS["identifiers"](wrong(lambda table: table.slice(0, 3)))


def test_kinds_that_are_left_out_have_a_reason() -> None:
    with pytest.raises(ExamFailed, match="'colours' is not a kind of values"):
        check_lacks(Engine(Study, {"colours": "it is blind to colours"}))
    with pytest.raises(ExamFailed, match="no reason is given why there are no dates"):
        check_lacks(Engine(Study, {"dates": "none"}))


def test_every_kind_is_in_the_table() -> None:
    assert set(KINDS) < set(exam_table(tuple(KINDS)).column_names)
