"""The adapter to schema and original: the only place where an audit reads them.

What comes out are numbers for rows and plain texts; nothing here counts or measures.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paretonym.arrays import Codes, Floats, Integers, Mask
from paretonym.audits.original_rows import KeptMeaning, Original, QuasiMeaning, Row, ShownLevel
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError, renamed_fields, shown

if TYPE_CHECKING:
    from paretonym.schema import (
        BoundSchema,
        ColumnSpec,
        HouseholdColumn,
        PersonColumn,
        PublishedLevel,
        QuasiColumn,
        Schema,
        SensitiveColumn,
    )
    from paretonym.source import Column, CountedTable, Table

SchemaLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, object] | Schema"

LEFT_OUT = ("identifier", "drop", "person", "household")
MISSING = "(missing)"


@dataclass(frozen=True, slots=True)
class DataForm:
    """How data are read: `engine` and `memory` say where and within what rows are counted, `table` or `query`
    what is meant in a database. `field` is the option that names the data: those of the table and the query
    begin with its name."""

    field: str = "original"
    encoding: str | None = None
    separator: str | None = None
    engine: str | None = None
    memory: str | int | None = None
    table: str | None = None
    query: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        names = ("encoding", "separator", "memory", "table", "query")
        return {"engine": self.engine or "auto", **{name: getattr(self, name) for name in names}}

    @property
    def renamed(self) -> AbstractContextManager[None]:
        return renamed_fields({name: f"{self.field}_{name}" for name in ("table", "sheet", "query")})


@contextmanager
def finished_file(release: Data) -> Iterator[str | os.PathLike[str]]:
    """A finished table as a file: itself, or a dataframe in a private file that is gone afterwards."""
    if isinstance(release, str | os.PathLike):
        yield release
        return
    import pyarrow as pa
    from pyarrow import parquet

    from paretonym.source import open_table

    table = open_table(release)
    indices = {column.name: pa.array(column.codes, mask=column.codes < 0) for column in table.columns}
    cells = {column.name: column.values.take(indices[column.name]) for column in table.columns}
    with tempfile.TemporaryDirectory(prefix="paretonym-frame-") as folder:
        path = Path(folder) / "dataframe.parquet"
        parquet.write_table(pa.table(cells), path)
        yield path


def schema_of(schema: SchemaLike) -> Schema:
    from paretonym.schema import Schema, read_schema, schema_from

    if isinstance(schema, Schema):
        return schema
    return schema_from(schema) if isinstance(schema, Mapping) else read_schema(Path(schema))


def has_events(schema: SchemaLike | None) -> bool:
    """Whether a schema says that one person may be several rows, but not which."""
    if schema is None or has_persons(schema):
        return False
    return schema_of(schema).rows == "events"


def has_persons(schema: SchemaLike | None) -> bool:
    """Whether a column of the schema says whose a row is, so that k counts persons."""
    return schema is not None and schema_of(schema).person is not None


def has_households(schema: SchemaLike | None) -> bool:
    """Whether a column of the schema says which rows belong to one household."""
    return schema is not None and schema_of(schema).household is not None


def suppressed_unit(schema: SchemaLike) -> str:
    """What a schema suppresses as a whole: a row, a person or a household."""
    return schema_of(schema).suppress_unit


def schema_orders(schema: SchemaLike | None) -> Mapping[str, Sequence[str]] | None:
    """The orders that a schema gives the values of columns, by name; None if there is no schema."""
    if schema is None:
        return None
    return {column.name: column.order for column in schema_of(schema).columns if column.order}


def schema_roles(schema: SchemaLike, names: Sequence[str], place: str) -> dict[str, str]:
    """The role of every column of a file; a column that the schema does not know is a mistake."""
    described = schema_of(schema)
    unknown = [name for name in names if name not in described.names]
    if unknown:
        raise InputError.of(
            place,
            f"columns that are not in {described.name}: {shown(unknown)}",
            f"add them to the schema, or give the roles with {Field('quasi')} and {Field('sensitive')}",
        )
    return {name: _role(described.column(name)) for name in names}


def _role(column: ColumnSpec) -> str:
    """The role of a column in a file: a weight is left out unless the schema says that it is released."""
    return "drop" if column.role == "weight" and not column.release else column.role


@dataclass(frozen=True, slots=True)
class OriginalData:
    """What a release was made from: the data and how they are read. Rows that were added to those of an `old`
    table have their values beside that one's: the labels that they are shown by were made for both."""

    data: Data | None
    form: DataForm = DataForm()
    old: Data | None = None
    old_form: DataForm = DataForm("old")

    def check(self) -> None:
        """Refuse options of data that are not given."""
        for data, form in ((self.data, self.form), (self.old, self.old_form)):
            for name in ("table", "query"):
                if data is None and getattr(form, name) is not None:
                    wrong = f"it says what is read of {Field(form.field)}, which is not given"
                    raise InputError.of(Field(f"{form.field}_{name}"), wrong, "leave it out, or give both")

    def opened(self, schema: Schema) -> tuple[Table | CountedTable, int]:
        """The table, and how many of its first entries are old. What a release shows is counted where the
        data are."""
        from paretonym.source.engines import joined

        table = _counted(self.data, schema, self.form)
        if self.old is None:
            return table, 0
        # Of old rows only the values of each column matter: they may have been counted at coarser levels.
        first = _counted(self.old, schema, self.old_form, coarser=True)
        _check_names(table, first)
        return joined(first, table), first.entries

    def read(self, schema: SchemaLike) -> Original:
        """The original as a schema sees it: rows with a missing value that must be there are left out. Of old
        rows only the quasi-identifiers are in the answer."""
        from paretonym.schema import bind

        described = schema_of(schema)
        table, before = self.opened(described)
        bound = bind(described, table)
        kept = ~table.dropped(bound.omitted)
        old = kept.copy()
        old[before:], kept[:before] = False, False
        weights = None if table.weights is None else table.weights[kept]
        sensitive = {column.name: column for column in bound.sensitive}
        generalized = {column.name: column.published for column in bound.kept}
        rounded = _rounded(bound, table, kept)
        roles = {
            name: role for name in table.names if (role := _role(described.column(name))) not in LEFT_OUT
        }
        return Original(
            int(kept.sum() if weights is None else weights.sum()),
            weights,
            tuple(_quasi(column, table, kept, weights) for column in bound.quasi),
            tuple(
                rounded
                if rounded is not None and rounded.name == name
                else _generalized(name, table.column(name), kept, generalized[name])
                if name in generalized
                else _kept(table.column(name), described.null, kept, sensitive.get(name))
                for name, role in roles.items()
                if role != "quasi"
            ),
            described.null,
            roles,
            _numbers(bound.person, table, kept),
            _numbers(bound.household, table, kept),
            _sampling(bound, table, kept) if described.unit.is_person else None,
            _old_rows(bound, table, old) if before else (),
        )


