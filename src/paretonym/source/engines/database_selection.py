"""What is read of a database: a table, by its name, or what a query selects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError, did_you_mean, printable

READS = ("select", "with", "values", "table", "from")
COMMENT = re.compile(r"\s+|--[^\n]*|/\*.*?\*/|\(", re.DOTALL)
MOST_TABLES_NAMED = 20


@dataclass(frozen=True, slots=True)
class Selection:
    """What is read of a database: a table by its name, or what a query selects."""

    address: DataAddress
    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        if self.table is not None and self.query is not None:
            raise InputError.of(
                Field("query"), f"given together with {Field('table')}", "give one of the two"
            )
        if self.query is not None:
            object.__setattr__(self, "query", _checked(self.query))

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
        """What a run needs to know to read the same again."""
        return {"query": self.query or ""} if self.table is None else {"table": self.table}


def source_of(selection: Selection, tables: Callable[[], Mapping[str, str]]) -> str:
    """What stands behind FROM: the query, or the table as the database knows it; `tables` are all by the
    names that they may be called."""
    if selection.query is not None:
        # The query may end in a comment.
        return f"(\n{selection.query}\n) as data_"
    known = tables()
    if selection.table is None:
        raise InputError.of(
            selection.address.shown,
            "which table?",
            f"give {Field('table', 'NAME')} or {Field('query', 'SELECT …')}{_listed(known)}",
        )
    if selection.table not in known:
        wrong = f"there is no table called '{printable(selection.table)}', or this user may not see it"
        raise InputError.of(selection.address.shown, wrong, _nearest(selection.table, known), "table")
    return known[selection.table]


def _listed(known: Iterable[str]) -> str:
    names = [printable(name) for name in known][:MOST_TABLES_NAMED]
    return f"; there are: {', '.join(names)}" if names else "; there is no table in it"


def _nearest(name: str, known: Mapping[str, str]) -> str:
    if not known:
        return "there is no table in this database"
    if len(known) <= MOST_TABLES_NAMED:
        return did_you_mean(name, map(printable, known))
    return did_you_mean(name, map(printable, known)).partition(" known:")[0].removeprefix("known:") or (
        "check the name"
    )


def _checked(query: str) -> str:
    """A query that reads, without the semicolon at its end. Whether it is one statement, and nothing else,
    the database itself decides, on a connection that cannot write."""
    text = query.strip().rstrip(";").rstrip()
    start = text
    while found := COMMENT.match(start):
        start = start[found.end() :]
    word = re.match(r"[A-Za-z]*", start)
    if word is None or word[0].lower() not in READS:
        raise InputError.of(
            Field("query"), "this is not a SELECT, and only queries that read can run", "give a SELECT"
        )
    return text
