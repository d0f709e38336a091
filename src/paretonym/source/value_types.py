"""Distinct values in the five types that the program knows, and how each is written as text.

Everything here works on distinct values only, so it may be slow per value.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from paretonym.arrow import pa, pc
from paretonym.errors import Bug, InputError, Problem
from paretonym.source.data_source import ColumnType

# Above it, a float no longer distinguishes neighbouring integers.
LARGEST_EXACT = 2.0**53
# The functions of pyarrow.types that recognize them; by name, since Arrow is loaded when it is first used.
KNOWN = ("is_null", "is_boolean", "is_integer", "is_decimal", "is_date", "is_timestamp", "is_floating")
NUMBERS = ("integer", "decimal")
NUMERAL = r"^[+-]?(\d+\.?\d*|\.\d+)$"
SCIENTIFIC = r"^[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d{1,3}$"
MOMENT = r"^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$"
REMEDY = "convert it to text, a number, a date or a boolean, or remove it"


def is_text(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def value_type(kind: Any) -> Any:
    """The type of the values, in a dictionary or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def categories_in(names: Sequence[str], types: Sequence[Any]) -> dict[str, bool]:
    """The columns whose type in Arrow is that of categories of text, and whether these are ordered.

    >>> categories_in(["a", "b"], [pa.string(), pa.dictionary(pa.int8(), pa.string(), ordered=True)])
    {'b': True}
    """
    return {
        name: bool(kind.ordered)
        for name, kind in zip(names, types, strict=True)
        if pa.types.is_dictionary(kind) and is_text(kind.value_type)
    }


def check_type(place: str, kind: Any) -> Problem | None:
    """The problem with this Arrow type, if it is none of those that `normalized` knows."""
    kind = value_type(kind)
    if is_text(kind) or any(getattr(pa.types, known)(kind) for known in KNOWN):
        return None
    return Problem(place, f"its type, {_type_name(kind)}, is not supported", REMEDY)


def normalized(values: Any, place: str) -> tuple[ColumnType, Any]:
    """The column's type and its values in it: null for NaN and the empty text, times at midnight as dates."""
    kind = values.type
    if pa.types.is_null(kind):
        return "text", values.cast(pa.string())
    if pa.types.is_boolean(kind):
        return "boolean", values
    if pa.types.is_integer(kind):
        return "integer", values
    if pa.types.is_decimal(kind):
        return "decimal", values
    if pa.types.is_date(kind):
        return "date", values.cast(pa.date32(), safe=False)
    if pa.types.is_timestamp(kind):
        return _moments(values)
    if pa.types.is_floating(kind):
        return _numbers(values, place)
    if is_text(kind):
        return "text", _texts(values, place)
    raise Bug(f"an Arrow type that was not refused: {_type_name(kind)}")


def written(kind: ColumnType, values: Any) -> tuple[str, ...]:
    """Each value as text, no two alike: 37 for 37.0, ISO for dates, true and false."""
    if kind == "boolean":
        return tuple("true" if value else "false" for value in values.to_pylist())
    if kind == "decimal" and pa.types.is_decimal(values.type):
        return tuple(format(value, "f") for value in values.to_pylist())
    if kind == "decimal":
        numbers = values.to_numpy(zero_copy_only=False)
        return tuple(np.format_float_positional(number, unique=True, trim="-") for number in numbers)
    return tuple(values.to_pylist() if kind == "text" else values.cast(pa.string()).to_pylist())


def identities(kind: ColumnType, texts: Any, values: Any, beside: ColumnType) -> Any:
    """What values of two columns are compared by: equal values have one identity, however the rest of each
    column makes them be spelled. `beside` is the type of the other column: texts are numerals beside numbers.

    >>> identities("decimal", ["7.00", "1.50"], None, "integer").to_pylist()
    ['7', '1.5']
    >>> identities("text", ["2024-02-29T00:00:00.000", "7.00"], None, "date").to_pylist()
    ['2024-02-29', '7.00']
    """
    if values is not None and pa.types.is_floating(values.type):
        numbers = values.to_pylist()
        texts = [
            str(int(number)) if number == int(number) else text
            for number, text in zip(numbers, texts, strict=True)
        ]
    spelled = pa.array(texts, pa.large_string())
    if kind == beside == "integer":
        return spelled
    return _numerals(spelled) if kind in NUMBERS or beside in NUMBERS else _instants(spelled)


