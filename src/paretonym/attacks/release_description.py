"""What is known of a released file before it is attacked: the role of every column and how it was recoded.

A manifest is read with patience: of any version, only for roles and recoding. None of its claims is believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.audits.manifest_reader import EVENTS, manifest_path
from paretonym.audits.schema_adapter import LEFT_OUT, SchemaLike, has_events, schema_roles
from paretonym.audits.spreadsheet_cells import meant
from paretonym.errors import Field, InputError, shown

FAMILY = "paretonym.manifest/"
BUCKET = "bucket"
# A file without a manifest: its labels are read one by one, and may overlap.
READ_BY_LABELS: Mapping[str, Any] = {"space": "mondrian"}


@dataclass(frozen=True, eq=False)
class Description:
    """The roles of a file's columns, in their order, and what its manifest says of the recoding."""

    path: Path
    roles: Mapping[str, str]
    recoding: Mapping[str, Any]
    # Whether schema or manifest say that one person may be several rows.
    events: bool = False

    @property
    def bucket(self) -> str | None:
        """The column with the number of the bucket, of a release in buckets."""
        return str(self.recoding["column"]) if "buckets" in self.recoding else None

    def named(self, *roles: str) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def kept(self) -> list[str]:
        """The columns that are shown as they are."""
        return [name for name, role in self.roles.items() if role not in ("quasi", BUCKET)]

    @property
    def recoding_for_rows(self) -> Mapping[str, Any]:
        """How original rows are recoded: by levels, or else by reading labels."""
        if isinstance(self.recoding.get("levels"), dict) or self.recoding.get("space") == "cuts":
            return self.recoding
        return READ_BY_LABELS


def describe(path: Path, names: Sequence[str], parquet: bool, schema: SchemaLike | None) -> Description:
    """What manifest and schema say of a file; where both do, roles are those of the schema."""
    manifest = _manifest(path, parquet)
    if manifest is None and schema is None:
        raise InputError.of(
            str(path),
            f"there is no {manifest_path(path).name} beside it, and no schema",
            f"put its manifest there, or say with {Field('schema')} what its columns mean",
        )
    said, recoding, events = manifest or ({}, {}, False)
    bucket = str(recoding["column"]) if "buckets" in recoding else None
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


def _manifest(path: Path, parquet: bool) -> tuple[dict[str, str], dict[str, Any], bool] | None:
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
        recoding = dict(document["recoding"])
        if isinstance(recoding.get("levels"), dict):
            recoding["levels"] = {named(str(n)): level for n, level in recoding["levels"].items()}
        if "buckets" in recoding:
            recoding["column"] = named(str(recoding["column"]))
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _odd(path, "this is no manifest of a release") from None
    return roles, recoding, document.get("rows") == EVENTS


def _odd(path: Path, wrong: str) -> InputError:
    return InputError.of(
        str(manifest_path(path)),
        wrong,
        f"get the manifest again from whoever made the release, or move it away and give {Field('schema')}",
    )
