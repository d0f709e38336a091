"""A release in buckets as files: two tables that share the bucket's number, one mixed up, and a manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from paretonym.authorship import digest_of
from paretonym.outputs import Inputs, new_files
from paretonym.recoding.recoding_contract import Recoding
from paretonym.release.bucketized_rows import Bucketed
from paretonym.release.claims import OF_SIZES, claims
from paretonym.release.release_files import release_outputs
from paretonym.release.release_manifest import FORMAT, counted_as, numbers, shown_recoding
from paretonym.release.release_writer import check_kind, names_in_file, write_release
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import Cost
from paretonym.version import __version__


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
    force: bool = False,
    before: Callable[[dict[str, Any]], None] = lambda _: None,
    inputs: Inputs = (),
) -> dict[str, Any]:
    """Write all files of a release in buckets, whole or not at all; the manifest is returned."""
    check_kind(path)
    paths = bucket_paths(path)
    with new_files(release_outputs(path, list(paths.values())), force, inputs) as (described, *drafts):
        tables = {"shown": bucketed.shown, "apart": bucketed.apart, "mixed": bucketed.mixed}
        for table, draft in zip(tables.values(), drafts, strict=True):
            write_release(table, draft, path.suffix)
        files = dict(zip((each.name for each in paths.values()), map(digest_of, drafts), strict=True))
        entry = _manifest(bucketed, path, files, recoding, cost)
        text = json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False)
        described.write_text(text + "\n", encoding="utf-8")
        before(entry)
    return entry


def _manifest(
    bucketed: Bucketed,
    path: Path,
    files: Mapping[str, str],
    recoding: Recoding,
    cost: Cost,
) -> dict[str, Any]:
    names = names_in_file(bucketed.mixed, path.suffix)
    return {
        "format": FORMAT,
        "output": {"sha256": files[path.name], "rows": len(bucketed.mixed), "files": dict(files)},
        "roles": {names[column.name]: column.role for column in bucketed.mixed.columns},
        **counted_as(bucketed.mixed.unit),
        "recoding": shown_recoding(bucketed.mixed, recoding, names, bucketed.column),
        **numbers(bucket_claims(bucketed, names), cost, len(bucketed.mixed)),
        "version": __version__,
    }


def bucket_claims(bucketed: Bucketed, names: Mapping[str, str]) -> dict[str, float]:
    """Sizes are those of rows that look the same; what is claimed of sensitive values is about buckets."""
    secret = {name: value for name, value in claims(bucketed.apart, names).items() if name not in OF_SIZES}
    return {**_sizes(bucketed.shown), **secret}


def _sizes(shown: Released) -> dict[str, float]:
    return {name: value for name, value in claims(shown).items() if name in OF_SIZES}