def _numerals(texts: Any) -> Any:
    """Numerals without a plus sign or zeros that say nothing; other texts unchanged."""
    bare = pc.utf8_trim_whitespace(texts)
    if pc.any(scientific := pc.match_substring_regex(bare, SCIENTIFIC)).as_py():
        plain = [format(Decimal(text), "f") for text in bare.filter(scientific).to_pylist()]
        bare = pc.replace_with_mask(bare, scientific, pa.array(plain, bare.type))
    changed = bare
    for pattern, by in (
        (r"^\+", ""),
        (r"^(-?)\.", r"\10."),
        (r"^(-?)0+(\d)", r"\1\2"),
        (r"(\.\d*?)0*$", r"\1"),
        (r"\.$", ""),
        (r"^-0$", "0"),
    ):
        changed = pc.replace_substring_regex(changed, pattern, by)
    return pc.if_else(pc.match_substring_regex(bare, NUMERAL), changed, texts)


def _instants(texts: Any) -> Any:
    """Moments with the digits that they need, midnight as the date, those of no zone as UTC; other texts
    unchanged."""
    moments = pc.match_substring_regex(texts, MOMENT)
    if not pc.any(moments).as_py():
        return texts
    changed = pc.replace_substring_regex(texts, MOMENT, r"\1T\2\3|\4")
    for pattern, by in (
        (r"(\.\d*?)0*\|", r"\1|"),
        (r"\.?\|", "|"),
        (r"T00:00:00\|.*$", ""),
        (r"\|Z?", ""),
    ):
        changed = pc.replace_substring_regex(changed, pattern, by)
    return pc.if_else(moments, changed, texts)


def _texts(values: Any, place: str) -> Any:
    if not _is_valid(values):
        raise InputError.of(place, "it contains text that is not UTF-8", "write the data again as UTF-8")
    values = values.cast(pa.large_string() if values.nbytes > 2**30 else pa.string())
    return pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)


def _is_valid(values: Any) -> bool:
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _numbers(values: Any, place: str) -> tuple[ColumnType, Any]:
    """Floats without NaN and negative zeros."""
    numbers = values.to_numpy(zero_copy_only=False)
    if np.isinf(numbers).any():
        raise InputError.of(
            place, "it contains an infinite number", "replace it with a number or leave it empty"
        )
    missing = np.isnan(numbers)
    present = numbers[~missing]
    # Adding zero turns -0.0 into 0.0.
    values = pa.array(numbers + numbers.dtype.type(0), mask=missing)
    found = whole_numbers(values) if len(present) else values
    return "integer" if pa.types.is_integer(found.type) else "decimal", found


def whole_numbers(values: Any) -> Any:
    """Floats as integers if all of them are whole, because pandas makes floats of integers with missing ones;
    anything else unchanged.

    >>> [str(whole_numbers(pa.array(values)).type) for values in ([1.0, None], [1.0, 2.5], ["1"])]
    ['int64', 'double', 'string']
    """
    if not pa.types.is_floating(values.type):
        return values
    numbers = values.drop_null().to_numpy(zero_copy_only=False)
    whole = (numbers == np.trunc(numbers)).all() and (np.abs(numbers) <= LARGEST_EXACT).all()
    return values.cast(pa.float64()).cast(pa.int64()) if whole else values


def _moments(values: Any) -> tuple[ColumnType, Any]:
    """Times of day that are all midnight are dates; others are text, as coarse as loses nothing."""
    local = values if values.type.tz is None else pc.local_timestamp(values)
    dates = local.cast(pa.date32(), safe=False)
    if dates.cast(local.type, safe=False).equals(local):
        return "date", dates
    text = _coarsest(values).cast(pa.string())
    return "text", pc.replace_substring(text, " ", "T")


def _coarsest(values: Any) -> Any:
    for unit in ("s", "ms", "us"):
        try:
            return values.cast(pa.timestamp(unit, values.type.tz))
        except pa.ArrowInvalid:
            continue
    return values


def _type_name(kind: Any) -> str:
    """The type's first word: a struct's own text could be long."""
    return str(kind).split("<")[0].split("[")[0]
