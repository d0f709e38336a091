"""Ready hierarchies, by name: of common codes (countries, states, diagnoses, regions, occupations …), and of
ages and dates, which are bands of numbers and spans of time."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from paretonym.base.errors import did_you_mean
from paretonym.tables.schema.hierarchies.date_line import read_days
from paretonym.tables.schema.hierarchies.dates import Dates
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.tables.schema.hierarchies.intervals import Breaks
from paretonym.tables.schema.hierarchies.masks import beginnings
from paretonym.tables.schema.hierarchies.tree import Tree
from paretonym.tables.schema.toml_section import Section

FILE = Path(__file__).with_name("ready_codes.toml")
OUTSIDE = "other codes"
FEWEST = 3
# Years of schooling end below, ages of adults above.
FEWEST_AGES, ADULT, OLDEST = 20, 40, 130


@cache
def ready_codes() -> Mapping[str, Mapping[str, Any]]:
    """Every ready hierarchy: its source, the words for its levels, words in names that suggest it, and a
    tree; or how codes are written, how many characters are kept and, for some, ranges of these; or a
    hierarchy of numbers or dates."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def ready_hierarchy(name: str) -> HierarchyKind:
    """The hierarchy with this name."""
    if name not in ready_codes():
        raise Ready.refusal(f"there is no '{name}'", did_you_mean(name, ready_codes()))
    entry = ready_codes()[name]
    if "tree" in entry:
        return Tree.of(entry["tree"], ready=name)
    shape = entry.get("hierarchy", {})
    if "date" in shape:
        return Dates(tuple(shape["date"]), ready=name)
    if "breaks" in shape:
        return Breaks(tuple(tuple(map(Decimal, level)) for level in shape["breaks"]), ready=name)
    return Ready(ready=name)


@dataclass(frozen=True, slots=True)
class Ready(HierarchyKind):
    """A ready hierarchy of codes that are too many to list: their first characters and, for some, the range
    that these lie in."""

    key = "ready"
    set_noun = "group"

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> HierarchyKind | None:
        name = table.text("ready")
        return None if name is None else ready_hierarchy(name)

    def to_mapping(self) -> dict[str, Any]:
        return {"ready": self.ready}

    @property
    def _entry(self) -> Mapping[str, Any]:
        return ready_codes()[self.ready]

    @property
    def height(self) -> int:
        return len(self._entry["words"])

    def labels(self, texts: Sequence[str], level: int) -> list[str]:
        numbers = self._entry["keep"]
        if level <= len(numbers):
            return beginnings(texts, numbers[level - 1])
        return [range_of(text[: numbers[-1]], self._entry["ranges"]) or OUTSIDE for text in texts]

    def words(self, level: int) -> str:
        return str(self._entry["words"][level - 1])

    @property
    def lacking(self) -> str:
        return f"no code of {self.ready}"

    def accepts(self, texts: Sequence[str]) -> Sequence[bool]:
        return [is_code(self.ready, text) for text in texts]

    def possible_members(self, label: str) -> Iterable[str]:
        """The code that a label or a range begins with; codes outside all ranges have a label that names none
        of them."""
        return (label, label.rstrip("*").split("-")[0], *(("~",) if label == OUTSIDE else ()))


def range_of(code: str, ranges: Sequence[str]) -> str | None:
    """The range that a code lies in; None if it lies in none.

    >>> range_of("E11", ("D50-D89", "E00-E90")), range_of("E99", ("D50-D89", "E00-E90"))
    ('E00-E90', None)
    """
    place = bisect_right([span.split("-")[0] for span in ranges], code) - 1
    return ranges[place] if place >= 0 and code <= ranges[place].split("-")[1] else None


def is_code(name: str, text: str) -> bool:
    """True if a text has a place in a hierarchy of ranges or beginnings.

    >>> is_code("nace2", "62.01"), is_code("nace2", "04.10"), is_code("isco08", "110")
    (True, False, False)
    """
    entry = ready_codes()[name]
    if entry.get("strict", False) and not re.fullmatch(entry["written"], text):
        return False
    return "ranges" not in entry or range_of(text[: entry["keep"][-1]], entry["ranges"]) is not None


def ready_words() -> Mapping[str, Sequence[str]]:
    """Words for the levels of each ready hierarchy.

    >>> ready_words()["us-states"]
    ['by census division', 'by census region']
    """
    return {name: entry["words"] for name, entry in ready_codes().items()}


def ready_matches(texts: Sequence[str]) -> tuple[str, ...]:
    """The ready hierarchies that hold all values of a column, whatever it is called. Ages must be many: few
    small numbers may be anything.

    >>> ready_matches(["DE", "FR", "IT"]), ready_matches(["DE", "x"])
    (('countries',), ())
    """
    return tuple(name for name in ready_codes() if len(texts) >= FEWEST and _all_in(name, texts))


def ready_for(column: str, texts: Sequence[str]) -> str | None:
    """The ready hierarchy for a column whose name suggests it and whose values are all in it: a code means
    one thing in a column of states and another in one of countries.

    >>> ready_for("birth_country", ["DE", "FR", "US"]), ready_for("initials", ["DE", "FR", "US"])
    ('countries', None)
    """
    lowered = column.lower()
    named = [
        name
        for name, entry in ready_codes().items()
        if any(word in lowered for word in entry.get("names", ()))
    ]
    return next((name for name in named if name in ready_matches(texts)), None)


def _are_ages(texts: Sequence[str]) -> bool:
    return len(texts) >= FEWEST_AGES and ADULT <= max(map(int, texts)) <= OLDEST


LINES: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "ages": _are_ages,
    "dates": lambda texts: bool((read_days(tuple(texts), None) >= 0).all()),
}


def _all_in(name: str, texts: Sequence[str]) -> bool:
    entry = ready_codes()[name]
    if "tree" in entry:
        return set(texts) <= set(ready_hierarchy(name).leaves or ())
    if not all(re.fullmatch(entry["written"], text) for text in texts):
        return False
    if "hierarchy" in entry:
        return LINES[name](texts)
    # Where only beginnings are kept, some code must have more than the shortest: DE alone is a country.
    longer = "ranges" in entry or any(len(text) > entry["keep"][-1] for text in texts)
    return longer and all(is_code(name, text) for text in texts)
