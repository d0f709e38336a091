"""Which values mean "missing", which rows that costs, and what the schema says about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from paretonym.base.arrays import Mask
from paretonym.base.errors import Problem
from paretonym.tables.schema.hierarchies import means_missing
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.schema_keys import Missing
from paretonym.tables.source import Column, Counts, Omission


def missing_texts(column: Column, null: Sequence[str]) -> Mask:
    """Which distinct values of a column mean missing: blank texts, the schema's null strings and NaN among
    decimals. A null always does."""
    meaning = (*null, "nan", "NaN") if column.type == "decimal" else tuple(null)
    # As `means_missing`, without a call for each of perhaps millions of texts.
    if any(text != text.strip() for text in meaning):
        missing: Iterable[bool] = (means_missing(text, meaning) for text in column.texts)
    else:
        missing = map(frozenset(("", *meaning)).__contains__, map(str.strip, column.texts))
    return np.fromiter(missing, dtype=np.bool_, count=len(column.texts))


def missing_rows(column: Column, absent: Mask) -> int:
    """Number of rows without a value, where these distinct ones mean missing."""
    return column.nulls + int(column.counts[absent].sum())


def omission(source: Counts, null: Mapping[str, Sequence[str]]) -> Omission:
    """The rows that lack a value of one of these columns, each with the texts that mean missing in it."""
    lacking = {}
    for name, texts in null.items():
        column = source.column(name)
        absent = missing_texts(column, texts)
        if missing_rows(column, absent):
            lacking[name] = np.append(absent, True)
    return Omission(lacking)


def missing_rule(schema: Schema, column: ColumnSpec) -> Missing | None:
    """The rule for rows without a value in this column; None if there is none, or if the schema does not
    say."""
    if column.missing is not None or not column.rules.needs_missing_rule:
        return column.missing
    return schema.missing


def undecided(schema: Schema, source: Counts, column: ColumnSpec, omitted: Omission) -> list[Problem]:
    """A QI or sensitive column with missing values about which the schema says nothing: `omitted_by` has
    found some."""
    if missing_rule(schema, column) or column.name not in omitted.values:
        return []
    cells = source.column(column.name)
    count = missing_rows(cells, omitted.values[column.name][:-1])
    wrong = f"{count} of {source.rows} rows have no value, but the schema does not say what to do with them"
    remedy = 'set missing = "drop" to drop such rows, or missing = "value", for all columns or for this one'
    return [Problem(schema.place(column.name), wrong, remedy, "missing")]


def omitted_by(schema: Schema, source: Counts) -> Omission:
    """The rows that are dropped. A column without a needed rule counts as "drop": its problem is reported
    elsewhere, and later checks should not report its missing values again."""
    dropping = [column.name for column in schema.columns if drops(schema, column)]
    in_table = set(source.names)
    return omission(source, {name: schema.null_of(name) for name in dropping if name in in_table})


def drops(schema: Schema, column: ColumnSpec) -> bool:
    """True if rows without a value in this column are dropped."""
    default = "drop" if column.rules.needs_missing_rule else "value"
    return (missing_rule(schema, column) or default) == "drop"
