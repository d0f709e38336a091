"""Numbers as people and files write them: exact fractions, percentages, and numbers of JSON."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from paretonym.base.errors import InputError, Place

LARGEST_EXPONENT = 400
# Beyond this, not every whole number is exact as a float.
_WHOLE = 2**53


def parse_fraction(text: str, place: Place, whole: str | None = None) -> Fraction:
    """A decimal or a percentage, exactly as written: 0.29 of 100 rows is 29."""
    number = text.strip()
    scale = 100 if number.endswith("%") else 1
    try:
        value = Decimal(number.removesuffix("%").strip())
    except InvalidOperation:
        value = Decimal("NaN")
    # An exponent such as 1e999999999 would take forever to write out.
    if not value.is_finite() or abs(value.adjusted()) > LARGEST_EXPONENT:
        raise InputError.of(
            place,
            f"'{whole or text}' is not a number",
            "give a decimal such as 0.01 or a percentage such as 1%",
        )
    return Fraction(value) / scale


def format_fraction(fraction: Fraction) -> str:
    """The shortest decimal of a fraction that came from one."""
    value = Decimal(fraction.numerator) / Decimal(fraction.denominator)
    return format(value.normalize(), "f")


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits that say something and no exponent; a whole number has all of its digits.

    >>> significant(27860.4), significant(12345), significant(0.000123456), significant(2.5)
    ('27,860', '12,345', '0.0001235', '2.5')
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.{digits - 1}e}').normalize():,f}"


def number_to_json(value: float) -> float | int | str:
    """A value as files write it: counts as whole numbers, infinity as the word "inf"; `float` reads it."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value == int(value) and abs(value) < _WHOLE else float(value)


def as_number(text: str) -> float | None:
    """A value as a number; None if it is none. What is coded at an end (`90+`, `<18`) is that end."""
    try:
        number = float(text.removeprefix("<").removesuffix("+"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
