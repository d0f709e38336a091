"""The audit of a release in buckets: two tables that share the bucket's number, and one with mixed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from paretonym.audits.buckets_against_original import BucketMeasurer, beside_buckets
from paretonym.audits.checks import Audit, Check, Requirement
from paretonym.audits.content_digest import check_content
from paretonym.audits.declared_categories import check_category_order
from paretonym.audits.judgement import check_claim, check_requirement, chosen_measurer, outcome
from paretonym.audits.manifest_completeness import (
    check_complete,
    check_manifest_roles,
    check_schema_roles,
    check_schema_rows,
)
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.original_rows import Original
from paretonym.audits.publishable_labels import check_cells
from paretonym.audits.schema_adapter import SchemaLike, schema_orders
from paretonym.audits.sql_classes import count
from paretonym.audits.sql_engine import Engine
from paretonym.audits.sql_measures import Measurer, Watched
from paretonym.audits.table_file import TableFile, open_file
from paretonym.audits.written_form import check_form
from paretonym.errors import InputError

OTHER = "the manifest was written for another file"


def audit_buckets(
    path: Path,
    manifest: Manifest,
    requirements: Sequence[Requirement],
    schema: SchemaLike | None,
    original: Original | None,
    memory: str | None,
) -> Audit:
    """Claims and requirements measured again: sizes of people who look the same, values of buckets. With the
    original its rows and values, and the statements."""
    column = str(manifest.recoding.bucket)
    parts = {
        "shown": f"{path.stem}.qit{path.suffix}",
        "apart": f"{path.stem}.st{path.suffix}",
        "mixed": path.name,
    }
    with Engine.opened(memory) as database, database.reading(str(path)):
        tables = {
            view: open_file(database, path.with_name(name), view, manifest.form)
            for view, name in parts.items()
        }
        own = _bucket_measurer(database, tables, manifest, column)
        rows = int(database.number("select count(*) from mixed"))
        mixed = tables["mixed"].as_meant()
        known, compared = beside_buckets(mixed, column, original, manifest) if original else (None, [])
        checks = [
            *_files(tables, manifest, rows),
            *check_content(mixed, manifest),
            *check_complete(manifest),
            *(check for table in tables.values() for check in check_form(table, table.path.name)),
            *check_category_order(tables.values(), schema_orders(schema)),
            *_columns_apart(tables, manifest, column),
            *_roles(mixed, manifest, column, schema),
            *(check_schema_rows(schema, manifest) if schema is not None else ()),
            *([check_cells(mixed, schema, manifest.recoding)] if schema is not None else ()),
            *_together(database, tables, manifest, column),
            *(check_claim(own, name, said) for name, said in manifest.claims.items()),
            *(
                check_requirement(chosen_measurer(own, known, each.measure, costs=True), each, own.known)
                for each in requirements
            ),
            *compared,
        ]
        return outcome(tables["mixed"], rows, manifest.roles, checks, manifest, schema)


def _columns(table: TableFile, names: Iterable[str]) -> list[str]:
    """The places of columns; an error if one is missing."""
    missing = [name for name in names if name not in table.names]
    if missing:
        wrong = f"the column '{missing[0]}' of the manifest is missing"
        raise InputError.of(str(table.path), wrong, "audit the release as it was written")
    return [table.column(name) for name in names]


def _bucket_measurer(
    database: Engine, tables: dict[str, TableFile], manifest: Manifest, column: str
) -> BucketMeasurer:
    """What measures how people look, and what measures buckets."""
    quasi = [name for name, role in manifest.roles.items() if role == "quasi"]
    looks = count(database, "shown", _columns(tables["shown"], quasi), (), "looks")
    secret = list(manifest.sensitive)
    places = _columns(tables["apart"], secret)
    inside = count(database, "apart", _columns(tables["apart"], [column]), places, "inside")
    watched = tuple(Watched(name, place) for name, place in zip(secret, places, strict=True))
    return BucketMeasurer(
        Measurer(looks, (), manifest.settings), Measurer(inside, watched, manifest.settings)
    )


def _files(tables: dict[str, TableFile], manifest: Manifest, rows: int) -> list[Check]:
    checks = [Check("file", "rows", manifest.rows, rows, rows == manifest.rows)]
    for table in tables.values():
        said = manifest.files.get(table.path.name)
        why = "" if table.sha256 == said else OTHER
        checks.append(Check("file", f"sha256 of {table.path.name}", said, table.sha256, not why, why))
    said, found = manifest.output_sha256, tables["mixed"].sha256
    if said != found:
        checks.append(Check("file", "sha256", said, found, False, OTHER))
    more = len(set(manifest.files) - {table.path.name for table in tables.values()})
    if more:
        why = "the manifest names files that a release in buckets does not have"
        checks.append(Check("file", "files", 0, more, False, why))
    return checks


def _columns_apart(tables: dict[str, TableFile], manifest: Manifest, column: str) -> list[Check]:
    """Each of the two tables has its own columns, and the bucket's number."""
    secret, checks = list(manifest.sensitive), []
    shown = [name for name in tables["mixed"].names if name not in secret]
    for view, names in (("shown", shown), ("apart", [column, *secret])):
        found = list(tables[view].names)
        if found != names:
            why, name = "these are not the columns of this table", f"columns of {tables[view].path.name}"
            checks.append(Check("file", name, ", ".join(names), ", ".join(found), False, why))
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


def _roles(mixed: TableFile, manifest: Manifest, column: str, schema: SchemaLike | None) -> list[Check]:
    """The roles beside the columns, and beside those of the schema, which does not know buckets."""
    own = check_manifest_roles(mixed, manifest, column)
    if schema is None:
        return [own]
    bare = replace(mixed, names=tuple(name for name in mixed.names if name != column))
    roles = {name: role for name, role in manifest.roles.items() if name != column}
    return [own, check_schema_roles(bare, schema, roles)]
