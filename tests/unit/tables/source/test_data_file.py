"""A data file that changes while it is read, or that another one takes the place of."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source.engines import duckdb_counts, read, relation

ONE = {"sex": ["f", "m"] * 50, "age": ["20", "30"] * 50}
TWO = {"sex": ["f", "m"] * 50, "age": ["66", "77"] * 50}


def write(path: Path, columns: dict[str, list[str]]) -> None:
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(columns), path)
        return
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def during(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Something happens once the file is open, before its rows are read."""
    count = relation.count_relation

    def late(*arguments: Any, **further: Any) -> Any:
        happens()
        return count(*arguments, **further)

    monkeypatch.setattr(duckdb_counts, "count_relation", late)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_another_file_takes_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """Nothing else is read than what was opened."""
    path, other = tmp_path / f"data.{ending}", tmp_path / f"other.{ending}"
    write(path, ONE)
    write(other, TWO)
    during(monkeypatch, lambda: os.replace(other, path))  # noqa: PTH105
    with pytest.raises(InputError, match=r"changed while (they were counted|it was)"):
        read(path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("long_ago", [True, False])
def test_it_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, long_ago: bool
) -> None:
    path = tmp_path / f"data.{ending}"
    write(path, ONE)
    if long_ago:
        os.utime(path, (1_000_000_000, 1_000_000_000))
    during(monkeypatch, lambda: write(path, TWO))
    with pytest.raises(InputError, match=r"changed while (they were counted|it was)"):
        read(path)
