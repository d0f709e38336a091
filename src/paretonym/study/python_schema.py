"""A schema in Python: columns with types, checked when they are made, that say what a schema file says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypedDict

from paretonym.base.errors import InputError, UnknownName, did_you_mean
from paretonym.base.files import Output, write_output
from paretonym.tables.schema import DecimalMark, Missing, Role, SuppressUnit, schema_from, toml_of
from paretonym.tables.source import ColumnType

Number: TypeAlias = int | float | Decimal


class Hierarchy(TypedDict, total=False):
    """Generalization of values: one of these kinds; `origin` belongs to intervals."""

    intervals: Sequence[Number]
    origin: Number
    breaks: Sequence[Number] | Sequence[Sequence[Number]]
    mask: int
    keep: Sequence[int]
    date: Sequence[str]
    file: str
    flat: Literal[True]
    tree: Mapping[str, object] | Sequence[object]
    ready: str


@dataclass(frozen=True, init=False, repr=False)
class Column:
    """The meaning of one column: its role, how it is generalized, and the other keys of a schema file.

    >>> Column("age", "quasi", {"intervals": [5, 10]}, top=90)
    <Column age: quasi, hierarchy, top>
    >>> Column("age", "quasi", {"intervals": [5, 12]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    paretonym.base.errors.InputError: the schema, column 'age', hierarchy.intervals: the width 12 is not ...

    Parameters have the names and meanings of the keys in a schema file. What is wrong raises an `InputError`
    (a ValueError) at once. It never changes afterwards.
    """

    name: str
    entry: Mapping[str, Any]
    """The keys that a schema file would have."""

    def __init__(
        self,
        name: str,
        role: Role,
        hierarchy: Hierarchy | None = None,
        *,
        type: ColumnType | None = None,  # noqa: A002 - the key's name
        order: Sequence[str] | None = None,
        bottom: Number | None = None,
        top: Number | None = None,
        levels: tuple[int, int] | None = None,
        importance: Number | None = None,
        granularity: Number | None = None,
        domain: tuple[int, int] | None = None,
        format: str | None = None,  # noqa: A002
        missing: Missing | None = None,
        unknown: Literal["top"] | None = None,
        level: int | None = None,
        release_level: int | None = None,
        release: bool | None = None,
        round: Number | None = None,  # noqa: A002
        kept: Literal["yes", "no"] | None = None,
        decimal: DecimalMark | None = None,
        null: Sequence[str] | None = None,
        default: int | None = None,
    ) -> None:
        entry = {key: value for key, value in locals().items() if value is not None}
        entry = {key: value for key, value in entry.items() if key not in ("self", "name")}
        schema_from({"columns": {name: entry}})
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "entry", MappingProxyType(entry))

    @property
    def role(self) -> Role:
        """The role of the column."""
        role: Role = self.entry["role"]
        return role

    def __reduce__(self) -> tuple[Any, ...]:
        return _column, (self.name, dict(self.entry))

    def __hash__(self) -> int:
        return hash((self.name, self.role))

    def __repr__(self) -> str:
        further = [key for key in self.entry if key != "role"]
        return f"<Column {self.name}: {', '.join([self.role, *further])}>"


def _column(name: str, entry: Mapping[str, Any]) -> Column:
    return Column(name, **entry)


class Schema(Mapping[str, Any]):
    """Everything that a schema file says, without the file: columns, and what holds for all of them.

    >>> schema = Schema([Column("age", "quasi", {"intervals": [5, 10]}), Column("ill", "sensitive")])
    >>> schema
    <Schema: age quasi, ill sensitive>
    >>> print(schema.toml().splitlines()[0], schema.column("ill").role)
    [columns.age] sensitive

    It is a mapping that says what the TOML file would, and serves wherever a schema does. What is wrong
    raises an `InputError`, all of it at once. It never changes afterwards.
    """

    def __init__(
        self,
        columns: Iterable[Column],
        *,
        missing: Missing | None = None,
        rows: Literal["people", "events"] | None = None,
        null: Sequence[str] | None = None,
        decimal: DecimalMark | None = None,
        encoding: str | None = None,
        separator: str | None = None,
        header_row: int | None = None,
        footer_rows: int | None = None,
        sheet: str | None = None,
        suppress_unit: SuppressUnit | None = None,
        purpose: Sequence[Mapping[str, object]] | None = None,
    ) -> None:
        keys: dict[str, Any] = {
            "missing": missing,
            "rows": rows,
            "null": null,
            "decimal": decimal,
            "purpose": purpose,
        }
        keys |= {"encoding": encoding, "separator": separator, "sheet": sheet}
        keys |= {"header_row": header_row, "footer_rows": footer_rows}
        entry: dict[str, Any] = {key: value for key, value in keys.items() if value is not None}
        if suppress_unit is not None:
            entry["suppress"] = {"unit": suppress_unit}
        self._columns = tuple(columns)
        names = [column.name for column in self._columns]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            wrong = f"column '{twice[0]}' is described twice"
            raise InputError.of("the schema", wrong, "describe each column once")
        entry["columns"] = {column.name: column.entry for column in self._columns}
        self._mapping: Mapping[str, Any] = MappingProxyType(entry)
        self._read = schema_from(entry)

    def __getitem__(self, key: str) -> Any:
        return self._mapping[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapping)

    def __len__(self) -> int:
        return len(self._mapping)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in their order."""
        return self._columns

    def column(self, name: str) -> Column:
        """The column of that name."""
        for column in self._columns:
            if column.name == name:
                return column
        names = [column.name for column in self._columns]
        raise UnknownName.of("the schema", f"there is no column '{name}'", did_you_mean(name, names))

    def toml(self) -> str:
        """The text of a schema file that says the same."""
        return toml_of(self._read)

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write the schema file; hierarchy files keep their names and are not copied."""
        write_output(Output(Path(path), private=True), self.toml().encode(), force, ())

    def __repr__(self) -> str:
        return f"<Schema: {', '.join(f'{column.name} {column.role}' for column in self._columns)}>"