def _old_rows(bound: BoundSchema, table: Table | CountedTable, old: Mask) -> tuple[QuasiMeaning, ...]:
    """The quasi-identifiers of old rows; none where these were counted at coarser levels."""
    if getattr(table, "levels", {}):
        return ()
    weights = None if table.weights is None else table.weights[old]
    return tuple(_quasi(column, table, old, weights) for column in bound.quasi)


def _numbers(
    column: PersonColumn | HouseholdColumn | None, table: Table | CountedTable, kept: Mask
) -> Codes | None:
    """Whose each row is, or which household's, as a number."""
    return None if column is None else column.lookup[table.column(column.name).codes[kept]]


def _rounded(bound: BoundSchema, table: Table | CountedTable, kept: Mask) -> KeptMeaning | None:
    """The weights as they are published, if that is rounded."""
    weight = bound.weight
    if weight is None or weight.labels is None:
        return None
    codes = weight.lookup[table.column(weight.name).codes[kept]].astype(np.int32)
    return KeptMeaning(weight.name, codes, (*weight.labels, ""))


def _sampling(bound: BoundSchema, table: Table | CountedTable, kept: Mask) -> Floats | None:
    if bound.weight is None:
        return None
    places = bound.weight.lookup[table.column(bound.weight.name).codes[kept]]
    found: Floats = bound.weight.values[places]
    return found


def read_population(data: Data, form: DataForm, schema: SchemaLike) -> Original:
    """The population that the rows of an original were drawn from: its quasi-identifiers alone."""
    from paretonym.schema import bind, of_population

    described = schema_of(schema)
    table = _counted(data, of_population(described), form)
    bound = bind(of_population(described, table.names), table)
    kept = ~table.dropped(bound.omitted)
    weights = None if table.weights is None else table.weights[kept]
    return Original(
        int(kept.sum() if weights is None else weights.sum()),
        weights,
        tuple(_quasi(column, table, kept, weights) for column in bound.quasi),
        (),
        described.null,
        {},
    )


def meaning_of_values(column: ColumnSpec, texts: Sequence[str]) -> QuasiMeaning | None:
    """A quasi-identifier of which no more is known than the schema and some values; None if the schema has no
    place for one of these."""
    from paretonym.schema import QuasiColumn
    from paretonym.schema.hierarchies import Values, build, cutting_of

    values = Values(column.name, tuple(texts))
    try:
        built = build(column, values, True)
        cutting = cutting_of(column, values, built)
    except InputError:
        return None
    lowest, highest = column.levels or (0, built.hierarchy.height)
    bound = QuasiColumn(
        name=column.name,
        hierarchy=built.hierarchy,
        codes=built.codes,
        lowest=lowest,
        highest=highest,
        importance=column.importance,
        null_code=built.missing,
        cutting=cutting,
    )
    nobody = np.empty(0, dtype=np.int32)
    return _quasi_meaning(bound, nobody, None)


