"""A study of rows in a file, a folder or a frame: the same frontier, the same release, byte for byte."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import polars
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.base.state import VARIABLE
from paretonym.release.release_log import SecondRelease
from paretonym.study import SpaceName
from paretonym.tables.source import table_counts as counts

SCHEMA: dict[str, Any] = {
    "missing": "drop",
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}, "missing": "value"},
        "illness": {"role": "sensitive"},
        "ward": {"role": "other"},
        "note": {"role": "drop"},
    },
}
ROWS = 300


@pytest.fixture
def table() -> pa.Table:
    numbers = range(ROWS)
    return pa.table(
        {
            "name": [f"person {n}" for n in numbers],
            "age": [str(20 + n * 7 % 60) if n % 11 else None for n in numbers],
            "sex": [("m", "f", None)[n % 3] for n in numbers],
            "illness": [("flu", "cold", "=1+1")[n % 7 % 3] for n in numbers],
            "ward": [f"{n % 4:02}" for n in numbers],
            "note": [f"note {n}" for n in numbers],
        }
    )


@pytest.fixture
def path(table: pa.Table, tmp_path: Path) -> Path:
    arrow_csv.write_csv(table, tmp_path / "people.csv")
    return tmp_path / "people.csv"


def released(front: Any, path: Path) -> tuple[bytes, dict[str, Any]]:
    front[len(front) // 2].release(path, allow_second_release=True)
    return path.read_bytes(), json.loads(path.with_name(path.name + ".manifest.json").read_text())


@pytest.mark.parametrize("space", ["lattice", "cuts", "mondrian"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_one_release_from_frames_and_files(
    table: pa.Table, path: Path, tmp_path: Path, space: SpaceName, ending: str
) -> None:
    further: dict[str, Any] = {"sweep": "k=5,10"} if space == "mondrian" else {"suppress": "5%"}
    found = {}
    for name, data in (("frame", table), ("file", path)):
        front = Study(data, SCHEMA).explore(space=space, **further)
        found[name] = front.as_json(), *released(front, tmp_path / f"{name}.{ending}")
    assert found["frame"] == found["file"]
    assert paretonym.audit(tmp_path / f"file.{ending}", original=path, schema=SCHEMA).passed


def test_frames_are_counted_where_they_are(table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Study(table, SCHEMA).explore(space="lattice")
    lazy = polars.DataFrame(table).lazy()
    relation = duckdb.connect().from_arrow(table)
    monkeypatch.setattr("paretonym.tables.source.dataframe.read_dataframe", None)
    for frame in (lazy, relation):
        study = Study(frame, SCHEMA)
        assert study.source.entries < ROWS
        found = study.explore(space="lattice")
        assert found.as_json() == expected.as_json()
        rows: Any = found[1].release()
        # As lazy as it came.
        assert type(rows) is type(frame)
        given = nw.from_native(rows).collect(backend="pyarrow").to_native().to_pydict()
        assert given == expected[1].release().to_pydict()


def test_a_frame_whose_rows_are_needed_is_computed(table: pa.Table, tmp_path: Path) -> None:
    front = Study(polars.DataFrame(table).lazy(), SCHEMA).explore(space="lattice")
    rows, union = front[0].apply(
        table.slice(0, 40).set_column(0, "name", pa.array([f"new {n}" for n in range(40)]))
    )
    assert union.read == 40
    assert len(rows) == union.stay


def test_a_run_is_opened_again(path: Path, tmp_path: Path) -> None:
    Study(path, SCHEMA, memory="1GB").explore(space="lattice").save(tmp_path / "run")
    first = paretonym.load(tmp_path / "run")[0]
    again = paretonym.load(tmp_path / "run", engine="duckdb", memory="2GB")[0]
    assert again.release().equals(first.release())
    noted = json.loads((tmp_path / "run/run.json").read_text())
    assert noted["data"]["fingerprint"].startswith("sum:")
    assert noted["options"]["memory"] == "1GB"


def test_changed_data_are_refused(path: Path, tmp_path: Path) -> None:
    Study(path, SCHEMA).explore(space="lattice").save(tmp_path / "run")
    path.write_text(path.read_text().replace("flu", "gout", 1))
    with pytest.raises(InputError, match="the data have changed since this run was made"):
        paretonym.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


def test_the_order_of_rows_and_dropped_columns_do_not_matter(
    path: Path, table: pa.Table, tmp_path: Path
) -> None:
    Study(path, SCHEMA).explore(space="lattice").save(tmp_path / "run")
    changed = table.take(pa.array(range(ROWS))[::-1]).set_column(5, "note", pa.array(["x"] * ROWS))
    arrow_csv.write_csv(changed, path)
    paretonym.load(tmp_path / "run")[0].release(tmp_path / "a.csv")


def test_a_second_release_is_refused_from_either(table: pa.Table, path: Path, tmp_path: Path) -> None:
    """Also with another schema, which counts other columns: the bytes of the file are the same."""
    other = {**SCHEMA, "columns": {**SCHEMA["columns"], "ward": {"role": "drop"}}}
    fronts = {
        (name, number): Study(data, schema).explore(space="lattice")
        for name, data in (("frame", table), ("file", path))
        for number, schema in enumerate((SCHEMA, other))
    }
    fronts["frame", 0][0].release(tmp_path / "a.csv")
    for key, front in fronts.items():
        with pytest.raises(SecondRelease, match="another release of this table already exists"):
            front[-1].release(tmp_path / f"{key[0]}{key[1]}.csv")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_folders_patterns_and_partitions(table: pa.Table, path: Path, tmp_path: Path, kind: str) -> None:
    expected = Study(path, SCHEMA).explore(space="lattice")
    folder = tmp_path / "parts"
    dataset.write_dataset(
        table,
        folder,
        format=kind,
        partitioning=dataset.partitioning(pa.schema([("sex", pa.string())]), flavor="hive"),
    )
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden.csv").write_text("x")
    for given in (folder, f"{folder}/*/*.{kind}", f"{folder}/**/*.{kind}"):
        study = Study(given, SCHEMA)
        assert study.source.names == ("name", "age", "illness", "ward", "note", "sex")
        assert [s.values for s in study.explore(space="lattice")] == [s.values for s in expected]


def test_parts_that_do_not_fit(table: pa.Table, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet.write_table(table, folder / "a.parquet")
    parquet.write_table(table.drop_columns(["note"]), folder / "b.parquet")
    other = r"b.parquet: its columns are not those of .*a.parquet; give files that have the same columns"
    with pytest.raises(InputError, match=other):
        Study(folder, SCHEMA)
    parquet.write_table(table.set_column(5, "note", pa.array(range(ROWS))), folder / "b.parquet")
    with pytest.raises(InputError, match=other):
        Study(folder, SCHEMA)
    arrow_csv.write_csv(table, folder / "b.parquet")
    with pytest.raises(InputError, match="there are CSV and Parquet files in it"):
        Study(folder, SCHEMA)
    (folder / "a.parquet").unlink()
    arrow_csv.write_csv(
        table.rename_columns(["name", "age", "sex", "illness", "ward", "x"]), folder / "c.csv"
    )
    with pytest.raises(InputError, match=r"c.csv: its columns are not those of .*b.parquet"):
        Study(folder, SCHEMA)
    shutil.rmtree(folder)
    folder.mkdir()
    with pytest.raises(
        InputError, match="there is no CSV, JSON lines or Parquet file in this folder; check the path"
    ):
        Study(folder, SCHEMA)
    with pytest.raises(InputError, match="no file matches this pattern; check the path"):
        Study(f"{folder}/*.csv", SCHEMA)


def test_partitions_that_do_not_fit(table: pa.Table, tmp_path: Path) -> None:
    for name in ("ward=01", "year=2024"):
        (tmp_path / "parts" / name).mkdir(parents=True)
        parquet.write_table(table, tmp_path / "parts" / name / "a.parquet")
    with pytest.raises(InputError, match=r"its folders name 'year', those of .* name 'ward'; put every file"):
        Study(tmp_path / "parts", SCHEMA)
    shutil.rmtree(tmp_path / "parts/year=2024")
    with pytest.raises(
        InputError, match="column 'ward' is both in the files and in the names of their folders"
    ):
        Study(tmp_path / "parts", SCHEMA)


def test_identifiers_of_counted_rows_are_compared(path: Path) -> None:
    """They are counted by themselves, where they are: nobody is added twice."""
    study = Study(path, SCHEMA)
    with pytest.raises(InputError, match="identifiers of new rows also occur in the old data: 300"):
        study.explore(space="lattice")[0].apply(path)


BUCKETS: dict[str, Any] = {"space": "buckets", "sweep": "k=5"}


def test_buckets_of_some_columns(table: pa.Table, path: Path, tmp_path: Path) -> None:
    """Without identifiers and dropped columns, the counts say what each row shows: the same rows are drawn in
    every engine, and again, and they are those of the input."""
    fewer = tmp_path / "fewer.parquet"
    parquet.write_table(pa.concat_tables([table.slice(100), table.slice(0, 100)]), fewer)
    drawn = [bucketized(each, SCHEMA) for each in (path, path, fewer)]
    assert drawn[0] == drawn[1] == drawn[2]
    expected = bucketized(table, SCHEMA)
    assert list(drawn[0]) == list(expected)
    hidden = "illness"
    for names in ([name for name in expected if name not in (hidden, "bucket")], [hidden]):
        found, given = (
            Counter(zip(*(rows[name] for name in names), strict=True)) for rows in (drawn[0], expected)
        )
        assert found == given


def test_two_draws_of_one_table_are_refused(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large table the draw depends on the columns that were counted alone: that and one from all columns
    would together say whose value is whose, whoever asks for both."""
    with monkeypatch.context() as patch:
        patch.setattr(counts, "MOST_CELLS", 1)
        counted = Study(path, SCHEMA).explore("k", "l", **BUCKETS)[0]
        counted.release(tmp_path / "counted.parquet")
    read = Study(path, SCHEMA).explore("k", "l", **BUCKETS)[0]
    assert read.id == counted.id
    for also in (False, True):
        with pytest.raises(InputError, match="its buckets were drawn at random in a way that cannot be repe"):
            read.release(tmp_path / "read.parquet", allow_second_release=also)
    assert not list(tmp_path.glob("read*"))


