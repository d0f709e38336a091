"""Buckets audited: both tables as they lie there, and the mixed one beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from paretonym.audits.buckets_against_original import BesideBuckets, beside_buckets
from paretonym.audits.checks import Audit, Check, audit_warnings, same
from paretonym.audits.column_roles import check_manifest_roles, check_schema_roles, check_schema_rows
from paretonym.audits.manifest_completeness import check_complete
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.requirements import Requirement
from paretonym.audits.row_groups import count
from paretonym.audits.schema_adapter import Original, SchemaLike, has_events
from paretonym.audits.sql_engine import Engine, engine, reading
from paretonym.audits.sql_measures import FROM_THE_INPUT, SIZES, Measurer, NotMeasurable, Watched
from paretonym.audits.table_file import TableFile, open_file
from paretonym.audits.written_form import check_form
from paretonym.errors import Field, InputError, did_you_mean


def is_bucketed(manifest: Manifest | None) -> bool:
    """Whether a manifest is that of a release in buckets."""
    return manifest is not None and "buckets" in manifest.recoding


def audit_buckets(
    path: Path,
    manifest: Manifest,
    requirements: Sequence[Requirement],
    schema: SchemaLike | None = None,
    original: Original | None = None,
) -> Audit:
    """Claims and requirements measured again: sizes of people who look the same, values of buckets. With the
    original its rows and values, and the statements."""
    column = str(manifest.recoding["column"])
    with engine() as database, reading(str(path)):
        tables = {view: open_file(database, each, view) for view, each in _paths(path).items()}
        sizes, values = _measurers(database, tables, manifest, column)
        rows = int(database.number("select count(*) from mixed"))
        mixed = tables["mixed"].as_meant()
        known, compared = _beside(mixed, column, original, manifest)
        checks = [
            *_files(tables, manifest, rows),
            *check_complete(manifest),
            *(check for table in tables.values() for check in check_form(table, table.path.name)),
            *_roles(mixed, manifest, column, schema),
            *(check_schema_rows(schema, manifest) if schema is not None else ()),
            *_together(database, tables, manifest, column),
            *(_claim(sizes, values, name, said) for name, said in manifest.claims.items()),
            *(_required(sizes, values, each, known) for each in requirements),
            *compared,
        ]
        digest = tables["mixed"].sha256
    warnings = audit_warnings(manifest.version, manifest.events or has_events(schema))
    return Audit(str(path), digest, manifest.sha256, rows, dict(manifest.roles), tuple(checks), warnings)


def _paths(path: Path) -> dict[str, Path]:
    return {
        "shown": path.with_name(f"{path.stem}.qit{path.suffix}"),
        "apart": path.with_name(f"{path.stem}.st{path.suffix}"),
        "mixed": path,
    }


def _with_role(manifest: Manifest, role: str) -> list[str]:
    return [name for name, own in manifest.roles.items() if own == role]


def _columns(table: TableFile, names: Iterable[str]) -> list[str]:
    """Where columns stand; the mistake if one is not there."""
    missing = [name for name in names if name not in table.names]
    if missing:
        wrong = f"the column '{missing[0]}' of the manifest is not there"
        raise InputError.of(str(table.path), wrong, "audit the release as it was written")
    return [table.column(name) for name in names]


def _measurers(
    database: Engine, tables: dict[str, TableFile], manifest: Manifest, column: str
) -> tuple[Measurer, Measurer]:
    """What measures how people look, and what measures buckets."""
    looks = count(database, "shown", _columns(tables["shown"], _with_role(manifest, "quasi")), (), "looks")
    secret = _with_role(manifest, "sensitive")
    places = _columns(tables["apart"], secret)
    inside = count(database, "apart", _columns(tables["apart"], [column]), places, "inside")
    watched = tuple(Watched(name, place) for name, place in zip(secret, places, strict=True))
    return Measurer(looks, (), manifest.settings), Measurer(inside, watched, manifest.settings)


def _files(tables: dict[str, TableFile], manifest: Manifest, rows: int) -> list[Check]:
    checks = [Check("file", "rows", manifest.rows, rows, rows == manifest.rows)]
    for table in tables.values():
        said = manifest.files.get(table.path.name)
        why = "" if table.sha256 == said else "the file is not the one that the manifest was written for"
        checks.append(Check("file", f"sha256 of {table.path.name}", said, table.sha256, not why, why))
    return checks


def _together(database: Engine, tables: dict[str, TableFile], manifest: Manifest, column: str) -> list[Check]:
    """The mixed table must be made of the same rows as the other two."""
    checks = []
    for view, name in (("shown", "rows without sensitive values"), ("apart", "sensitive values by bucket")):
        wanted = list(tables[view].names)
        mine = ", ".join(_columns(tables[view], wanted))
        mixed = ", ".join(_columns(tables["mixed"], wanted))
        more = f"select count(*) from (select {mine} from {view} except all select {mixed} from mixed)"
        less = f"select count(*) from (select {mixed} from mixed except all select {mine} from {view})"
        odd = int(database.number(more)) + int(database.number(less))
        why = "" if odd == 0 else f"{odd:,} {'row is' if odd == 1 else 'rows are'} not in both tables"
        checks.append(Check("file", f"{name} agree", 0, odd, odd == 0, why))
    return checks


def _beside(
    mixed: TableFile, column: str, original: Original | None, manifest: Manifest
) -> tuple[BesideBuckets | None, list[Check]]:
    return (None, []) if original is None else beside_buckets(mixed, column, original, manifest)


def _roles(mixed: TableFile, manifest: Manifest, column: str, schema: SchemaLike | None) -> list[Check]:
    """The roles beside the columns, and beside those of the schema, which does not know buckets."""
    own = check_manifest_roles(mixed, manifest, column)
    if schema is None:
        return [own]
    bare = replace(mixed, names=tuple(name for name in mixed.names if name != column))
    roles = {name: role for name, role in manifest.roles.items() if name != column}
    return [own, check_schema_roles(bare, schema, roles)]


def _value(sizes: Measurer, values: Measurer, name: str) -> float:
    return (sizes if name in SIZES else values).value(name)


def _claim(sizes: Measurer, values: Measurer, name: str, said: float) -> Check:
    try:
        found = _value(sizes, values, name)
    except NotMeasurable as reason:
        return Check("claim", name, said, None, False, f"cannot be measured: {reason}")
    return Check("claim", name, said, found, same(said, found))


def _required(
    sizes: Measurer, values: Measurer, requirement: Requirement, beside: BesideBuckets | None
) -> Check:
    """What the files show is measured from them; what only the input says, from the original."""
    name = requirement.measure
    from_original = name.partition("@")[0] in FROM_THE_INPUT or (beside and name in beside.looks.further)
    try:
        found = beside.value(name) if beside and from_original else _value(sizes, values, name)
    except NotMeasurable as reason:
        known = [*SIZES, *(each for each in values.known if each not in SIZES)]
        raise InputError.of(
            Field("require", str(requirement)),
            f"'{name}' cannot be measured: {reason}",
            did_you_mean(name.partition("@")[0], known),
        ) from None
    return Check("requirement", str(requirement), None, found, requirement.holds(found))
