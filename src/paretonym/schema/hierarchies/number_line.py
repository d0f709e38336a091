"""Numbers on a line: read exactly, and coded at the ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress
from typing import ClassVar

import numpy as np

from paretonym.schema.hierarchies.exact_numbers import (
    comma_remedy,
    number_text,
    parse_number,
    read_numbers,
    scaled,
)
from paretonym.schema.hierarchies.hierarchy_draft import OCCURRING, Values
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn
from paretonym.schema.hierarchies.text_matrix import respelled
from paretonym.schema.hierarchies.value_line import (
    Bands,
    PointLine,
    Points,
    band_label,
    placed_points,
    roundest_multiple,
    spelled,
)

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

    def point(self, number: Decimal) -> int:
        """A number that the scale holds, as a point."""
        return scaled([number], self.decimals)[0]

    def text(self, point: int) -> str:
        return number_text(point, self.decimals)

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


@dataclass(frozen=True, eq=False)
class NumberLine(PointLine):
    """A line of numbers: its scale also holds the settings of the column."""

    scale: NumberScale

    def of_widths(self, widths: Iterable[Decimal], origin: Decimal) -> list[Bands]:
        """A level of intervals for each width."""
        point = self.scale.point
        return [Bands.of_width(point(width), point(origin)) for width in widths]

    def of_breaks(self, bands: Iterable[Iterable[Decimal]]) -> list[Bands]:
        """A level of bands for each list of breaks."""
        return [Bands.between([self.scale.point(cut) for cut in cuts]) for cuts in bands]


def number_line(column: HierarchyColumn, values: Values, settings: Iterable[Decimal] = ()) -> NumberLine:
    """The values as numbers, on a scale that holds the settings too: two spellings of one number are one
    leaf, and so are all values that are coded at an end."""
    origin, granularity = column.kind.origin, column.granularity
    further = [end for end in (column.bottom, column.top, granularity) if end is not None]
    texts = values.texts
    if _may_be_coded(column, texts):
        texts = tuple(_coded_text(text, column.bottom, column.top) for text in texts)
    numbers = read_numbers(texts, (*settings, *further, origin))
    values.require(
        numbers.readable,
        "not numbers",
        comma_remedy(
            'fix them, or set unknown = "top", or list them in null if they mean missing',
            compress(texts, ~numbers.readable),
        ),
        "hierarchy",
    )
    scale = NumberScale(numbers.decimals)
    bottom, top = (None if end is None else scale.point(end) for end in (column.bottom, column.top))
    points, codes = placed_points(_coded(numbers.scaled, bottom, top), numbers.readable)
    leaves = spelled(values.texts, codes, points, scale.text)
    line = NumberLine(points, leaves, codes, scale, OCCURRING, bottom, top)
    granules = None if granularity is None else line.of_widths([granularity], origin)[0]
    return replace(line, leaves=_with_ends(line), granules=granules)


def _coded(points: Points, bottom: int | None, top: int | None) -> Points:
    """The points, where one stands for all below the bottom, and one for all from the top on."""
    coded = points.copy()
    if bottom is not None:
        coded[np.asarray(points < bottom, dtype=np.bool_)] = bottom - 1
    if top is not None:
        coded[np.asarray(points >= top, dtype=np.bool_)] = top
    return coded


def _with_ends(line: NumberLine) -> tuple[str, ...]:
    """The leaves, those of coded values with the label of their set."""
    places = np.flatnonzero(line.coded).tolist()
    top = "" if line.top is None else band_label(line.scale, line.top, None)
    bottom = "" if line.bottom is None else band_label(line.scale, None, line.bottom)
    at_top = [line.top is not None and line.points[place] >= line.top for place in places]
    return respelled(line.leaves, places, (top if high else bottom for high in at_top))


def _may_be_coded(column: HierarchyColumn, texts: tuple[str, ...]) -> bool:
    if column.bottom is None and column.top is None:
        return False
    together = "".join(texts)
    return any(sign in together for sign in SIGNS)


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
