"""Rows that are too many for memory are counted at coarser levels: the answers are those of the search in
memory that may not go below these levels, and no more is claimed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import dask.dataframe as dask
import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym import Study
from paretonym.errors import InputError
from paretonym.source import dictionary_encoding as counting_engine

ROWS = 600
TOWNS = {"north": ["Kiel", "Husum"], "south": ["Ulm", "Passau", "Lindau"]}
QUASI: dict[str, Any] = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 2}},
    "town": {"role": "quasi", "hierarchy": {"tree": TOWNS}},
}
TOP = {"age": 3, "zip": 3, "town": 2}


def schema(levels: dict[str, int] | None = None, missing: str = "drop") -> dict[str, Any]:
    columns = {
        name: {**entry, **({"levels": [levels[name], TOP[name]]} if levels else {})}
        for name, entry in QUASI.items()
    }
    return {
        "missing": missing,
        "columns": {
            "name": {"role": "identifier"},
            **columns,
            "illness": {"role": "sensitive"},
            "ward": {"role": "other"},
        },
    }


def rows(seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    ages = [None if draw < 0.03 else int(age) for draw, age in
            zip(chance.random(ROWS), chance.integers(20, 70, ROWS), strict=True)]  # fmt: skip
    towns = [town for part in TOWNS.values() for town in part]
    return pa.table(
        {
            "name": [f"person {place}" for place in range(ROWS)],
            "age": pa.array(ages, pa.int64()),
            "zip": [f"1{digit}" for digit in chance.integers(0, 40, ROWS)],
            "town": chance.choice(towns, ROWS),
            "illness": [None if draw < 0.02 else value for draw, value in
                        zip(chance.random(ROWS), chance.choice(["flu", "cold", "gout"], ROWS), strict=True)],
            "ward": chance.choice(["a", "b"], ROWS),
        }
    )  # fmt: skip


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for about 200 distinct rows within the smallest limit."""
    monkeypatch.setattr(counting_engine, "ROW_BYTES", (64 << 20) // 200)


def written(table: pa.Table, folder: Path, ending: str) -> Path:
    path = folder / f"data{ending}"
    if ending == ".csv":
        arrow_csv.write_csv(table, path)
    else:
        parquet.write_table(table, path, row_group_size=100)
    return path


def in_memory(path: Path) -> pa.Table:
    """The rows, which need no room to be counted in; those of a CSV file are texts."""
    if path.suffix == ".parquet":
        return parquet.read_table(path)
    names = arrow_csv.read_csv(path).column_names
    texts = arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True)
    return arrow_csv.read_csv(path, convert_options=texts)


def coarse(path: Path, missing: str = "drop") -> Study:
    return Study(path, schema(missing=missing), engine="duckdb", memory="64MiB")


