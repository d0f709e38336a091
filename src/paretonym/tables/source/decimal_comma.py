"""Numbers with a decimal comma (1.234,5) become numbers with a decimal point (1234.5) where a table is read:
whatever counts, measures and writes them knows one way to write a number."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from paretonym.base.errors import InputError
from paretonym.tables.arrow import pc
from paretonym.tables.source.table_counts import Column, Counts

SIGN = r"\s*[+-]?"
# Groups of thousands have points; at least one point or the comma is there.
GROUPED = SIGN + r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?\s*"
PLAIN = SIGN + r"(?:[0-9]+,[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*"
COMMA_NUMBER = f"^(?:{GROUPED}|{PLAIN})$"
POINT_NUMBER = "^" + SIGN + r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*$"
WITH_COMMA = re.compile(f"(?:{SIGN}[0-9]{{1,3}}(?:\\.[0-9]{{3}})+,[0-9]*\\s*|{PLAIN})")


def has_decimal_comma(text: str) -> bool:
    """True if a text is a number that can only be read with a decimal comma, or with commas in thousands.

    >>> [has_decimal_comma(text) for text in ("12,5", "1.234,50", "1.234", "12.5", "a,5", "7")]
    [True, True, False, False, False, False]
    """
    return WITH_COMMA.fullmatch(text) is not None


def with_points(texts: Any, place: str) -> Any:
    """The texts of an Arrow array, numbers among them with a decimal point and without points in thousands.
    Nothing else is changed. A number with a decimal point beside them is refused: one of the two is not what
    it seems.

    >>> import pyarrow as pa
    >>> with_points(pa.array(["12,5", "1.234,50", "1.234", "7", "x", None]), "bmi").to_pylist()
    ['12.5', '1234.50', '1234', '7', 'x', None]
    """
    commas = pc.match_substring_regex(texts, COMMA_NUMBER)
    points = pc.and_not(pc.match_substring_regex(texts, POINT_NUMBER), commas)
    if pc.any(points).as_py():
        raise InputError.of(
            place,
            'the schema says decimal = ",", and some numbers have a decimal point',
            'write all of them in one way, or set decimal = "." for this column',
        )
    if not pc.any(commas).as_py():
        return texts
    plain = pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", ".")
    return pc.if_else(commas, plain, texts)


def counts_with_points(counts: Counts, names: Collection[str]) -> Counts:
    """A table whose columns of these names have decimal points; those that are not text have them already."""
    if not set(names) & set(counts.counted):
        return counts
    columns = [_converted(counts, column) if column.name in names else column for column in counts.columns]
    return counts.over(columns)


def _converted(counts: Counts, column: Column) -> Column:
    from paretonym.tables.source.dictionary_encoding import Coded, make_column

    if column.type != "text" or not any(map(has_decimal_comma, column.texts)):
        return column
    place = f"{counts.name}, column '{column.name}'"
    return make_column(column.name, Coded(with_points(column.values, place), column.codes), place)
