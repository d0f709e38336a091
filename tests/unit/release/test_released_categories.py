"""Categories come back as categories, and say no more than the released rows."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from random import Random
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym.atomic_files import digest_of
from paretonym.audit.released_table import parquet_faults

GRADES = ("none", "mild", "severe", "grave")


def people() -> pandas.DataFrame:
    """Two are alone with their age; what these alone have must not be seen."""
    generator = Random(5)
    ages = [*generator.choices((31, 42, 53), k=60), 88, 89]
    return pandas.DataFrame(
        {
            "age": ages,
            "sex": pandas.Categorical(generator.choices("mf", k=62), ["x", "m", "f"]),
            "grade": pandas.Categorical(
                [*generator.choices(GRADES[1:3], k=60), "grave", "mild"], GRADES[::-1], ordered=True
            ),
            "ward": pandas.Categorical(
                [*generator.choices(("south", "north"), k=60), "alone", "south"],
                ["south", "alone", "unused", "north"],
                ordered=True,
            ),
            "note": generator.choices("ab", k=62),
        }
    )


def schema(order: tuple[str, ...] = GRADES) -> dict[str, Any]:
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "grade": {"role": "sensitive", "order": list(order)},
            "ward": {"role": "other"},
            "note": {"role": "other"},
        }
    }


def chosen(data: Any, **options: Any) -> Any:
    front = paretonym.Study(data, schema(), **options).explore("k", "loss", suppress="any:0.1")
    return next(solution for solution in reversed(front) if solution.suppressed == 2)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    people().to_parquet(tmp_path / "people.parquet")
    path = tmp_path / "release.parquet"
    chosen(tmp_path / "people.parquet").release(path)
    return path


def kinds(path: Path) -> dict[str, Any]:
    return {field.name: field.type for field in parquet.read_schema(path)}


UNORDERED, ORDERED = (pa.dictionary(pa.int32(), pa.string(), ordered) for ordered in (False, True))


def test_a_parquet_file(release: Path) -> None:
    assert kinds(release) == {
        "age": pa.string(),
        "sex": UNORDERED,
        "grade": ORDERED,
        "ward": UNORDERED,
        "note": pa.string(),
    }
    table = pandas.read_parquet(release)
    # Only what occurs; the schema's order where it gives one, else the alphabet.
    assert list(table["grade"].cat.categories) == ["mild", "severe"]
    assert list(table["ward"].cat.categories) == ["north", "south"]
    assert [table[name].cat.ordered for name in ("grade", "ward")] == [True, False]
    content = release.read_bytes()
    assert not [text for text in (b"grave", b"alone", b"unused", b"none") if text in content]
    outcome = paretonym.audit(release, original=people(), schema=schema())
    assert outcome.passed, str(outcome)
    assert "order of the categories" in {check.name for check in outcome.checks}


def test_the_same_table_from_texts(release: Path, tmp_path: Path) -> None:
    """Cells, digest of the rows, claims and roles are those of a table without categories."""
    plain = people().astype(dict.fromkeys(("sex", "grade", "ward"), "str"))
    path = tmp_path / "plain.parquet"
    chosen(plain).release(path, allow_second_release=True)
    assert "dictionary" not in str(kinds(path))
    found, expected = (json.loads(Path(f"{file}.manifest.json").read_text()) for file in (release, path))
    assert found["output"].pop("sha256") != expected["output"].pop("sha256")
    assert found == expected
    tables = (pandas.read_parquet(file).astype("str") for file in (release, path))
    assert next(tables).equals(next(tables))


def test_engines_and_folders(release: Path, tmp_path: Path) -> None:
    solution = chosen(tmp_path / "people.parquet", engine="duckdb")
    path = tmp_path / "counted.parquet"
    solution.release(path, allow_second_release=True)
    assert path.read_bytes() == release.read_bytes()
    folder = tmp_path / "parts"
    solution.release(folder, allow_second_release=True)
    assert paretonym.audit(folder).passed
    assert kinds(folder / "part-00000.parquet") == kinds(release)


@pytest.mark.parametrize("lazy", [False, True])
def test_polars(lazy: bool) -> None:
    grades = polars.Enum(GRADES)
    frame = polars.from_pandas(people().astype({"grade": "str"})).with_columns(
        polars.col("grade").cast(grades)
    )
    found = chosen(frame.lazy() if lazy else frame).release()
    assert found.schema["grade"] == polars.Enum(["mild", "severe"])
    assert found.schema["ward"] == polars.Categorical
    assert found.schema["note"] == polars.String


def test_new_rows(tmp_path: Path) -> None:
    """What `apply` gives has the kind of the new rows, without the categories of the old."""
    new = people().iloc[:20].assign(age=31)
    rows, _ = chosen(people()).apply(new)
    assert set(rows["grade"].cat.categories) == set(rows["grade"])
    assert rows["grade"].cat.ordered
    texts, _ = chosen(people()).apply(new.astype({"grade": "str"}))
    assert texts["grade"].dtype == "str"
    assert rows["ward"].cat.categories.is_monotonic_increasing


def test_buckets(tmp_path: Path) -> None:
    people().to_parquet(tmp_path / "people.parquet")
    front = paretonym.Study(tmp_path / "people.parquet", schema()).explore("l", "loss", space="buckets")
    front[0].release(tmp_path / "b.parquet")
    assert kinds(tmp_path / "b.st.parquet")["grade"] == ORDERED
    outcome = paretonym.audit(tmp_path / "b.parquet", original=people(), schema=schema())
    assert outcome.passed, str(outcome)


def rewritten(path: Path, listed: list[str], declared: Any, column: str = "ward") -> None:
    """The file again, with the categories of a column in another order and other types declared."""
    table = pa.table(
        {
            name: cells if pa.types.is_dictionary(cells.type) else cells.combine_chunks().dictionary_encode()
            for name, cells in zip(
                parquet.read_schema(path).names, parquet.read_table(path).columns, strict=True
            )
        }
    )
    places = pa.array([listed.index(text) for text in table.column(column).to_pylist()], pa.int32())
    cells = pa.DictionaryArray.from_arrays(places, pa.array(listed))
    table = table.set_column(table.column_names.index(column), column, cells)
    with parquet.ParquetWriter(path, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        serialized = base64.b64encode(declared.serialize().to_pybytes())
        writer.add_key_value_metadata({"ARROW:schema": serialized})


def test_what_an_audit_finds_in_the_bytes(release: Path) -> None:
    declared = parquet.read_schema(release)
    rewritten(release, ["north", "south"], declared)
    assert [*parquet_faults(release)] == []
    noted = declared.set(3, declared.field(3).with_metadata({"first": "alone"}))
    for listed, types, why in (
        (["north", "south", "unused"], declared, "entries that no row uses"),
        (["north", "south"], noted, "a column contains metadata"),
        (["north", "south"], declared.with_metadata({"first": "alone"}), "metadata beside its table"),
    ):
        rewritten(release, listed, types)
        assert why in " ".join(parquet_faults(release))


def test_types_whose_names_hold_a_text(release: Path) -> None:
    """Readers of Arrow pass over the name of a type that they do not know."""
    table, declared = parquet.read_table(release), parquet.read_schema(release)
    note = pa.opaque(pa.string(), "the only one of 88 is alone", "somebody")
    cells = [
        pa.ExtensionArray.from_storage(note, column.combine_chunks())
        if name == "note"
        else column.combine_chunks().cast(pa.string()).dictionary_encode()
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    hidden = pa.table(cells, names=table.column_names)
    with parquet.ParquetWriter(release, hidden.schema, store_schema=False) as writer:
        writer.write_table(hidden)
        types = declared.set(4, pa.field("note", note))
        serialized = base64.b64encode(types.serialize().to_pybytes())
        writer.add_key_value_metadata({"ARROW:schema": serialized})
    assert "metadata beside its table" in " ".join(parquet_faults(release))


def test_an_order_that_is_not_the_schemas(release: Path) -> None:
    """A reader of the file sees the order of ordered categories: only the schema's may be there."""
    rewritten(release, ["severe", "mild"], parquet.read_schema(release), "grade")
    manifest = Path(f"{release}.manifest.json")
    content = json.loads(manifest.read_text())
    content["output"]["sha256"] = digest_of(release)
    manifest.write_text(json.dumps(content))
    assert [*parquet_faults(release)] == []
    for original in (None, people()):
        outcome = paretonym.audit(release, schema=schema(), original=original)
        assert [check.name for check in outcome.failed] == ["order of the categories"]
    alone = paretonym.audit(release)
    (check,) = [check for check in alone.checks if check.name == "order of the categories"]
    assert (check.holds, check.why) == (None, "cannot be verified: give the schema")


def test_another_order_in_the_table_of_sensitive_values(tmp_path: Path) -> None:
    people().to_parquet(tmp_path / "people.parquet")
    front = paretonym.Study(tmp_path / "people.parquet", schema()).explore("l", "loss", space="buckets")
    front[0].release(tmp_path / "b.parquet")
    apart, manifest = tmp_path / "b.st.parquet", tmp_path / "b.parquet.manifest.json"
    listed = pandas.read_parquet(apart)["grade"].cat.categories.to_list()
    rewritten(apart, listed[::-1], parquet.read_schema(apart), "grade")
    content = json.loads(manifest.read_text())
    content["output"]["files"][apart.name] = digest_of(apart)
    manifest.write_text(json.dumps(content))
    outcome = paretonym.audit(tmp_path / "b.parquet", schema=schema())
    assert "order of the categories" in {check.name for check in outcome.failed}
