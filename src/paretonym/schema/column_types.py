"""Whether values are of the type that the schema says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.errors import Problem
from paretonym.schema.hierarchies.date_line import read_days
from paretonym.schema.hierarchies.exact_numbers import read_numbers
from paretonym.schema.hierarchies.hierarchy_draft import Values
from paretonym.schema.model import ColumnSpec

TRUTHS = frozenset({"true", "false", "yes", "no", "1", "0"})
Fitting: TypeAlias = npt.NDArray[np.bool_]


def type_problems(column: ColumnSpec, values: Values) -> list[Problem]:
    """The values that are not of the column's `type`."""
    if column.type not in CHECKS or column.type == values.type or _checked_later(column):
        return []
    noun, check = CHECKS[column.type]
    unfit = np.flatnonzero(~check(column, values))
    if not len(unfit):
        return []
    wrong = f"not {noun}: {values.counted(values.texts[index] for index in unfit)}"
    remedy = f'fix them or type = "{column.type}", or list them in null if they mean missing'
    return [Problem(values.place, wrong, remedy, "type")]


def _checked_later(column: ColumnSpec) -> bool:
    """Dates that get a hierarchy of dates are read by it, which says more of what is wrong with them."""
    dated = column.type == "date" and column.role in ("quasi", "sensitive")
    return column.unknown_to_top or (dated and column.kind.reads == "dates")


def _integers(column: ColumnSpec, values: Values) -> Fitting:
    numbers = read_numbers(values.texts)
    return numbers.readable & np.asarray(numbers.scaled % 10**numbers.decimals == 0, dtype=np.bool_)


def _decimals(column: ColumnSpec, values: Values) -> Fitting:
    return read_numbers(values.texts).readable


def _dates(column: ColumnSpec, values: Values) -> Fitting:
    return read_days(values.texts, column.format) >= 0


def _booleans(column: ColumnSpec, values: Values) -> Fitting:
    truths = (text.strip().lower() in TRUTHS for text in values.texts)
    return np.fromiter(truths, dtype=np.bool_, count=len(values.texts))


CHECKS: Mapping[str | None, tuple[str, Callable[[ColumnSpec, Values], Fitting]]] = {
    "integer": ("integers", _integers),
    "decimal": ("numbers", _decimals),
    "date": ("dates", _dates),
    "boolean": ("true or false (yes or no, 1 or 0)", _booleans),
}
