"""A release and its manifest as files that appear together; a release in buckets is two tables that share the
bucket's number, and one with permuted values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.base.files import Inputs, Kind, Output, check_outputs, digest_of, new_files
from paretonym.engine.recoding import Recoding
from paretonym.release.bucketized_rows import Bucketed
from paretonym.release.csv_form import USUAL, CsvForm
from paretonym.release.release_manifest import manifest, manifest_path
from paretonym.release.release_writer import check_kind, folder_digest, is_folder, write_parts, write_release
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import Cost
from paretonym.tables.data_address import check_local

# Called with the manifest of a release that is written but has no name yet.
Before: TypeAlias = Callable[[dict[str, Any]], None]


def check_release(path: Path, force: bool, inputs: Inputs) -> None:
    """Refuse a release that cannot be written, before any work is done for it."""
    check_local(path, "write a CSV, Parquet or Excel file, or a folder of Parquet files")
    check_kind(path)
    check_outputs(_outputs(path, [path])[::-1], force, inputs)


def _outputs(path: Path, tables: list[Path]) -> list[Output]:
    """The manifest and the tables of the release that is called `path`."""
    described = Output(manifest_path(path), Kind.COMPANION)
    kind = Kind.PARTS if is_folder(path) else Kind.FILE
    return [described, *(Output(table, kind if table == path else Kind.COMPANION) for table in tables)]


def publish(
    release: Released | Bucketed,
    path: Path,
    recoding: Recoding,
    cost: Cost,
    force: bool = False,
    before: Before = lambda _: None,
    applied: Mapping[str, int] | None = None,
    inputs: Inputs = (),
    form: CsvForm = USUAL,
) -> dict[str, Any]:
    """Write a release and its manifest, completely or not at all; return the manifest.

    `before` is called with it when both are written but have no names yet. The manifest gets its name first:
    a release that is there has its manifest. `applied` describes the older release that these rows belong
    to; `inputs` are never replaced. `form` is that of a CSV file.
    """
    check_release(path, force, inputs)
    check_kind(path, parts=isinstance(release, Released))
    tables = table_paths(release, path)
    with new_files(_outputs(path, list(tables)), force, inputs) as (described, *drafts):
        digests: dict[str, str] = {}
        for (table, rows), draft in zip(tables.items(), drafts, strict=True):
            if is_folder(path):
                digests = write_parts(rows, draft)
            else:
                write_release(rows, draft, path.suffix, form)
                digests[table.name] = digest_of(draft)
        written = {
            "sha256": folder_digest(digests) if is_folder(path) else digests[path.name],
            "rows": len(tables[path]),
            **({"files": digests} if is_folder(path) or len(tables) > 1 else {}),
            **({} if form.is_usual else {"form": form.as_json()}),
        }
        entry = manifest(release, written, path.suffix, recoding, cost, applied)
        text = json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False)
        described.write_text(text + "\n", encoding="utf-8")
        before(entry)
    return entry


def table_paths(release: Released | Bucketed, path: Path) -> dict[Path, Released]:
    """The tables of a release by their files: `x.csv` alone, or `x.qit.csv`, `x.st.csv` and `x.csv`."""
    if isinstance(release, Released):
        return {path: release}
    return {
        path.with_name(f"{path.stem}.qit{path.suffix}"): release.shown,
        path.with_name(f"{path.stem}.st{path.suffix}"): release.apart,
        path: release.mixed,
    }
