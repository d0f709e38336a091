"""The adapter to schema and original: the only place where an audit reads them.

What comes out are numbers for rows and plain texts; nothing here counts or measures.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes
from paretonym.errors import Field, InputError, shown

if TYPE_CHECKING:
    from paretonym.schema import ColumnSpec, PublishedLevel, QuasiColumn, Schema, SensitiveColumn
    from paretonym.source import Column, Table

SchemaLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Schema"

LEFT_OUT = ("identifier", "drop", "person")
MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class ShownLevel:
    """How one level shows a column: the set of each leaf, and each set's label and number of values."""

    sets: Codes
    labels: tuple[str, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Row:
    """The order of the leaves of a quasi-identifier, for sets that are not levels.

    The first leaves may lie on a line, each at its point: a number if `numeric`, a day (since year 1) if
    `dated`, whose texts have a `layout` (None: ISO); what follows them is missing or has no place. Sets are
    made of those of the level `lowest`, and where there are `granules` of these too: that of each leaf.
    """

    leaves: tuple[str, ...]
    points: tuple[str, ...]
    numeric: bool
    dated: bool
    layout: str | None
    lowest: int
    granules: Codes | None


@dataclass(frozen=True, eq=False)
class QuasiMeaning:
    """A quasi-identifier: the leaf of every original row, what each level makes of it, and the row in which
    its leaves lie, of which the schema lists the first `listed`, whether or not they occur."""

    name: str
    leaves: Codes
    levels: tuple[ShownLevel, ...]
    domain: int
    importance: Fraction
    row: Row
    listed: int


@dataclass(frozen=True, eq=False)
class KeptMeaning:
    """A column that is released unchanged: the text of every original row. For a sensitive column also, for
    each text, the value as which it is measured; all of these in order, whether that order means something,
    and the set of each at the levels of its tree, up to below the top."""

    name: str
    codes: Codes
    texts: tuple[str, ...]
    measured: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    ordered: bool = False
    tree: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Original:
    """The original rows that could be released, column by column. `null`: texts that mean missing."""

    rows: int
    quasi: tuple[QuasiMeaning, ...]
    kept: tuple[KeptMeaning, ...]
    null: tuple[str, ...]
    roles: Mapping[str, str]
    # Whose each row is, as a number, if a column says so.
    persons: Codes | None = None

    @property
    def most_rows(self) -> int:
        """How many rows one person has at most."""
        return 1 if self.persons is None else int(np.bincount(self.persons).max(initial=1))


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
    return {name: described.column(name).role for name in names}


def read_original(
    data: Any,
    schema: SchemaLike,
    encoding: str | None = None,
    separator: str | None = None,
    old: Any = None,
) -> Original:
    """The original as its schema sees it: rows with a missing value that must be there are left out.

    Rows that were added to those of an `old` table have their values beside that one's: the labels that they
    are shown by were made for both. Nothing else of it is in the answer.
    """
    from paretonym.schema import bind

    described = schema_of(schema)
    table, before = _opened(data, encoding, separator), 0
    if old is not None:
        first = _opened(old, encoding, separator)
        _check_names(table, first)
        table, before = first.joined(table), first.rows
    bound = bind(described, table)
    kept = ~table.dropped(bound.omitted)
    kept[:before] = False
    sensitive = {column.name: column for column in bound.sensitive}
    roles = {
        name: described.column(name).role
        for name in table.names
        if described.column(name).role not in LEFT_OUT
    }
    return Original(
        int(kept.sum()),
        tuple(_quasi(column, table, kept) for column in bound.quasi),
        tuple(
            _kept(table.column(name), described.null, kept, sensitive.get(name))
            for name, role in roles.items()
            if role != "quasi"
        ),
        described.null,
        roles,
        None if bound.person is None else bound.person.lookup[table.column(bound.person.name).codes[kept]],
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
    return _quasi_meaning(bound, nobody)


def _opened(data: Any, encoding: str | None, separator: str | None) -> Table:
    from paretonym.source import Table, open_table

    return data if isinstance(data, Table) else open_table(data, encoding=encoding, separator=separator)


def _check_names(new: Table, old: Table) -> None:
    if lacking := sorted(set(new.names) ^ set(old.names)):
        wrong = f"columns are not in both tables: {shown(lacking)}"
        raise InputError.of(Field("old"), wrong, "give the table of the old rows")


def _quasi(column: QuasiColumn, table: Table, kept: npt.NDArray[np.bool_]) -> QuasiMeaning:
    leaves = column.lookup[table.column(column.name).codes[kept]]
    return _quasi_meaning(column, leaves.astype(np.int32))


def _quasi_meaning(column: QuasiColumn, leaves: Codes) -> QuasiMeaning:
    domain, listed = column.hierarchy.domain, column.hierarchy.listed
    return QuasiMeaning(column.name, leaves, _levels(column), domain, column.importance, _row(column), listed)


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


def _kept(
    cells: Column, null: Sequence[str], kept: npt.NDArray[np.bool_], sensitive: SensitiveColumn | None
) -> KeptMeaning:
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


def _published(
    name: str, cells: Column, kept: npt.NDArray[np.bool_], sensitive: SensitiveColumn, level: PublishedLevel
) -> KeptMeaning:
    """A sensitive column that is published at a level of its hierarchy: the label of every original row."""
    missing = np.int32(len(level.labels))
    codes = np.append(np.where(level.codes < 0, missing, level.codes), missing)[cells.codes[kept]]
    values = [*level.measured.tolist(), sensitive.null_code]
    return _measured(name, codes.astype(np.int32), (*level.labels, ""), values, sensitive)


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
