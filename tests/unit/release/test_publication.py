"""Nothing of the input that a release does not show is in any of its bytes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym.tables import arrow

PEOPLE = 60


def word(generator: Random) -> str:
    """A text that stands in no file by chance."""
    return "".join(generator.choices("bcdfghjklmnpqrstvwxz", k=12))


@pytest.fixture
def table() -> dict[str, list[str]]:
    generator = Random(3)
    towns, jobs, ills, notes = ([word(generator) for _ in range(count)] for count in (6, 5, 4, 3))
    return {
        "name": [word(generator) for _ in range(PEOPLE)],
        "town": [generator.choice(towns) for _ in range(PEOPLE - 1)] + [word(generator)],
        "job": [generator.choice(jobs) for _ in range(PEOPLE)],
        "ill": [generator.choice(ills) for _ in range(PEOPLE - 2)] + [word(generator), word(generator)],
        "note": [generator.choice(notes) for _ in range(PEOPLE - 1)] + [word(generator)],
        "away": [word(generator) for _ in range(PEOPLE)],
    }


def schema() -> dict[str, Any]:
    roles = {"name": "identifier", "ill": "sensitive", "note": "other", "away": "drop"}
    quasi = {"role": "quasi", "hierarchy": {"flat": True}}
    columns = dict.fromkeys(("town", "job"), quasi) | {n: {"role": r} for n, r in roles.items()}
    return {"missing": "drop", "columns": {name: columns[name] for name in NAMES}}


NAMES = ("name", "town", "job", "ill", "note", "away")


def hidden(table: dict[str, list[str]], released: dict[str, list[str]]) -> list[bytes]:
    """Every text of the input that no cell of the release holds."""
    shown = {cell for column in released.values() for cell in column}
    return sorted(
        {cell.encode() for column in table.values() for cell in column if cell and cell not in shown}
    )


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("least", [2, 8])
def test_files(
    table: dict[str, list[str]],
    ending: str,
    least: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = parquet.ParquetWriter
    # As it is, but not packed, so that bytes can be searched.
    monkeypatch.setattr(arrow.parquet, "ParquetWriter", lambda *a, **k: plain(*a, **k, compression="none"))
    front = paretonym.Study(pa.table(table), schema()).explore(
        "k", "loss", suppress="any:0.5", space="lattice"
    )
    solution = next(s for s in reversed(front) if s["k"] >= least and s.suppressed)
    path = tmp_path / f"out{ending}"
    solution.release(path)
    released = solution.release().to_pydict()
    secret = hidden(table, released)
    assert len(secret) > 2 * PEOPLE
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert [text for text in secret if text in content] == [], file.name
    cells = {cell.encode() for column in released.values() for cell in column if cell}
    assert all(cell in path.read_bytes() for cell in cells)


KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda table: pandas.DataFrame(table, index=table["name"]).astype("category"),
    "polars": lambda table: polars.DataFrame(table).with_columns(polars.all().cast(polars.Categorical)),
    "pyarrow": lambda table: pa.table(table).replace_schema_metadata({"secret": table["name"][0]}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_dataframes(table: dict[str, list[str]], kind: str) -> None:
    data = KINDS[kind](table)
    front = paretonym.Study(data, schema()).explore("k", "loss", suppress="any:0.5", space="lattice")
    solution = next(s for s in reversed(front) if s["k"] >= 2 and s.suppressed)
    given = solution.release()
    assert type(given) is type(data)
    columns = {name: list(map(_plain, given[name])) for name in ("town", "job", "ill", "note")}
    assert list(given.columns if kind != "pyarrow" else given.column_names) == list(columns)
    if kind == "pandas":
        # Categories of the input come back as texts.
        assert not any(hasattr(given[name], "cat") for name in columns)
    assert "dictionary" not in str(given.schema if kind == "pyarrow" else "")
    secret = hidden(table, columns)
    content = pickle.dumps(given)
    assert [text for text in secret if text in content] == []
    if kind == "pandas":
        assert list(given.index) == list(range(len(given)))


def _plain(cell: Any) -> Any:
    return cell.as_py() if hasattr(cell, "as_py") else cell


def test_types_stay_where_values_stay() -> None:
    """Sensitive and other columns keep their type; quasi-identifiers are labels."""
    import datetime

    day = datetime.date(2020, 1, 31)
    data = pa.table(
        {
            "age": [30, 31, 32, None],
            "stay": pa.array([3, None, 5, 5], pa.int64()),
            "well": [True, False, None, True],
            "since": [day, None, day, day],
        }
    )
    columns: dict[str, Any] = {name: {"role": "other", "kept": "yes"} for name in ("well", "since")}
    columns |= {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}, "stay": {"role": "sensitive"}}
    study = paretonym.Study(data, {"missing": "value", "columns": columns})
    found = min(
        study.explore("k", "loss", suppress=0, space="lattice").solutions, key=lambda s: s["loss"]
    ).release()
    assert found.schema.types == [pa.string(), pa.int64(), pa.bool_(), pa.date32()]
    assert found.to_pylist() == [
        {"age": "(missing)", "stay": 5, "well": True, "since": day},
        {"age": "30", "stay": 3, "well": True, "since": day},
        {"age": "31", "stay": None, "well": False, "since": None},
        {"age": "32", "stay": 5, "well": None, "since": day},
    ]