def test_a_run_keeps_to_its_draw(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that knows nothing of the first release, the run itself says how it was drawn."""
    Study(path, SCHEMA).explore("k", "l", **BUCKETS).save(tmp_path / "run")
    paretonym.load(tmp_path / "run")[0].release(tmp_path / "first.parquet")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "elsewhere"))
    paretonym.load(tmp_path / "run")[0].release(tmp_path / "second.parquet")
    first, second = (tmp_path / f"{name}.st.parquet" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()


def test_identifiers_that_repeat(path: Path) -> None:
    text = path.read_text()
    path.write_text(text.replace('person 7"', 'person 8"'))
    with pytest.raises(InputError, match="this identifier repeats: 1 value is in 2 rows"):
        Study(path, SCHEMA).explore(space="lattice")
    Study(path, {**SCHEMA, "rows": "events"}).explore("k", "loss", space="lattice")


def test_unknown_engines_and_tables_in_memory(path: Path, table: pa.Table) -> None:
    with pytest.raises(
        InputError, match=r"engine: there is no engine called 'duck'; did you mean 'duckdb'\?"
    ):
        Study(path, SCHEMA, engine="duck")
    with pytest.raises(InputError, match="engine: Spark reads files; a database or a dataframe is counted"):
        Study(table, SCHEMA, engine="spark")


def bucketized(data: Any, described: dict[str, Any], **options: Any) -> dict[str, list[Any]]:
    front = Study(data, described, **options).explore("k", "l", space="buckets", sweep="k=5,20")
    rows: dict[str, list[Any]] = pa.table(front[0].release()).to_pydict()
    return rows


def test_buckets_of_a_frame_hold_its_rows(table: pa.Table) -> None:
    """Codes of values that were counted are not those of the rows that were computed afterwards."""
    relation = duckdb.connect().from_arrow(table)
    assert bucketized(relation, SCHEMA) == bucketized(table, SCHEMA)


def test_buckets_from_counts(table: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all columns were counted, the same rows are drawn as from the rows themselves."""
    kept = {name: entry for name, entry in SCHEMA["columns"].items() if name not in ("name", "note")}
    path = tmp_path / "people.parquet"
    parquet.write_table(table.select(list(kept)), path)
    described = {**SCHEMA, "columns": kept}
    assert bucketized(path, described) == bucketized(table.select(list(kept)), described)
    monkeypatch.setattr(counts, "machine_memory", lambda: 2 * ROWS * counts.BYTES_A_ROW)
    with pytest.raises(InputError, match="this needs the rows themselves, and they do not fit into memory"):
        bucketized(path, described)


def test_a_dropped_column_may_drop_rows(table: pa.Table, path: Path, tmp_path: Path) -> None:
    """Its values are read to know which rows lack one, from a file as from a frame, and not shown."""
    columns = {**SCHEMA["columns"], "age": {"role": "drop", "missing": "drop"}}
    complete = sum(age is not None for age in table["age"].to_pylist())
    assert complete < ROWS
    for number, data in enumerate((table, path)):
        study = Study(data, {**SCHEMA, "columns": columns})
        assert study.cube.rows == complete
        released = tmp_path / f"{number}.csv"
        study.publish(study.explore("k", "loss", space="lattice")[0], released, allow_second_release=True)
        assert released.read_text().splitlines()[0] == "sex,illness,ward"
