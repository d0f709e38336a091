"""What is known of a released file before it is attacked: the role of every column and how it was recoded.

A manifest is read with patience: of any version, only for roles and recoding. None of its claims is believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paretonym.audits.manifest_reader import EVENTS, manifest_path
from paretonym.audits.schema_adapter import LEFT_OUT, SchemaLike, has_events, schema_roles
from paretonym.audits.stated_recoding import BY_LABELS, StatedRecoding, stated_recoding
from paretonym.audits.table_file import meant
from paretonym.errors import InputError, shown

FAMILY = "paretonym.manifest/"
BUCKET = "bucket"


@dataclass(frozen=True, eq=False)
class Description:
    """The roles of a file's columns, in their order, and what its manifest says of the recoding."""

    path: Path
    roles: Mapping[str, str]
    recoding: StatedRecoding
    # Whether schema or manifest say that one person may be several rows.
    events: bool = False

    @property
    def bucket(self) -> str | None:
        """The column with the number of the bucket, of a release in buckets."""
        return self.recoding.bucket

    def named(self, *roles: str) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def kept(self) -> list[str]:
        """The columns that are shown as they are."""
        return [name for name, role in self.roles.items() if role not in ("quasi", BUCKET)]

    @property
    def recoding_for_rows(self) -> StatedRecoding:
        """How original rows are recoded: by levels, or else by reading labels, which may overlap."""
        return self.recoding if self.recoding.levels is not None or self.recoding.in_groups else BY_LABELS


def describe(path: Path, names: Sequence[str], parquet: bool, schema: SchemaLike | None) -> Description:
    """What manifest and schema say of a file; where both do, roles are those of the schema."""
    manifest = _manifest(path, parquet)
    if manifest is None and schema is None:
        raise InputError.of(
            str(path),
            f"there is no {manifest_path(path).name} beside it, and no schema",
            "put its manifest there, or say with --schema what its columns mean",
        )
    said, recoding, events = manifest or ({}, StatedRecoding(), False)
    bucket = recoding.bucket
    if bucket is not None and bucket not in names:
        raise _odd(path, f"the column '{bucket}' of the manifest is not in the file")
    if schema is None:
        return Description(path, _by_manifest(path, names, said, bucket), recoding, events)
    roles = schema_roles(schema, [name for name in names if name != bucket], str(path))
    stray = [name for name, role in roles.items() if role in LEFT_OUT]
    if stray:
        wrong = f"its columns are not those that the schema releases: {shown(stray)}"
        raise InputError.of(str(path), wrong, "give its own schema")
    named = {n: BUCKET if n == bucket else roles[n] for n in names}
    return Description(path, named, recoding, events or has_events(schema))


def _by_manifest(
    path: Path, names: Sequence[str], said: Mapping[str, str], bucket: str | None
) -> dict[str, str]:
    differ = sorted(set(names) ^ set(said))
    if differ:
        raise _odd(path, f"columns are not in both the file and the manifest: {shown(differ)}")
    return {name: BUCKET if name == bucket else said[name] for name in names}


def _manifest(path: Path, parquet: bool) -> tuple[dict[str, str], StatedRecoding, bool] | None:
    """Roles and recoding, by the names that the columns had before they were made harmless for CSV; whether
    rows are events."""
    beside = manifest_path(path)
    if not beside.exists():
        return None
    try:
        document = json.loads(beside.read_text(encoding="utf-8"))
        if not (str(document["format"]).startswith(FAMILY) and isinstance(document["recoding"], dict)):
            raise ValueError(FAMILY)
        named = str if parquet else meant
        roles = {named(str(name)): str(role) for name, role in document["roles"].items()}
        recoding = stated_recoding(document["recoding"], named)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _odd(path, "this is no manifest of a release") from None
    return roles, recoding, document.get("rows") == EVENTS


def _odd(path: Path, wrong: str) -> InputError:
    return InputError.of(
        str(manifest_path(path)),
        wrong,
        "get the manifest again from whoever made the release, or move it away and give --schema",
    )
