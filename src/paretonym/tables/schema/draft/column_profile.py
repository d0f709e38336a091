"""The profile of a column: what its values show, and what its name says of them. The rules in
`role_rules.toml` ask for its properties."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Mask
from paretonym.tables.schema.direct_identifiers import sign_of_values
from paretonym.tables.schema.draft.interval_widths import joining, nested_widths
from paretonym.tables.schema.hierarchies import means_missing
from paretonym.tables.schema.hierarchies.date_line import read_days
from paretonym.tables.schema.hierarchies.number_line import parse_number
from paretonym.tables.schema.name_vocabulary import ends_like_a_key
from paretonym.tables.schema.schema_binding import MOST_SENSITIVE_NUMBERS
from paretonym.tables.source import ROW, Column, ColumnType, has_decimal_comma

# Words that are hardly ever a value. "none" and "unknown" may be answers, so they are not here.
NULL_WORDS = (
    "?", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "-", "--", ".", "k.A.", "k. A.", "n.d.",
    "s.o.",
)  # fmt: skip
FEWEST_ROWS = 20
"""Below this, being unique says little about a column."""
FEW_NUMBERS, FEW_CODES, MOST_CODES = 5, 10, 50

# So many values that are not like the others do not decide what a column holds.
MOST_ODD, MOST_ODD_SHARE = 10, 0.05
FEWEST_TO_JUDGE = 5
NEGATIVE_CODE, NINES = re.compile("-[1-9]|-99+"), re.compile("9+")
MOST_NEGATIVE, SHORTEST_NINE = 4, 9
LEADING_ZERO = re.compile(r"0[0-9]+")
# Thousands with commas look like this too.
THREE_DIGITS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
TRUTHS = frozenset({"true", "false", "yes", "no", "ja", "nein", "oui", "non", "si", "sí"})

# The date formats that are tried, and the number of values that are examined.
MOST_TRIED = 20_000
MOST_SAMPLED = 100
DAYS = (
    None, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%Y%m%d",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y",
)  # fmt: skip
MOMENTS = tuple(f"{day} {clock}" for day in DAYS[1:9] for clock in ("%H:%M", "%H:%M:%S"))
FIRST_YEAR, LAST_YEAR = 1850, 2100
DAYS_A_YEAR = 365.2425

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Profile:
    """A column's distinct values without the missing ones, how many rows hold each, and what they are.

    `words` are the null words that occur, with their rows; `missing` counts those rows too. `odd` are the few
    values that are not of `type`. `layouts` are the date formats that fit all values (None is ISO); `mixed`
    says that dates are written in more than one. `commas` says that numbers are written with a decimal comma;
    the texts have points already. `number` is how many values there are, if these are only some of them.
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
    number: int | None = None

    @property
    def distinct(self) -> int:
        return len(self.texts) if self.number is None else self.number

    @property
    def present(self) -> int:
        return self.rows - self.missing

    @property
    def empty(self) -> bool:
        return not self.texts

    @property
    def repeats(self) -> bool:
        return self.distinct < self.present

    @property
    def constant(self) -> bool:
        return self.distinct == 1 and not self.missing and self.rows > 1

    @property
    def near_unique(self) -> bool:
        return self.present >= FEWEST_ROWS and self.distinct > 0.9 * self.present

    @property
    def identifying(self) -> bool:
        """Nearly every row has a value of its own: it identifies a person, unless it is a measurement."""
        return self.near_unique and self.type != "decimal"

    @property
    def few_of_many(self) -> bool:
        return self.present >= FEWEST_ROWS and self.distinct <= FEW_CODES

    @property
    def numbered(self) -> bool:
        """An id that repeats often: that of a person with several rows, or of something else."""
        repeated = self.present >= FEWEST_ROWS and 10 * self.distinct > self.present
        return ends_like_a_key(self.name) and repeated and self.type != "decimal"

    @property
    def numbers_persons(self) -> bool:
        """True if a column may number persons: a word alone, with few values that repeat, may be anything."""
        alone = not ends_like_a_key(self.name) and self.repeats and self.distinct <= FEW_CODES
        return not alone and self.type != "decimal"

    @property
    def coded(self) -> bool:
        """True if the values are few whole numbers: codes of a category, or a small count."""
        return self.type == "integer" and self.distinct <= MOST_CODES

    @property
    def counts_rows(self) -> bool:
        """True if the column is one without a name whose values are 0, 1, 2 … or 1, 2, 3 …"""
        if not self.name.startswith(ROW) or self.type != "integer" or self.missing or self.repeats:
            return False
        first, last = self._ascending[0], self._ascending[-1]
        return first in (0, 1) and last - first + 1 == self.distinct

    @property
    def dated(self) -> bool:
        return self.type == "date"

    @property
    def several_layouts(self) -> bool:
        return len(self.layouts) > 1

    @cached_property
    def days(self) -> Counts:
        """The day of each value, in the first of the layouts; -1 where it is none."""
        return read_days(self.texts, self.layouts[0] if self.layouts else None)

    @property
    def numeric(self) -> bool:
        return self.type in ("integer", "decimal")

    @cached_property
    def parsed(self) -> list[Decimal | None]:
        """The number in each text."""
        return list(map(parse_number, self.texts))

    @cached_property
    def numbers(self) -> list[Decimal]:
        """The distinct numbers in ascending order, without those at an end that may mean missing."""
        return [number for number in self._ascending if str(number) not in self.end_codes]

    @cached_property
    def _ascending(self) -> list[Decimal]:
        return sorted(number for number in self.parsed if number is not None)

    @property
    def all_above_zero(self) -> bool:
        """True if every row has a number above 0, as a weight is."""
        return not self.missing and all(number is not None and number > 0 for number in self.parsed)

    @property
    def lost_zeros(self) -> bool:
        return self.numeric and len(set(map(len, self.texts))) > 1

    @property
    def leading_zeros(self) -> bool:
        return any(text.startswith("0") for text in self.texts)

    @cached_property
    def spread(self) -> Decimal:
        """The span of the middle nine tenths of the rows, because outliers should not determine widths."""
        pairs = zip(self.parsed, self.counts.tolist(), strict=True)
        numbers = frozenset(self.numbers)
        points = sorted((number, count) for number, count in pairs if number in numbers)
        places = np.cumsum([count for _, count in points])
        low, high = np.searchsorted(places, [0.05 * places[-1], 0.95 * places[-1]])
        return points[int(high)][0] - points[int(low)][0]

    @cached_property
    def widths(self) -> tuple[Decimal, ...]:
        """Widths of intervals for its numbers; none if there is nothing to widen."""
        many = len(self.numbers) > FEW_NUMBERS
        return self.useful(nested_widths(self.numbers, self.spread, self.type == "integer") if many else ())

    def useful(self, widths: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
        """The widths that combine some of the numbers; of few rows nobody knows."""
        return joining(widths, self.numbers) if self.present >= FEWEST_ROWS else widths

    @property
    def in_intervals(self) -> bool:
        """True if the values are numbers, more than a sensitive column may have without intervals."""
        return self.numeric and self.distinct > MOST_SENSITIVE_NUMBERS and bool(self.widths)

    @cached_property
    def end_codes(self) -> tuple[str, ...]:
        """Numbers that often stand for what is missing (-1, 9, 99, 999), apart from the others at an end."""
        if not self.numeric:
            return ()
        codes = [number for number in self._ascending if number < 0]
        others = self._ascending[len(codes) :]
        if not _are_missing_codes(codes, others):
            codes, others = [], self._ascending
        return tuple(map(str, [*codes, *([others[-1]] if _ends_in_nines(others) else [])]))

    @cached_property
    def longest(self) -> int:
        return max(map(len, self.texts), default=0)

    @cached_property
    def sign(self) -> str | None:
        """The sign that the values identify people, whatever the column is called."""
        return sign_of_values(self.texts, self.present)

    @property
    def is_prose(self) -> bool:
        """True if the values are sentences: long, or many words and hardly ever equal."""
        if self.type != "text" or not self.texts:
            return False
        length = sum(map(len, self.texts)) / len(self.texts)
        blanks = sum(text.strip().count(" ") for text in self.texts) / len(self.texts)
        return length >= 60 or (blanks >= 2.5 and 2 * self.distinct > self.present >= FEWEST_ROWS)

    @property
    def is_code(self) -> bool:
        """True if the values are codes: short, without blanks, with digits. `keep` is made for them."""
        short = self.type == "text" and self.longest <= 12
        return short and all(re.search(r"\d", text) and " " not in text.strip() for text in self.texts)

    @property
    def doubtful_commas(self) -> bool:
        """True if the values are numbers in which a comma may mark decimals or thousands (1,234)."""
        commas = [text for text in self.texts if has_decimal_comma(text)]
        numbers = self.type == "text" and len(commas) > 0 and _are_pointed(self.texts)
        return numbers and all(THREE_DIGITS.fullmatch(text.strip()) for text in commas)


def _are_missing_codes(codes: Sequence[Decimal], others: Sequence[Decimal]) -> bool:
    """True if negative numbers may mean missing: they are short, few, and no mirror of the others, as in a
    scale from -2 to 2."""
    short = all(NEGATIVE_CODE.fullmatch(str(code)) for code in codes)
    if not codes or not short or len(others) < 2 or len(codes) > MOST_NEGATIVE:
        return False
    mirrored = all(-code in others for code in codes)
    return not mirrored or (others[-1] > -codes[0] and (len(codes) == 1 or 0 not in others))


def _ends_in_nines(numbers: Sequence[Decimal]) -> bool:
    """True if the last of rising numbers is 9, 99 or 999 and lies apart from the others."""
    if len(numbers) < 3 or not NINES.fullmatch(str(numbers[-1])):
        return False
    *others, last = numbers
    if len(numbers) < FEWEST_TO_JUDGE or last == SHORTEST_NINE:
        steps = [high - low for low, high in pairwise(others)]
        return len(numbers) <= FEW_CODES and last - others[-1] > max(steps)
    return 10 * (last - others[-1]) > others[-1] - others[0]


def profile(column: Column, decimal: str | None = None) -> Profile:
    """The profile of a column; expensive checks use distinct values only. `decimal` is the mark of decimals
    (a point or a comma), if somebody has said which it is."""
    present = [not means_missing(text, NULL_WORDS) for text in column.texts]
    cells = zip(column.texts, column.counts.tolist(), present, strict=True)
    words = {
        text.strip(): count
        for text, count, there in cells
        if not there and text.strip() and column.type == "text"
    }
    texts, counts = tuple(compress(column.texts, present)), column.counts[np.array(present, dtype=np.bool_)]
    commas = column.type == "text" and decimal != "." and _have_commas(texts, decimal == ",")
    texts = tuple(map(_pointed, texts)) if commas else texts
    kind = _kind(column.type, texts, counts)
    rows = int(column.counts.sum()) + column.nulls
    number = getattr(column, "distinct", None)
    return Profile(column.name, rows, rows - int(counts.sum()), texts, counts, words, *kind, commas, number)


def _have_commas(texts: tuple[str, ...], certain: bool) -> bool:
    """True if all texts are numbers, some of them with a comma that can only mark decimals; if it is certain
    that commas mark decimals, 1,234 is one of them."""
    sure = (
        has_decimal_comma(text) and (certain or not THREE_DIGITS.fullmatch(text.strip())) for text in texts
    )
    return any(sure) and _are_pointed(texts)


def _are_pointed(texts: tuple[str, ...]) -> bool:
    """True if all texts are numbers if the comma marks decimals."""
    points = any("." in text and not has_decimal_comma(text) for text in texts)
    return not points and all(parse_number(_pointed(text)) is not None for text in texts)


def _pointed(text: str) -> str:
    return text.replace(".", "").replace(",", ".") if has_decimal_comma(text) else text


class Kind(NamedTuple):
    """Kind of values: their type, the few that are not of it, the date formats that fit the others, and
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
    layouts, mixed = find_layouts(texts)
    if mixed:
        return Kind("text", layouts=layouts, mixed=True)
    if layouts:
        unread = read_days(texts, layouts[0]) < 0
        if _are_few(unread, counts):
            return Kind("date", tuple(compress(texts, unread.tolist())), layouts)
    stripped = [text.strip() for text in texts]
    if all(text.lower() in TRUTHS for text in stripped):
        return Kind("boolean")
    numbers = list(map(parse_number, texts))
    unread = np.array([number is None for number in numbers], dtype=np.bool_)
    # A leading zero makes numbers codes.
    if any(map(LEADING_ZERO.fullmatch, stripped)) or not _are_few(unread, counts):
        return Kind("text")
    whole = all(number is None or number == number.to_integral_value() for number in numbers)
    return Kind("integer" if whole else "decimal", tuple(compress(texts, unread.tolist())))


def _are_few(odd: Mask, counts: Counts) -> bool:
    """True if values are so few that the others say what the column holds."""
    return bool(odd.sum() <= MOST_ODD and counts[odd].sum() <= MOST_ODD_SHARE * counts.sum())


def find_layouts(texts: tuple[str, ...]) -> tuple[tuple[str | None, ...], bool]:
    """The formats in which these texts are dates of our times (None is ISO), each of which fits all but a
    few; or those that are needed together, and that they are.

    >>> find_layouts(("31.01.2020", "01.02.2020")), find_layouts(("01/02/2020",))
    ((('%d.%m.%Y',), False), (('%d/%m/%Y', '%m/%d/%Y'), False))
    """
    tried = texts[:: max(1, len(texts) // MOST_TRIED)]
    few = min(MOST_ODD, int(MOST_ODD_SHARE * len(tried)))
    if sum(not _may_be_date(text) for text in tried) > few:
        return (), False
    sample = tried[:: max(1, len(tried) // MOST_SAMPLED)]
    likely = [layout for layout in (*DAYS, *MOMENTS) if _fitting(sample, layout)]
    fits = {layout: _fitting(tried, layout) for layout in likely}
    most = max(map(len, fits.values()), default=0)
    best = tuple(layout for layout, fitting in fits.items() if most and len(fitting) == most)
    if most == len(tried):
        return best, False
    needed, covered = set[str | None](), frozenset[int]()
    for layout, fitting in sorted(fits.items(), key=lambda fit: -len(fit[1])):
        if not fitting <= covered:
            needed.add(layout)
            covered |= fitting
    if len(covered) == len(tried):
        return tuple(layout for layout in fits if layout in needed), True
    return (best if len(tried) - most <= few else ()), False


def _may_be_date(text: str) -> bool:
    """A quick check before formats are tried: at least five digits, and not too long."""
    return 6 <= len(text.strip()) <= 32 and len(re.findall("[0-9]", text)) >= 5


def _fitting(texts: Sequence[str], layout: str | None) -> frozenset[int]:
    """The places of the texts that are dates of this format."""
    # Without separators, strptime would also read 2020112.
    if layout == "%Y%m%d" and any(len(text.strip()) != 8 for text in texts):
        return frozenset()
    days = read_days(tuple(texts), layout)
    first, last = FIRST_YEAR * DAYS_A_YEAR, (LAST_YEAR + 1) * DAYS_A_YEAR
    return frozenset(place for place, day in enumerate(days.tolist()) if first <= day <= last)
