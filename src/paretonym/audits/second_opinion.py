"""An audit: everything that a file or its user says about it, measured again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.audits.against_original import Beside, beside_original
from paretonym.audits.bucket_audit import audit_buckets, is_bucketed
from paretonym.audits.checks import Audit, Check, audit_warnings, same
from paretonym.audits.column_roles import (
    check_manifest_roles,
    check_schema_roles,
    check_schema_rows,
    given_roles,
)
from paretonym.audits.manifest_completeness import check_complete, check_labels
from paretonym.audits.manifest_reader import Manifest, read_manifest
from paretonym.audits.requirements import Requirement, asked_requirement
from paretonym.audits.row_groups import count
from paretonym.audits.schema_adapter import SchemaLike, has_events, read_original, schema_roles
from paretonym.audits.sql_engine import engine, reading
from paretonym.audits.sql_measures import FROM_THE_INPUT, Measurer, NotMeasurable, Watched
from paretonym.audits.table_file import TableFile, open_file
from paretonym.audits.written_form import check_form
from paretonym.errors import Field, InputError, did_you_mean


@dataclass(frozen=True, eq=False)
class _Case:
    """What is known before anything is counted."""

    file: TableFile
    manifest: Manifest | None
    roles: Mapping[str, str]
    schema: SchemaLike | None
    checks: tuple[Check, ...]

    def columns(self, role: str) -> dict[str, str]:
        """The places of the columns of a role, by name."""
        return {
            name: self.file.column(name)
            for name, own in self.roles.items()
            if own == role and name in self.file.names
        }


def audit(
    path: str | os.PathLike[str],
    *,
    schema: SchemaLike | None = None,
    require: Iterable[str] = (),
    original: Any = None,
    old: Any = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    encoding: str | None = None,
    separator: str | None = None,
) -> Audit:
    """Measure a finished table as it lies there, and compare with what is claimed or required.

    What is claimed stands in the manifest beside the file; `require` adds requirements such as "k>=5". The
    roles of the columns come from `quasi` and `sensitive` if these are given (the manifest is not looked at
    then), else from the manifest, else from `schema`. With `original` (and the schema) the rows and the
    manifest's statements are checked too; `encoding` and `separator` are the original's. The original of a
    file that `apply` wrote are the new rows; `old` is the table that these were added to.
    """
    requirements = [asked_requirement(text) for text in require]
    if original is not None and schema is None:
        raise InputError.of(
            Field("original"), "what its columns mean is not said", f"give the schema with {Field('schema')}"
        )
    manifest = None if quasi or sensitive else read_manifest(Path(path))
    if original is not None and manifest is None:
        raise InputError.of(
            Field("original"),
            f"there is no manifest beside {path} that says how it was recoded",
            f"put the manifest there, and give no {Field('quasi')} and {Field('sensitive')}",
        )
    if old is not None and (original is None or manifest is None or not manifest.applied):
        raise InputError.of(
            Field("old"),
            "it is for the rows that 'apply' has added to a release, and their original",
            f"give it with a file that 'apply' wrote and with {Field('original')}",
        )
    if manifest is not None and is_bucketed(manifest):
        known = (
            None
            if original is None or schema is None
            else read_original(original, schema, encoding, separator)
        )
        return audit_buckets(Path(path), manifest, requirements, schema, known)
    with engine() as database:
        case = _case(open_file(database, Path(path)), manifest, schema, quasi, sensitive)
        beside = None
        with reading(str(path)):
            measurer = _measurer(case)
            rows = int(database.number(f"select sum(size) from {measurer.counted.name}"))
            written = [] if manifest is None else _written(case.file, manifest)
        if original is not None and manifest is not None and schema is not None:
            known = read_original(original, schema, encoding, separator, old)
            beside = beside_original(case.file.as_meant(), known, manifest)
        checks = [*case.checks, *written, *_judged(case, measurer, rows, requirements, beside)]
        digest = case.file.sha256
    return Audit(
        str(path),
        digest,
        manifest.sha256 if manifest else None,
        rows,
        dict(case.roles),
        tuple(checks),
        audit_warnings(
            manifest.version if manifest else None,
            has_events(schema) or (manifest is not None and manifest.events),
        ),
    )


def _case(
    file: TableFile,
    manifest: Manifest | None,
    schema: SchemaLike | None,
    quasi: Sequence[str],
    sensitive: Sequence[str],
) -> _Case:
    if manifest is not None:
        checks = [check_manifest_roles(file, manifest), *check_complete(manifest)]
        if schema is not None:
            checks.append(check_schema_roles(file, schema, manifest.roles))
            checks += check_schema_rows(schema, manifest)
        return _Case(file, manifest, manifest.roles, schema, tuple(checks))
    if quasi or sensitive:
        return _Case(file, None, given_roles(file, quasi, sensitive), schema, ())
    if schema is None:
        raise InputError.of(
            str(file.path),
            "there is no manifest beside it, so nothing says which columns are quasi-identifiers",
            f"give {Field('schema', 'SCHEMA')}, or {Field('quasi', 'age,zip')} "
            f"{Field('sensitive', 'diagnosis')}",
        )
    roles = schema_roles(schema, file.names, str(file.path))
    return _Case(file, None, roles, schema, (check_schema_roles(file, schema, roles),))


def _written(file: TableFile, manifest: Manifest) -> list[Check]:
    """Whether the file is written as releases are, with the labels that its manifest lists."""
    return [*check_labels(file.as_meant(), manifest), *check_form(file)]


def _measurer(case: _Case) -> Measurer:
    quasi, sensitive = case.columns("quasi"), case.columns("sensitive")
    counted = count(case.file.engine, case.file.view, list(quasi.values()), list(sensitive.values()))
    watched = tuple(Watched(name, place) for name, place in sensitive.items())
    return Measurer(counted, watched, case.manifest.settings if case.manifest else {})


def _judged(
    case: _Case,
    measurer: Measurer,
    rows: int,
    requirements: Sequence[Requirement],
    beside: Beside | None,
) -> list[Check]:
    checks = []
    if case.manifest is not None:
        checks += _against_manifest(case.manifest, case.file, rows)
        claims = case.manifest.claims.items()
        checks += [_claim(measurer, beside, name, said) for name, said in claims]
    checks += [_requirement(measurer, beside, requirement) for requirement in requirements]
    if beside is not None:
        checks += beside.checks
    elif case.manifest is None and not requirements:
        checks += [Check("measure", name, None, measurer.value(name), None) for name in measurer.known]
    return checks


def _against_manifest(manifest: Manifest, file: TableFile, rows: int) -> list[Check]:
    digest, right = file.sha256, manifest.output_sha256
    why = "the file is not the one that the manifest was written for"
    return [
        Check("file", "sha256", right, digest, digest == right, "" if digest == right else why),
        Check("file", "rows", manifest.rows, rows, rows == manifest.rows),
    ]


def _claim(measurer: Measurer, beside: Beside | None, name: str, said: float) -> Check:
    try:
        found = _value(measurer, beside, name)
    except NotMeasurable as reason:
        return Check("claim", name, said, None, False, f"cannot be measured: {reason}")
    return Check("claim", name, said, found, same(said, found))


def _value(measurer: Measurer, beside: Beside | None, name: str) -> float:
    """From the file; what only the input says, from the original."""
    measure = name.partition("@")[0]
    asked = beside.measurer if beside is not None and measure in FROM_THE_INPUT else measurer
    return asked.value(name)


def _requirement(measurer: Measurer, beside: Beside | None, requirement: Requirement) -> Check:
    name = requirement.measure
    known = [*measurer.known, *(beside.measurer.known if beside else ())]
    measure = name.partition("@")[0]
    try:
        from_original = beside is not None and name in beside.measurer.further
        found = beside.measurer.value(name) if beside and from_original else _value(measurer, beside, name)
    except NotMeasurable as reason:
        raise InputError.of(
            Field("require", str(requirement)),
            f"'{name}' cannot be measured: {reason}",
            did_you_mean(measure, known),
        ) from None
    return Check("requirement", str(requirement), None, found, requirement.holds(found))
