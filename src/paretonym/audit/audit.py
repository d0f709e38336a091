"""The audit: everything that a file, its manifest or its user states about a table, measured again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from paretonym.audit.audit_database import Database
from paretonym.audit.bucket_tables import BucketTables
from paretonym.audit.checks import Audit, Check, Requirement, checked_requirement
from paretonym.audit.class_counts import count_classes
from paretonym.audit.file_checks import check_columns, check_digests, check_roles, check_unit, schema_roles
from paretonym.audit.label_sets import UnreadableLabel
from paretonym.audit.manifest import HOUSEHOLDS_STATED, MEANS, Manifest, check_manifest
from paretonym.audit.manifest_file import manifest_of
from paretonym.audit.measurer import Measurer, Watched, check_claim, check_requirement, chosen
from paretonym.audit.original import (
    Original,
    SchemaLike,
    read_original,
    read_population,
    schema_of,
)
from paretonym.audit.original_comparison import OriginalComparison
from paretonym.audit.persons import (
    PersonRange,
    check_both,
    check_households,
    check_persons,
    check_population,
    check_required_persons,
    compare_population,
    smallest_household,
)
from paretonym.audit.placement import NotDecided
from paretonym.audit.publishable_cells import check_cells, check_labels
from paretonym.audit.published_means import check_means
from paretonym.audit.released_table import (
    UNSTATED,
    ReleasedTable,
    open_release,
    place_of,
)
from paretonym.audit.row_checks import MAY_BE_OLD, check_rows, check_rule, not_comparable
from paretonym.audit.shown_boundaries import check_boundaries, check_boundaries_again
from paretonym.audit.stated_costs import check_statements, measurer_beside
from paretonym.audit.written_form import check_form
from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.tables.data_address import DataAddress
from paretonym.tables.data_kinds import Data
from paretonym.tables.schema.policies import requirements_in

if TYPE_CHECKING:
    from paretonym.tables.schema import Schema
    from paretonym.tables.source import Counts

EVENTS = (
    "rows are events here, and several may belong to one person: k counts rows, not people, and no "
    "claim gives a person's re-identification risk or says how well a person's sensitive values are "
    "hidden"
)
PERSONS = (
    "a person may have several rows here, and the file does not say which rows are the same person's: the "
    "claims count rows; k-persons, and whatever else is said of persons, can be verified with the original "
    "only"
)
PERSONS_OF_BOTH = (
    "a person may have several rows here, and may be in the older release too: the claims count rows of this "
    "file; k-persons counts the persons of both releases and was not verified"
)


def audit(
    path: Data,
    *,
    schema: SchemaLike | None = None,
    require: Iterable[str] = (),
    original: Data | None = None,
    old: Data | None = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    manifest: str | os.PathLike[str] | None = None,
    population_file: Data | None = None,
    memory: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    engine: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Audit:
    """Measure a finished table, and compare the results with what is claimed or required.

    `path` is a CSV or Parquet file, a folder with parts of one table, a pattern ("parts/*.parquet"), or
    whatever else `Study` reads; `memory` is a limit ("4GB") for DuckDB. The claims are in the manifest beside
    the file, or in the file `manifest`; `require` adds requirements such as "k>=5", or all of
    a policy file ("house.toml"). The roles of the columns
    come from `quasi` and `sensitive` if these are given (the manifest is then ignored), otherwise from the
    manifest, otherwise from `schema`. With `original` (and the schema) the rows and the manifest's statements
    are checked too. The original of a file that `apply` wrote are the new rows; `old` is the table that these
    were added to. With `population_file` (and the schema), a table of the people whom the rows were drawn
    from, k-map and presence are measured. `encoding`, `separator` and `engine` are for reading the original,
    `table` or `query` for whatever of these is in a database; `table` is also the sheet of a workbook.

    The answer is true if no check fails; `.check()` raises if one does.
    """
    requirements = [checked_requirement(text) for text in requirements_in(require)]
    form = {"encoding": encoding, "separator": separator, "engine": engine}
    tables = _Tables(
        path,
        {"original": original, "old": old, "population_file": population_file},
        {"memory": memory, "table": table, "query": query, **form},
    )
    tables.check()
    stated = None if quasi or sensitive else manifest_of(path, manifest)
    _check_options(place_of(path), stated, schema, original, old, population_file)
    described = None if schema is None else schema_of(schema)
    with Database.opened(memory) as database:
        written = UNSTATED if stated is None else stated.form
        released = open_release(database, path, written, **tables.selection(path))
        case = Case(
            released, stated, _roles(released, stated, described, quasi, sensitive), described, tables
        )
        checks = tuple(case.checks(requirements))
        digest = None if stated is None else stated.sha256
        return Audit(
            released.place, released.sha256, digest, released.rows, case.roles, checks, case.warnings
        )


class CallableModule(ModuleType):
    """The package of audits, which has the name of the public function: whichever of the two somebody gets as
    `paretonym.audit` audits when it is called."""

    __call__ = staticmethod(audit)


def _check_options(
    place: str,
    manifest: Manifest | None,
    schema: SchemaLike | None,
    original: Data | None,
    old: Data | None,
    population: Data | None,
) -> None:
    for name, data in (("original", original), ("population_file", population)):
        if data is not None and schema is None:
            remedy = f"give the schema with {Field('schema')}"
            raise InputError.of(Field(name), "nothing says what its columns mean", remedy)
        if data is not None and manifest is None:
            wrong = f"there is no manifest beside {place}, so nothing says how it was recoded"
            remedy = f"put the manifest there, and omit {Field('quasi')} and {Field('sensitive')}"
            raise InputError.of(Field(name), wrong, remedy)
    if old is not None and (original is None or manifest is None or manifest.applied is None):
        wrong = "it belongs to rows that 'apply' added to a release, and their original"
        remedy = f"use it with a file that 'apply' wrote, together with {Field('original')}"
        raise InputError.of(Field("old"), wrong, remedy)
    if population is None or manifest is None:
        return
    if manifest.recoding.bucket is not None or manifest.counts is not None:
        wrong = "it is compared with rows that are people, at one level of each column, and these are not"
        raise InputError.of(Field("population_file"), wrong, "omit it")


@dataclass(frozen=True)
class _Tables:
    """The release and the tables beside it by their fields, and the options of their reader: `table` and
    `query` are for those in a database or a workbook, the encoding and such for those beside the release."""

    path: Data
    beside: Mapping[str, Data | None]
    options: Mapping[str, str | None]

    def check(self) -> None:
        """Refuse the name of a table if there is none to be named."""
        places = [data for data in (self.path, *self.beside.values()) if data is not None]
        if self.options["table"] is not None and not any(map(_has_tables, places)):
            wrong = "only a database has tables, and a workbook sheets"
            remedy = "leave it out for another file or a folder"
            raise InputError.of(Field("table", self.options["table"]), wrong, remedy)

    def selection(self, data: Data) -> dict[str, Any]:
        """The options that any table is read with."""
        return {
            "memory": self.options["memory"],
            "table": self.options["table"] if _has_tables(data) else None,
            "query": self.options["query"] if DataAddress.of(data) is not None else None,
        }

    def opened(self, field: str, schema: Schema) -> Counts:
        """The distinct rows of the table in a field, of the columns that a schema wants."""
        from paretonym.tables.schema import wanted_of
        from paretonym.tables.source import Counts, TableForm
        from paretonym.tables.source.engines import open_source

        data = self.beside[field]
        if isinstance(data, Counts) or data is None:
            return data  # type: ignore[return-value]
        return open_source(
            data,
            wanted_of(schema),
            engine=self.options["engine"] or "auto",
            form=TableForm(self.options["encoding"], self.options["separator"]),
            **self.selection(data),
        )


def _has_tables(data: Data) -> bool:
    """True if a table of it can be named: it is the address of a database, or a workbook."""
    from paretonym.tables.source.engines import may_have_sheets

    return DataAddress.of(data) is not None or may_have_sheets(data)


def _roles(
    table: ReleasedTable,
    manifest: Manifest | None,
    schema: Schema | None,
    quasi: Sequence[str],
    sensitive: Sequence[str],
) -> dict[str, str]:
    """The role of every column, by the manifest, the options or the schema."""
    if manifest is not None:
        return dict(manifest.roles)
    for option, names in ((Field("quasi"), quasi), (Field("sensitive"), sensitive)):
        for name in names:
            if name not in table.names:
                wrong = f"{table.place} has no column '{name}'"
                raise InputError.of(option, wrong, did_you_mean(name, table.names))
    if both := sorted(set(quasi) & set(sensitive)):
        wrong = f"'{both[0]}' is also in {Field('quasi')}"
        raise InputError.of(Field("sensitive"), wrong, "name each column once")
    if quasi or sensitive:
        return {
            name: "quasi" if name in quasi else "sensitive" if name in sensitive else "other"
            for name in table.names
        }
    if schema is None:
        wrong = "there is no manifest beside it, so nothing says which columns are quasi-identifiers"
        remedy = f"give {Field('schema', 'SCHEMA')}, or {Field('quasi', 'age,zip')}"
        raise InputError.of(table.place, wrong, f"{remedy} {Field('sensitive', 'diagnosis')}")
    return schema_roles(schema, table.names, table.place)


@dataclass(frozen=True, eq=False)
class Case:
    """A finished table with everything that is known about it before something is counted."""

    table: ReleasedTable
    manifest: Manifest | None
    roles: Mapping[str, str]
    schema: Schema | None
    tables: _Tables

    @property
    def events(self) -> bool:
        """True if one person may be several rows, but nothing says which."""
        schema = self.schema
        by_schema = schema is not None and schema.person is None and schema.rows == "events"
        return by_schema or (self.manifest is not None and self.manifest.events)

    @property
    def persons(self) -> bool:
        """True if a person may have several rows."""
        by_schema = self.schema is not None and self.schema.person is not None
        return by_schema or (self.manifest is not None and self.manifest.persons)

    @property
    def warnings(self) -> tuple[str, ...]:
        added = self.manifest is not None and self.manifest.applied is not None
        of_persons = PERSONS_OF_BOTH if added else PERSONS
        return tuple(text for text, applies in ((EVENTS, self.events), (of_persons, self.persons)) if applies)

    @cached_property
    def measurer(self) -> Measurer:
        """Measures of the file alone."""
        quasi, sensitive = self._places("quasi"), self._places("sensitive")
        database, columns = self.table.database, list(sensitive.values())
        counted = count_classes(database, self.table.view, list(quasi.values()), columns, "classes")
        return Measurer(counted, tuple(Watched(name, place) for name, place in sensitive.items()))

    def _places(self, role: str) -> dict[str, str]:
        names = [name for name, own_role in self.roles.items() if own_role == role]
        return {name: self.table.column(name) for name in names if name in self.table.names}

    def checks(self, requirements: Sequence[Requirement]) -> Iterator[Check]:
        """Every check of the table."""
        if self.manifest is None:
            yield from self._checks_alone(requirements)
            return
        yield check_columns(self.table, self.manifest)
        yield from check_manifest(self.manifest)
        if self.schema is not None:
            bucket = self.manifest.recoding.bucket
            yield check_roles(self.table, self.schema, self.roles, bucket)
            yield from check_unit(self.manifest, self.schema)
        if self.manifest.recoding.bucket is not None:
            yield from self._checks_of_buckets(self.manifest, requirements)
        else:
            yield from self._checks_of_release(self.manifest, requirements)

    def _checks_alone(self, requirements: Sequence[Requirement]) -> Iterator[Check]:
        """A table without a manifest: what is required of it, or whatever can be measured."""
        if self.schema is not None:
            yield check_roles(self.table, self.schema, self.roles)
            yield check_cells(self.table, self.schema, None)
        yield from self._requirements(requirements, self.measurer, None, None)
        if not requirements:
            measurer = self.measurer
            yield from (Check("measure", name, None, measurer.value(name)) for name in measurer.names)

    def _checks_of_release(self, manifest: Manifest, requirements: Sequence[Requirement]) -> Iterator[Check]:
        original, schema = self._original(), self.schema
        yield from check_labels(self.table, manifest.recoding, self.roles)
        yield from check_form(self.table, manifest.form)
        yield from check_digests(self.table, manifest)
        if schema is not None:
            yield check_cells(self.table, schema, manifest.recoding)
            if original is None or manifest.applied is not None:
                yield from check_boundaries(self.table, schema, manifest.recoding)
        measurer = replace(self.measurer, beside=original is not None)
        has_population = schema is not None and self.tables.beside["population_file"] is not None
        if schema is not None and has_population:
            population = read_population(self.tables.opened, schema)
            further, checks = compare_population(self.table, population, manifest)
            measurer = replace(measurer, further=further)
            yield from checks
        yield from check_population(manifest, measurer.further, has_population)
        yield from check_both(self.table, original, manifest)
        comparison, failed = self._compared(original, manifest)
        yield from failed
        beside, persons = None, None
        if comparison is not None:
            beside = measurer_beside(comparison, smallest_household(comparison))
            persons = PersonRange.of(comparison)
        for name, stated in manifest.claims.items():
            yield check_claim(chosen(measurer, beside, name), name, stated)
        k = measurer.value("k")
        yield from check_persons(manifest, k, persons)
        yield from self._requirements(requirements, measurer, beside, persons)
        expected = None if schema is None else schema.household is not None
        homes = None if beside is None else beside.further.get(HOUSEHOLDS_STATED)
        yield from check_households(manifest, self.table.rows, homes, expected, beside is not None)
        if comparison is not None and schema is not None:
            yield from check_rows(comparison)
            yield from check_rule(comparison)
            yield from check_statements(comparison)
            yield from check_boundaries_again(comparison, k if persons is None else persons.fewest)

    def _original(self) -> Original | None:
        if self.tables.beside["original"] is None or self.schema is None:
            return None
        return read_original(self.tables.opened, self.schema, self.tables.beside["old"] is not None)

    def _compared(
        self, original: Original | None, manifest: Manifest
    ) -> tuple[OriginalComparison | None, list[Check]]:
        """The release beside its original, or the checks that say why they cannot be compared."""
        if original is None:
            return None, []
        if set(original.roles) != set(self.table.names):
            text = "the columns that the schema releases are not those of the file"
            return None, not_comparable(manifest, text)
        try:
            if manifest.recoding.space == MEANS:
                return None, list(check_means(self.table, original, manifest))
            return OriginalComparison.of(self.table, original, manifest), []
        except UnreadableLabel as reason:
            text = f"{reason}{MAY_BE_OLD if manifest.applied else ''}"
            return None, not_comparable(manifest, text)
        except NotDecided as reason:
            return None, not_comparable(manifest, f"cannot be decided: {reason}", holds=None)

    def _checks_of_buckets(self, manifest: Manifest, requirements: Sequence[Requirement]) -> Iterator[Check]:
        options = self.tables.selection(self.tables.path)
        buckets = BucketTables.opened(manifest, self.table, **options)
        yield from buckets.check_files(manifest)
        for table in buckets.tables:
            yield from check_form(table, manifest.form, table.files[0].name)
        if self.schema is not None:
            yield check_cells(self.table, self.schema, manifest.recoding)
        measurer = buckets.measurer(manifest)
        yield from (check_claim(measurer, name, stated) for name, stated in manifest.claims.items())
        original = self._original()
        beside, checks = (None, []) if original is None else buckets.compared(original, manifest)
        yield from self._requirements(requirements, measurer, beside, None)
        yield from checks

    def _requirements(
        self,
        requirements: Sequence[Requirement],
        measurer: Measurer,
        known: Measurer | None,
        persons: PersonRange | None,
    ) -> Iterator[Check]:
        """Whatever is required, measured from the file; what depends on the input, from the original. Where
        a person may have several rows, it is required of persons."""
        names = (*measurer.names, *(known.names if known else ()))
        for requirement in requirements:
            check = check_required_persons(requirement, measurer, persons) if self.persons else None
            by = known if self.persons and known else chosen(measurer, known, requirement.measure, costs=True)
            yield check or check_requirement(by, requirement, names)
