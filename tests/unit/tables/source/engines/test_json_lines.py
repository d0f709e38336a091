"""JSON lines: cells as texts, columns that appear late, and the same in an engine."""

from __future__ import annotations

from pathlib import Path

from paretonym.tables.source.engines import Wanted, open_source, read

LINES = """{"age": 37, "bmi": 1.50, "smokes": true, "name": "Zoë"}

{"bmi": 1e3, "age": null, "new": "x", "smokes": false, "name": ""}
{"age": "037", "bmi": NaN}
"""


def test_cells_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text(LINES, encoding="utf-8")
    table = read(path)
    found = [[(*c.texts, None)[code] for code in c.codes] for c in table.columns]
    assert table.names == ("age", "bmi", "name", "new", "smokes")
    assert set(zip(*found, strict=True)) == {
        ("37", "1.5", "Zoë", None, "true"),
        (None, "1000.0", None, "x", "false"),
        ("037", "NaN", None, None, None),
    }
    assert table.rows == 3


def test_files_with_different_keys_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "b.ndjson").write_text('{"b": 2}\n{"a": 1}')
    counted = open_source(tmp_path, Wanted())
    assert counted.names == ("a", "b")
    assert (counted.column("a").counts.tolist(), counted.column("a").nulls) == ([2], 1)
    assert (counted.column("b").counts.tolist(), counted.column("b").nulls) == ([1], 2)


def test_the_schema_decides_the_order_of_columns(tmp_path: Path) -> None:
    """Whichever key the first object has: it may be that of a row that is suppressed."""
    wanted = Wanted(order=("age", "bmi"))
    for place, first in enumerate(('{"age": 1, "bmi": 2, "b": 3}', '{"b": 3, "bmi": 2}')):
        path = tmp_path / f"{place}.jsonl"
        path.write_text(f'{first}\n{{"age": 4}}\n')
        found = open_source(path, wanted)
        assert found.names == tuple(column.name for column in found.columns) == ("age", "bmi", "b")


def test_a_csv_file_may_begin_with_a_brace(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("{a},b\n1,2\n")
    assert read(path).names == ("{a}", "b")
