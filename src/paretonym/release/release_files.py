"""A release and its manifest as files that appear together; a release in buckets is two tables that share the
bucket's number, and one with permuted values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.atomic_files import digest_of
from paretonym.data_address import check_local
from paretonym.outputs import (
    Inputs,
    Kind,
    Output,
    check_outputs,
    new_files,
)
from paretonym.recoding import Recoding
from paretonym.release.bucketized_rows import Bucketed
from paretonym.release.claims import claimed_of_sizes, claims
from paretonym.release.csv_form import USUAL, CsvForm
from paretonym.release.release_manifest import (
    FORMAT,
    counted_as,
    manifest,
    manifest_path,
    numbers,
    shown_recoding,
)
from paretonym.release.release_writer import (
    check_kind,
    folder_digest,
    is_folder,
    names_in_file,
    write_parts,
    write_release,
)
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import Cost
from paretonym.version import __version__

# Called with the manifest of a release that is written but has no name yet.
Before: TypeAlias = Callable[[dict[str, Any]], None]


def check_release(path: Path, force: bool, inputs: Inputs) -> None:
    """Refuse a release that cannot be written, before any work is done for it."""
    check_local(path, "write a CSV or Parquet file, or a folder of Parquet files")
    check_kind(path)
    check_outputs(release_outputs(path, [path])[::-1], force, inputs)


def release_outputs(path: Path, tables: Sequence[Path]) -> list[Output]:
    """The manifest and the tables of the release that is called `path`."""
    described = Output(manifest_path(path), Kind.COMPANION)
    kind = Kind.PARTS if is_folder(path) else Kind.FILE
    return [described, *(Output(table, kind if table == path else Kind.COMPANION) for table in tables)]


def publish(
    released: Released,
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
    described, data = release_outputs(path, [path])
    with new_files([described, data], force, inputs) as (description, draft):
        if is_folder(path):
            files = write_parts(released, draft)
            written = {"sha256": folder_digest(files), "rows": len(released), "files": files}
        else:
            write_release(released, draft, path.suffix, form)
            written = {"sha256": digest_of(draft), "rows": len(released), **_stated(form)}
        entry = manifest(released, written, path.suffix, recoding, cost, applied)
        _write_manifest(entry, description)
        before(entry)
    return entry


def _stated(form: CsvForm) -> dict[str, Any]:
    """The form of a CSV file for its manifest, where it is not the usual one."""
    return {} if form.is_usual else {"form": form.as_json()}


def _write_manifest(entry: Mapping[str, Any], draft: Path) -> None:
    text = json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False)
    draft.write_text(text + "\n", encoding="utf-8")


def bucket_paths(path: Path) -> dict[str, Path]:
    """
    >>> [each.name for each in bucket_paths(Path("out/x.csv")).values()]
    ['x.qit.csv', 'x.st.csv', 'x.csv']
    """
    return {
        "shown": path.with_name(f"{path.stem}.qit{path.suffix}"),
        "apart": path.with_name(f"{path.stem}.st{path.suffix}"),
        "mixed": path,
    }


def publish_buckets(
    bucketed: Bucketed,
    path: Path,
    recoding: Recoding,
    cost: Cost,
    force: bool,
    before: Before,
    inputs: Inputs,
    form: CsvForm,
) -> dict[str, Any]:
    """Write all files of a release in buckets, whole or not at all; the manifest is returned."""
    check_kind(path, parts=False)
    paths = bucket_paths(path)
    with new_files(release_outputs(path, list(paths.values())), force, inputs) as (described, *drafts):
        tables = {"shown": bucketed.shown, "apart": bucketed.apart, "mixed": bucketed.mixed}
        for table, draft in zip(tables.values(), drafts, strict=True):
            write_release(table, draft, path.suffix, form)
        files = dict(zip((each.name for each in paths.values()), map(digest_of, drafts), strict=True))
        entry = _bucket_manifest(bucketed, path, files, recoding, cost, form)
        _write_manifest(entry, described)
        before(entry)
    return entry


def _bucket_manifest(
    bucketed: Bucketed,
    path: Path,
    files: Mapping[str, str],
    recoding: Recoding,
    cost: Cost,
    form: CsvForm,
) -> dict[str, Any]:
    names = names_in_file(bucketed.mixed, path.suffix)
    return {
        "format": FORMAT,
        "output": {
            "sha256": files[path.name],
            "rows": len(bucketed.mixed),
            "files": dict(files),
            **_stated(form),
        },
        "roles": {names[column.name]: column.role for column in bucketed.mixed.columns},
        **counted_as(bucketed.mixed.unit),
        "recoding": shown_recoding(bucketed.mixed, recoding, names, bucketed.column),
        **numbers(bucket_claims(bucketed, names), cost, len(bucketed.mixed)),
        "version": __version__,
    }


def bucket_claims(bucketed: Bucketed, names: Mapping[str, str]) -> dict[str, float]:
    """The claims of a release in buckets: sizes are those of rows that look the same; claims about sensitive
    values are about buckets."""
    of_sizes = {card.name for card in claimed_of_sizes()}
    secret = {name: value for name, value in claims(bucketed.apart, names).items() if name not in of_sizes}
    sizes = {name: value for name, value in claims(bucketed.shown).items() if name in of_sizes}
    return {**sizes, **secret}
