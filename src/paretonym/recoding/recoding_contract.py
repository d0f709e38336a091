"""A recoding: what turns a table into one release, and its id, which is the same in every run; and what may
be asked of a way to recode that not every one can answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from paretonym.counts import Cube
from paretonym.recoding.equivalence_classes import Classes
from paretonym.recoding.suppression import Keep


class Feature(StrEnum):
    """A thing that some spaces support. A space says of each other one why not: `supports[feature]` is the
    reason, and a feature without a reason is supported."""

    PERSONS = "persons"  # classes are counted in persons, who may have several rows
    UNITS = "units"  # a suppressed row takes the others of its person or household with it
    POPULATION = "population"  # the classes of the people that the rows were drawn from are known
    SUPPRESSION = "suppression"  # rows can be suppressed
    TRANSFER = "transfer"  # new rows can be shown as the old ones are
    LEVELS = "levels"  # the sets of the hierarchies' levels suffice: values need not be counted as they are


SHORTEST_ID = 6


class ShownRelease(NamedTuple):
    """What a manifest may say about a recoding: the names of the columns in the file, the labels that each
    shows, the conditions on a class, and the column with the number of the bucket."""

    names: Mapping[str, str]
    labels: Callable[[], Mapping[str, list[str]]]
    keep: Mapping[str, Any]
    bucket: str = ""


class Recoding(Protocol):
    """What the recodings of every space have: the classes that they form, and how they are stored."""

    @property
    def keep(self) -> Keep:
        """What a class must have to stay."""
        ...

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        """The levels of each quasi-identifier, if the recoding alone determines them: one, or several if
        different rows are shown at different ones."""
        ...

    def as_json(self) -> dict[str, Any]:
        """The form stored in files; `from_json` of the same type reads it back."""
        ...

    def flat(self) -> dict[str, Any]:
        """A few named cells, for a table with one row per solution."""
        ...

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        """What a manifest says of it: levels, which disclose nothing about the input, or the labels that
        occur in the release, since groups and parts contain values."""
        ...

    def classes(self, cube: Cube) -> Classes:
        """The class of every tuple, before any suppression."""
        ...


def digest(recoding: Recoding) -> str:
    """A hash of what the recoding does and nothing else: the same in every run that finds it."""
    text = json.dumps(recoding.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def short_ids(recodings: Sequence[Recoding]) -> list[str]:
    """The first six characters of each digest, or more if two would be equal."""
    return shortened([digest(recoding) for recoding in recodings])


def shortened(digests: Sequence[str]) -> list[str]:
    """The shortest beginnings of digests that differ, of six characters or more."""
    lengths = dict.fromkeys(digests, SHORTEST_ID)
    while True:
        seen: dict[str, list[str]] = {}
        for name in lengths:
            seen.setdefault(name[: lengths[name]], []).append(name)
        clashes = [name for group in seen.values() if len(group) > 1 for name in group]
        if not clashes:
            return [name[: lengths[name]] for name in digests]
        for name in clashes:
            lengths[name] += 2
