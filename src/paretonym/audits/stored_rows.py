"""Rows of a table of a database, brought as distinct rows with their counts, in the order in which they are
stored: a release is stored sorted, so equal rows follow each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.table_file import text_view
from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError, shown


class StoredRows(NamedTuple):
    """What is known of a table once its rows are in a view; the fields are those of a `TableFile`."""

    names: tuple[str, ...]
    floats: frozenset[str]
    in_order: bool | None
    odd_cells: int


class DistinctRows:
    """Distinct rows with their counts, in an engine, to which more are added block by block."""

    def __init__(self, engine: Engine, view: str, kinds: Sequence[str]) -> None:
        self._engine, self._view, self._kinds = engine, view, kinds
        self._columns = [f"c{place}" for place in range(len(kinds))]
        typed = [f"{column} {kind}" for column, kind in zip(self._columns, kinds, strict=True)]
        engine.run(f"create or replace temp table {view}_rows ({listed([*typed, 'n bigint'])})")

    def add(self, rows: Any) -> None:
        """Add the rows of an Arrow table, whose last column says how often each occurs."""
        with self._engine.in_order():
            self._engine.append(f"{self._view}_rows", rows.rename_columns([*self._columns, "n"]))

    def shown(self) -> frozenset[str]:
        """Make the view of all rows, each as often as it occurs, as texts; returns the columns of floats."""
        columns = listed(self._columns)
        every = f"(select {columns} from (select *, unnest(range(n)) from {self._view}_rows))"
        return text_view(self._engine, self._view, every, self._kinds)


def table_named(address: DataAddress, table: str | None, known: Mapping[str, str]) -> str:
    """How a table is named in SQL; names ignore case, as in the database."""
    if table is None:
        have = f"it has {shown(list(known))}" if known else "it has none"
        raise InputError.of(address.shown, f"no table is named, and {have}", f"give {Field('table', 'NAME')}")
    exact = {name: sql for name, sql in known.items() if name == table}
    alike = exact or {name: sql for name, sql in known.items() if name.lower() == table.lower()}
    if len(alike) != 1:
        have = f"; it has {shown(list(known))}" if known else ""
        wrong = f"there is no table '{table}'{have}"
        raise InputError.of(address.shown, wrong, "name a table; views are not audited")
    return next(iter(alike.values()))


def odd_type(place: str, column: str) -> InputError:
    """A type that lists values may list some that no row has."""
    wrong = f"the type of the column '{column}' is not one that releases have"
    return InputError.of(place, wrong, "give text, numbers, dates and booleans")
