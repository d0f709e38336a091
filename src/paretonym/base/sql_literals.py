"""Names and texts as SQL writes them, in DuckDB, SQLite and PostgreSQL."""

from __future__ import annotations


def sql_name(name: str) -> str:
    """An identifier, in quotes.

    >>> sql_name('so "called" age')
    '"so ""called"" age"'
    """
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A text, in quotes.

    >>> sql_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