@pytest.mark.parametrize("missing", ["drop", "value"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("seed", range(3))
def test_the_frontier_is_that_above_the_levels(
    seed: int, ending: str, missing: str, tmp_path: Path, little_room: None
) -> None:
    path = written(rows(seed), tmp_path, ending)
    study = coarse(path, missing)
    levels = dict(study.levels)
    assert any(levels.values())
    names = ("k", "l", "t", "loss", "entropy-loss", "discernibility")
    for suppress in (0.05, "any:0.3"):
        found = study.explore(*names, suppress=suppress)
        expected = Study(in_memory(path), schema(levels, missing)).explore(*names, suppress=suppress)
        assert expected.search.complete
        assert [each.as_json() for each in found] == [each.as_json() for each in expected]
        assert not found.search.complete
        assert found.search.above == levels


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_release_is_that_from_rows(ending: str, tmp_path: Path, little_room: None) -> None:
    """Its `gl` is measured over the values of the rows that stay, which are read again."""
    path = written(rows(7), tmp_path, ending)
    study = coarse(path)
    plain = Study(in_memory(path), schema(dict(study.levels)))
    front, expected = (each.explore("k", "loss", suppress="any:0.4") for each in (study, plain))
    place = next(place for place, solution in enumerate(front) if solution["k"] >= 3 and solution.suppressed)
    front.save(tmp_path / "run")
    for name, solution in (("a", front[place]), ("b", expected[place])):
        solution.release(tmp_path / f"{name}.csv", allow_second_release=True)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.csv.manifest.json").read_bytes() == (tmp_path / "b.csv.manifest.json").read_bytes()
    again = paretonym.load(tmp_path / "run", memory="1GB")[place]
    again.release(tmp_path / "c.csv", allow_second_release=True)
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
    audited = tmp_path / "schema.toml"
    plain.explore("k", "loss").save(tmp_path / "plain")
    audited.write_bytes((tmp_path / "plain/schema.toml").read_bytes())
    assert paretonym.audit(tmp_path / "a.csv", schema=audited, original=path).passed


def test_what_is_stated(tmp_path: Path, little_room: None) -> None:
    path = written(rows(1), tmp_path, ".parquet")
    study, said = coarse(path), []
    front = study.explore(remark=lambda remark: said.append(str(remark)))
    listed = ", ".join(f"{name} {level}" for name, level in study.levels.items())
    words = f"counted at levels {listed}; releases below these levels are not considered"
    assert [text for text in said if words in text]
    assert str(front).endswith(
        f"proven complete among releases with one level per column, at or above the counted levels ({listed})"
    )
    front.save(tmp_path / "run")
    noted = json.loads((tmp_path / "run/run.json").read_text())
    assert noted["options"]["counted_at"] == study.levels
    stored = json.loads((tmp_path / "run/frontier.json").read_text())["search"]
    assert (stored["complete"], stored["complete_above"]) == (False, study.levels)
    assert paretonym.load(tmp_path / "run") == front


def test_levels_of_the_schema_that_fit_are_the_whole_space(tmp_path: Path, little_room: None) -> None:
    path = written(rows(1), tmp_path, ".parquet")
    levels = dict(coarse(path).levels)
    said: list[str] = []
    study = Study(path, schema(levels), engine="duckdb", memory="64MiB")
    front = study.explore(remark=lambda remark: said.append(str(remark)))
    assert (study.levels, study.raised) == (levels, {})
    assert not [text for text in said if "counted at levels" in text]
    assert front.search.complete


def test_levels_do_not_depend_on_the_order_of_rows(tmp_path: Path, little_room: None) -> None:
    table = rows(2)
    first = coarse(written(table, tmp_path, ".parquet"))
    shuffled = table.take(np.random.default_rng(0).permutation(ROWS))
    second = coarse(written(shuffled, tmp_path, ".parquet"))
    assert first.levels == second.levels
    assert first.source.fingerprint == second.source.fingerprint


def test_what_needs_the_values_is_refused(tmp_path: Path, little_room: None) -> None:
    study = coarse(written(rows(3), tmp_path, ".parquet"))
    for space in ("cuts", "mondrian"):
        with pytest.raises(InputError, match=f"'{space}' needs the values as they are"):
            study.explore(space=space)
    for measure in ("utility-loss", "query-error"):
        with pytest.raises(
            InputError, match="needs the values as they are, but rows were counted at coarser"
        ):
            study.explore("k", measure)


def test_columns_that_are_kept_can_be_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting_engine, "ROW_BYTES", (64 << 20) // 70)
    path = written(rows(4), tmp_path, ".parquet")
    spec = schema()
    spec["columns"]["zip"] = {"role": "other"}
    with pytest.raises(
        InputError, match=r"there are [\d,]+ different rows in the 5 columns that are counted"
    ):
        Study(path, spec, engine="duckdb", memory="64MiB")


def test_data_that_changed_are_not_read_again(tmp_path: Path, little_room: None) -> None:
    path = written(rows(5), tmp_path, ".parquet")
    front = coarse(path).explore("k", "loss", suppress="any:0.4")
    solution = next(each for each in front if each.suppressed)
    parquet.write_table(rows(6), path)
    with pytest.raises(InputError, match="the data were changed while they were counted"):
        solution.release(tmp_path / "a.csv")
    assert not list(tmp_path.glob("a.csv*"))


def test_rows_of_a_database_that_changed_are_not_read_again(tmp_path: Path, little_room: None) -> None:
    """A value of a single row is enough, in a column whose counts at coarser levels stay the same."""
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table people (name, age, zip, town, illness, ward)")
        cells = zip(*rows(5).to_pydict().values(), strict=True)
        database.executemany("insert into people values (?, ?, ?, ?, ?, ?)", cells)
        database.commit()
        front = Study(f"sqlite:///{path}", schema(), table="people", memory="64MiB").explore(
            "k", "loss", suppress="any:0.4"
        )
        solution = next(each for each in front if each.suppressed)
        database.execute(
            "update people set age = case age when 21 then 22 else 21 end where age in (21, 22) and rowid = "
            "(select min(rowid) from people where age in (21, 22))"
        )
        database.commit()
    with pytest.raises(InputError, match="the data were changed while they were counted"):
        solution.release(tmp_path / "a.csv")
    assert not list(tmp_path.glob("a.csv*"))


def test_a_part_of_another_type_is_refused(little_room: None) -> None:
    """Dask finds out what a part holds when it computes it."""
    table = rows(1).to_pandas()
    frame = dask.from_pandas(table.astype({"zip": object}), npartitions=2)

    def changed(part: Any) -> Any:
        return part.assign(zip=part["zip"].astype(float)) if part.index.min() else part

    with pytest.raises(
        InputError,
        match=r"a part of it has values of another type \(double\) than the first \(.*string\)",
    ):
        Study(frame.map_partitions(changed, meta=frame._meta), schema(), memory="64MiB")
