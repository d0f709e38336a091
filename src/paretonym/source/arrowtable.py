"""Arrow columns, from a Parquet file or a dataframe, become the columns of a `Table`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from paretonym.errors import InputError, Problem
from paretonym.source.columns import coded, make_column
from paretonym.source.table import Column
from paretonym.source.values import check_type


def check_shape(place: str, names: Sequence[Any], rows: int) -> None:
    """Refuses a table without columns or rows, and names that are not text, missing or given twice."""
    if not names:
        raise InputError.of(place, "there is no column", "give a table with columns and rows")
    if problems := name_problems(place, names):
        raise InputError(problems)
    if not rows:
        raise InputError.of(place, "there is no row", "give a table with rows")


def name_problems(place: str, names: Sequence[Any]) -> list[Problem]:
    problems = []
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            wrong = f"the name of column {position} is of type {type(name).__name__}, not text"
            problems.append(Problem(place, wrong, "rename the columns so that every name is text"))
        elif not name.strip():
            problems.append(Problem(place, f"column {position} has no name", "give it a name"))
    twice = [name for name, count in Counter(names).items() if count > 1 and isinstance(name, str)]
    problems += [
        Problem(place, f"more than one column is called '{name}'", "rename all but one") for name in twice
    ]
    return problems


def arrow_columns(
    place: str, names: Sequence[str], types: Sequence[Any], arrays: Iterable[Any]
) -> tuple[Column, ...]:
    """One column an array; all types that cannot be read are told before the first array is asked for."""
    places = [f"{place}, column '{name}'" for name in names]
    found = (check_type(where, kind) for where, kind in zip(places, types, strict=True))
    if problems := [problem for problem in found if problem]:
        raise InputError(problems)
    return tuple(
        make_column(name, coded(array), where)
        for name, where, array in zip(names, places, arrays, strict=True)
    )
