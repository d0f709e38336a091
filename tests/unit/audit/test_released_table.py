"""Audits of a table in several files: all of it is read, or the audit refuses."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym.audit.released_table import digest_of_parts
from paretonym.base.errors import InputError

SCHEMA = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}},
        "town": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}
TABLE = pa.table(
    {
        "age": [20 + place % 37 for place in range(400)],
        "town": [("Aachen", "Bonn")[place * 7 % 3 % 2] for place in range(400)],
        "illness": [("flu", "cold", "gout")[place * 5 % 7 % 3] for place in range(400)],
    }
)
PARTS = 3


def in_parts(folder: Path, ending: str) -> Path:
    """A release of one file, cut into parts, with the manifest of the folder beside it."""
    front = paretonym.Study(TABLE, SCHEMA).explore("k", "loss", space="lattice")
    solution = next(each for each in reversed(front) if each["k"] >= 5)
    whole = solution.release(folder / f"whole{ending}")
    release = folder / "release"
    release.mkdir()
    (cut_csv if ending == ".csv" else cut_parquet)(whole, release)
    describe(release, whole)
    return release


def rows_of_part(rows: int) -> int:
    return -(-rows // PARTS)


def cut_csv(whole: Path, release: Path) -> None:
    header, *lines = whole.read_text().splitlines(keepends=True)
    size = rows_of_part(len(lines))
    for number in range(PARTS):
        end = None if number == PARTS - 1 else (number + 1) * size
        (release / f"part-{number:05}.csv").write_text("".join([header, *lines[number * size : end]]))


def cut_parquet(whole: Path, release: Path) -> None:
    table = parquet.read_table(whole)
    size = rows_of_part(len(table))
    for number in range(PARTS):
        part = table.slice(number * size, size if number < PARTS - 1 else None)
        fields, arrays = [], []
        for name in part.column_names:
            values = part.column(name).combine_chunks()
            known = values.unique().sort()
            places = pc.index_in(values, value_set=known)
            arrays.append(pa.DictionaryArray.from_arrays(places, known))
            fields.append(pa.field(name, arrays[-1].type))
        path = release / f"part-{number:05}.parquet"
        with parquet.ParquetWriter(path, pa.schema(fields), store_schema=False) as writer:
            writer.write_table(pa.table(arrays, schema=pa.schema(fields)), row_group_size=1 << 20)


def describe(release: Path, whole: Path) -> None:
    manifest = json.loads(whole.with_name(f"{whole.name}.manifest.json").read_text())
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(release.iterdir())}
    manifest["output"] = {**manifest["output"], "sha256": digest_of_parts(files), "files": files}
    release.with_name("release.manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(params=[".csv", ".parquet"])
def release(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return in_parts(tmp_path, request.param)


def test_all_parts_are_measured(release: Path) -> None:
    found = paretonym.audit(release, memory="100MB")
    assert found.passed, found
    whole = paretonym.audit(next(release.parent.glob("whole.[cp]*[vt]")))
    assert (found["k"], found["l"], found["rows"]) == (whole["k"], whole["l"], whole["rows"])
    assert found.rows == whole.rows


def test_the_digest_is_that_of_sha256sum(release: Path) -> None:
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(release.iterdir())
    ]
    assert paretonym.audit(release).sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_a_pattern_has_no_manifest(release: Path) -> None:
    kind = next(release.iterdir()).suffix
    found = paretonym.audit(f"{release}/*{kind}", quasi=["age", "town"], sensitive=["illness"])
    assert found["k"] == paretonym.audit(release)["k"]
    with pytest.raises(InputError, match="no file matches this pattern"):
        paretonym.audit(f"{release}/*.nothing", quasi=["age"])


def test_a_part_too_many_fails(release: Path) -> None:
    first = sorted(release.iterdir())[0]
    shutil.copy(first, release / f"part-9{first.suffix}")
    found = paretonym.audit(release)
    failed = {check.name: check.reason for check in found.failed}
    assert failed[f"sha256 of part-9{first.suffix}"] == "the manifest does not name this file"
    assert {"sha256", "rows", "rows sorted"} <= set(failed)


def test_a_part_that_is_missing_or_changed_fails(release: Path) -> None:
    first, second, _ = sorted(release.iterdir())
    content = second.read_bytes()
    second.write_bytes(first.read_bytes())
    found = paretonym.audit(release)
    reasons = {check.name: check.reason for check in found.failed}
    assert reasons[f"sha256 of {second.name}"] == "the manifest was written for another file"
    second.write_bytes(content)
    first.unlink()
    found = paretonym.audit(release)
    reasons = {check.name: check.reason for check in found.failed}
    assert reasons[f"sha256 of {first.name}"] == "this file is missing"


@pytest.mark.parametrize("name", [".hidden.parquet", "_old.parquet", "notes.txt", "part-0.csv.crc"])
def test_what_readers_pass_over_is_refused(release: Path, name: str) -> None:
    """`_old.parquet` is in the folder that is handed over, but no reader and no audit would look at it."""
    shutil.copy(sorted(release.iterdir())[0], release / name)
    with pytest.raises(InputError, match="which is not read as a part") as refused:
        paretonym.audit(release)
    assert f"'{name}'" in str(refused.value)


def test_folders_inside_are_refused(release: Path) -> None:
    inside = release / "illness=gout"
    inside.mkdir()
    with pytest.raises(InputError, match="it contains the folder 'illness=gout', which is not read"):
        paretonym.audit(release)


def test_what_spark_leaves_behind_is_no_part(release: Path) -> None:
    (release / "_SUCCESS").touch()
    assert paretonym.audit(release).passed
    (release / "_SUCCESS").write_text("but this says something")
    with pytest.raises(InputError, match="the file '_SUCCESS', which is not read"):
        paretonym.audit(release)


def test_a_part_with_other_columns_is_refused(release: Path) -> None:
    last = sorted(release.iterdir())[-1]
    if last.suffix == ".csv":
        last.write_text(last.read_text().replace("age,town", "town,age", 1))
    else:
        table = parquet.read_table(last)
        parquet.write_table(table.rename_columns(["Age", "town", "illness"]), last)
    with pytest.raises(InputError, match=r"its columns are not those of|is not in"):
        paretonym.audit(release)


def test_a_part_with_other_types_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet.write_table(pa.table({"age": [1, 2], "s": ["a", "b"]}), folder / "a.parquet")
    parquet.write_table(pa.table({"age": ["1", "2"], "s": ["a", "b"]}), folder / "b.parquet")
    with pytest.raises(InputError, match="its columns are not those of"):
        paretonym.audit(folder, quasi=["age"])


def test_empty_parts(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    table = pa.table({"age": ["1", "1"], "s": ["a", "b"]})
    arrow_csv.write_csv(table, folder / "a.csv")
    (folder / "b.csv").write_text('"age","s"\n')
    assert paretonym.audit(folder, quasi=["age"], sensitive=["s"])["k"] == 2
    (folder / "c.csv").touch()
    with pytest.raises(InputError, match="the file is empty"):
        paretonym.audit(folder, quasi=["age"])


def test_parts_of_two_kinds_are_refused(release: Path) -> None:
    other = ".csv" if sorted(release.iterdir())[0].suffix == ".parquet" else ".parquet"
    table = pa.table({"age": ["1"], "town": ["Bonn"], "illness": ["flu"]})
    if other == ".csv":
        arrow_csv.write_csv(table, release / "part-9.csv")
    else:
        parquet.write_table(table, release / "part-9.parquet")
    with pytest.raises(InputError, match="there are CSV and Parquet files in it"):
        paretonym.audit(release)


def test_rows_are_sorted_over_all_parts(tmp_path: Path) -> None:
    """Each part may be sorted by itself and its place still say something."""
    release = in_parts(tmp_path, ".csv")
    first, second, _ = sorted(release.iterdir())
    swapped = first.read_text(), second.read_text()
    second.write_text(swapped[0])
    first.write_text(swapped[1])
    describe(release, tmp_path / "whole.csv")
    assert [check.name for check in paretonym.audit(release).failed] == ["rows sorted"]


@pytest.mark.parametrize(("given", "wrong"), [("much", "is not an amount"), ("1MB", "is too little")])
def test_memory(release: Path, given: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        paretonym.audit(release, memory=given)
