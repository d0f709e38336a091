"""Distinct values in the five types that the program knows, and how each is written as text.

How a value is written follows from the value and from the declared type of its column, never from other
values: what a release shows of a row must not tell what stood in rows that were suppressed. Where a released
column needs one type for all its values, the values that are released decide it.

Everything here works on distinct values only, so it may be slow per value.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from paretonym.base.errors import Bug, InputError, Problem
from paretonym.tables.arrow import pa, pc
from paretonym.tables.source.data_source import ColumnType

# Above it, a float no longer distinguishes neighbouring integers.
LARGEST_EXACT = 2.0**53
# The functions of pyarrow.types that recognize them; by name, since Arrow is loaded when it is first used.
KNOWN = ("is_null", "is_boolean", "is_integer", "is_decimal", "is_date", "is_timestamp", "is_floating")
OFFSET = r"(Z|[+-]\d\d:?\d\d)?"
# As many as a decimal of Arrow has, and bytes of text that it addresses with 32 bits.
MOST_DIGITS, MOST_BYTES = 76, 2**30
# From the year 1 to the year 9999, in days from 1970 on.
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
TICKS = {"D": 1, "s": 86_400, "ms": 86_400_000, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
REMEDY = "convert it to text, a number, a date or a boolean, or remove it"


def is_text(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def value_type(kind: Any) -> Any:
    """The type of the values, in a dictionary or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def check_type(place: str, kind: Any) -> Problem | None:
    """The problem with this Arrow type, if it is none of those that `normalized` knows."""
    kind = value_type(kind)
    if is_text(kind) or any(getattr(pa.types, check)(kind) for check in KNOWN):
        return None
    return Problem(place, f"its type, {_type_name(kind)}, is not supported", REMEDY)


def is_numerals(kind: Any) -> bool:
    """True if values are numbers in digits of their own, for which no scale was declared. They are carried as
    the bytes of their texts, a type that no column of a table may have."""
    return bool(pa.types.is_binary(kind))


def numerals(texts: Sequence[str | None], place: str) -> Any:
    """Numbers that somebody else has written exactly, each in its own digits; NaN is missing.

    >>> numerals(["1.50", "1E+3", "-0.0", "NaN", None], "wage").cast(pa.string()).to_pylist()
    ['1.50', '1000', '0.0', None, None]
    """
    numbers = [None if text is None else Decimal(text) for text in texts]
    present = [None if number is None or number.is_nan() else number for number in numbers]
    if any(number is not None and number.is_infinite() for number in present):
        raise _infinite(place)
    # Without the sign of zero.
    spelled = [None if number is None else format(number or abs(number), "f") for number in present]
    if any(text is not None and sum(map(str.isdigit, text)) > MOST_DIGITS for text in spelled):
        wrong = f"its numbers have more than {MOST_DIGITS} digits"
        raise InputError.of(place, wrong, "round them, or write them as text, in a query")
    return pa.array(spelled, pa.string()).cast(pa.binary())


def normalized(values: Any, place: str) -> tuple[ColumnType, Any]:
    """The column's type and its values in it: null for NaN and the empty text, times that are all at midnight
    as dates."""
    kind = values.type
    if is_numerals(kind):
        return "decimal", values
    if pa.types.is_null(kind):
        return "text", values.cast(pa.string())
    if pa.types.is_boolean(kind):
        return "boolean", values
    if pa.types.is_integer(kind):
        return "integer", values
    if pa.types.is_decimal(kind):
        return "decimal", values
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        _check_years(values, place)
        return (
            _moments(values)
            if pa.types.is_timestamp(kind)
            else ("date", values.cast(pa.date32(), safe=False))
        )
    if pa.types.is_floating(kind):
        return _numbers(values, place)
    if is_text(kind):
        return "text", _texts(values, place)
    raise Bug(f"an Arrow type that was not refused: {_type_name(kind)}")


def written(kind: ColumnType, values: Any) -> tuple[str, ...]:
    """Each value as text: 37 for 37.0, ISO for dates, a time at midnight as its date, true and false.

    >>> written("text", pa.array([0, 37_800_000], pa.timestamp("ms")))
    ('1970-01-01', '1970-01-01T10:30:00')
    """
    if kind == "boolean":
        return tuple("true" if value else "false" for value in values.to_pylist())
    if kind == "decimal" and pa.types.is_decimal(values.type):
        return tuple(format(value, "f") for value in values.to_pylist())
    if kind == "decimal" and pa.types.is_floating(values.type):
        return tuple(map(_shortest, values.to_numpy(zero_copy_only=False)))
    if pa.types.is_timestamp(values.type):
        return tuple(_spelled_moments(values).to_pylist())
    return tuple(values.to_pylist() if is_text(values.type) else values.cast(pa.string()).to_pylist())


