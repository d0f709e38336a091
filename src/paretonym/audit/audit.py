"""The audit: everything that a file, its manifest or its user states about a table, measured again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from paretonym.audit.audit_database import Database, reading
from paretonym.audit.bucket_tables import BucketTables
from paretonym.audit.checks import Audit, Check, Requirement, checked_requirement
from paretonym.audit.class_counts import count_classes
from paretonym.audit.label_runs import UnreadableLabel
from paretonym.audit.manifest import (
    HOUSEHOLDS_STATED,
    RELEASED,
    Manifest,
    check_manifest,
    manifest_path,
    read_manifest,
)
from paretonym.audit.measurer import Measurer, Watched, check_claim, check_requirement, chosen
from paretonym.audit.original import (
    LEFT_OUT,
    Original,
    Reading,
    SchemaLike,
    read_original,
    read_population,
    schema_of,
    schema_roles,
)
from paretonym.audit.original_comparison import MAY_BE_OLD, Comparison, not_comparable
from paretonym.audit.placement import NotDecided
from paretonym.audit.population import (
    PersonRange,
    Sample,
    check_both,
    check_estimates,
    check_households,
    check_persons,
    check_population,
    check_required_persons,
    compare_population,
    estimates_of_file,
    persons_of,
    smallest_household,
)
from paretonym.audit.publishable_cells import check_cells, check_labels
from paretonym.audit.released_table import (
    ReleasedTable,
    is_parquet,
    open_cells,
    open_files,
    part_files,
)
from paretonym.audit.shown_boundaries import check_boundaries, check_boundaries_again
from paretonym.audit.stated_form import UNSTATED, unescaped
from paretonym.audit.written_form import check_form
from paretonym.data_address import DataAddress
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError, did_you_mean

if TYPE_CHECKING:
    from paretonym.schema import Schema

FRAME = "the dataframe"
OTHER = "the manifest was written for another file"
NO_FILE = "the manifest was written for a file, and this is none, so its rows may be others"
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
    the file, or in the file `manifest`; `require` adds requirements such as "k>=5". The roles of the columns
    come from `quasi` and `sensitive` if these are given (the manifest is then ignored), otherwise from the
    manifest, otherwise from `schema`. With `original` (and the schema) the rows and the manifest's statements
    are checked too. The original of a file that `apply` wrote are the new rows; `old` is the table that these
    were added to. With `population_file` (and the schema), a table of the people whom the rows were drawn
    from, k-map and presence are measured. `encoding`, `separator` and `engine` are for reading the original,
    `table` or `query` for whatever of these is in a database; `table` is also the sheet of a workbook.

    The answer is true if no check fails; `.check()` raises if one does.
    """
    requirements = [checked_requirement(text) for text in require]
    if table is not None and not any(map(_has_tables, (path, original, old, population_file))):
        wrong = "only a database has tables, and a workbook sheets"
        remedy = "leave it out for another file or a folder"
        raise InputError.of(Field("table", table), wrong, remedy)
    named = _Named.of(path, manifest)
    stated = None if quasi or sensitive else named.manifest
    _check_options(named.place, stated, schema, original, old, population_file)
    described = None if schema is None else schema_of(schema)
    sources = _Sources(
        described,
        {"original": original, "old": old, "population_file": population_file},
        {"memory": memory, "encoding": encoding, "separator": separator, "engine": engine},
        table,
        query,
    )
    with Database.opened(memory) as database:
        released = named.opened(database, UNSTATED if stated is None else stated.form, sources)
        case = Case(released, stated, _roles(released, stated, described, quasi, sensitive), described)
        checks = [*case.checks(sources, requirements)]
        digest = None if stated is None else stated.sha256
        return Audit(
            named.place, released.sha256, digest, released.rows, case.roles, tuple(checks), case.warnings
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
class _Sources:
    """The tables beside a release, and how they are read."""

    schema: Schema | None
    data: Mapping[str, Data | None]
    options: Mapping[str, str | None]
    table: str | None
    query: str | None

    def reading(self, field: str, data: Data) -> Reading:
        return Reading(
            field,
            **self.options,
            table=self.table if _has_tables(data) else None,
            query=self.query if DataAddress.of(data) is not None else None,
        )

    def original(self) -> Original | None:
        data, old = self.data["original"], self.data["old"]
        if data is None or self.schema is None:
            return None
        how = self.reading("original", data)
        return read_original(data, how, self.schema, old, None if old is None else self.reading("old", old))

    def population(self) -> Original | None:
        data = self.data["population_file"]
        if data is None or self.schema is None:
            return None
        return read_population(data, self.reading("population_file", data), self.schema)


@dataclass(frozen=True, eq=False)
class _Named:
    """The finished table that somebody names, and its manifest, if it has one."""

    data: Data
    place: str
    manifest: Manifest | None

    @classmethod
    def of(cls, data: Data, given: str | os.PathLike[str] | None) -> _Named:
        if given is not None and not Path(given).is_file():
            raise InputError.of(Field("manifest", str(given)), "this file does not exist", "check the path")
        if not isinstance(data, str | os.PathLike):
            return cls(data, FRAME, None if given is None else read_manifest(Path(given), str))
        address = DataAddress.of(data)
        if address is not None:
            return cls(data, address.shown, None if given is None else read_manifest(Path(given), str))
        path = Path(data)
        stored = path.exists() and _is_file_of_ours(path)
        escaped = not stored or not is_parquet(part_files(path)[0])
        beside = manifest_path(path) if given is None else Path(given)
        return cls(data, str(path), read_manifest(beside, unescaped if escaped else str))

    def opened(self, database: Database, form: Any, sources: _Sources) -> ReleasedTable:
        """The table in a database: files are read there, whatever else by `source`."""
        if isinstance(self.data, str | os.PathLike) and DataAddress.of(self.data) is None:
            path = Path(self.data)
            if not path.exists() or _is_file_of_ours(path):
                return open_files(database, path, form)
        return open_cells(database, self.place, _read_columns(self.data, sources))


def _has_tables(data: Data | None) -> bool:
    """Whether a table of it can be named: it is the address of a database, or a workbook."""
    from paretonym.source.engines import may_have_sheets

    return DataAddress.of(data) is not None or (data is not None and may_have_sheets(data))


def _is_file_of_ours(path: Path) -> bool:
    """Whether files are read as a release is written: CSV or Parquet."""
    return path.is_dir() or path.suffix.lower() not in (".xlsx", ".xls", ".ods", ".jsonl", ".ndjson", ".db")


def _read_columns(data: Data, sources: _Sources) -> dict[str, Any]:
    """The columns of a table, read by `source`, as Arrow arrays."""
    import pyarrow as pa

    from paretonym.source.engines import Wanted, frame_rows, open_source

    if isinstance(data, str | os.PathLike):
        how = sources.reading("path", data)
        table = open_source(data, Wanted(), table=how.table, query=how.query)
    else:
        table = frame_rows(data)
    columns = {}
    for column in table.columns:
        indices = pa.array(column.codes, mask=column.codes < 0)
        columns[column.name] = _repeated(column.values.take(indices), table.weights)
    return columns


def _repeated(cells: Any, counts: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    return cells.take(pa.array(np.repeat(np.arange(len(counts)), counts)))


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

    @property
    def events(self) -> bool:
        """Whether one person may be several rows, but nothing says which."""
        schema = self.schema
        by_schema = schema is not None and schema.person is None and schema.rows == "events"
        return by_schema or (self.manifest is not None and self.manifest.events)

    @property
    def persons(self) -> bool:
        """Whether a person may have several rows."""
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
        table, columns = self.table, list(sensitive.values())
        source, weight = (table.view, "1") if self.manifest is None else (table.distinct, "n")
        with reading(table.place):
            counted = count_classes(table.database, source, list(quasi.values()), columns, "classes", weight)
        return Measurer(counted, tuple(Watched(name, place) for name, place in sensitive.items()))

    def _places(self, role: str) -> dict[str, str]:
        names = [name for name, own_role in self.roles.items() if own_role == role]
        return {name: self.table.column(name) for name in names if name in self.table.names}

    def checks(self, sources: _Sources, requirements: Sequence[Requirement]) -> Iterator[Check]:
        """Every check of the table."""
        if self.manifest is None:
            yield from self._checks_alone(requirements)
        elif self.manifest.recoding.bucket is not None:
            yield from self._checks_of_buckets(self.manifest, sources, requirements)
        else:
            yield from self._checks_of_release(self.manifest, sources, requirements)

    def _checks_alone(self, requirements: Sequence[Requirement]) -> Iterator[Check]:
        """A table without a manifest: what is required of it, or whatever can be measured."""
        if self.schema is not None:
            yield self._check_schema_roles(self.schema)
            yield check_cells(self.table, self.schema, None)
        measurer = self.measurer
        weight = next(iter(self._places("weight")), None)
        if not self.events and not self.persons:
            further = estimates_of_file(self.table, weight, measurer.counted, None)
            measurer = replace(measurer, further=further)
        yield from self._requirements(requirements, measurer, None, None)
        if not requirements:
            yield from (Check("measure", name, None, measurer.value(name)) for name in measurer.names)

    def _checks_of_release(
        self, manifest: Manifest, sources: _Sources, requirements: Sequence[Requirement]
    ) -> Iterator[Check]:
        yield from self._checks_of_manifest(manifest)
        yield from check_labels(self.table, manifest.recoding, self.roles)
        yield from check_form(self.table)
        yield from self._checks_of_digests(manifest)
        original = sources.original()
        if self.schema is not None:
            yield check_cells(self.table, self.schema, manifest.recoding)
            if original is None or manifest.applied is not None:
                yield from check_boundaries(self.table, self.schema, manifest.recoding)
        measurer, population = self.measurer, sources.population()
        if population is not None:
            further, checks = compare_population(self.table, population, manifest)
            measurer = replace(measurer, further=further)
            yield from checks
        yield from check_population(manifest, measurer.further, population is not None)
        beside = None if original is None else _Beside.of(self.table, original, manifest)
        comparison = None if beside is None else beside.comparison
        sample = None if beside is None else beside.sample
        of_file: dict[str, float] = {}
        if not self.events and not self.persons:
            weight = next(iter(self._places("weight")), None)
            of_file = estimates_of_file(self.table, weight, measurer.counted, manifest.estimates)
        if manifest.estimates is None or not (
            manifest.estimates.weights and manifest.estimates.fraction is not None
        ):
            measurer = replace(measurer, further={**measurer.further, **of_file})
        measurer = replace(measurer, beside=original is not None)
        yield from check_estimates(manifest, of_file, sample, original is not None)
        known = None if beside is None else beside.measurer
        yield from (
            check_claim(chosen(measurer, known, name), name, stated)
            for name, stated in manifest.claims.items()
        )
        persons = None if comparison is None else persons_of(comparison)
        yield from check_persons(manifest, measurer.value("k"), persons)
        yield from self._requirements(requirements, measurer, known, persons)
        expected = None if self.schema is None else self.schema.household is not None
        homes = None if known is None else known.further.get(HOUSEHOLDS_STATED)
        yield from check_households(manifest, self.table.rows, homes, expected)
        yield from check_both(self.table, original, manifest)
        yield from () if beside is None else beside.checks
        if comparison is not None and self.schema is not None:
            k = measurer.value("k") if persons is None else persons.fewest
            yield from check_boundaries_again(comparison, self.schema, k)

    def _checks_of_buckets(
        self, manifest: Manifest, sources: _Sources, requirements: Sequence[Requirement]
    ) -> Iterator[Check]:
        buckets = BucketTables.opened(self.table.database, manifest, self.table)
        yield from buckets.check_files(manifest)
        yield from self._checks_of_manifest(manifest)
        for table in buckets.tables:
            yield from check_form(table, table.path.name)
        if self.schema is not None:
            yield check_cells(self.table, self.schema, manifest.recoding)
        measurer = buckets.measurer(manifest)
        yield from (check_claim(measurer, name, stated) for name, stated in manifest.claims.items())
        original = sources.original()
        known, checks = (None, []) if original is None else buckets.compared(original, manifest)
        yield from self._requirements(requirements, measurer, known, None)
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

    def _checks_of_manifest(self, manifest: Manifest) -> Iterator[Check]:
        """Whether manifest, file and schema agree on columns, roles and what a row is."""
        stated, names = list(manifest.roles), list(self.table.names)
        bucket, why = manifest.recoding.bucket, ""
        odd = [
            name
            for name, role in manifest.roles.items()
            if (role == "bucket") != (name == bucket) or role not in (*RELEASED, "bucket")
        ]
        if wrong := [name for name in (*stated, *names) if (name in stated) != (name in names)]:
            why = f"not in both: {', '.join(wrong)}"
        elif stated != names:
            why = "the order differs"
        elif odd:
            why = f"not the role of a released column: {', '.join(odd)}"
        yield Check("file", "columns", ", ".join(stated), ", ".join(names), not why, why)
        yield from check_manifest(manifest)
        if self.schema is not None:
            yield self._check_schema_roles(self.schema)
            yield from self._check_unit(manifest, self.schema)

    def _check_schema_roles(self, schema: Schema) -> Check:
        """Whether the roles are those of the schema, and nothing is shown that it leaves out."""
        bucket = None if self.manifest is None else self.manifest.recoding.bucket
        names = [name for name in self.table.names if name != bucket]
        described = schema_roles(schema, names, self.table.place)
        roles = {name: role for name, role in self.roles.items() if name != bucket}
        open_ones = [name for name, role in described.items() if role in LEFT_OUT]
        other = [name for name, role in roles.items() if described.get(name, role) != role]
        why = f"the schema gives another role to: {', '.join(other)}" if other else ""
        if open_ones:
            why = f"the schema does not release these: {', '.join(open_ones)}"
        return Check("file", "roles", _in_words(described), _in_words(roles), not why, why)

    def _check_unit(self, manifest: Manifest, schema: Schema) -> Iterator[Check]:
        """Whether manifest and schema agree on what a row is, and on what is suppressed as a whole."""
        words = {None: "people", "events": "events", "persons": "rows of persons"}
        stated = words.get(manifest.counts, "people")
        by_schema = "people" if schema.rows == "people" else "events"
        by_schema = by_schema if schema.person is None else "rows of persons"
        why = "" if stated == by_schema else f"the schema says that rows are {by_schema}"
        yield Check("file", "what a row is", stated, by_schema, not why, why)
        unit = manifest.unit or "row"
        if manifest.recoding.bucket is None and unit != schema.suppress_unit:
            why = f"the schema says that it is a {schema.suppress_unit}"
            yield Check("file", "what is suppressed", unit, schema.suppress_unit, False, why)

    def _checks_of_digests(self, manifest: Manifest) -> Iterator[Check]:
        table, stated, rows = self.table, manifest.output_sha256, self.table.rows
        why = "" if table.sha256 == stated else OTHER if table.parts else NO_FILE
        yield Check("file", "sha256", stated, table.sha256, not why, why)
        names = sorted({*manifest.files, *(table.digests if table.in_parts else ())})
        for name in names:
            stated_part, digest = manifest.files.get(name), table.digests.get(name)
            why = "" if stated_part == digest else OTHER
            if digest is None:
                why = "this file is missing"
            elif stated_part is None:
                why = "the manifest does not name this file"
            yield Check("file", f"sha256 of {name}", stated_part, digest, not why, why)
        yield Check("file", "rows", manifest.rows, rows, rows == manifest.rows)


def _in_words(roles: Mapping[str, str]) -> str:
    parts = []
    for role in ("quasi", "sensitive"):
        names = [name for name, own_role in roles.items() if own_role == role]
        parts.append(f"{role}: {', '.join(names) or 'none'}")
    return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class _Beside:
    """What the original says: a measurer that knows it, and the checks that need it."""

    checks: tuple[Check, ...]
    comparison: Comparison | None = None
    measurer: Measurer | None = None
    sample: Sample | None = None

    @classmethod
    def of(cls, table: ReleasedTable, original: Original, manifest: Manifest) -> _Beside:
        if set(original.roles) != set(table.names):
            why = "the columns that the schema releases are not those of the file"
            return cls(tuple(not_comparable(manifest, why)))
        try:
            comparison = Comparison.of(table, original, manifest)
        except UnreadableLabel as reason:
            why = f"{reason}{MAY_BE_OLD if manifest.applied else ''}"
            return cls(tuple(not_comparable(manifest, why)))
        except NotDecided as reason:
            return cls(tuple(not_comparable(manifest, f"cannot be decided: {reason}", holds=None)))
        fraction = None if manifest.estimates is None else manifest.estimates.fraction
        sample = Sample.of(comparison, fraction)
        further: dict[str, float] = {}
        if (homes := smallest_household(comparison)) is not None:
            further[HOUSEHOLDS_STATED] = homes
        if sample is not None and manifest.applied is None:
            further |= sample.measured()
        checks = [
            *comparison.check_rows(),
            *comparison.check_rule(),
            *comparison.check_statements(),
        ]
        return cls(tuple(checks), comparison, comparison.measurer(further), sample)
