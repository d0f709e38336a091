"""Checks that file, manifest and schema agree: columns, roles, what a row is, and digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from paretonym.audit.checks import Check
from paretonym.audit.manifest import EVENTS, PERSONS, RELEASED, Manifest
from paretonym.audit.original import LEFT_OUT, role_in_file
from paretonym.audit.released_table import ReleasedTable
from paretonym.base.errors import Field, InputError, shown

if TYPE_CHECKING:
    from paretonym.tables.schema import Schema

OTHER = "the manifest was written for another file"
NO_FILE = "the manifest was written for a file, and this is none, so its rows may be others"
UNITS = {None: "people", EVENTS: "events", PERSONS: "rows of persons"}


def schema_roles(schema: Schema, names: Sequence[str], place: str) -> dict[str, str]:
    """The role of every column of a file; a column that the schema does not know is a mistake."""
    if unknown := [name for name in names if name not in schema.names]:
        wrong = f"columns that are not in {schema.name}: {shown(unknown)}"
        remedy = f"add them to the schema, or give the roles with {Field('quasi')} and {Field('sensitive')}"
        raise InputError.of(place, wrong, remedy)
    return {name: role_in_file(schema.column(name)) for name in names}


def check_columns(table: ReleasedTable, manifest: Manifest) -> Check:
    """Check that the columns of the manifest are those of the file, each with a role that a release shows."""
    stated, names, bucket = list(manifest.roles), list(table.names), manifest.recoding.bucket
    odd = [
        name
        for name, role in manifest.roles.items()
        if (role == "bucket") != (name == bucket) or role not in (*RELEASED, "bucket")
    ]
    reason = f"not the role of a released column: {', '.join(odd)}" if odd else ""
    if wrong := [name for name in (*stated, *names) if (name in stated) != (name in names)]:
        reason = f"not in both: {', '.join(wrong)}"
    elif stated != names:
        reason = "the order differs"
    return Check("file", "columns", ", ".join(stated), ", ".join(names), not reason, reason)


def check_roles(
    table: ReleasedTable, schema: Schema, roles: Mapping[str, str], bucket: str | None = None
) -> Check:
    """Check that the roles are those of the schema, and nothing is shown that it leaves out."""
    by_schema = schema_roles(schema, [name for name in table.names if name != bucket], table.place)
    roles = {name: role for name, role in roles.items() if name != bucket}
    left_out = [name for name, role in by_schema.items() if role in LEFT_OUT]
    other = [name for name, role in roles.items() if by_schema.get(name, role) != role]
    reason = f"the schema gives another role to: {', '.join(other)}" if other else ""
    if left_out:
        reason = f"the schema does not release these: {', '.join(left_out)}"
    return Check("file", "roles", _in_words(by_schema), _in_words(roles), not reason, reason)


def check_unit(manifest: Manifest, schema: Schema) -> Iterator[Check]:
    """Check that manifest and schema agree on what a row is, and on what is suppressed as a whole."""
    stated, by_schema = UNITS[manifest.counts], "people" if schema.rows == "people" else "events"
    by_schema = by_schema if schema.person is None else UNITS[PERSONS]
    reason = "" if stated == by_schema else f"the schema says that rows are {by_schema}"
    yield Check("file", "what a row is", stated, by_schema, not reason, reason)
    unit = manifest.unit or "row"
    if manifest.recoding.bucket is None and unit != schema.suppress_unit:
        reason = f"the schema says that it is a {schema.suppress_unit}"
        yield Check("file", "what is suppressed", unit, schema.suppress_unit, False, reason)


def check_digests(table: ReleasedTable, manifest: Manifest) -> Iterator[Check]:
    """Check that the files, and their numbers of rows, are those that the manifest was written for."""
    stated, rows = manifest.output_sha256, table.rows
    reason = "" if table.sha256 == stated else OTHER if table.files else NO_FILE
    yield Check("file", "sha256", stated, table.sha256, not reason, reason)
    for name in sorted({*manifest.files, *(table.digests if table.in_parts else ())}):
        stated_part, digest = manifest.files.get(name), table.digests.get(name)
        reason = "" if stated_part == digest else OTHER
        if digest is None:
            reason = "this file is missing"
        elif stated_part is None:
            reason = "the manifest does not name this file"
        yield Check("file", f"sha256 of {name}", stated_part, digest, not reason, reason)
    yield Check("file", "rows", manifest.rows, rows, rows == manifest.rows)


def _in_words(roles: Mapping[str, str]) -> str:
    parts = []
    for role in ("quasi", "sensitive"):
        names = [name for name, own_role in roles.items() if own_role == role]
        parts.append(f"{role}: {', '.join(names) or 'none'}")
    return "; ".join(parts)