def _counted(
    data: Data | None, schema: Schema, form: DataForm, coarser: bool = False
) -> Table | CountedTable:
    """The distinct rows of the columns that a release shows, or all rows of a small file. Rows that are
    compared are needed as they are: counts at `coarser` levels would not do."""
    from paretonym.schema import wanted_of
    from paretonym.source import CountedTable, Table
    from paretonym.source.engines import open_source

    if isinstance(data, CountedTable) and data.levels and not coarser:
        wrong = "its rows were counted at coarser levels, and a comparison needs the values themselves"
        raise InputError.of(Field(form.field), wrong, "give the data, not what was counted of them")
    if isinstance(data, Table | CountedTable):
        return data
    with form.renamed:
        wanted = wanted_of(schema)
        return open_source(data, wanted if coarser else replace(wanted, levels=None), **form.options)


def _check_names(new: Table | CountedTable, old: Table | CountedTable) -> None:
    if lacking := sorted(set(new.names) ^ set(old.names)):
        wrong = f"columns are not in both tables: {shown(lacking)}"
        raise InputError.of(Field("old"), wrong, "give the table of the old rows")


def _quasi(
    column: QuasiColumn, table: Table | CountedTable, kept: Mask, weights: Integers | None
) -> QuasiMeaning:
    leaves = column.lookup[table.column(column.name).codes[kept]]
    return _quasi_meaning(column, leaves.astype(np.int32), weights)


def _quasi_meaning(column: QuasiColumn, leaves: Codes, weights: Integers | None) -> QuasiMeaning:
    domain, listed, levels = column.hierarchy.domain, column.hierarchy.listed, _levels(column)
    return QuasiMeaning(column.name, leaves, weights, levels, domain, column.importance, _row(column), listed)


def _levels(column: QuasiColumn) -> tuple[ShownLevel, ...]:
    return tuple(
        ShownLevel(level.groups, level.labels, tuple(level.sizes.tolist()))
        for level in column.hierarchy.levels
    )


def _row(column: QuasiColumn) -> Row:
    leaves, cutting = column.hierarchy.leaves, column.cutting
    points = leaves[: len(leaves) - cutting.alone] if cutting.on_line else ()
    numeric, dated, line = cutting.order == "numbers", cutting.order == "dates", cutting.line
    if line is not None:
        points = tuple(line.scale.text(point) if numeric else str(point) for point in line.points)
    return Row(
        leaves,
        points,
        numeric,
        dated,
        None if line is None else line.scale.layout,
        column.lowest,
        None if cutting.granules is None else cutting.granules.groups,
    )


def _kept(cells: Column, null: Sequence[str], kept: Mask, sensitive: SensitiveColumn | None) -> KeptMeaning:
    """The last text serves whatever means missing."""
    from paretonym.schema import missing_texts

    name, texts = cells.name, (*cells.texts, "")
    places = np.arange(len(texts), dtype=np.int32)
    places[:-1][missing_texts(cells, null)] = len(texts) - 1
    codes = places[cells.codes[kept]]
    if sensitive is None:
        return KeptMeaning(name, codes, texts)
    if sensitive.published is not None:
        return _published(name, cells, kept, sensitive, sensitive.published)
    return _measured(name, codes, texts, [*sensitive.codes.tolist(), sensitive.null_code], sensitive)


def _generalized(name: str, cells: Column, kept: Mask, level: PublishedLevel) -> KeptMeaning:
    """A column of role other that is published at a level of its hierarchy: the label of every original
    row."""
    return KeptMeaning(name, _label_codes(cells, kept, level), (*level.labels, ""))


def _label_codes(cells: Column, kept: Mask, level: PublishedLevel) -> Codes:
    """The place of the label of each row; beyond the last, it has none."""
    missing = np.int32(len(level.labels))
    codes = np.append(np.where(level.codes < 0, missing, level.codes), missing)[cells.codes[kept]]
    return codes.astype(np.int32)


def _published(
    name: str, cells: Column, kept: Mask, sensitive: SensitiveColumn, level: PublishedLevel
) -> KeptMeaning:
    """A sensitive column that is published at a level of its hierarchy: the label of every original row."""
    values = [*level.measured.tolist(), sensitive.null_code]
    return _measured(name, _label_codes(cells, kept, level), (*level.labels, ""), values, sensitive)


def _measured(
    name: str, codes: Codes, texts: tuple[str, ...], values: Sequence[int], sensitive: SensitiveColumn
) -> KeptMeaning:
    """`values` gives for each text the place of the value as which it is measured."""
    tree = sensitive.tree
    levels = tree.levels[: tree.height] if tree is not None else ()
    return KeptMeaning(
        name,
        codes,
        texts,
        tuple(sensitive.values[value] if value >= 0 else "" for value in values),
        sensitive.values,
        sensitive.ordered,
        tuple(tuple(level.groups.tolist()) for level in levels),
    )
