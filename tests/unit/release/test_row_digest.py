"""The digest of a folder's rows: the same from every layout and every engine, another one for other rows."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym.audit import released_table
from paretonym.audit.released_table import digest_of_parts
from paretonym.release import release_parts

ROWS = 60
COLUMNS: dict[str, list[Any]] = {
    "age": [20 + n % 12 for n in range(ROWS)],
    "illness": ["flu", "=gout", " a,\n'b'", "Grüße", None] * (ROWS // 5),
    "visits": [None if n % 7 == 0 else 2**60 + n % 3 for n in range(ROWS)],
    "dose": [(0.1, 2.0, -0.0, 1e-7, 1e22)[n % 5] for n in range(ROWS)],
    "price": [Decimal(("1.50", "0.000000001", "-3")[n % 3]).quantize(Decimal("1e-9")) for n in range(ROWS)],
    "born": [date(1950 + n % 3, 2, 3) for n in range(ROWS)],
    "insured": [n % 4 == 0 for n in range(ROWS)],
}
SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5]}},
        "illness": {"role": "sensitive"},
        **{name: {"role": "other", "kept": "yes"} for name in list(COLUMNS)[2:]},
    },
}


def released(folder: Path, columns: dict[str, Any] = COLUMNS, schema: Any = SCHEMA) -> Path:
    front = paretonym.Study(pa.table(columns), schema).explore("k", "loss", suppress=0)
    return Path(front[-1].release(folder / "r"))


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(release_parts, "PART_ROWS", 25)
    monkeypatch.setattr(released_table, "ROWS_OF_PART", 25)
    return released(tmp_path)


def manifest(release: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(release.with_name("r.manifest.json").read_text())
    return found


def describe(release: Path, **changes: Any) -> None:
    """The manifest with the digests of the files that are there now."""
    entry = manifest(release)
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(release.iterdir())}
    entry["output"] |= {"sha256": digest_of_parts(files), "files": files, **changes}
    release.with_name("r.manifest.json").write_text(json.dumps(entry))


def failed(release: Path) -> list[str]:
    return [check.name for check in paretonym.audit(release).failed]


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def plain_digest(names: list[str], rows: list[tuple[str, ...]]) -> str:
    """As the definition says, row by row."""
    counted = Counter(hashed("".join(map(hashed, row))) for row in rows)
    lines = [
        f"{hashed(''.join(map(hashed, names)))} {len(rows)}",
        *(f"{h} {counted[h]}" for h in sorted(counted)),
    ]
    return hashed("\n".join(lines) + "\n")


def test_a_folder_has_the_digest_of_its_rows(release: Path) -> None:
    assert len(list(release.iterdir())) == 3
    assert paretonym.audit(release).passed
    files = f"'{release}/*.parquet'"
    names = [name for name, *_ in duckdb.execute(f"from {files}").description or ()]
    dose = names.index("dose")
    rows = []
    for row in duckdb.execute(f"select columns(*)::varchar from {files}").fetchall():
        cells = ["" if cell is None else cell for cell in row]
        cells[dose] = {"2.0": "2", "0.0": "0"}.get(cells[dose], cells[dose])
        rows.append(tuple(cells))
    assert manifest(release)["output"]["content"] == plain_digest(names, rows)


def test_another_layout_has_the_same_digest(release: Path) -> None:
    """The bytes are other ones, and fail; the rows are the same."""
    rows = polars.read_parquet(release / "*.parquet").reverse()
    for part in release.iterdir():
        part.unlink()
    rows[:10].write_parquet(release / "a.parquet")
    rows[10:].write_parquet(release / "b.parquet")
    assert "sha256 of the rows" not in failed(release)
    assert {"sha256", "sha256 of a.parquet", "rows sorted"} <= set(failed(release))


def test_other_rows_have_another_digest(release: Path) -> None:
    part = release / "part-00001.parquet"
    table = parquet.read_table(part)
    honest, content = part.read_bytes(), manifest(release)["output"]["content"]
    flipped = pa.array([not value for value in table.column("insured").to_pylist()])
    for forged in (
        table.set_column(6, "insured", flipped),
        table.slice(1),
        pa.concat_tables([table, table[:1]]),
    ):
        parquet.write_table(forged, part, store_schema=False)
        describe(release)
        assert "sha256 of the rows" in failed(release)
    part.write_bytes(honest)
    # Names count, and so does a digest that nobody needs.
    describe(release, content=hashed("other"))
    assert failed(release) == ["sha256 of the rows"]
    describe(release, content=content)
    assert failed(release) == []


def test_older_manifests_have_none(release: Path) -> None:
    entry = manifest(release)
    del entry["output"]["content"]
    release.with_name("r.manifest.json").write_text(json.dumps(entry))
    assert paretonym.audit(release).passed


def test_a_file_with_a_wrong_one_fails(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    paretonym.Study(pa.table(COLUMNS), SCHEMA).explore("k", "loss", suppress=0)[-1].release(path)
    beside = tmp_path / "r.csv.manifest.json"
    entry = json.loads(beside.read_text())
    assert "content" not in entry["output"]
    entry["output"]["content"] = hashed("a message")
    beside.write_text(json.dumps(entry))
    assert failed(path) == ["sha256 of the rows"]


def test_single_precision_has_no_text_that_all_engines_share(tmp_path: Path) -> None:
    columns = {"age": COLUMNS["age"], "dose": pa.array([0.1] * ROWS, pa.float32())}
    kept = {"age": SCHEMA["columns"]["age"], "dose": {"role": "other", "kept": "yes"}}
    release = released(tmp_path, columns, {"columns": kept})
    assert "content" not in manifest(release)["output"]
    assert paretonym.audit(release).passed
