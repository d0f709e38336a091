"""The names of a table's columns: what is wrong with them, and whether they are names at all.

The first line of a file without a header is somebody's row. So no message here shows a name before it is
known to be one: columns are numbered from 1.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count
from typing import Any

from paretonym.base.errors import Problem
from paretonym.tables.source.table_counts import Column, Counts

# Control characters that a spreadsheet writes into a header cell of several lines.
HARMLESS = "\t\n\r"
REMEDY = "give every column a different name; if the first line of a file is data, add a header above it"


ROW = "row"


def with_row(names: Sequence[str]) -> list[str]:
    """The names of a header, of which the first may be empty: R and pandas write the names of rows into a
    column without a name. It is called `row`.

    >>> with_row(["", "age"]), with_row(["", "row"]), with_row([""])
    (['row', 'age'], ['row_2', 'row'], [''])
    """
    if len(names) < 2 or names[0].strip():
        return list(names)
    taken = {name.strip().casefold() for name in names[1:]}
    free = (name for number in count(2) if (name := f"{ROW}_{number}") not in taken)
    return [ROW if ROW not in taken else next(free), *names[1:]]


def name_problems(place: str, names: Sequence[Any]) -> list[Problem]:
    """Names of columns that are no text, missing, given twice or hold control characters, by position: nobody
    knows yet that they are names."""
    problems = []
    first: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            wrong = f"the name of column {position} is of type {type(name).__name__}, not text"
            problems.append(Problem(place, wrong, "rename the columns so that every name is text"))
            continue
        if not name.strip():
            problems.append(Problem(place, f"column {position} has no name", REMEDY))
        elif name in first:
            wrong = f"columns {first[name]} and {position} have the same name"
            problems.append(Problem(place, wrong, REMEDY))
        first.setdefault(name, position)
    return problems + _controlled(place, names)


def _controlled(place: str, names: Sequence[Any]) -> list[Problem]:
    """Names with control characters, which a terminal obeys: they could hide or forge what is printed."""
    return [
        Problem(
            place,
            f"the name of column {position} contains a control character",
            "rename the column",
        )
        for position, name in enumerate(names, 1)
        if isinstance(name, str) and not name.isprintable() and any(map(_controls, name))
    ]


def _controls(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character not in HARMLESS


def header_warning(source: Counts) -> str | None:
    """A warning if the column names look like a row of the table: a file without a header would be published
    with its first person as the names of its columns."""
    every = len(source.counted)
    alike = sum(_like_a_value(source.column(name)) for name in source.counted)
    if alike < 2 and 2 * alike < every:
        return None
    columns = "1 column name looks" if alike == 1 else f"{alike} of {every} column names look"
    return (
        f"the first line of {source.name} may be a person's row instead of a header: {columns} like a value "
        "of that column, and column names are published unchanged; if there is no header, add one"
    )


def source_warnings(source: Counts) -> tuple[str, ...]:
    """Warnings about a table, a sentence each: of its header, and of rows at the end that are left out, which
    may be people in another file."""
    left_out = source.form.left_out if source.form.below else None
    header = header_warning(source)
    warnings = (header, left_out and f"left out of {source.name}: {left_out} (footer_rows in the schema)")
    return tuple(f"{warning[:1].upper()}{warning[1:]}." for warning in warnings if warning)


def _like_a_value(column: Column) -> bool:
    """True if a column's name is one of its own values, or a number between them."""
    name = column.name.strip()
    if name in column.texts:
        return True
    number = _number(name)
    if number is None:
        return False
    numbers = [_number(text) for text in column.texts]
    present = [one for one in numbers if one is not None]
    return 2 * len(present) > len(numbers) and bool(present) and min(present) <= number <= max(present)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
