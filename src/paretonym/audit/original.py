"""The original of a release, read by the readers of tables and schemas that everything uses: numbers for
rows, plain texts, and whose a row is. Nothing is measured while reading."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paretonym.audit.label_sets import LabelSets
from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import Field, InputError, shown

if TYPE_CHECKING:
    from paretonym.tables.schema import BoundSchema, ColumnSpec, Schema, SensitiveColumn
    from paretonym.tables.source import Counts

SchemaLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, object] | Schema"
# Opens the table in a field with the columns that a schema wants.
Opener: TypeAlias = "Callable[[str, Schema], Counts]"
LEFT_OUT = ("identifier", "drop", "person", "household", "required-k")


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
    """The original rows that could be released, column by column: an entry stands for `counts` rows. `sets`
    and `leaves` are the quasi-identifiers: what labels mean, and the leaf of every entry. `null` are texts
    that mean missing; `persons` and `households` say whose a row is, where a column does. `old` is the table
    that these rows were added to."""

    counts: Integers
    sets: tuple[LabelSets, ...]
    leaves: tuple[Integers, ...]
    kept: tuple[KeptValues, ...] = ()
    null: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    persons: Codes | None = None
    households: Codes | None = None
    old: Original | None = None

    @classmethod
    def of(cls, table: Counts, bound: BoundSchema, schema: Schema) -> Original:
        """All entries of a table, those too that a release leaves out."""
        roles = {
            name: role for name in table.names if (role := role_in_file(schema.column(name))) not in LEFT_OUT
        }
        persons, households = (
            None if column is None else column.lookup[table.column(column.name).codes]
            for column in (bound.person, bound.household)
        )
        kept = tuple(_kept(bound, schema, table, name) for name, role in roles.items() if role != "quasi")
        quasi = _quasi(bound, table, schema)
        return replace(quasi, kept=kept, roles=roles, persons=persons, households=households)

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def sensitive(self) -> tuple[KeptValues, ...]:
        return tuple(column for column in self.kept if column.values)

    def only(self, marked: Mask) -> Original:
        """The marked entries alone."""
        return replace(
            self,
            counts=self.counts[marked],
            leaves=tuple(leaves[marked] for leaves in self.leaves),
            kept=tuple(replace(column, codes=column.codes[marked]) for column in self.kept),
            persons=None if self.persons is None else self.persons[marked],
            households=None if self.households is None else self.households[marked],
        )

    def sizes(self, groups: Integers, marked: Mask, length: int = 0) -> Integers:
        """Number of marked entries in each group: different persons, if a column says whose a row
        is, else rows."""
        length = max(length, int(groups.max(initial=0)) + 1)
        if self.persons is None:
            return np.bincount(groups[marked], self.counts[marked], length).astype(np.int64)
        pairs = np.unique(np.stack([groups[marked], self.persons[marked].astype(np.int64)]), axis=1)
        return np.bincount(pairs[0], minlength=length)

    def most_rows(self, stays: Mask) -> int:
        """The most rows of one person among the entries that stay."""
        if self.persons is None:
            return 1
        return int(np.bincount(self.persons[stays], self.counts[stays]).max(initial=1))


def schema_of(schema: SchemaLike) -> Schema:
    """A schema, be it a file, a mapping or one that was read before."""
    from paretonym.tables.schema import Schema, read_schema, schema_from

    if isinstance(schema, Schema):
        return schema
    return schema_from(schema) if isinstance(schema, Mapping) else read_schema(Path(schema))


def role_in_file(column: ColumnSpec) -> str:
    """The role of a column in a file: a weight is left out unless the schema says that it is released."""
    return "drop" if column.role == "weight" and not column.release else column.role


def read_original(opened: Opener, schema: Schema, added: bool) -> Original:
    """The original as a schema sees it: rows with a missing value that must be there are left out. Labels of
    rows that were `added` to those of an old table were made for both."""
    from paretonym.tables.schema import bind
    from paretonym.tables.source.engines import joined

    table, before = opened("original", schema), 0
    if added:
        first = opened("old", schema)
        if lacking := sorted(set(table.names) ^ set(first.names)):
            wrong = f"columns are not in both tables: {shown(lacking)}"
            raise InputError.of(Field("old"), wrong, "give the table of the old rows")
        table, before = joined(first, table), first.entries
    bound = bind(schema, table)
    whole = Original.of(table, bound, schema)
    stays = ~table.dropped(bound.omitted)
    later = np.arange(len(stays)) >= before
    old = whole.only(stays & ~later) if before else None
    return replace(whole.only(stays & later), old=old)


def read_population(opened: Opener, schema: Schema) -> Original:
    """The population that the rows of an original were drawn from: its quasi-identifiers alone."""
    from paretonym.tables.schema import bind, of_population

    table = opened("population_file", of_population(schema))
    bound = bind(of_population(schema, table.names), table)
    return _quasi(bound, table, schema).only(~table.dropped(bound.omitted))


def _quasi(bound: BoundSchema, table: Counts, schema: Schema) -> Original:
    """The quasi-identifiers of every entry; a value that only dropped rows have is no leaf."""
    leaves = (column.lookup[table.column(column.name).codes].astype(np.int64) for column in bound.quasi)
    return Original(table.weights, tuple(map(LabelSets, bound.quasi)), tuple(leaves), null=schema.null)


def _kept(bound: BoundSchema, schema: Schema, table: Counts, name: str) -> KeptValues:
    """A column that is no quasi-identifier, as it is published: unchanged, rounded, or at a level of its
    hierarchy. The last text serves whatever means missing."""
    from paretonym.tables.schema import missing_texts

    cells = table.column(name)
    sensitive = next((column for column in bound.sensitive if column.name == name), None)
    published, weight = bound.published_levels.get(name), bound.weight
    if weight is not None and weight.name == name and weight.labels is not None:
        return KeptValues(name, weight.lookup[cells.codes].astype(np.int32), (*weight.labels, ""))
    if published is not None:
        missing = np.int32(len(published.labels))
        codes = np.append(np.where(published.codes < 0, missing, published.codes), missing)
        texts, values = (*published.labels, ""), published.measured.tolist()
    else:
        texts = (*cells.texts, "")
        codes = np.arange(len(texts), dtype=np.int32)
        codes[:-1][missing_texts(cells, schema.null_of(name))] = len(texts) - 1
        values = [] if sensitive is None else sensitive.codes.tolist()
    plain = KeptValues(name, codes[cells.codes].astype(np.int32), texts)
    return plain if sensitive is None else _measured(plain, [*values, sensitive.null_code], sensitive)


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
