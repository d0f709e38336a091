"""Values that two columns share, however each column makes them be spelled."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.tables.source import Counts
from paretonym.tables.source.engines import Wanted, open_source, read, shared_values
from paretonym.tables.source.table_counts import joined_column

DAY = dt.datetime(2024, 2, 29)
NOON, SHORT = DAY.replace(hour=12), DAY.replace(microsecond=120_000)
COLUMNS: dict[str, pa.Array] = {
    "text": pa.array(["a", "b ", "b", "", None, "7"]),
    "integers": pa.array([1, 2**53 + 1, -(2**62), None, 7], pa.int64()),
    "whole floats": pa.array([1.0, 7.0, float("nan"), -0.0, None]),
    "floats": pa.array([1.0, 0.1, 1e22, 7.0, 2.0**53]),
    # 123456792 as a decimal number of single precision is written with fewer digits.
    "short floats": pa.array([123456792.0, 0.5, 7.0], pa.float32()),
    "decimals": pa.array([Decimal("7.00"), Decimal("1.50")], pa.decimal128(9, 2)),
    "days": pa.array([DAY, DAY], pa.timestamp("us")),
    "moments": pa.array([DAY, NOON, SHORT], pa.timestamp("us", "Europe/Berlin")),
    "booleans": pa.array([True, False, None]),
    "nothing": pa.array([None, None], pa.string()),
}


def source(folder: Path, name: str, cells: pa.Array) -> Counts:
    """A table of which the column was not counted with the others."""
    path = folder / f"{name}.parquet"
    parquet.write_table(pa.table({"id": cells, "n": [0] * len(cells)}), path)
    return open_source(path, Wanted(frozenset({"n"}), frozenset({"id"})), engine="duckdb")


@pytest.mark.parametrize("kind", COLUMNS)
def test_values_are_spelled_as_columns_are(kind: str, tmp_path: Path) -> None:
    old = source(tmp_path, "old", COLUMNS[kind])
    expected = set(read(tmp_path / "old.parquet").column("id").texts)
    every = {text for cells in COLUMNS.values() for text in read(pa.table({"id": cells})).column("id").texts}
    alone = {
        text for cells in COLUMNS.values() for place in range(len(cells)) for text in spelled(cells, place)
    }
    found = shared_values(old, read(pa.table({"id": sorted(every | alone)})), "id")
    assert set(found) == expected


def spelled(cells: pa.Array, place: int) -> tuple[str, ...]:
    """A value that is a column by itself."""
    return read(pa.table({"id": cells.slice(place, 1)})).column("id").texts


def test_rows_that_came_or_went_are_refused(tmp_path: Path) -> None:
    old, new = (source(tmp_path, name, COLUMNS["text"]) for name in ("old", "new"))
    fewer = replace(new, again=lambda wanted: read(pa.table({"id": ["a"]})))
    with pytest.raises(InputError, match="the data were changed while they were read"):
        shared_values(old, fewer, "id")


def days(*numbers: int, hours: int = 0, unit: str = "us", zone: str | None = None) -> pa.Array:
    """Midnights of some days, and a last one with a time of day if there are hours."""
    moments = [DAY + dt.timedelta(days=number) for number in numbers]
    moments[-1] += dt.timedelta(hours=hours)
    return pa.array(moments, pa.timestamp(unit, zone))


EQUAL: dict[str, tuple[pa.Array, pa.Array, int]] = {
    "a time of day": (days(1, 2, 3), days(2, 3, 4, hours=5), 2),
    "a time of day in a zone": (days(1, 2, zone="UTC"), days(2, 4, hours=5, zone="UTC"), 1),
    "finer moments": (days(1, 2, hours=5), pa.array([*days(1, 2, hours=5).to_pylist(), SHORT]), 2),
    "a date": (days(1, 2).cast(pa.date32()), days(2, 3, hours=5), 1),
    "written midnight": (pa.array(["2024-03-01 00:00:00", "x"]), days(1, 2), 1),
    "decimal and integer": (pa.array([7, 8]), pa.array([Decimal("7.00"), Decimal("8.50")]), 1),
    "decimal and float": (pa.array([7.0, 1.5]), pa.array([Decimal("7.00"), Decimal("1.50")]), 2),
    "decimal and text": (pa.array(["7", "07.5", "8e0", "v7"]), pa.array(map(Decimal, ["7", "8", "7.50"])), 3),
    "scales": (pa.array([Decimal("7.0")]), pa.array([Decimal("7.00")]), 1),
    "large floats": (pa.array([2**62, 1]), pa.array([2.0**62, 0.5]), 1),
    "single precision": (pa.array([123456792]), pa.array([123456792.0, 0.5], pa.float32()), 1),
    "texts stay texts": (pa.array(["1.10", "007", "+7"]), pa.array(["1.1", "7", "07"]), 0),
}  # fmt: skip


@pytest.mark.parametrize("case", EQUAL)
def test_equal_values_are_shared_however_they_are_spelled(case: str, tmp_path: Path) -> None:
    first, second, expected = EQUAL[case]
    tables = [read(pa.table({"id": cells})) for cells in (first, second)]
    counted = [source(tmp_path, name, cells) for name, cells in (("old", first), ("new", second))]
    pairs: list[list[Any]] = [tables, tables[::-1], counted, counted[::-1], [tables[0], counted[1]]]
    for pair in pairs:
        found = shared_values(pair[0], pair[1], "id")
        assert len(found) == expected
    both = joined_column(tables[0].column("id"), tables[1].column("id"))
    assert len(both.texts) == len(first) + len(second) - expected


def test_persons_who_return_are_counted_once_however_they_are_spelled(tmp_path: Path) -> None:
    """30 people, all of whom return as decimals beside a new one: 31, not 61."""
    described = {
        "rows": "people",
        "columns": {
            "id": {"role": "person"},
            "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [20, 40]}},
            "diag": {"role": "sensitive"},
        },
    }
    old, new = [*range(30)] * 2, [*range(30), 200]
    tables = [
        pa.table({"id": cells, "age": [20 + n % 30 for n in range(len(cells))], "diag": ["a"] * len(cells)})
        for cells in (pa.array(old), pa.array([Decimal(n) for n in new], pa.decimal128(12, 2)))
    ]
    path, stored = tmp_path / "new.csv", tmp_path / "old.parquet"
    parquet.write_table(tables[0], stored)
    for given in (tables[0], stored):
        solution = Study(given, described).explore("k", "loss", suppress=0, space="lattice")[0]
        assert solution.apply(tables[1], path, allow_second_release=True, force=True)[1].k == 31
    found = paretonym.audit(path, schema=described, original=tables[1], old=tables[0])
    assert found.passed, found
    (check,) = [check for check in found.checks if check.name == "k-persons"]
    assert (check.said, check.holds) == (31, None)
    assert check.why.endswith("and was not verified")
    assert any(text.endswith("the persons of both releases and was not verified") for text in found.warnings)
