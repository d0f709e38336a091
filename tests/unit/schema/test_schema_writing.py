"""A schema written into a folder reads back as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paretonym.schema.schema_parser import read_schema, schema_from
from paretonym.schema.schema_writer import file_names, write_schema

COLUMNS: dict[str, Any] = {
    "age": {
        "role": "quasi",
        "hierarchy": {"intervals": [0.5, 1.5], "origin": -1},
        "bottom": 1.25,
        "levels": [0, 2],
    },
    "pay": {
        "role": "quasi",
        "hierarchy": {"breaks": [[10, 20.5], [10]]},
        "importance": 0.3,
        "granularity": 2,
    },
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}, "unknown": "top", "missing": "value"},
    "key": {"role": "quasi", "hierarchy": {"keep": (3, 1)}, "type": "text"},
    "day": {"role": "quasi", "hierarchy": {"date": ["month"]}, "format": "%d.%m.%Y"},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}, "order": ["m", "f"]},
    'a "b"\n': {"role": "quasi", "hierarchy": {"tree": ["x", {"Y.z": ["y", {"W": ["w"]}]}, "v"]}},
    "illness": {"role": "sensitive", "level": 0},
    "note": {"role": "other", "kept": "yes"},
}


def test_a_mapping_reads_back(tmp_path: Path) -> None:
    schema = schema_from({"null": ["?"], "missing": "drop", "rows": "events", "columns": COLUMNS})
    write_schema(schema, tmp_path)
    again = read_schema(tmp_path / "schema.toml")
    assert again == schema
    assert again.digest() == schema.digest()


@pytest.mark.parametrize(
    "line", ['hierarchy.file = "sets/a.csv"', "hierarchy = { file = 'sets/a.csv' } # mine"]
)
def test_a_file_keeps_its_text(tmp_path: Path, line: str) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "a.csv").write_text("m;*\nf;*\n")
    text = f'# sets/a.csv is mine\n[columns.sex]\nrole = "quasi"   # who knows\n{line}\n'
    (tmp_path / "people.toml").write_text(text)
    schema = read_schema(tmp_path / "people.toml")
    (tmp_path / "run").mkdir()
    write_schema(schema, tmp_path / "run")
    named = line.replace("'sets/a.csv'", '"a.csv"').replace('"sets/a.csv"', '"a.csv"')
    assert (tmp_path / "run" / "schema.toml").read_text() == text.replace(line, named)
    assert (tmp_path / "run" / "a.csv").read_text() == "m;*\nf;*\n"
    assert read_schema(tmp_path / "run" / "schema.toml") == schema


def test_text_that_cannot_be_rewritten_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "ä.csv").write_text("m;*\n")
    (tmp_path / "people.toml").write_text(
        'columns.sex = {role = "quasi", hierarchy.file = "sets/\\u00e4.csv"}\n'
    )
    schema = read_schema(tmp_path / "people.toml")
    (tmp_path / "run").mkdir()
    write_schema(schema, tmp_path / "run")
    assert read_schema(tmp_path / "run" / "schema.toml") == schema


def test_files_of_one_name_are_numbered_and_equal_files_are_one(tmp_path: Path) -> None:
    for folder, content in (("a", "m;*\n"), ("b", "f;*\n"), ("c", "m;*\n"), ("d", "x;*\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ("SCHEMA.toml" if folder == "d" else "sets.csv")).write_text(content)
    names = {"p": "a/sets.csv", "q": "b/sets.csv", "r": "c/sets.csv", "s": "d/SCHEMA.toml"}
    columns = {name: {"role": "quasi", "hierarchy": {"file": path}} for name, path in names.items()}
    schema = schema_from({"columns": columns}, tmp_path)
    assert list(file_names(schema).values()) == ["sets.csv", "sets-2.csv", "SCHEMA-2.toml"]
    (tmp_path / "run").mkdir()
    write_schema(schema, tmp_path / "run")
    assert read_schema(tmp_path / "run" / "schema.toml") == schema


def test_the_digest_is_of_what_is_said_not_of_how(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[columns.x]\nrole = "quasi"\nhierarchy.intervals = [0.50]\n')
    (tmp_path / "b.toml").write_text(
        'columns.x = {hierarchy = {intervals = [0.5]}, role = "quasi"} # the same\n'
    )
    one, other = read_schema(tmp_path / "a.toml"), read_schema(tmp_path / "b.toml")
    assert one == other
    assert one.digest() == other.digest()
    assert len(one.digest()) == 64


def test_the_digest_sees_files_and_the_order_of_columns(tmp_path: Path) -> None:
    def digest(content: str, *names: str) -> str:
        (tmp_path / "s.csv").write_text(content)
        columns = {name: {"role": "quasi", "hierarchy": {"file": "s.csv"}} for name in names}
        return schema_from({"columns": columns}, tmp_path).digest()

    assert len({digest("a;*", "x", "y"), digest("b;*", "x", "y"), digest("a;*", "y", "x")}) == 3
