"""Which columns of a finished table are quasi-identifiers and which are sensitive, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paretonym.audits.checks import Check
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.schema_adapter import LEFT_OUT, SchemaLike, has_events, schema_roles
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field, InputError, did_you_mean

RELEASED = ("quasi", "sensitive", "class", "other")


def given_roles(file: TableFile, quasi: Sequence[str], sensitive: Sequence[str]) -> dict[str, str]:
    """Roles as the options name them; every other column is kept as it is."""
    for option, names in ((Field("quasi"), quasi), (Field("sensitive"), sensitive)):
        for name in names:
            if name not in file.names:
                raise InputError.of(
                    option, f"{file.path} has no column '{name}'", did_you_mean(name, file.names)
                )
    both = sorted(set(quasi) & set(sensitive))
    if both:
        raise InputError.of(
            Field("sensitive"), f"'{both[0]}' is in {Field('quasi')} too", "name each column once"
        )
    return {
        name: "quasi" if name in quasi else "sensitive" if name in sensitive else "other"
        for name in file.names
    }


def check_manifest_roles(file: TableFile, manifest: Manifest, bucket: str | None = None) -> Check:
    """Whether the manifest speaks of exactly the file's columns, in their order, each with a role; `bucket`
    is the column of a bucket's number."""
    said, found = list(manifest.roles), list(file.names)
    wrong = [name for name in said if name not in found] + [name for name in found if name not in said]
    unknown = [
        name
        for name, role in manifest.roles.items()
        if (role != "bucket" and role not in RELEASED) or (role == "bucket") != (name == bucket)
    ]
    why = ""
    if wrong:
        why = f"not in both: {', '.join(wrong)}"
    elif said != found:
        why = "the order differs"
    elif unknown:
        why = f"no role of a released column: {', '.join(unknown)}"
    return Check("file", "columns", ", ".join(said), ", ".join(found), not why, why)


def check_schema_roles(file: TableFile, schema: SchemaLike, roles: Mapping[str, str]) -> Check:
    """Whether the roles are those of the schema, and nothing is shown that it leaves out."""
    described = schema_roles(schema, file.names, str(file.path))
    open_ones = [name for name, role in described.items() if role in LEFT_OUT]
    other = [name for name, role in roles.items() if described.get(name, role) != role]
    why = ""
    if open_ones:
        why = f"the schema leaves these out: {', '.join(open_ones)}"
    elif other:
        why = f"the schema gives another role to: {', '.join(other)}"
    return Check("file", "roles", _told(described), _told(roles), not why, why)


def check_schema_rows(schema: SchemaLike, manifest: Manifest) -> list[Check]:
    """Whether manifest and schema agree on what a row is: k of events is no k of people. A manifest of
    version 1 does not say."""
    if manifest.version == 1:
        return []
    said, found = ("events" if e else "people" for e in (manifest.events, has_events(schema)))
    why = "" if said == found else f"the schema says that rows are {found}"
    return [Check("file", "what a row is", said, found, not why, why)]


def _told(roles: Mapping[str, str]) -> str:
    quasi = [name for name, role in roles.items() if role == "quasi"]
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    return f"quasi: {', '.join(quasi) or 'none'}; sensitive: {', '.join(sensitive) or 'none'}"
