"""Arrow columns, from a Parquet file or a dataframe, become the columns of a `Table`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from paretonym.errors import InputError
from paretonym.source.column_names import name_problems
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
