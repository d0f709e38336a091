"""The SQL that the page about manifests prints, executed: it gives the digest that the manifest has."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import paretonym

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "manifest.md"
COLUMNS = {
    "age": {"role": "other", "kept": "yes", "missing": "value"},
    "illness": {"role": "quasi", "missing": "value", "hierarchy": {"flat": True}},
}


def printed() -> str:
    """The query of the page."""
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(query)


@pytest.fixture
def solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rows with repeated and missing cells, numbers, and letters of several bytes."""
    monkeypatch.chdir(tmp_path)
    table = pa.table({"age": [7, 7, 40, None, 7, 11], "illness": ["Grippe", "Grippe", "Öl", "Öl", None, "'"]})
    return paretonym.Study(table, {"columns": COLUMNS}).explore("k", "loss", space="lattice")[-1]


def digest(names: Sequence[str], rows: int, lines: Sequence[str]) -> str:
    def sha256(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    first = f"{sha256(''.join(map(sha256, names)))} {rows}"
    return sha256("".join(f"{line}\n" for line in (first, *lines)))


def stated(manifest: str) -> str:
    return str(json.loads(Path(manifest).read_text(encoding="utf-8"))["output"]["content"])


def test_duckdb(solution: Any) -> None:
    solution.release("people")
    lines = [line for (line,) in duckdb.execute(printed()).fetchall()]
    assert len(lines) == 5
    assert digest(["age", "illness"], 6, lines) == stated("people.manifest.json")
    assert digest(["age", "illness"], 6, lines[1:]) != stated("people.manifest.json")