def _shortest(number: Any) -> str:
    """The shortest digits that give the same number; all of them where it is whole, since it may be released
    as an integer."""
    if number == np.trunc(number) and abs(float(number)) <= LARGEST_EXACT:
        return str(int(number))
    return np.format_float_positional(number, unique=True, trim="-")


def _spelled_moments(values: Any) -> Any:
    """Moments in ISO: midnight as the date, others with as many digits as each needs, in threes."""
    texts = pc.replace_substring(values.cast(pa.string()), " ", "T")
    for pattern, by in (
        (rf"(\.(?:\d{{3}})*?)(?:000)+{OFFSET}$", r"\1\2"),
        (rf"\.{OFFSET}$", r"\1"),
        (rf"T00:00:00{OFFSET}$", ""),
    ):
        texts = pc.replace_substring_regex(texts, pattern, by)
    return texts


def released_values(values: Any, texts: Any) -> Any:
    """Values in the type that they are released in, which they alone decide: floats that are all whole are
    integers, moments that are all at midnight are dates, numbers in as many digits of their own are decimals.
    Other moments and such numbers are texts, as they are written.

    >>> moments = pa.array([0, 37_800], pa.timestamp("s"))
    >>> texts = pa.array(written("text", moments))
    >>> [str(released_values(moments[:n], texts[:n]).type) for n in (1, 2)]
    ['date32[day]', 'string']
    """
    if pa.types.is_timestamp(values.type):
        dates = pc.all(pc.equal(pc.utf8_length(texts), len("2020-01-31")), min_count=0).as_py()
        return texts.cast(pa.date32()) if dates else texts
    if is_numerals(values.type):
        kind = _decimal_type(texts.to_pylist())
        return texts if kind is None else pa.array(map(Decimal, texts.to_pylist()), kind)
    if pa.types.is_large_string(values.type) and values.nbytes <= MOST_BYTES:
        return values.cast(pa.string())
    return whole_numbers(values)


def _decimal_type(texts: Sequence[str]) -> Any:
    """The type in Arrow of decimals that are written like this; None if they differ in scale."""
    scales = {*map(_scale, texts)}
    longest = max((sum(map(str.isdigit, text)) for text in texts), default=1)
    if len(scales) > 1:
        return None
    return (pa.decimal128 if longest <= 38 else pa.decimal256)(38 if longest <= 38 else MOST_DIGITS, *scales)


def sorted_places(values: Any, texts: Sequence[str]) -> Any:
    """The places of values in ascending order: moments as they are written, numbers by their size."""
    if pa.types.is_timestamp(values.type):
        return pc.sort_indices(pa.array(texts, pa.string()))
    if is_numerals(values.type):
        return pa.array(sorted(range(len(texts)), key=lambda place: (Decimal(texts[place]), texts[place])))
    return pc.sort_indices(values)


def _scale(text: str) -> int:
    return len(text.partition(".")[2])


def _texts(values: Any, place: str) -> Any:
    if not _is_valid(values):
        raise InputError.of(place, "it contains text that is not UTF-8", "write the data again as UTF-8")
    values = values.cast(pa.large_string() if values.nbytes > MOST_BYTES else pa.string())
    # Comparing with a text of Python imports pandas, which takes longer than reading a small table.
    if not len(values) or pc.min(pc.binary_length(values)).as_py() != 0:
        return values
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
        raise _infinite(place)
    missing = np.isnan(numbers)
    present = numbers[~missing]
    # Adding zero turns -0.0 into 0.0.
    values = pa.array(numbers + numbers.dtype.type(0), mask=missing)
    integers = whole_numbers(values) if len(present) else values
    return "integer" if pa.types.is_integer(integers.type) else "decimal", integers


def _infinite(place: str) -> InputError:
    return InputError.of(
        place, "it contains an infinite number", "replace it with a number or leave it empty"
    )


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
    """Times of day that are all midnight are dates; others are measured as texts."""
    local = values if values.type.tz is None else pc.local_timestamp(values)
    dates = local.cast(pa.date32(), safe=False)
    if dates.cast(local.type, safe=False).equals(local):
        return "date", dates
    return "text", values


def _check_years(values: Any, place: str) -> None:
    """Refuse dates that cannot be written as days, and infinite ones, which databases have."""
    unit = "D" if pa.types.is_date32(values.type) else getattr(values.type, "unit", "ms")
    ends = pc.min_max(values.cast(pa.int32() if unit == "D" else pa.int64())).as_py().values()
    if any(end is not None and not FIRST_DAY <= end // TICKS[unit] <= LAST_DAY for end in ends):
        wrong = "it contains an infinite date, or one that is not in the years 1 to 9999"
        raise InputError.of(place, wrong, "correct it, or convert the column to text")


def _type_name(kind: Any) -> str:
    """The type's first word: a struct's own text could be long."""
    return str(kind).split("<")[0].split("[")[0]
