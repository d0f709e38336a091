"""Numbers on a line: read exactly, as whole multiples of a common power of ten and never as floats, and
coded at the ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import compress
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Mask
from paretonym.tables.arrow import pa, pc
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind
from paretonym.tables.schema.hierarchies.level_table import (
    MANY,
    NO_PLACE,
    Fault,
    LevelTable,
    Values,
    arrow_texts,
    line_table,
    placed_points,
)
from paretonym.tables.schema.hierarchies.value_line import Bands, Line, Points, roundest_multiple
from paretonym.tables.source import has_decimal_comma

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
    """True if there are texts and each of them is a number."""
    return bool(texts) and all(parse_number(text) is not None for text in texts)


def comma_remedy(remedy: str, texts: Iterable[str]) -> str:
    """Remedy for texts that are not numbers, and what else to do if some would be with a decimal comma."""
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


# The rank of 0, which every power of ten divides.
ROUNDEST = 99
# Every coded text has one of them.
SIGNS = "+<>≤≥"
CODED = re.compile(r"(?P<above>[^<>≤≥=+]+)\+|(?:>=?|≥) ?(?P<from>[^+]+)|(?P<sign><=|<|≤) ?(?P<to>[^+]+)")
NUMBER_IN_LABEL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class NumberScale:
    """Points are whole multiples of a power of ten."""

    decimals: int
    layout: ClassVar[None] = None

    def point(self, number: Decimal | int) -> int:
        return scaled([Decimal(number)], self.decimals)[0]

    def text(self, point: int) -> str:
        return number_text(point, self.decimals)

    def canonical(self, point: int) -> str:
        return self.text(point)

    def writes(self, point: int) -> bool:
        return True

    def roundness(self, point: int) -> int:
        """The highest power of ten that divides a point; 0 is rounder than any.

        >>> [NumberScale(0).roundness(point) for point in (7, 40, -500, 0)]
        [0, 1, 2, 99]
        """
        if point == 0:
            return ROUNDEST
        digits = str(point)
        return len(digits) - len(digits.rstrip("0"))

    def roundest(self, low: int, high: int) -> int:
        """The multiple of the highest power of ten, and of several the lowest.

        >>> gaps = (17, 18), (38, 42), (12, 47), (40000, 987654), (-3, 9)
        >>> [NumberScale(0).roundest(*gap) for gap in gaps]
        [18, 40, 20, 100000, 0]
        """
        roundest = roundest_multiple(low, high, 1, 0)
        return high if roundest is None else roundest


def number_table(column: HierarchyColumn, kind: HierarchyKind, values: Values) -> LevelTable:
    """The values as numbers, on a scale that holds the settings too: two spellings of one number are one
    leaf, and so are all values that are coded at an end."""
    bottom, top, granularity = column.bottom, column.top, column.granularity
    texts = values.texts
    if (bottom is not None or top is not None) and not set(SIGNS).isdisjoint("".join(texts)):
        texts = tuple(_coded_text(text, bottom, top) for text in texts)
    ends = [number for number in (bottom, top, granularity) if number is not None]
    numbers = read_numbers(texts, (*kind.settings, *ends, column.kind.origin))
    remedy = 'fix them, or set unknown = "top", or list them in null if they mean missing'
    remedy = comma_remedy(remedy, compress(texts, ~numbers.readable))
    faults = [Fault(~numbers.readable, "not numbers", remedy, "hierarchy")]
    scale = NumberScale(numbers.decimals)
    low, high = (None if end is None else scale.point(end) for end in (bottom, top))
    points, codes = placed_points(_coded(numbers.scaled, low, high), numbers.readable)
    if column.domain is not None:
        first, last = column.domain
        # Those that mean missing are not in it.
        integers = [number for number in range(first, last + 1) if str(number) not in values.null]
        possible = np.array([scale.point(number) for number in integers], dtype=points.dtype)
        inside = np.isin(numbers.scaled, possible) & numbers.readable
        wrong = f"outside domain = [{first}, {last}]"
        faults.append(Fault(~inside & numbers.readable, wrong, "correct them, or the domain", "domain"))
        every = np.unique(_coded(possible, low, high))
        places = np.searchsorted(every, points).astype(np.int32)
        points, codes = every, np.where(inside, np.append(places, NO_PLACE)[codes], NO_PLACE).astype(np.int32)
    even = None
    if granularity is not None:
        even = Bands.of_width(scale.point(granularity), scale.point(column.kind.origin))
    line = Line(points, scale, tuple(kind.bands(scale)), even, low, high)
    table = line_table(line, "numbers", values, codes, tuple(faults))
    return (
        table if column.domain is None else replace(table, origin="the integers of the domain", listed=True)
    )


def _coded(points: Points, bottom: int | None, top: int | None) -> Points:
    """The points, where one stands for all below the bottom, and one for all from the top on."""
    coded = points.copy()
    if bottom is not None:
        coded[np.asarray(points < bottom, dtype=np.bool_)] = bottom - 1
    if top is not None:
        coded[np.asarray(points >= top, dtype=np.bool_)] = top
    return coded


def _coded_text(text: str, bottom: Decimal | None, top: Decimal | None) -> str:
    """A number to be read in place of a text: a value that the table itself has coded, such as `95+` or `<5`,
    belongs to those that the schema codes if every number that it may be does.

    >>> [_coded_text(text, Decimal(18), Decimal(90)) for text in ("95+", ">= 90", "85+", "<5", "<= 17", "30")]
    ['95', '90', '85+', '17', '17', '30']
    """
    coded = CODED.fullmatch(text.strip())
    number = None if coded is None else parse_number(coded["above"] or coded["from"] or coded["to"])
    if coded is None or number is None:
        return text
    if coded["to"] is None:
        return str(number) if top is not None and number >= top else text
    # Whatever `<18` is, it is below 18.
    below = bottom is not None and (number <= bottom if coded["sign"] == "<" else number < bottom)
    return str(bottom - 1) if below and bottom is not None else text


def numbers_in(label: str) -> Iterator[str]:
    """Numbers that may lie in the band with this label: its ends, and one below an end.

    >>> list(numbers_in("[-5, 0.5)")), list(numbers_in("<18"))
    (['-5', '0.5'], ['18', '17'])
    """
    for text in NUMBER_IN_LABEL.findall(label):
        yield text
        if label.startswith("<"):
            yield str(Decimal(text) - 1)
