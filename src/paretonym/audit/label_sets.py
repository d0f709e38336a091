"""Labels of a quasi-identifier and the sets of values that they mean, read as a reader of the file would: by
the labels of the schema, and by their form.

A set is a run of leaves, from the first up to but excluding the last. An audit refuses a label that cannot be
read in exactly one way; an attack, which must not conclude too much, takes it for every set that it may mean.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import shown

if TYPE_CHECKING:
    from paretonym.tables.schema import QuasiColumn

Run: TypeAlias = tuple[int, int]

EVERYTHING_ON_THE_LINE = ("(not missing)", "any number", "any date")
SEVERAL, BEFORE = " … ", " … before "
BRACKETS = re.compile(r"\[(.+)\)", re.DOTALL)
BELOW = re.compile(r"(?:<|before )(.+)", re.DOTALL)
ABOVE = re.compile(r"(.+)\+|from (.+)", re.DOTALL)
BRACES = re.compile(r"\{(.+)\}", re.DOTALL)
NUMBERED = re.compile(r"(.+) \(\d+\)", re.DOTALL)


class UnreadableLabel(Exception):
    """A label that means no set of values, or several."""


def label_ends(label: str) -> Iterator[tuple[str | None, str | None]]:
    """Pairs of ends that a label may name: from the first up to before the second; None is open.

    >>> list(label_ends("[20, 30)")), list(label_ends("<18")), list(label_ends("from 2001-01-01"))
    ([('20', '30')], [(None, '18')], [('2001-01-01', None)])
    """
    if match := BRACKETS.fullmatch(label):
        yield from splits(match[1], ", ")
    if match := BELOW.fullmatch(label):
        yield None, match[1]
    if match := ABOVE.fullmatch(label):
        yield match[1] or match[2], None
    yield from splits(label, BEFORE)


def splits(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """The text divided at each of the marks in it."""
    place = text.find(mark)
    while place >= 0:
        yield text[:place], text[place + len(mark) :]
        place = text.find(mark, place + 1)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The sets of one quasi-identifier over the values of a table, bound to its schema."""

    column: QuasiColumn

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def leaves(self) -> tuple[str, ...]:
        return self.column.hierarchy.leaves

    @property
    def height(self) -> int:
        return self.column.hierarchy.height

    def level(self, number: int) -> Mapping[str, Run]:
        """The set of each label of a level."""
        level = self.column.hierarchy.levels[number]
        return dict(zip(level.labels, pairwise(level.edges.tolist()), strict=True))

    def groups(self, level: int) -> Integers:
        """The set of each leaf at a level, as a number."""
        return self.column.hierarchy.levels[level].groups.astype(np.int64)

    @cached_property
    def words(self) -> dict[str, set[Run]]:
        """The sets for which the schema itself has a label. Only the top label has two: everything, and
        values outside the hierarchy."""
        words: dict[str, set[Run]] = {}
        for number in range(self.height + 1):
            for label, run in self.level(number).items():
                words.setdefault(label, set()).add(run)
        return words

    @property
    def points(self) -> tuple[int, ...]:
        """The leaves that lie on a line, as the points of that line, in rising order."""
        line = self.column.cutting.line
        return () if line is None else line.points

    @property
    def on_line(self) -> int:
        """Number of leaves in an order that means something; those behind are missing or have no place."""
        cutting = self.column.cutting
        if not cutting.on_line:
            return 0
        return len(self.points) or len(self.leaves) - cutting.alone

    @cached_property
    def atoms(self) -> Integers:
        """The smallest set of each leaf that cuts can tell apart: of lowest sets and granules."""
        changes = np.diff(self.groups(self.column.lowest)) != 0
        if self.column.cutting.granules is not None:
            changes &= np.diff(self.column.cutting.granules.groups) != 0
        return np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)

    def sizes(self, runs: Integers, occurring: Mask, by_granules: bool) -> tuple[Integers, int]:
        """The domain values in each run, and in all: those that the schema lists or that are marked; with
        granules, these count instead. A run without one stands for all of them."""
        hierarchy = self.column.hierarchy
        values = occurring.copy()
        values[: hierarchy.listed] = True
        values[hierarchy.domain :] = False
        places = np.flatnonzero(values)
        if by_granules and self.column.cutting.granules is not None:
            places = places[np.unique(self.atoms[places], return_index=True)[1]]
        before = np.searchsorted(places, np.arange(len(self.leaves) + 1))
        sizes = (before[runs[:, 1]] - before[runs[:, 0]]).astype(np.int64)
        return np.where(sizes == 0, len(places), sizes), len(places)

    def meanings(self, label: str) -> set[Run]:
        """Every set that a label may mean."""
        runs = self.words.get(label) or set(self._formed(label))
        if not runs and (numbered := NUMBERED.fullmatch(label)):
            # Two sets that would have the same label are numbered; that of the schema has no number.
            runs = set(self._formed(numbered[1])) - self.words.get(numbered[1], set())
        return runs

    def run(self, label: str, everything: bool = True) -> Run:
        """The set of a label. If `everything`, a label that means both everything and values outside the
        hierarchy means the former."""
        runs = self.meanings(label)
        if label in self.words and len(runs) > 1:
            runs = {max(runs, key=_length) if everything else min(runs, key=_length)}
        if len(runs) != 1:
            wrong = "does not mean a set of values" if not runs else "can be read in several ways"
            raise UnreadableLabel(f"the label {shown([label])} of column '{self.name}' {wrong}")
        return min(runs)

    def hull(self, label: str) -> Run:
        """A set that holds every one that the label may mean; that of all values if it means none."""
        runs = self.meanings(label) or {(0, len(self.leaves))}
        return min(first for first, _ in runs), max(after for _, after in runs)

    def _formed(self, label: str) -> Iterator[Run]:
        """Every set that a label may mean by its form."""
        if label in EVERYTHING_ON_THE_LINE and self.on_line:
            yield 0, self.on_line
        if self.on_line:
            yield from (run for run in self._between(label) if run[0] < run[1])
        yield from _joined(label, " | ", self.leaves, list(range(len(self.leaves) + 1)))
        if braces := BRACES.fullmatch(label):
            lowest = self.column.hierarchy.levels[self.column.lowest]
            yield from _joined(braces[1], ", ", lowest.labels, lowest.edges.tolist())

    def _between(self, label: str) -> Iterator[Run]:
        """Runs of a line that are written by their ends."""
        for low, high in label_ends(label):
            first = 0 if low is None else self._begin(low)
            after = self.on_line if high is None else self._begin(high)
            if first is not None and after is not None:
                yield first, after
        for first_word, last_word in splits(label, SEVERAL):
            ends = self.words.get(first_word, set()), self.words.get(last_word, set())
            if len(ends[0]) == len(ends[1]) == 1:
                yield min(ends[0])[0], min(ends[1])[1]

    def _begin(self, text: str) -> int | None:
        """Where on the line a number, a date, or a set that has a label, begins."""
        runs = self.words.get(text, set())
        if len(runs) == 1:
            return min(runs)[0]
        point = self.point(text)
        return None if point is None else bisect_left(self.points, point)

    def point(self, text: str) -> Decimal | None:
        """The number or date of a text as a point of the line; None if it is neither."""
        from paretonym.tables.schema.hierarchies import parse_number

        line = self.column.cutting.line
        if line is None or text != text.strip():
            return None
        if self.column.cutting.order != "dates":
            number = parse_number(text)
            return None if number is None else number * line.step
        try:
            layout = line.scale.layout
            day = datetime.fromisoformat(text) if layout is None else datetime.strptime(text, layout)
        except ValueError:
            return None
        return Decimal(day.toordinal())


def _joined(text: str, mark: str, labels: Sequence[str], edges: Sequence[int]) -> Iterator[Run]:
    """The runs whose labels, joined by a mark, make up the text."""
    if mark not in text:
        return
    for first, label in enumerate(labels):
        after, length = first + 1, len(label)
        if not text.startswith(label + mark):
            continue
        while length < len(text) and after < len(labels):
            length += len(mark) + len(labels[after])
            after += 1
        if mark.join(labels[first:after]) == text:
            yield edges[first], edges[after]


def _length(run: Run) -> int:
    return run[1] - run[0]
