"""Ready hierarchies: what is shipped, and which of it a column has."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from paretonym.schema.hierarchies.date_line import read_days

FILE = Path(__file__).with_name("ready_codes.toml")
# A code means one thing in a column of states and another in one of countries: the column's name decides.
_NAMED = {
    "us-states": ("state",),
    "countries": ("country", "nation", "land"),
    "icd10": ("icd", "diag"),
    "nuts": ("nuts",),
    "isco08": ("isco",),
    "nace2": ("nace",),
}
_FEWEST = 3
_FEWEST_AGES, _OLDEST = 20, 130


@cache
def ready_codes() -> Mapping[str, Mapping[str, Any]]:
    """Every ready hierarchy: its source, the words for its levels, and a tree; or how codes are written, how
    many characters are kept and, for some, ranges of these; or a hierarchy of numbers or dates."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def range_of(code: str, ranges: Sequence[str]) -> str | None:
    """The range that a code lies in; None if it lies in none.

    >>> range_of("E11", ("D50-D89", "E00-E90")), range_of("E99", ("D50-D89", "E00-E90"))
    ('E00-E90', None)
    """
    place = bisect_right([span.split("-")[0] for span in ranges], code) - 1
    return ranges[place] if place >= 0 and code <= ranges[place].split("-")[1] else None


def ready_words() -> Mapping[str, Sequence[str]]:
    """What each ready hierarchy shows, level by level.

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
    return tuple(name for name in ready_codes() if len(texts) >= _FEWEST and _all_in(name, texts))


def ready_for(column: str, texts: Sequence[str]) -> str | None:
    """The ready hierarchy for a column whose name suggests it and whose values are all in it.

    >>> ready_for("birth_country", ["DE", "FR", "US"]), ready_for("initials", ["DE", "FR", "US"])
    ('countries', None)
    """
    lowered = column.lower()
    named = [name for name, hints in _NAMED.items() if any(hint in lowered for hint in hints)]
    return next((name for name in named if name in ready_matches(texts)), None)


def _are_ages(texts: Sequence[str]) -> bool:
    return len(texts) >= _FEWEST_AGES and max(map(int, texts)) <= _OLDEST


def _are_dates(texts: Sequence[str]) -> bool:
    return bool((read_days(tuple(texts), None) >= 0).all())


_LINES = {"ages": _are_ages, "dates": _are_dates}


def _all_in(name: str, texts: Sequence[str]) -> bool:
    entry = ready_codes()[name]
    if "hierarchy" in entry:
        return all(re.fullmatch(entry["written"], text) for text in texts) and _LINES[name](texts)
    if "tree" in entry:
        return set(texts) <= set(_leaves(entry["tree"]))
    # Where only beginnings are kept, some code must have more than the shortest: DE alone is a country.
    longer = "ranges" in entry or any(len(text) > entry["keep"][-1] for text in texts)
    return longer and all(re.fullmatch(entry["written"], text) and is_code(name, text) for text in texts)


def is_code(name: str, text: str) -> bool:
    """Whether a text has a place in a hierarchy of ranges or beginnings.

    >>> is_code("nace2", "62.01"), is_code("nace2", "04.10"), is_code("isco08", "110")
    (True, False, False)
    """
    entry = ready_codes()[name]
    if entry.get("strict", False) and not re.fullmatch(entry["written"], text):
        return False
    return "ranges" not in entry or range_of(text[: entry["keep"][-1]], entry["ranges"]) is not None


def _leaves(tree: Any) -> Iterator[str]:
    for below in tree.values() if isinstance(tree, Mapping) else (tree,):
        yield from below if isinstance(below, list) else _leaves(below)
