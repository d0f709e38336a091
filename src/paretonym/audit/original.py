"""The original of a release, read by the readers of tables and schemas that everything uses: numbers for
rows, plain texts, and whose a row is. Nothing is measured while reading."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paretonym.arrays import Codes, Floats, Integers, Mask
from paretonym.audit.label_runs import LabelSets
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError, shown

if TYPE_CHECKING:
    from paretonym.schema import BoundSchema, ColumnSpec, Schema, SensitiveColumn
    from paretonym.source import Column, Counts

SchemaLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, object] | Schema"
LEFT_OUT = ("identifier", "drop", "person", "household", "required-k")


@dataclass(frozen=True, eq=False)
class QuasiValues:
    """A quasi-identifier: the leaf of every entry of the original, and the sets that labels mean."""

    sets: LabelSets
    leaves: Integers

    @property
    def name(self) -> str:
        return self.sets.name


@dataclass(frozen=True, eq=False)
class KeptValues:
    """A column that is released unchanged: the text of every entry. For a sensitive column also, for each
    text, the value as which it is measured; all values in order, whether that order means something, and the
    set of each at the levels of its tree, up to below the top."""

    name: str
    codes: Codes
    texts: tuple[str, ...]
    measured: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    ordered: bool = False
    tree: tuple[tuple[int, ...], ...] = ()

    def cells(self, texts: Sequence[str] | None = None) -> Any:
        """The text of each entry, as an Arrow array."""
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(self.codes, pa.array(list(texts or self.texts), pa.string()))


@dataclass(frozen=True, eq=False)
class Original:
    """The original rows that could be released, column by column: an entry stands for `counts` rows. `null`
    are texts that mean missing; `persons` and `households` say whose a row is, `sampling` how many people of
    the population it stands for, where a column does; `old` are the quasi-identifiers of the table that these
    rows were added to, with `old_counts`."""

    counts: Integers
    quasi: tuple[QuasiValues, ...]
    kept: tuple[KeptValues, ...]
    null: tuple[str, ...]
    roles: Mapping[str, str]
    persons: Codes | None = None
    households: Codes | None = None
    sampling: Floats | None = None
    old: tuple[QuasiValues, ...] = ()
    old_counts: Integers | None = None

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def sensitive(self) -> tuple[KeptValues, ...]:
        return tuple(column for column in self.kept if column.values)

    def only(self, marked: Mask) -> Original:
        """The marked entries alone."""

        def part(values: Any) -> Any:
            return None if values is None else values[marked]

        return replace(
            self,
            counts=self.counts[marked],
            quasi=tuple(replace(column, leaves=column.leaves[marked]) for column in self.quasi),
            kept=tuple(replace(column, codes=column.codes[marked]) for column in self.kept),
            persons=part(self.persons),
            households=part(self.households),
            sampling=part(self.sampling),
        )

    def sizes(self, groups: Integers, marked: Mask) -> Integers:
        """How many of the marked entries are in each group: different persons, if a column says whose a row
        is, else rows."""
        length = int(groups.max(initial=0)) + 1
        if self.persons is None:
            return np.bincount(groups[marked], self.counts[marked], length).astype(np.int64)
        pairs = np.unique(np.stack([groups[marked], self.persons[marked].astype(np.int64)]), axis=1)
        return np.bincount(pairs[0], minlength=length)

    def most_rows(self, stays: Mask) -> int:
        """How many rows of one person are among the entries that stay, at most."""
        if self.persons is None:
            return 1
        return int(np.bincount(self.persons[stays], self.counts[stays]).max(initial=1))


def schema_of(schema: SchemaLike) -> Schema:
    """A schema, be it a file, a mapping or one that was read before."""
    from paretonym.schema import Schema, read_schema, schema_from

    if isinstance(schema, Schema):
        return schema
    return schema_from(schema) if isinstance(schema, Mapping) else read_schema(Path(schema))


def role_in_file(column: ColumnSpec) -> str:
    """The role of a column in a file: a weight is left out unless the schema says that it is released."""
    return "drop" if column.role == "weight" and not column.release else column.role


def schema_roles(schema: Schema, names: Sequence[str], place: str) -> dict[str, str]:
    """The role of every column of a file; a column that the schema does not know is a mistake."""
    if unknown := [name for name in names if name not in schema.names]:
        wrong = f"columns that are not in {schema.name}: {shown(unknown)}"
        remedy = f"add them to the schema, or give the roles with {Field('quasi')} and {Field('sensitive')}"
        raise InputError.of(place, wrong, remedy)
    return {name: role_in_file(schema.column(name)) for name in names}


@dataclass(frozen=True, slots=True)
class Reading:
    """How data are read: the options of `source`, and the field of messages that names the data."""

    field: str
    memory: str | None = None
    encoding: str | None = None
    separator: str | None = None
    engine: str | None = None
    table: str | None = None
    query: str | None = None

    def opened(self, data: Data, schema: Schema) -> Counts:
        """The distinct rows of the columns that a release shows."""
        from paretonym.schema import wanted_of
        from paretonym.source import Counts
        from paretonym.source.engines import open_source

        if isinstance(data, Counts):
            return data
        return open_source(
            data,
            wanted_of(schema),
            engine=self.engine or "auto",
            memory=self.memory,
            encoding=self.encoding or schema.encoding,
            separator=self.separator or schema.separator,
            table=self.table,
            query=self.query,
        )


def read_original(
    data: Data, reading: Reading, schema: Schema, old: Data | None = None, old_reading: Reading | None = None
) -> Original:
    """The original as a schema sees it: rows with a missing value that must be there are left out. Labels of
    rows that were added to those of an `old` table were made for both."""
    from paretonym.schema import bind
    from paretonym.source.engines import joined

    table, before = reading.opened(data, schema), 0
    if old is not None:
        first = (old_reading or reading).opened(old, schema)
        if lacking := sorted(set(table.names) ^ set(first.names)):
            wrong = f"columns are not in both tables: {shown(lacking)}"
            raise InputError.of(Field("old"), wrong, "give the table of the old rows")
        table, before = joined(first, table), first.entries
    bound = bind(schema, table)
    stays = ~table.dropped(bound.omitted)
    counts = np.ones(len(stays), dtype=np.int64) if table.weights is None else table.weights
    old_stays = stays.copy()
    old_stays[before:], stays[:before] = False, False
    roles = {
        name: role for name in table.names if (role := role_in_file(schema.column(name))) not in LEFT_OUT
    }
    return Original(
        counts[stays],
        _quasi(bound, table, stays),
        tuple(_kept(bound, schema, table, stays, name) for name, role in roles.items() if role != "quasi"),
        schema.null,
        roles,
        None if bound.person is None else bound.person.lookup[table.column(bound.person.name).codes[stays]],
        None
        if bound.household is None
        else bound.household.lookup[table.column(bound.household.name).codes[stays]],
        _sampling(bound, table, stays) if schema.unit.is_person else None,
        _quasi(bound, table, old_stays) if before else (),
        counts[old_stays] if before else None,
    )


def read_population(data: Data, reading: Reading, schema: Schema) -> Original:
    """The population that the rows of an original were drawn from: its quasi-identifiers alone."""
    from paretonym.schema import bind, of_population

    table = reading.opened(data, of_population(schema))
    bound = bind(of_population(schema, table.names), table)
    stays = ~table.dropped(bound.omitted)
    counts = np.ones(len(stays), dtype=np.int64) if table.weights is None else table.weights
    return Original(counts[stays], _quasi(bound, table, stays), (), schema.null, {})


def _quasi(bound: BoundSchema, table: Counts, stays: Mask) -> tuple[QuasiValues, ...]:
    return tuple(
        QuasiValues(LabelSets(column), column.lookup[table.column(column.name).codes[stays]].astype(np.int64))
        for column in bound.quasi
    )


def _sampling(bound: BoundSchema, table: Counts, stays: Mask) -> Floats | None:
    if bound.weight is None:
        return None
    weights: Floats = bound.weight.values[bound.weight.lookup[table.column(bound.weight.name).codes[stays]]]
    return weights


def _kept(bound: BoundSchema, schema: Schema, table: Counts, stays: Mask, name: str) -> KeptValues:
    """A column that is no quasi-identifier, as it is published: unchanged, rounded, or at a level of its
    hierarchy. The last text serves whatever means missing."""
    from paretonym.schema import missing_texts

    cells: Column = table.column(name)
    sensitive = next((column for column in bound.sensitive if column.name == name), None)
    published = bound.published_levels.get(name)
    weight = bound.weight
    if weight is not None and weight.name == name and weight.labels is not None:
        return KeptValues(name, weight.lookup[cells.codes[stays]].astype(np.int32), (*weight.labels, ""))
    if published is not None:
        missing = np.int32(len(published.labels))
        codes = np.append(np.where(published.codes < 0, missing, published.codes), missing)
        texts, values = (*published.labels, ""), published.measured.tolist()
    else:
        texts = (*cells.texts, "")
        codes = np.arange(len(texts), dtype=np.int32)
        codes[:-1][missing_texts(cells, schema.null)] = len(texts) - 1
        values = [] if sensitive is None else sensitive.codes.tolist()
    kept = KeptValues(name, codes[cells.codes[stays]].astype(np.int32), texts)
    return kept if sensitive is None else _measured(kept, [*values, sensitive.null_code], sensitive)


def _measured(kept: KeptValues, values: Sequence[int], sensitive: SensitiveColumn) -> KeptValues:
    """`values` gives for each text the place of the value as which it is measured."""
    tree = sensitive.tree
    levels = tree.levels[: tree.height] if tree is not None else ()
    return replace(
        kept,
        measured=tuple(sensitive.values[value] if value >= 0 else "" for value in values),
        values=sensitive.values,
        ordered=sensitive.ordered,
        tree=tuple(tuple(level.groups.tolist()) for level in levels),
    )
