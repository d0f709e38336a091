"""The SQL that the page about manifests prints, executed in each of the databases: it gives the digest that
the manifest of the table has."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import paretonym
from tests.postgresql_server import Server, programs, running_server

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "manifest.md"
COLUMNS = {
    "age": {"role": "other", "kept": "yes", "missing": "value"},
    "illness": {"role": "quasi", "missing": "value", "hierarchy": {"flat": True}},
}


def printed() -> dict[str, str]:
    """The queries of the page, by the engine that the words before each name last."""
    found = {}
    before, *parts = PAGE.read_text(encoding="utf-8").split("```sql\n")
    for part in parts:
        query, _, after = part.partition("```")
        found[re.findall(r"DuckDB|SQLite|PostgreSQL", before)[-1].lower()] = query
        before = after
    return found


@pytest.fixture
def solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rows with repeated and missing cells, numbers, and letters of several bytes."""
    monkeypatch.chdir(tmp_path)
    table = pa.table({"age": [7, 7, 40, None, 7, 11], "illness": ["Grippe", "Grippe", "Öl", "Öl", None, "'"]})
    return paretonym.Study(table, {"columns": COLUMNS}).explore("k", "loss")[-1]


def digest(names: Sequence[str], rows: int, lines: Sequence[str]) -> str:
    def sha256(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    first = f"{sha256(''.join(map(sha256, names)))} {rows}"
    return sha256("".join(f"{line}\n" for line in (first, *lines)))


def stated(manifest: str) -> str:
    return str(json.loads(Path(manifest).read_text(encoding="utf-8"))["output"]["content"])


def test_every_engine_has_its_query() -> None:
    assert list(printed()) == ["duckdb", "sqlite", "postgresql"]


def test_duckdb(solution: Any) -> None:
    solution.release("duckdb:///r.duckdb", table="people")
    with duckdb.connect("r.duckdb") as connection:
        lines = [line for (line,) in connection.execute(printed()["duckdb"]).fetchall()]
    assert len(lines) == 5
    assert digest(["age", "illness"], 6, lines) == stated("r.duckdb.people.manifest.json")
    assert digest(["age", "illness"], 6, lines[1:]) != stated("r.duckdb.people.manifest.json")


def test_sqlite(solution: Any) -> None:
    solution.release("sqlite:///r.db", table="people")
    with closing(sqlite3.connect("r.db")) as connection:
        connection.create_function("sha256", 1, lambda text: hashlib.sha256(str(text).encode()).hexdigest())
        lines = [line for (line,) in connection.execute(printed()["sqlite"])]
    assert digest(["age", "illness"], 6, lines) == stated("r.db.people.manifest.json")


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (apt: postgresql)")
@pytest.mark.xdist_group("postgresql")
def test_postgresql(solution: Any, server: Server) -> None:
    pytest.importorskip("adbc_driver_postgresql", reason="pip install 'paretonym[postgres]'")
    solution.release(server.address(), table="people")
    lines = [line for (line,) in server.asked(printed()["postgresql"])]
    assert digest(["age", "illness"], 6, lines) == stated("people.manifest.json")
