"""Columns that depend on others: age on a date of birth, discharge on admission and length of stay.

Generalizing one of them protects nothing while the others stay exact. A search treats every quasi-identifier
separately, so only a person can see that two of them say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from paretonym.arrays import Codes, Floats, Integers
from paretonym.schema.draft.column_profile import FEWEST_ROWS, Profile
from paretonym.schema.draft.role_guess import Suggestion
from paretonym.schema.hierarchies.date_line import read_days
from paretonym.schema.hierarchies.exact_numbers import parse_number
from paretonym.schema.toml_text import one_line
from paretonym.source import NULL, RowSource, ValueCounts

PUBLISHED = ("quasi", "sensitive", "undecided")
MOST_ROWS = 20_000
MOST_COLUMNS = 40
MOST_CELLS = 1_000_000
# A few mistakes in the data do not hide a dependency.
NEARLY_ALL = 0.95
FEWEST_VALUES = 3
DAYS_A_YEAR = 365.2425
FIRST_YEAR, LAST_YEAR = 1850, 2100


@dataclass(frozen=True, eq=False)
class Sampled:
    """Some rows of a column: a code for each value (-1: none), and the value as a number or a day."""

    name: str
    codes: Integers
    numbers: Floats | None
    dated: bool

    @property
    def years(self) -> Floats | None:
        """The year of a date, or a number that looks like one."""
        if self.numbers is None:
            return None
        if self.dated:
            return np.floor(self.numbers / DAYS_A_YEAR)
        present = self.numbers[~np.isnan(self.numbers)]
        return self.numbers if ((present >= FIRST_YEAR) & (present <= LAST_YEAR)).all() else None


def dependencies(
    source: RowSource, profiles: Mapping[str, Profile], suggestions: Iterable[Suggestion]
) -> tuple[str, ...]:
    """One sentence for each set of columns that may be published and that determine each other. Examines up
    to 20,000 rows of the first 40 such columns, where rows can be looked at."""
    names = [one.name for one in suggestions if one.role in PUBLISHED][:MOST_COLUMNS]
    if source.rows < FEWEST_ROWS:
        return ()
    sample = source.sample(names, MOST_ROWS)
    columns = [
        _sampled(source.column(name), profiles[name], codes)
        for name, codes in zip(names, sample, strict=bool(sample))
    ]
    return (*_functions(columns), *_sums(columns), *_ages(columns))


def _sampled(column: ValueCounts, profile: Profile, rows: Codes) -> Sampled:
    place = {text: code for code, text in enumerate(profile.texts)}
    # The last entry serves the code of a null, -1.
    lookup = np.array([place.get(text, NULL) for text in column.texts] + [NULL], dtype=np.int64)
    codes = lookup[rows]
    values = _values(profile)
    numbers = None if values is None else np.append(values, np.nan)[codes]
    return Sampled(profile.name, codes, numbers, profile.type == "date")


def _values(profile: Profile) -> Floats | None:
    if profile.type == "date" and len(profile.layouts) == 1:
        days = read_days(profile.texts, profile.layouts[0]).astype(np.float64)
        return np.where(days >= 0, days, np.nan)
    if not profile.numeric:
        return None
    read = (parse_number(text) for text in profile.texts)
    return np.array([np.nan if number is None else float(number) for number in read])


def _functions(columns: list[Sampled]) -> Iterator[str]:
    """Columns of which each value occurs with a single value of another."""
    pairs = {(a.name, b.name) for a, b in permutations(columns, 2) if _determines(a, b)}
    for one, other in combinations((column.name for column in columns), 2):
        if {(one, other), (other, one)} <= pairs:
            yield _sentence(f"'{one_line(one)}' and '{one_line(other)}' determine each other")
        elif (one, other) in pairs:
            yield _sentence(f"'{one_line(other)}' follows from '{one_line(one)}'")
        elif (other, one) in pairs:
            yield _sentence(f"'{one_line(one)}' follows from '{one_line(other)}'")


def _determines(a: Sampled, b: Sampled) -> bool:
    """Whether each value of a occurs with one value of b only, although chance would have mixed them."""
    both = (a.codes >= 0) & (b.codes >= 0)
    causes = np.unique(a.codes[both], return_inverse=True)[1]
    effects = np.unique(b.codes[both], return_inverse=True)[1]
    if not len(causes) or not effects.max():
        return False
    counts, others = np.bincount(causes), np.bincount(effects)
    if len(counts) * len(others) > MOST_CELLS or len(causes) < FEWEST_VALUES * len(counts):
        return False
    pairs = len(np.unique(causes * len(others) + effects))
    if pairs != len(counts):
        return False
    shares = np.outer(counts, others) / len(causes) ** 2
    return bool((1 - (1 - shares) ** len(causes)).sum() > 1.5 * pairs)


def _sums(columns: list[Sampled]) -> Iterator[str]:
    """c = a + b, up to a constant: two dates and the days between them, or three numbers."""
    varying = [column for column in columns if column.numbers is not None and _varies(column.numbers)]
    for a, b in combinations(varying, 2):
        if a.dated and b.dated:
            continue
        for c in varying:
            if c in (a, b) or c.dated != (a.dated or b.dated):
                continue
            if _constant(_plus(a.numbers, b.numbers) - _given(c.numbers)):
                names = f"'{one_line(a.name)}' and '{one_line(b.name)}'"
                yield _sentence(f"'{one_line(c.name)}' is the sum of {names}")


def _ages(columns: list[Sampled]) -> Iterator[str]:
    """Years of age beside a date or year of birth: they add up to this year, or to that of another date."""
    dates = [column for column in columns if column.years is not None and _varies(column.years)]
    for age in columns:
        if age.numbers is None or age.dated or age in dates or not _varies(age.numbers):
            continue
        for birth in dates:
            reached = _plus(birth.years, age.numbers)
            others = (_given(other.years) - reached for other in dates if other is not birth)
            if any(map(_two_neighbours, (reached, *others))):
                yield _sentence(f"'{one_line(age.name)}' follows from '{one_line(birth.name)}'")


def _sentence(what: str) -> str:
    return (
        f"{what}: generalizing one protects nothing while the other is shown exactly; drop all but one "
        "of them, or generalize all of them (levels)"
    )


def _varies(numbers: Floats | None) -> bool:
    return len(np.unique(_known(_given(numbers)))) >= FEWEST_VALUES


def _constant(numbers: Floats) -> bool:
    numbers_known = _known(numbers)
    if len(numbers_known) < FEWEST_ROWS:
        return False
    counts = np.unique(numbers_known, return_counts=True)[1]
    return bool(counts.max() >= NEARLY_ALL * len(numbers_known))


def _two_neighbours(numbers: Floats) -> bool:
    """Whether nearly all are one of two neighbouring whole numbers, as the birthday has passed or not."""
    numbers_known = _known(numbers)
    if len(numbers_known) < FEWEST_ROWS:
        return False
    values, counts = np.unique(numbers_known, return_counts=True)
    shares = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return any(shares[v] + shares.get(v + 1, 0) >= NEARLY_ALL * len(numbers_known) for v in shares)


def _known(numbers: Floats) -> Floats:
    return numbers[~np.isnan(numbers)]


def _given(numbers: Floats | None) -> Floats:
    return np.empty(0) if numbers is None else numbers


def _plus(left: Floats | None, right: Floats | None) -> Floats:
    return _given(left) + _given(right)
