"""Texts that are grouped by their places in a list are those that a reader in memory finds, also where the
dictionaries of a file do not hold all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym.source.engines import Wanted, open_source, read, text_codes
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.file_relation import FileSet
from paretonym.source.table_counts import Counts

ODD = ["a", "a ", "A", "", None, "it's", "\u00e9", "e\u0301", "a\0b", "[null]", "NULL", "{}", "-0"]
TABLE = pa.table({
    "odd": pa.array(ODD * 3),
    "none": pa.nulls(39, pa.string()),
    "one": pa.array(["x"] * 39),
    "category": pa.array(["b", "a", None] * 13).dictionary_encode(),
    "many": pa.array([f"text {number % 30}" for number in range(39)]),
    "number": pa.array([*range(38), None]),
})  # fmt: skip


def in_memory(*paths: Path) -> Counter[tuple[str | None, ...]]:
    rows: Counter[tuple[str | None, ...]] = Counter()
    for path in paths:
        table = read(path)
        cells = [[[*c.texts, None][code] for code in c.codes.tolist()] for c in table.columns]
        rows.update(zip(*cells, strict=True))
    return rows


def counted(path: Path | str) -> Counter[tuple[str | None, ...]]:
    table = open_source(path, Wanted(), engine="duckdb")
    assert isinstance(table, Counts)
    cells = [[[*c.texts, None][code] for code in c.codes.tolist()] for c in table.columns]
    rows = list(zip(*cells, strict=True))
    found: Counter[tuple[str | None, ...]] = Counter()
    for row, weight in zip(rows, table.weights.tolist(), strict=True):
        found[row] += weight
    return found


def texts_of(path: Path, names: list[str]) -> dict[int, list[str]]:
    return ParquetRelation(FileSet.at(str(path))).texts(names)


FORMS: dict[str, dict[str, Any]] = {
    "dictionaries": {},
    "groups": {"row_group_size": 4},
    # The first pages have a dictionary, the others texts that are not in it.
    "overflow": {"dictionary_pagesize_limit": 20, "data_page_size": 10, "write_batch_size": 2},
    "plain": {"use_dictionary": False},
    "version 2": {"data_page_version": "2.0", "compression": "zstd"},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(TABLE, path, **FORMS[form])
    assert counted(path) == in_memory(path)


def test_what_dictionaries_hold(tmp_path: Path) -> None:
    path, names = tmp_path / "table.parquet", list(TABLE.column_names)
    parquet.write_table(TABLE, path, row_group_size=4)
    assert texts_of(path, names)[0] == sorted({text for text in ODD if text is not None})
    assert texts_of(path, ["category", "number"]) == {0: ["a", "b"]}
    parquet.write_table(TABLE, path, use_dictionary=["one"])
    assert texts_of(path, names) == {2: ["x"]}
    parquet.write_table(TABLE, path, **FORMS["overflow"])
    assert 0 < len(texts_of(path, names)[4]) < 30


def test_long_lists_are_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(TABLE, path)
    monkeypatch.setattr(text_codes, "MOST_TEXTS", 2)
    coded: list[list[int]] = []
    before = text_codes.TextCodes.count

    def count(self: text_codes.TextCodes, *given: Any) -> text_codes.TextCodes:
        coded.append(list(self.texts))
        return before(self, *given)

    monkeypatch.setattr(text_codes.TextCodes, "count", count)
    assert counted(path) == in_memory(path)
    assert coded[0] == [2, 3]


def test_several_files(tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{number}.parquet" for number in range(3))
    parquet.write_table(TABLE, first)
    shorter = TABLE.slice(5, 3)
    parquet.write_table(shorter, second, **FORMS["overflow"])
    parquet.write_table(TABLE.slice(0, 0), third)
    assert counted(tmp_path) == in_memory(first, second)
