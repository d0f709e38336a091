"""Which rows may be suppressed: at most a fraction, or as many as each threshold requires."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal

from paretonym.errors import Field, InputError, Place

DEFAULT = "any:0.1"
LARGEST_EXPONENT = 400


@dataclass(frozen=True, slots=True)
class Suppression:
    """`limit`: suppress the smallest classes, at most `fraction` of the rows in total. `any`: every threshold
    that suppresses at most `fraction` of the rows is a candidate of its own.

    >>> str(parse_suppression("1%")), parse_suppression("0.01").allowed(30162)
    ('0.01', 301)
    >>> str(parse_suppression("any"))
    'any:0.1'
    """

    rule: Literal["limit", "any"]
    fraction: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.fraction < 1:
            wrong = f"'{self}' is not a fraction from 0 to below 1"
            raise InputError.of(Field("suppress"), wrong, "use, for example, 0.01, 1%, any or any:0.1")

    @property
    def every_threshold(self) -> bool:
        """Whether every threshold is a candidate of its own."""
        return self.rule == "any"

    def allowed(self, rows: int) -> int:
        """The number of rows that may be suppressed: the exact floor of fraction × rows."""
        return int(self.fraction * rows)

    def __str__(self) -> str:
        text = format_fraction(self.fraction)
        return f"any:{text}" if self.every_threshold else text


def parse_suppression(text: str | float | Suppression) -> Suppression:
    """Read `0.01`, `1%`, `any` or `any:0.1`."""
    if isinstance(text, Suppression):
        return text
    words = str(text).strip()
    if words == "any":
        words = DEFAULT
    rule: Literal["limit", "any"] = "any" if words.startswith("any:") else "limit"
    fraction = parse_fraction(words.removeprefix("any:"), Field("suppress"), words)
    if not 0 <= fraction < 1:
        raise InputError.of(
            Field("suppress"),
            f"'{words}' is not a fraction from 0 to below 1",
            "use, for example, 0.01, 1%, any or any:0.1",
        )
    return Suppression(rule, fraction)


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


# The default rule, and the rule that suppresses no row.
USUAL = parse_suppression(DEFAULT)
NOTHING = Suppression("limit", Fraction(0))
