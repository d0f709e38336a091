"""A release as a folder: the rows of the one file, in its order, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.release import release_writer
from tests.spark_session import NEEDS_JAVA, ONE_SPARK, connected, spark

ROWS = range(500)
TABLE = pa.table(
    {
        "age": [20 + n * 7 % 40 for n in ROWS],
        "town": [("Ulm", "Bonn", "Köln")[n % 3] for n in ROWS],
        "weight": [50 + n % 11 / 2 if n % 13 else None for n in ROWS],
        "illness": [("flu", "cold", "gout", None)[n % 9 % 4] for n in ROWS],
    }
)
SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "town": {"role": "quasi", "hierarchy": {"flat": True}},
        "weight": {"role": "other"},
        "illness": {"role": "sensitive"},
    },
}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_writer, "PART_ROWS", 120)


def solution(data: Any, **form: Any) -> Any:
    front = Study(data, SCHEMA, **form).explore("k", "loss", suppress="2%", space="lattice")
    return next(each for each in front if each["k"] < 60)


def check_folder(folder: Path, whole: Path) -> None:
    """The parts one after the other are the one file, and the manifest says what `sha256sum` says."""
    parts = sorted(folder.iterdir())
    count = -(-len(parquet.read_table(whole)) // 120)
    assert [part.name for part in parts] == [f"part-{place:05}.parquet" for place in range(count)]
    assert pa.concat_tables(map(parquet.read_table, parts)).equals(parquet.read_table(whole))
    assert [len(parquet.read_table(part)) for part in parts[:-1]] == [120] * (count - 1)
    assert all(parquet.ParquetFile(part).metadata.metadata is None for part in parts)
    said, expected = (
        json.loads(path.with_name(f"{path.name}.manifest.json").read_text()) for path in (folder, whole)
    )
    output = said.pop("output")
    assert output["rows"] == expected.pop("output")["rows"]
    assert said == expected
    files = {part.name: hashlib.sha256(part.read_bytes()).hexdigest() for part in parts}
    assert output["files"] == files
    lines = "".join(f"{digest}  {name}\n" for name, digest in files.items())
    assert output["sha256"] == hashlib.sha256(lines.encode()).hexdigest()


def test_the_rows_of_one_file(tmp_path: Path) -> None:
    chosen = solution(TABLE)
    chosen.release(tmp_path / "whole.parquet")
    chosen.release(tmp_path / "parts")
    check_folder(tmp_path / "parts", tmp_path / "whole.parquet")
    mode = stat.S_IMODE((tmp_path / "parts").stat().st_mode)
    plain = tmp_path / "plain"
    plain.mkdir()
    assert mode == stat.S_IMODE(plain.stat().st_mode)


@NEEDS_JAVA
@ONE_SPARK
@pytest.mark.parametrize("session", [spark, connected])
def test_a_frame_of_spark_is_given_back(session: Any) -> None:
    frame = solution(session().createDataFrame(TABLE)).release()
    assert type(frame).__name__ == "DataFrame"
    assert frame.sparkSession is session()
    assert frame.toArrow().to_pydict() == solution(TABLE).release().to_pydict()


@NEEDS_JAVA
@ONE_SPARK
def test_workers_need_nothing_of_ours(tmp_path: Path) -> None:
    """What Spark computes is Spark's alone: no function of Python goes to a worker."""
    frame = solution(spark().createDataFrame(TABLE)).release()
    plan = frame._jdf.queryExecution().toString()
    assert "Python" not in plan
    assert "mapInArrow" not in plan
    frame.write.parquet(str(tmp_path / "written"))
    found = parquet.read_table(tmp_path / "written").to_pydict()
    expected = solution(TABLE).release().to_pydict()
    assert Counter(zip(*found.values(), strict=True)) == Counter(zip(*expected.values(), strict=True))


def test_nothing_is_left_of_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(release_writer, "digest_of", interrupted)
    chosen = solution(TABLE)
    with pytest.raises(KeyboardInterrupt):
        chosen.release(tmp_path / "parts")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_is_never_replaced(tmp_path: Path, force: bool) -> None:
    chosen = solution(TABLE)
    chosen.release(tmp_path / "parts")
    before = {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()}
    with pytest.raises(InputError, match="a folder of a release is never replaced"):
        chosen.release(tmp_path / "parts", force=force)
    assert {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()} == before
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/note.txt").write_text("mine")
    with pytest.raises(InputError, match="a folder of a release is never replaced"):
        chosen.release(tmp_path / "foreign", force=force)
    assert [path.name for path in (tmp_path / "foreign").iterdir()] == ["note.txt"]
    assert not (tmp_path / "foreign.manifest.json").exists()
    (tmp_path / "empty").mkdir()
    chosen.release(tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) != []


def test_names_that_say_something_else(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"ends with .csv, .parquet or .xlsx, or a name without an ending for a folder of Parquet",
    ):
        solution(TABLE).release(tmp_path / "x.txt")
