"""Numbers read from texts exactly: whole multiples of a common power of ten, never floats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Mask
from paretonym.arrow import pa, pc
from paretonym.schema.hierarchies.many_texts import MANY, arrow_texts
from paretonym.source import has_decimal_comma

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 400
PLAIN = r"^-?[0-9]{1,18}(\.[0-9]{1,18})?$"
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
    readable: Mask


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
    plain = _plain_numbers(texts, others) if len(texts) >= MANY else None
    if plain is not None:
        return plain
    parsed = list(map(parse_number, texts))
    readable = np.fromiter((number is not None for number in parsed), dtype=np.bool_, count=len(parsed))
    numbers = [number if number is not None else Decimal(0) for number in parsed]
    decimals = max(map(_decimals, (*numbers, *others)), default=0)
    wholes = scaled([*numbers, *others], decimals)
    fits = max(wholes, default=0) < SAFE and min(wholes, default=0) > -SAFE
    return Numbers(np.array(wholes[: len(numbers)], dtype=np.int64 if fits else object), decimals, readable)


def _plain_numbers(texts: Sequence[str], settings: Sequence[Decimal]) -> Numbers | None:
    """The fast path for many texts: every one is written in digits with at most one point between them, and
    all numbers fit into 64 bits on their common scale."""
    cells = arrow_texts(texts)
    if cells is None or not pc.all(pc.match_substring_regex(cells, PLAIN)).as_py():
        return None
    points = pc.find_substring(cells, ".").to_numpy().astype(np.int64)
    places = np.where(points < 0, 0, pc.binary_length(cells).to_numpy() - points - 1)
    decimals = max(int(places.max()), *map(_decimals, settings), 0)
    if decimals > MOST_DIGITS:
        return None
    try:
        wholes = pc.replace_substring(cells, ".", "").cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    scale = 10 ** (decimals - places)
    if (np.abs(wholes) > (SAFE - 1) // scale).any() or any(
        abs(number) >= SAFE for number in scaled(list(settings), decimals)
    ):
        return None
    return Numbers(wholes * scale, decimals, np.ones(len(texts), dtype=np.bool_))


def all_numbers(texts: Sequence[str]) -> bool:
    """Whether there are texts and each of them is a number."""
    return bool(texts) and all(parse_number(text) is not None for text in texts)


def comma_remedy(remedy: str, texts: Iterable[str]) -> str:
    """What to do about texts that are not numbers, and what else if some would be with a decimal comma."""
    if not any(map(has_decimal_comma, texts)):
        return remedy
    return f'{remedy}; set decimal = "," if that is their decimal comma'


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def scaled(numbers: list[Decimal], decimals: int) -> list[int]:
    """Numbers as whole multiples of a power of ten."""
    with localcontext() as context:
        # Twice the longest text and the largest exponent that the pattern accepts.
        context.prec = 2 * (LONGEST_NUMBER + 1000)
        return [int(number.scaleb(decimals)) for number in numbers]
