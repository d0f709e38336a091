"""Columns that depend on others: age on a date of birth, discharge on admission and length of stay.

Generalizing one of them protects nothing while the others stay exact. A search treats every quasi-identifier
separately, so only a person can see that two of them say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from paretonym.base.arrays import Codes, Floats, Integers
from paretonym.tables.schema.draft.column_profile import (
    DAYS_A_YEAR,
    FEWEST_ROWS,
    FIRST_YEAR,
    LAST_YEAR,
    Profile,
)
from paretonym.tables.schema.toml_text import one_line
from paretonym.tables.source import NULL, Column, Counts

MOST_ROWS = 20_000
MOST_COLUMNS = 40
MOST_CELLS = 1_000_000
# A few mistakes in the data do not hide a dependency.
NEARLY_ALL = 0.95
FEWEST_VALUES = 3
CONSEQUENCE = (
    "generalizing one protects nothing while the other is shown exactly; drop all but one of them, or "
    "generalize all of them (levels)"
)


@dataclass(frozen=True, eq=False)
class Sampled:
    """Some rows of a column: a code for each value (-1: none), and the value as a number or a day (NaN: it is
    none)."""

    name: str
    codes: Integers
    numbers: Floats
    dated: bool

    @classmethod
    def of(cls, column: Column, profile: Profile, rows: Codes) -> Sampled:
        place = {text: code for code, text in enumerate(profile.texts)}
        # The last entry serves the code of a null, -1.
        codes = np.array([place.get(text, NULL) for text in column.texts] + [NULL], dtype=np.int64)[rows]
        numbers = np.full(len(profile.texts) + 1, np.nan)
        if profile.dated and not profile.several_layouts:
            numbers[:-1] = np.where(profile.days >= 0, profile.days, np.nan)
        elif profile.numeric:
            numbers[:-1] = [np.nan if number is None else float(number) for number in profile.parsed]
        return cls(f"'{one_line(profile.name)}'", codes, numbers[codes], profile.dated)

    @cached_property
    def varies(self) -> bool:
        return len(np.unique(self.numbers[~np.isnan(self.numbers)])) >= FEWEST_VALUES

    @cached_property
    def years(self) -> Floats | None:
        """The years of dates, or numbers that look like years; None if they are none, or few."""
        present = self.numbers[~np.isnan(self.numbers)]
        are_years = self.dated or ((present >= FIRST_YEAR) & (present <= LAST_YEAR)).all()
        years = np.floor(self.numbers / DAYS_A_YEAR) if self.dated else self.numbers
        return years if are_years and len(np.unique(years[~np.isnan(years)])) >= FEWEST_VALUES else None


def dependencies(source: Counts, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """One sentence for each set of these columns that determine each other. Examines up to 20,000 rows of the
    first 40, where rows can be looked at."""
    if source.rows < FEWEST_ROWS:
        return ()
    examined = profiles[:MOST_COLUMNS]
    sample = source.sample([profile.name for profile in examined], MOST_ROWS)
    columns = [
        Sampled.of(source.column(profile.name), profile, rows)
        for profile, rows in zip(examined, sample, strict=bool(sample))
    ]
    return tuple(
        f"{what}: {CONSEQUENCE}" for what in (*_functions(columns), *_sums(columns), *_ages(columns))
    )


def _functions(columns: Sequence[Sampled]) -> Iterator[str]:
    """Columns of which each value occurs with a single value of another."""
    for one, other in combinations(columns, 2):
        forth, back = _determines(one, other), _determines(other, one)
        if forth and back:
            yield f"{one.name} and {other.name} determine each other"
        elif forth or back:
            yield f"{(other if forth else one).name} follows from {(one if forth else other).name}"


def _determines(cause: Sampled, effect: Sampled) -> bool:
    """True if each value of one column occurs with one value of another only, although chance would have
    mixed them."""
    both = (cause.codes >= 0) & (effect.codes >= 0)
    causes = np.unique(cause.codes[both], return_inverse=True)[1]
    effects = np.unique(effect.codes[both], return_inverse=True)[1]
    if not len(causes) or not effects.max():
        return False
    counts, others = np.bincount(causes), np.bincount(effects)
    if len(counts) * len(others) > MOST_CELLS or len(causes) < FEWEST_VALUES * len(counts):
        return False
    pairs = len(np.unique(causes * len(others) + effects))
    shares = np.outer(counts, others) / len(causes) ** 2
    by_chance = (1 - (1 - shares) ** len(causes)).sum()
    return bool(pairs == len(counts) and by_chance > 1.5 * pairs)


def _sums(columns: Sequence[Sampled]) -> Iterator[str]:
    """c = a + b, up to a constant: two dates and the days between them, or three numbers."""
    varying = [column for column in columns if column.varies]
    for a, b in combinations(varying, 2):
        for c in varying:
            fits = c not in (a, b) and not (a.dated and b.dated) and c.dated == (a.dated or b.dated)
            if fits and _nearly_one(a.numbers + b.numbers - c.numbers):
                yield f"{c.name} is the sum of {a.name} and {b.name}"


def _ages(columns: Sequence[Sampled]) -> Iterator[str]:
    """Years of age beside a date or year of birth: they add up to this year, or to that of another date."""
    dates: Mapping[str, Floats] = {one.name: one.years for one in columns if one.years is not None}
    for age in columns:
        if age.dated or age.name in dates or not age.varies:
            continue
        for birth, years in dates.items():
            reached = years + age.numbers
            others = (later - reached for name, later in dates.items() if name != birth)
            # The birthday has passed, or not.
            if any(_nearly_one(years, neighbours=True) for years in (reached, *others)):
                yield f"{age.name} follows from {birth}"


def _nearly_one(numbers: Floats, neighbours: bool = False) -> bool:
    """True if nearly all numbers are the same one, or one of two neighbouring whole numbers."""
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    rows = dict(zip(values.tolist(), counts.tolist(), strict=True))
    alike = (rows[value] + (rows.get(value + 1, 0) if neighbours else 0) for value in rows)
    total = int(counts.sum())
    return total >= FEWEST_ROWS and max(alike, default=0) >= NEARLY_ALL * total
