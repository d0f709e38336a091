"""Numbers read from texts exactly: whole multiples of a common power of ten, never floats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.schema.hierarchies.text_matrix import characters_of
from paretonym.source import has_decimal_comma

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 400
MOST_DIGITS = 18
"""A number of so many digits fits into 64 bits."""
SAFE = 2**61
"""Below this, sums and differences of a few numbers stay within 64 bits."""

Wholes: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Numbers:
    """`scaled[i] / 10**decimals` is the number in the i-th text; meaningless where not `readable`.

    `scaled` has 64-bit integers, or Python's own where those do not suffice.
    """

    scaled: Wholes
    decimals: int
    readable: npt.NDArray[np.bool_]


def number_text(point: int, decimals: int) -> str:
    """The canonical text of a number that is scaled by a power of ten.

    >>> number_text(-1250, 2)
    '-12.5'
    """
    if decimals == 0:
        return str(point)
    digits = str(abs(point)).rjust(decimals + 1, "0")
    whole, rest = digits[:-decimals], digits[-decimals:].rstrip("0")
    return ("-" if point < 0 else "") + (f"{whole}.{rest}" if rest else whole)


def parse_number(text: str) -> Decimal | None:
    """The number in a text, or None.

    >>> parse_number(" 07.50 "), parse_number("1,5")
    (Decimal('7.50'), None)
    """
    stripped = text.strip()
    if len(stripped) > LONGEST_NUMBER or not NUMBER.fullmatch(stripped):
        return None
    return Decimal(stripped)


def plain_number(value: Decimal | Fraction | None) -> int | Decimal | None:
    """A number as TOML writes it best: whole numbers without a point."""
    if value is None:
        return None
    if isinstance(value, Fraction):
        # An importance is read from a decimal text, so its denominator has no primes but 2 and 5.
        shift = value.denominator.bit_length()
        value = Decimal(f"{value.numerator * (10**shift // value.denominator)}E-{shift}")
    whole = value == value.to_integral_value()
    return int(value) if whole else Decimal(format(value, "f").rstrip("0"))


def read_numbers(texts: Sequence[str], settings: Iterable[Decimal] = ()) -> Numbers:
    """The numbers in texts, on a scale that also holds the settings (widths, breaks) exactly."""
    others = list(settings)
    plain = _plain_numbers(texts, max(map(_decimals, others), default=0))
    if plain is not None and all(abs(setting) < SAFE for setting in scaled(others, plain.decimals)):
        return plain
    parsed = [parse_number(text) for text in texts]
    readable = np.fromiter((number is not None for number in parsed), dtype=np.bool_, count=len(parsed))
    numbers = [number if number is not None else Decimal(0) for number in parsed]
    decimals = max((_decimals(number) for number in (*numbers, *others)), default=0)
    wholes = scaled([*numbers, *others], decimals)
    fits = max(wholes, default=0) < SAFE and min(wholes, default=0) > -SAFE
    return Numbers(np.array(wholes[: len(numbers)], dtype=np.int64 if fits else object), decimals, readable)


def all_numbers(texts: Sequence[str]) -> bool:
    """Whether there are texts and each of them is a number."""
    if not texts:
        return False
    return _digits(texts) is not None or all(parse_number(text) is not None for text in texts)


def comma_remedy(remedy: str, texts: Iterable[str]) -> str:
    """What to do about texts that are not numbers, and what else if some would be with a decimal comma."""
    if not any(map(has_decimal_comma, texts)):
        return remedy
    return f'{remedy}; set decimal = "," if that is their decimal comma'


def _plain_numbers(texts: Sequence[str], least: int) -> Numbers | None:
    """The fast path for the usual case: every text is written in digits with at most one point, and all
    numbers fit into 64 bits on a common scale of at least so many decimal places."""
    digits = _digits(texts)
    decimals = 0 if digits is None else max(least, int(digits.places.max(initial=0)))
    if digits is None or decimals > MOST_DIGITS:
        return None
    scale = 10 ** (decimals - digits.places)
    if (np.abs(digits.wholes) > (SAFE - 1) // scale).any():
        return None
    return Numbers(digits.wholes * scale, decimals, np.ones(len(texts), dtype=np.bool_))


class _Digits(NamedTuple):
    """The digits of each text as one whole number with its sign, and how many of them are behind a point."""

    wholes: Integers
    places: Integers


def _digits(texts: Sequence[str]) -> _Digits | None:
    """All texts read at once; None unless each is written in at most 18 digits, with a minus before them or
    not, and with a point between them or not."""
    rows = characters_of(texts, MOST_DIGITS + 2)
    if rows is None:
        return None
    wholes = np.zeros(len(rows), dtype=np.int64)
    length, before, places, points = np.zeros((4, len(rows)), dtype=np.uint8)
    # Column by column: of numpy's ways the one that takes least for each character.
    for column in np.ascontiguousarray(rows.T):
        digit = column - np.uint8(ord("0"))
        is_digit = digit <= 9
        wholes = np.where(is_digit, wholes * 10 + digit, wholes)
        length += column > 0
        before += is_digit & (points == 0)
        places += is_digit & (points > 0)
        points += column == ord(".")
    negative = rows[:, 0] == ord("-") if rows.shape[1] else points > 0
    plain = (before + places + points + negative == length) & (points == (places > 0))
    if not (plain & (before > 0) & (before + places <= MOST_DIGITS)).all():
        return None
    return _Digits(np.where(negative, -wholes, wholes), places.astype(np.int64))


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def scaled(numbers: list[Decimal], decimals: int) -> list[int]:
    """Numbers as whole multiples of a power of ten."""
    with localcontext() as context:
        # Twice the longest text and the largest exponent that the pattern accepts.
        context.prec = 2 * (LONGEST_NUMBER + 1000)
        return [int(number.scaleb(decimals)) for number in numbers]
