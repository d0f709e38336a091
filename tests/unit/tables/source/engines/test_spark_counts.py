"""Files counted in Spark: folders, patterns, partitions; and whatever can go wrong there."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
import pytest

from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.interfaces.cli.main import run
from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.engines import spark_counts
from paretonym.tables.source.engines.data_reader import open_source
from tests.spark_session import NEEDS_JAVA, ONE_SPARK, connected, spark

pytestmark = [NEEDS_JAVA, ONE_SPARK]

ROWS = range(60)
TABLE = pa.table(
    {
        "age": [str(20 + n * 7 % 40) for n in ROWS],
        "ward": [f"{n % 3:02}" for n in ROWS],
        "town": [("Ulm", None, "a/b c")[n % 5 % 3] for n in ROWS],
    }
)
SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "ward": {"role": "quasi", "hierarchy": {"flat": True}},
        "town": {"role": "sensitive"},
    },
}


@pytest.fixture(autouse=True, scope="module")
def session() -> Any:
    return spark()


def test_folders_patterns_and_partitions(tmp_path: Path) -> None:
    """Folders name text: "01" stays "01", and what is escaped there is read."""
    parts = dataset.partitioning(pa.schema([("ward", pa.string()), ("town", pa.string())]), flavor="hive")
    dataset.write_dataset(TABLE, tmp_path / "a b", format="parquet", partitioning=parts)
    for given in (tmp_path / "a b", f"{tmp_path}/a b/*/*/*.parquet"):
        found, expected = (open_source(given, Wanted(), engine=engine) for engine in ("spark", "duckdb"))
        assert found.names == expected.names == ("age", "ward", "town")
        assert found.fingerprint == expected.fingerprint
        assert sorted(found.column("ward").texts) == ["00", "01", "02"]


def test_a_part_with_other_columns(tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    parquet.write_table(TABLE.set_column(0, "age", pa.array(list(ROWS))), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b.parquet: its columns are not those of .*a.parquet; give files"):
        open_source(tmp_path, Wanted(), engine="spark")


def test_other_files_are_refused(tmp_path: Path) -> None:
    csv.write_csv(TABLE, tmp_path / "t.csv")
    with pytest.raises(InputError, match="Spark is given Parquet files, and these are CSV; leave the engine"):
        open_source(tmp_path / "t.csv", Wanted(), engine="spark")


def test_a_lost_worker_changes_nothing(tmp_path: Path) -> None:
    """The process that works on a task is killed once; Spark tries again."""
    lost = tmp_path / "lost"

    def rows(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if not lost.exists():
                lost.touch()
                os._exit(1)
            yield pa.record_batch({"a": pa.array([number % 3 for number in batch.column(0).to_pylist()])})

    source = open_source(spark().range(0, 30, 1, 2).mapInArrow(rows, "a long"), Wanted())
    assert lost.exists()
    assert source.column("a").counts.tolist() == [10, 10, 10]


def test_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    parquet.write_table(TABLE, "t.parquet")
    Path("t.toml").write_text(
        'missing = "value"\n[columns.age]\nrole = "quasi"\nhierarchy.intervals = [10, 20]\n'
        '[columns.ward]\nrole = "quasi"\nhierarchy.flat = true\n[columns.town]\nrole = "sensitive"\n'
    )
    for engine in ("spark", "duckdb"):
        line = f"paretonym explore t.parquet --space lattice --schema t.toml -o {engine} --engine {engine}"
        monkeypatch.setattr(sys, "argv", line.split())
        assert run() == 0
    capsys.readouterr()
    assert Path("spark/frontier.json").read_bytes() == Path("duckdb/frontier.json").read_bytes()
    noted = json.loads(Path("spark/run.json").read_text())
    assert noted["options"]["engine"] == "spark"
    assert noted["data"]["fingerprint"] == Study("t.parquet", SCHEMA, engine="duckdb").source.fingerprint


def test_nothing_is_said_about_pandas(tmp_path: Path) -> None:
    """Spark warns of its version wherever a function of ours is sent to workers."""
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        assert open_source(tmp_path / "t.parquet", Wanted(), engine="spark").rows == len(ROWS)
        released = (
            Study(spark().createDataFrame(TABLE), SCHEMA).explore("k", "loss", space="lattice")[0].release()
        )
    assert released.count() <= len(ROWS)


def test_a_file_that_spark_does_not_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a cluster without this machine's disk."""
    parquet.write_table(TABLE, tmp_path / "secret.parquet")
    elsewhere = lambda path: f"file://{path.parent}/elsewhere.parquet"  # noqa: E731
    monkeypatch.setattr("paretonym.tables.source.engines.spark_counts._address", elsewhere)
    with pytest.raises(InputError, match=r"secret.parquet: spark could not compute it \(PATH_NOT_FOUND\)"):
        open_source(tmp_path / "secret.parquet", Wanted(), engine="spark")


def test_the_server_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    monkeypatch.setattr("paretonym.tables.source.engines.spark_counts.open_session", lambda _: connected())
    found = open_source(tmp_path / "t.parquet", Wanted(), engine="spark")
    assert found.fingerprint == open_source(tmp_path / "t.parquet", Wanted(), engine="duckdb").fingerprint


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pyspark.errors import PySparkRuntimeError

    def fails(self: Any) -> Any:
        raise PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})

    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr("pyspark.sql.SparkSession.Builder.getOrCreate", fails)
    with pytest.raises(InputError, match=r"Spark could not be started \(JAVA_GATEWAY_EXITED\); it needs"):
        spark_counts.open_session(None)


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("paretonym.base.extras.find_spec", lambda name: None)
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"needs Spark, which is not installed; .*'paretonym\[spark\]'"):
        open_source(tmp_path / "t.parquet", Wanted(), engine="spark")
