"""Columns that depend on others: age on a date of birth, discharge on admission and length of stay.

Generalizing one of them protects nothing while the others stay exact. A search treats every quasi-identifier
separately, so only a person can see that two of them say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from paretonym.arrays import Codes, Floats, Integers
from paretonym.schema.draft.column_profile import FEWEST_ROWS, Profile
from paretonym.schema.draft.role_guess import Suggestion
from paretonym.schema.hierarchies.date_line import read_days
from paretonym.schema.hierarchies.number_line import parse_number
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
    """Some rows of a column: a code for each value (-1: none), and the value as a number or a day (NaN: it is
    none)."""

    name: str
    codes: Integers
    numbers: Floats
    dated: bool

    @property
    def years(self) -> Floats:
        """The year of a date, or a number that looks like one."""
        if self.dated:
            return np.floor(self.numbers / DAYS_A_YEAR)
        present = self.numbers[~np.isnan(self.numbers)]
        are_years = ((present >= FIRST_YEAR) & (present <= LAST_YEAR)).all()
        return self.numbers if are_years else np.full(len(self.numbers), np.nan)


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
    consequence = (
        "generalizing one protects nothing while the other is shown exactly; drop all but one of them, or "
        "generalize all of them (levels)"
    )
    return tuple(f"{what}: {consequence}" for of in (_functions, _sums, _ages) for what in of(columns))


def _sampled(column: ValueCounts, profile: Profile, rows: Codes) -> Sampled:
    place = {text: code for code, text in enumerate(profile.texts)}
    # The last entry serves the code of a null, -1.
    lookup = np.array([place.get(text, NULL) for text in column.texts] + [NULL], dtype=np.int64)
    codes = lookup[rows]
    return Sampled(profile.name, codes, np.append(_values(profile), np.nan)[codes], profile.type == "date")


def _values(profile: Profile) -> Floats:
    if profile.type == "date" and len(profile.layouts) == 1:
        days = read_days(profile.texts, profile.layouts[0]).astype(np.float64)
        return np.where(days >= 0, days, np.nan)
    if not profile.numeric:
        return np.full(len(profile.texts), np.nan)
    read = (parse_number(text) for text in profile.texts)
    return np.array([np.nan if number is None else float(number) for number in read])


def _functions(columns: list[Sampled]) -> Iterator[str]:
    """Columns of which each value occurs with a single value of another."""
    for a, b in combinations(columns, 2):
        one, other = f"'{one_line(a.name)}'", f"'{one_line(b.name)}'"
        match _determines(a, b), _determines(b, a):
            case True, True:
                yield f"{one} and {other} determine each other"
            case True, False:
                yield f"{other} follows from {one}"
            case False, True:
                yield f"{one} follows from {other}"


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
    varying = [column for column in columns if _varies(column.numbers)]
    for a, b in combinations(varying, 2):
        for c in varying:
            fits = c not in (a, b) and not (a.dated and b.dated) and c.dated == (a.dated or b.dated)
            if fits and _nearly_one(a.numbers + b.numbers - c.numbers):
                yield f"'{one_line(c.name)}' is the sum of '{one_line(a.name)}' and '{one_line(b.name)}'"


def _ages(columns: list[Sampled]) -> Iterator[str]:
    """Years of age beside a date or year of birth: they add up to this year, or to that of another date."""
    dates = [column for column in columns if _varies(column.years)]
    for age in columns:
        if age.dated or age in dates or not _varies(age.numbers):
            continue
        for birth in dates:
            reached = birth.years + age.numbers
            others = (other.years - reached for other in dates if other is not birth)
            # The birthday has passed, or not.
            if any(_nearly_one(years, neighbours=True) for years in (reached, *others)):
                yield f"'{one_line(age.name)}' follows from '{one_line(birth.name)}'"


def _varies(numbers: Floats) -> bool:
    return len(np.unique(numbers[~np.isnan(numbers)])) >= FEWEST_VALUES


def _nearly_one(numbers: Floats, neighbours: bool = False) -> bool:
    """Whether nearly all numbers are the same one, or one of two neighbouring whole numbers."""
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    rows = dict(zip(values.tolist(), counts.tolist(), strict=True))
    alike = (rows[value] + (rows.get(value + 1, 0) if neighbours else 0) for value in rows)
    total = int(counts.sum())
    return total >= FEWEST_ROWS and max(alike, default=0) >= NEARLY_ALL * total
