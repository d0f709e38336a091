"""The profile of a column: what its values show without knowing what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Mask
from paretonym.schema.direct_identifiers import sign_of_values
from paretonym.schema.hierarchies import means_missing
from paretonym.schema.hierarchies.date_line import read_days
from paretonym.schema.hierarchies.number_line import parse_number
from paretonym.source import ColumnType, ValueCounts, has_decimal_comma

# Words that are hardly ever a value. "none" and "unknown" may be answers, so they are not here.
NULL_WORDS = (
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "NULL",
    "null",
    "NaN",
    "nan",
    "-",
    "--",
    ".",
    "k.A.",
    "k. A.",
    "n.d.",
    "s.o.",
)
FEWEST_ROWS = 20
"""Below this, being unique says little about a column."""

# So many values that are not like the others do not decide what a column holds.
MOST_ODD, MOST_ODD_SHARE = 10, 0.05
FEWEST_TO_JUDGE = 5
NEGATIVE_CODE, NINES = re.compile("-[1-9]|-99+"), re.compile("99+")
LEADING_ZERO = re.compile(r"0[0-9]+")
# Thousands with commas look like this too.
THREE_DIGITS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
TRUTHS = frozenset({"true", "false", "yes", "no", "ja", "nein", "oui", "non", "si", "sí"})

# The date formats that are tried, and the number of values that are examined.
MOST_TRIED = 20_000
MOST_SAMPLED = 100
DIGITS = re.compile(r"[0-9]")
DAYS = (
    None, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%Y%m%d",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y",
)  # fmt: skip
MOMENTS = tuple(f"{day} {clock}" for day in DAYS[1:9] for clock in ("%H:%M", "%H:%M:%S"))
FIRST_YEAR, LAST_YEAR = 1850, 2100

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Profile:
    """A column's distinct values without the missing ones, how many rows hold each, and what they are.

    `words` are the null words that occur, with their rows; `missing` counts those rows too. `odd` are the few
    values that are not of `type`. `layouts` are the date formats that fit all values (None is ISO); `mixed`
    says that dates are written in more than one. `commas` says that numbers are written with a decimal comma;
    the texts have points already.
    """

    name: str
    rows: int
    missing: int
    texts: tuple[str, ...]
    counts: Counts
    words: Mapping[str, int]
    type: ColumnType
    odd: tuple[str, ...] = ()
    layouts: tuple[str | None, ...] = ()
    mixed: bool = False
    commas: bool = False
    # How many different values there are, if these are only some of them.
    number: int | None = None

    @property
    def distinct(self) -> int:
        return len(self.texts) if self.number is None else self.number

    @property
    def present(self) -> int:
        return self.rows - self.missing

    @property
    def repeats(self) -> bool:
        return self.distinct < self.present

    @property
    def near_unique(self) -> bool:
        return self.present >= FEWEST_ROWS and self.distinct > 0.9 * self.present

    @property
    def numeric(self) -> bool:
        return self.type in ("integer", "decimal")

    @cached_property
    def numbers(self) -> list[Decimal]:
        """The distinct numbers in ascending order."""
        return sorted(number for text in self.texts if (number := parse_number(text)) is not None)

    @cached_property
    def spread(self) -> Decimal:
        """The span of the middle nine tenths of the rows, because outliers should not determine widths."""
        pairs = [
            (parse_number(text), count) for text, count in zip(self.texts, self.counts.tolist(), strict=True)
        ]
        points = sorted((number, count) for number, count in pairs if number is not None)
        places = np.cumsum([count for _, count in points])
        low, high = np.searchsorted(places, [0.05 * places[-1], 0.95 * places[-1]])
        return points[int(high)][0] - points[int(low)][0]

    @cached_property
    def end_codes(self) -> tuple[str, ...]:
        """Numbers that often stand for what is missing (-1, 99, 999), where one lies apart at an end."""
        if not self.numeric or len(self.numbers) < FEWEST_TO_JUDGE:
            return ()
        (low, above, *_), (*_, below, high) = self.numbers, self.numbers
        codes = [low] if low < 0 <= above and NEGATIVE_CODE.fullmatch(str(low)) else []
        first = above if codes else low
        apart = 10 * (high - below) > below - first
        codes += [high] if NINES.fullmatch(str(high)) and apart else []
        return tuple(map(str, codes))

    @cached_property
    def longest(self) -> int:
        return max(map(len, self.texts), default=0)

    @cached_property
    def sign(self) -> str | None:
        """What the values seem to hold that identifies people, whatever the column is called."""
        return sign_of_values(self.texts, self.present)

    @property
    def is_prose(self) -> bool:
        """Whether the values are sentences: long, or many words and hardly ever equal."""
        if self.type != "text" or not self.texts:
            return False
        length = sum(map(len, self.texts)) / len(self.texts)
        blanks = sum(text.strip().count(" ") for text in self.texts) / len(self.texts)
        return length >= 60 or (blanks >= 2.5 and 2 * self.distinct > self.present >= FEWEST_ROWS)

    @property
    def is_code(self) -> bool:
        """Whether the values are codes: short, without blanks, with digits. `keep` is made for them."""
        return (
            self.type == "text"
            and self.longest <= 12
            and all(
                any(character.isdigit() for character in text) and " " not in text.strip()
                for text in self.texts
            )
        )

    @property
    def doubtful_commas(self) -> bool:
        """Whether the values are numbers in which a comma may mark decimals or thousands (1,234)."""
        commas = [text for text in self.texts if has_decimal_comma(text)]
        numbers = self.type == "text" and len(commas) > 0 and not _others(self.texts)
        return numbers and all(THREE_DIGITS.fullmatch(text.strip()) for text in commas)


def profile(column: ValueCounts, decimal: str | None = None) -> Profile:
    """The profile of a column; expensive checks use distinct values only. `decimal` is the mark of decimals
    (a point or a comma), if somebody has said which it is."""
    counts = column.counts
    absent = [means_missing(text, NULL_WORDS) for text in column.texts]
    words = {
        text.strip(): int(count)
        for text, count, gone in zip(column.texts, counts, absent, strict=True)
        if gone and text.strip() and column.type == "text"
    }
    present = [not gone for gone in absent]
    texts = tuple(compress(column.texts, present))
    present_counts = counts[np.array(present, dtype=np.bool_)]
    rows = int(counts.sum()) + column.nulls
    commas = column.type == "text" and decimal != "." and _have_commas(texts, decimal == ",")
    texts = tuple(map(_pointed, texts)) if commas else texts
    kind = _kind(column.type, texts, present_counts)
    missing = rows - int(present_counts.sum())
    number = getattr(column, "distinct", None)
    return Profile(column.name, rows, missing, texts, present_counts, words, *kind, commas, number)


def _have_commas(texts: tuple[str, ...], certain: bool) -> bool:
    """Whether all texts are numbers, some of them with a comma that can only mark decimals; if it is certain
    that commas mark decimals, 1,234 is one of them."""
    sure = (
        has_decimal_comma(text) and (certain or not THREE_DIGITS.fullmatch(text.strip())) for text in texts
    )
    return any(sure) and not _others(texts)


def _others(texts: tuple[str, ...]) -> bool:
    """Whether some texts are no numbers if the comma marks decimals."""
    numbers = (parse_number(_pointed(text)) is not None for text in texts)
    points = any("." in text and not has_decimal_comma(text) for text in texts)
    return points or not all(numbers)


def _pointed(text: str) -> str:
    return text.replace(".", "").replace(",", ".") if has_decimal_comma(text) else text


class Kind(NamedTuple):
    """What values are: their type, the few that are not of it, the date formats that fit the others, and
    whether several formats are needed."""

    type: ColumnType
    odd: tuple[str, ...] = ()
    layouts: tuple[str | None, ...] = ()
    mixed: bool = False


def _kind(declared: ColumnType, texts: tuple[str, ...], counts: Counts) -> Kind:
    if declared == "date":
        return Kind(declared, layouts=(None,))
    if declared != "text" or not texts:
        return Kind(declared)
    layouts = find_layouts(texts)
    if layouts.common:
        days = read_days(texts, layouts.common[0])
        odd = tuple(compress(texts, (days < 0).tolist()))
        if _are_few(days < 0, counts):
            return Kind("date", odd, layouts.common)
    if layouts.several:
        return Kind("text", layouts=layouts.several, mixed=True)
    if all(text.strip().lower() in TRUTHS for text in texts):
        return Kind("boolean")
    # A leading zero makes numbers codes.
    if any(LEADING_ZERO.fullmatch(text.strip()) for text in texts):
        return Kind("text")
    numbers = [parse_number(text) for text in texts]
    unread = np.fromiter((number is None for number in numbers), dtype=np.bool_, count=len(texts))
    if not _are_few(unread, counts):
        return Kind("text")
    whole = all(number is None or number == number.to_integral_value() for number in numbers)
    return Kind("integer" if whole else "decimal", tuple(compress(texts, unread.tolist())))


def _are_few(odd: Mask, counts: Counts) -> bool:
    """Whether values are so few that the others say what the column holds."""
    return bool(odd.sum() <= MOST_ODD and counts[odd].sum() <= MOST_ODD_SHARE * counts.sum())


class Layouts(NamedTuple):
    """`common`: the formats that fit every value but a few; `several`: those needed together if none does."""

    common: tuple[str | None, ...] = ()
    several: tuple[str | None, ...] = ()


def find_layouts(texts: tuple[str, ...]) -> Layouts:
    """The formats in which these texts are dates of our times (None is ISO).

    >>> find_layouts(("31.01.2020", "01.02.2020")).common, find_layouts(("01/02/2020",)).common
    (('%d.%m.%Y',), ('%d/%m/%Y', '%m/%d/%Y'))
    """
    tried = texts[:: max(1, len(texts) // MOST_TRIED)]
    few = min(MOST_ODD, int(MOST_ODD_SHARE * len(tried)))
    if sum(not _may_be_date(text) for text in tried) > few:
        return Layouts()
    sample = tried[:: max(1, len(tried) // MOST_SAMPLED)]
    likely = [layout for layout in (*DAYS, *MOMENTS) if _fitting(sample, layout)]
    fits = {layout: _fitting(tried, layout) for layout in likely}
    most = max(map(len, fits.values()), default=0)
    best = tuple(layout for layout, fitting in fits.items() if len(fitting) == most)
    if most and most == len(tried):
        return Layouts(common=best)
    needed, covered = set[str | None](), frozenset[int]()
    for layout, fitting in sorted(fits.items(), key=lambda fit: -len(fit[1])):
        if not fitting <= covered:
            needed.add(layout)
            covered |= fitting
    if len(covered) == len(tried):
        return Layouts(several=tuple(layout for layout in fits if layout in needed))
    return Layouts(common=best) if most and len(tried) - most <= few else Layouts()


def _may_be_date(text: str) -> bool:
    """A quick check before formats are tried: at least five digits, and not too long."""
    return 6 <= len(text.strip()) <= 32 and len(DIGITS.findall(text)) >= 5


def _fitting(texts: tuple[str, ...], layout: str | None) -> frozenset[int]:
    """The places of the texts that are dates of this format."""
    # Without separators, strptime would also read 2020112.
    if layout == "%Y%m%d" and any(len(text.strip()) != 8 for text in texts):
        return frozenset()
    days = read_days(texts, layout)
    first, last = FIRST_YEAR * 365.2425, (LAST_YEAR + 1) * 365.2425
    return frozenset(place for place, day in enumerate(days.tolist()) if first <= day <= last)
