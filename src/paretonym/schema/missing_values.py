"""Which values mean "missing", which rows that costs, and what the schema says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Mask
from paretonym.errors import Problem
from paretonym.schema.model import ColumnSpec, Missing, Schema
from paretonym.source.table import NULL, Column, Table


@dataclass(frozen=True, eq=False)
class Presence:
    """A column's missing values: `texts[i]`, whether the i-th distinct value means missing; `rows[r]`,
    whether row r has none."""

    texts: Mask
    rows: Mask

    @property
    def count(self) -> int:
        return int(self.rows.sum())


def missing_texts(column: Column, null: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which distinct values of a column mean missing."""
    meaning = (*null, "nan", "NaN") if column.type == "decimal" else tuple(null)
    missing = (means_missing(text, meaning) for text in column.texts)
    return np.fromiter(missing, dtype=np.bool_, count=len(column.texts))


def presence(column: Column, null: Sequence[str]) -> Presence:
    """Missing are nulls, blank texts, the schema's null strings and NaN among decimals."""
    texts = missing_texts(column, null)
    # The code of a null, -1, finds the last entry.
    return Presence(texts, np.append(texts, True)[column.codes])


def missing_rule(schema: Schema, column: ColumnSpec) -> Missing | None:
    """What happens where this column has no value; None is nothing, or that the schema does not say."""
    if column.missing is not None or column.role not in ("quasi", "sensitive"):
        return column.missing
    return schema.missing


def undecided(schema: Schema, table: Table, column: ColumnSpec, found: Presence) -> list[Problem]:
    """A QI or sensitive column with missing values about which the schema says nothing."""
    if not found.count or column.role not in ("quasi", "sensitive") or missing_rule(schema, column):
        return []
    wrong = (
        f"{found.count} of {table.rows} rows have no value, and the schema does not say what to do with them"
    )
    remedy = (
        'say missing = "drop" to leave such rows out, or missing = "value", for all columns or for this one'
    )
    return [Problem(schema.place(column.name), wrong, remedy, "missing")]


def dropped_rows(schema: Schema, table: Table, found: dict[str, Presence]) -> Mask:
    """The rows that are left out. A column without a needed rule counts as "drop": its problem is told
    elsewhere, and what follows should not tell of its missing values again."""
    dropped = np.zeros(table.rows, dtype=np.bool_)
    for column in schema.columns:
        needed = column.role in ("quasi", "sensitive")
        rule = missing_rule(schema, column) or ("drop" if needed else "value")
        if column.name in found and rule == "drop":
            dropped |= found[column.name].rows
    return dropped


def occurring(column: Column, kept: Mask) -> Mask:
    """Which distinct values stand in at least one row that is kept."""
    codes = column.codes[kept]
    return np.bincount(codes[codes != NULL], minlength=len(column.texts)) > 0


def means_missing(text: str, null: tuple[str, ...]) -> bool:
    """Whether a text is blank or one of the null strings, perhaps between blanks."""
    stripped = text.strip()
    return not stripped or stripped in null or text in null
