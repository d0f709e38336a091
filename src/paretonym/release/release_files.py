"""A release and its manifest as two files that appear together."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.authorship import RELEASE, RELEASE_MANIFEST
from paretonym.outputs import Inputs, Output, new_files
from paretonym.outputs import check_outputs as check_each
from paretonym.recoding.recoding_contract import Recoding
from paretonym.release.release_manifest import manifest, manifest_path
from paretonym.release.release_writer import check_kind, write_release
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import Cost

# Called with the manifest of a release that is written but has no name yet.
Before: TypeAlias = Callable[[dict[str, Any]], None]


def check_outputs(path: Path, force: bool, inputs: Inputs = ()) -> None:
    """Refuse what cannot be written, before any work is done for it."""
    check_kind(path)
    check_each(release_outputs(path, [path])[::-1], force, inputs)


def release_outputs(path: Path, tables: Sequence[Path]) -> list[Output]:
    """The manifest and the tables of the release that is called `path`."""
    described = Output(manifest_path(path), RELEASE_MANIFEST)
    return [described, *(Output(table, RELEASE) for table in tables)]


def publish(
    released: Released,
    path: Path,
    recoding: Recoding,
    cost: Cost,
    force: bool = False,
    before: Before = lambda _: None,
    applied: Mapping[str, int] | None = None,
    inputs: Inputs = (),
) -> dict[str, Any]:
    """Write a release and its manifest, whole or not at all; the manifest is returned.

    `before` is called with it when both are written but have no names yet. The manifest gets its name first:
    a release that is there has its manifest. `applied` is about the older release that these rows lie
    beside; `inputs` are never replaced.
    """
    check_outputs(path, force, inputs)
    with new_files(release_outputs(path, [path]), force, inputs) as (described, data):
        write_release(released, data, path.suffix)
        entry = manifest(released, data, path.suffix, recoding, cost, applied)
        text = json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False)
        described.write_text(text + "\n", encoding="utf-8")
        before(entry)
    return entry
