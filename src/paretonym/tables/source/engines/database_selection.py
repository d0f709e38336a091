"""Selection of what is read of a database: a table, by its name, or what a query selects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paretonym.base.errors import Field, InputError, did_you_mean, printable, shown
from paretonym.tables.data_address import DataAddress


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection of a database that is read: a table by its name, or what a query selects."""

    address: DataAddress
    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        if self.table is not None and self.query is not None:
            raise InputError.of(
                Field("query"), f"given together with {Field('table')}", "give one of the two"
            )

    @property
    def place(self) -> str:
        """For messages."""
        if self.table is not None:
            return f"{self.address.shown}, table '{printable(self.table)}'"
        return f"{self.address.shown}, query" if self.query is not None else self.address.shown

    @property
    def name(self) -> str:
        return "the query" if self.table is None else self.table

    @property
    def options(self) -> dict[str, str]:
        """Options with which a run reads this selection again."""
        return {"query": self.query or ""} if self.table is None else {"table": self.table}

    def source(self, tables: Callable[[], Mapping[str, str]]) -> str:
        """SQL behind FROM: the query, or the table as the database knows it; `tables` are all by the
        names that they may be called."""
        if self.query is not None:
            # It may end in a comment.
            return f"(\n{self.query.strip().rstrip(';')}\n) as data_"
        names = tables()
        if self.table is None:
            raise InputError.of(
                self.address.shown,
                "which table?",
                f"give {Field('table', 'NAME')} or {Field('query', 'SELECT …')}; there are: "
                f"{shown(map(printable, names))}",
            )
        if self.table not in names:
            wrong = f"there is no table called '{printable(self.table)}', or this user may not see it"
            remedy = did_you_mean(self.table, map(printable, names)) if names else "there is no table at all"
            raise InputError.of(self.address.shown, wrong, remedy, "table")
        return names[self.table]
