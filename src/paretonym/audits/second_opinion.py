"""The audit: everything that a file or its user states about it, measured again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paretonym.audits.against_original import Beside, beside_original, check_both
from paretonym.audits.bucket_audit import audit_buckets
from paretonym.audits.checks import NOT_APPLICABLE, Audit, Check, Requirement, asked_requirement
from paretonym.audits.content_digest import check_content
from paretonym.audits.declared_categories import check_category_order
from paretonym.audits.judgement import check_claim, check_requirement, chosen_measurer, outcome
from paretonym.audits.manifest_completeness import (
    check_complete,
    check_labels,
    check_manifest_roles,
    check_schema_roles,
    check_schema_rows,
    given_roles,
)
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.named_release import NamedRelease
from paretonym.audits.original_rows import Original
from paretonym.audits.population_estimates import alone, check_estimates
from paretonym.audits.publishable_labels import check_cells
from paretonym.audits.schema_adapter import (
    DataForm,
    OriginalData,
    SchemaLike,
    finished_file,
    has_events,
    has_households,
    has_persons,
    read_population,
    schema_of,
    schema_orders,
    schema_roles,
)
from paretonym.audits.sql_classes import count
from paretonym.audits.sql_engine import Engine
from paretonym.audits.sql_households import check_households
from paretonym.audits.sql_measures import Measurer, Watched
from paretonym.audits.sql_persons import check_stated, check_unsettled, check_unshown
from paretonym.audits.sql_population import beside_population, check_population
from paretonym.audits.table_file import TableFile
from paretonym.audits.written_form import check_form
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError


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


# How messages name what is no file.
FRAME = "the dataframe"


def audit(
    path: Data,
    *,
    schema: SchemaLike | None = None,
    require: Iterable[str] = (),
    original: Data | None = None,
    old: Data | None = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    encoding: str | None = None,
    separator: str | None = None,
    engine: str | None = None,
    memory: str | None = None,
    original_table: str | None = None,
    original_query: str | None = None,
    old_table: str | None = None,
    old_query: str | None = None,
    table: str | None = None,
    manifest: str | os.PathLike[str] | None = None,
    population_file: Data | None = None,
) -> Audit:
    """Measure a finished table, and compare the results with what is claimed or required.

    `path` is a file, a folder with parts of one table, or a pattern ("parts/*.parquet"); `memory` is a limit
    ("4GB") for DuckDB. Or it is the address of a database ("duckdb:///public.duckdb") with a `table`, or a
    dataframe.

    The claims are in the manifest beside the file, or in the file `manifest`; `require` adds requirements
    such as "k>=5". The roles of the columns come from `quasi` and `sensitive` if these are given (the
    manifest is then ignored), otherwise from the manifest, otherwise from `schema`. With `original` (and the
    schema) the rows and the manifest's statements are checked too; it may be whatever a `Study` takes, with
    its `encoding`, `separator` and `engine`, and `original_table` or `original_query` of a database. The
    original of a file that `apply` wrote are the new rows; `old` is the table that these were added to. With
    `population_file` (and the schema), a table of the people whom the rows were drawn from, k-map and
    presence are measured.
    """
    if not isinstance(path, str | os.PathLike):
        # It has no manifest: what is required of it is measured.
        if original is not None or old is not None or manifest is not None:
            wrong = "a dataframe has no manifest, so nothing says how it was recoded"
            raise InputError.of(Field("original"), wrong, "release into a file, and audit that")
        with finished_file(path) as file:
            found = audit(
                file, schema=schema, require=require, quasi=quasi, sensitive=sensitive, encoding=encoding,
                separator=separator, engine=engine, memory=memory,
                population_file=population_file,
            )  # fmt: skip
        return replace(found, path=FRAME)
    requirements = [asked_requirement(text) for text in require]
    release = NamedRelease.of(path, table, manifest)
    said = None if quasi or sensitive else release.manifest()
    _check_options(release.place, said, schema, original, old)
    _check_population(release.place, said, schema, population_file)
    shared = (encoding, separator, engine, memory)
    given = OriginalData(
        original,
        DataForm("original", *shared, original_table, original_query),
        old,
        DataForm("old", *shared, old_table, old_query),
    )
    given.check()
    # Read once: whatever is checked is checked by the same schema.
    schema = None if schema is None else schema_of(schema)

    def known() -> Original | None:
        return None if original is None or schema is None else given.read(schema)

    def people() -> Original | None:
        if population_file is None or schema is None:
            return None
        return read_population(population_file, DataForm("population_file", *shared), schema)

    if said is not None and said.recoding.bucket is not None:
        return audit_buckets(release.of_buckets, said, requirements, schema, known(), memory)
    with Engine.opened(memory) as database:
        table_file = release.opened(database, form=None if said is None else said.form)
        case = _case(table_file, said, schema, quasi, sensitive)
        return _audit_table(case, requirements, known, people)


def _check_options(
    path: str | os.PathLike[str],
    manifest: Manifest | None,
    schema: SchemaLike | None,
    original: Data | None,
    old: Data | None,
) -> None:
    if original is not None and schema is None:
        raise InputError.of(
            Field("original"), "nothing says what its columns mean", f"give the schema with {Field('schema')}"
        )
    if original is not None and manifest is None:
        raise InputError.of(
            Field("original"),
            f"there is no manifest beside {path}, so nothing says how it was recoded",
            f"put the manifest there, and omit {Field('quasi')} and {Field('sensitive')}",
        )
    if old is not None and (original is None or manifest is None or not manifest.applied):
        raise InputError.of(
            Field("old"),
            "it belongs to rows that 'apply' added to a release, and their original",
            f"use it with a file that 'apply' wrote, together with {Field('original')}",
        )


def _check_population(
    path: str | os.PathLike[str],
    manifest: Manifest | None,
    schema: SchemaLike | None,
    population: Data | None,
) -> None:
    if population is None:
        return
    place = Field("population_file")
    if schema is None:
        raise InputError.of(
            place, "nothing says what its columns mean", f"give the schema with {Field('schema')}"
        )
    if manifest is None:
        raise InputError.of(
            place,
            f"there is no manifest beside {path}, so nothing says how it was recoded",
            f"put the manifest there, and omit {Field('quasi')} and {Field('sensitive')}",
        )
    if manifest.recoding.bucket is not None or manifest.persons or manifest.events:
        raise InputError.of(
            place,
            "it is compared with rows that are people, at one level of each column, and these are not",
            "omit it",
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
            file.place,
            "there is no manifest beside it, so nothing says which columns are quasi-identifiers",
            f"give {Field('schema', 'SCHEMA')}, or {Field('quasi', 'age,zip')} "
            f"{Field('sensitive', 'diagnosis')}",
        )
    roles = schema_roles(schema, file.names, file.place)
    return _Case(file, None, roles, schema, (check_schema_roles(file, schema, roles),))


def _audit_table(
    case: _Case,
    requirements: Sequence[Requirement],
    known: Callable[[], Original | None],
    people: Callable[[], Original | None],
) -> Audit:
    """One table: its form, what its manifest claims, what is required of it, and its original."""
    file, manifest = case.file, case.manifest
    checks = list(case.checks)
    with file.engine.reading(file.place):
        measurer = _measurer(case)
        rows = int(file.engine.number(f"select sum(size) from {measurer.counted.name}"))
        if manifest is not None:
            checks += [*check_labels(file.as_meant(), manifest), *check_form(file)]
            checks += check_category_order([file], schema_orders(case.schema))
            checks += [*_against_manifest(manifest, file, rows), *check_content(file.as_meant(), manifest)]
        if case.schema is not None:
            checks.append(check_cells(file.as_meant(), case.schema, manifest.recoding if manifest else None))
    if manifest is not None:
        population = people()
        if population is not None:
            found, compared = beside_population(file.as_meant(), population, manifest)
            measurer = replace(measurer, further=found)
            checks += compared
        checks += check_population(manifest, measurer.further, population is not None)
    original = None if manifest is None else known()
    beside = None
    if original is not None and manifest is not None:
        beside = beside_original(file.as_meant(), original, manifest)
    persons = has_persons(case.schema) or (manifest is not None and manifest.persons)
    measurer, estimated = _estimated(case, measurer, beside, persons)
    checks += estimated
    checks += _judged(measurer, beside.measurer if beside else None, manifest, requirements, persons)
    if manifest is not None:
        told = case.schema is not None and manifest.version > 1
        expected = has_households(case.schema) if told else None
        checks += check_households(manifest, rows, beside.measurer if beside else None, expected)
        checks += check_both(file.as_meant(), original, manifest)
    if beside is not None:
        checks += beside.checks
    elif manifest is None and not requirements:
        checks += [Check("measure", name, None, measurer.value(name), None) for name in measurer.known]
    return outcome(file, rows, case.roles, checks, manifest, case.schema)


def _measurer(case: _Case) -> Measurer:
    quasi, sensitive = case.columns("quasi"), case.columns("sensitive")
    counted = count(case.file.engine, case.file.view, list(quasi.values()), list(sensitive.values()))
    watched = tuple(Watched(name, place) for name, place in sensitive.items())
    return Measurer(counted, watched, case.manifest.settings if case.manifest else {})


def _estimated(
    case: _Case, measurer: Measurer, beside: Beside | None, persons: bool
) -> tuple[Measurer, list[Check]]:
    """What the file alone lets somebody estimate about the population, and the estimates of the manifest."""
    manifest, weight = case.manifest, next(iter(case.columns("weight")), None)
    stated = None if manifest is None else manifest.estimates
    events = has_events(case.schema) or (manifest is not None and manifest.events)
    shown = None if events else alone(case.file.as_meant(), weight, measurer.counted, stated, persons)
    further = dict(measurer.further)
    if shown is not None and (stated is None or not stated.scaled):
        further |= shown.values
    found = replace(measurer, further=further, beside=beside is not None)
    if manifest is None:
        return found, []
    weighed = None if beside is None else beside.weighed
    return found, list(check_estimates(manifest, shown, weighed, beside is not None))


def _against_manifest(manifest: Manifest, file: TableFile, rows: int) -> list[Check]:
    return [
        _check_bytes(manifest, file),
        *(_parts(manifest, file) if file.in_parts or (manifest.files and not file.in_database) else ()),
        Check("file", "rows", manifest.rows, rows, rows == manifest.rows),
    ]


def _check_bytes(manifest: Manifest, file: TableFile) -> Check:
    right = manifest.output_sha256
    if file.in_database:
        why = f"{NOT_APPLICABLE}: a table of a database is known by its rows"
        return Check("file", "sha256", right, None, None, why)
    digest = file.sha256
    why = "" if digest == right else "the manifest was written for another file"
    return Check("file", "sha256", right, digest, not why, why)


def _parts(manifest: Manifest, file: TableFile) -> Iterator[Check]:
    """The parts beside those that the manifest lists."""
    for name in sorted({*manifest.files, *file.digests}):
        said, found = manifest.files.get(name), file.digests.get(name)
        why = "" if said == found else "the manifest was written for another file"
        if said is None:
            why = "the manifest does not name this file"
        elif found is None:
            why = "this file is missing"
        yield Check("file", f"sha256 of {name}", said, found, not why, why)


def _judged(
    own: Measurer,
    beside: Measurer | None,
    manifest: Manifest | None,
    requirements: Sequence[Requirement],
    persons: bool = False,
) -> list[Check]:
    """Claims and requirements, measured from the file; what depends on the input, from the original. Where a
    person may have several rows, claims are about rows, and what is required, of persons."""
    claims = manifest.claims.items() if manifest else ()
    known = (*own.known, *(beside.known if beside else ()))

    def required(asked: Requirement) -> Check:
        unshown = None
        if persons:
            unshown = check_unshown(asked, own) if beside is None else check_unsettled(asked, beside)
        by = beside if persons and beside else chosen_measurer(own, beside, asked.measure, costs=True)
        return unshown or check_requirement(by, asked, known)

    return [
        *(check_claim(chosen_measurer(own, beside, name), name, said) for name, said in claims),
        *(check_stated(manifest, own, beside) if manifest else ()),
        *map(required, requirements),
    ]
