"""The meaning of labels: the set of values of each, read as a reader of the file would, by the labels of the
schema and by their form.

A set is a run of leaves, from the first up to but excluding the last. A label that cannot be read in exactly
one way is refused: nothing here guesses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TypeAlias

import numpy as np

from paretonym.audits.original_rows import QuasiMeaning
from paretonym.audits.sql_measures import NotMeasurable
from paretonym.errors import shown

Run: TypeAlias = tuple[int, int]

EVERYTHING_ON_THE_LINE = ("(not missing)", "any number", "any date")
SEVERAL, BEFORE = " … ", " … before "
BRACKETS = re.compile(r"\[(.+)\)", re.DOTALL)
BELOW = re.compile(r"(?:<|before )(.+)", re.DOTALL)
ABOVE = re.compile(r"(.+)\+|from (.+)", re.DOTALL)
BRACES = re.compile(r"\{(.+)\}", re.DOTALL)
NUMBERED = re.compile(r"(.+) \(\d+\)", re.DOTALL)


@dataclass(frozen=True, eq=False)
class LabelReader:
    """Reads the labels of one column."""

    column: QuasiMeaning

    @cached_property
    def words(self) -> dict[str, set[Run]]:
        """The sets for which the schema itself has a label. Only the top label has two: everything, and
        values outside the hierarchy."""
        found: dict[str, set[Run]] = {}
        for level in self.column.levels:
            numbers = np.arange(len(level.labels))
            first = np.searchsorted(level.sets, numbers).tolist()
            after = np.searchsorted(level.sets, numbers, side="right").tolist()
            for label, run in zip(level.labels, zip(first, after, strict=True), strict=True):
                found.setdefault(label, set()).add(run)
        return found

    @cached_property
    def numbers(self) -> list[Decimal]:
        """The points of a line of numbers or days, in rising order."""
        row = self.column.row
        return [Decimal(text) for text in row.points] if row.numeric or row.dated else []

    def run(self, label: str, everything: bool) -> Run:
        """The set of a label. If `everything`, a label that means both everything and values outside the
        hierarchy means the former."""
        runs = self.words.get(label) or set(self._formed(label))
        if not runs and (numbered := NUMBERED.fullmatch(label)):
            # Two sets that would have the same label are numbered; that of the schema has no number.
            runs = set(self._formed(numbered[1])) - self.words.get(numbered[1], set())
        if label in self.words and len(runs) > 1:
            runs = {max(runs, key=_length) if everything else min(runs, key=_length)}
        if len(runs) != 1:
            wrong = "does not mean a set of values" if not runs else "can be read in several ways"
            raise NotMeasurable(f"the label {shown([label])} of column '{self.column.name}' {wrong}")
        return min(runs)

    def _formed(self, label: str) -> Iterator[Run]:
        """Every set that a label may mean by its form."""
        points = len(self.column.row.points)
        if label in EVERYTHING_ON_THE_LINE and points:
            yield 0, points
        if points:
            yield from (run for run in self._between(label) if run[0] < run[1])
        yield from self._listed(label)

    def _between(self, label: str) -> Iterator[Run]:
        """Runs of a line that are written by their ends."""
        for low, high in label_ends(label):
            first = 0 if low is None else self._begin(low)
            after = len(self.column.row.points) if high is None else self._begin(high)
            if first is not None and after is not None:
                yield first, after
        for left, right in splits(label, SEVERAL):
            ends = self.words.get(left, set()), self.words.get(right, set())
            if len(ends[0]) == len(ends[1]) == 1:
                yield min(ends[0])[0], min(ends[1])[1]

    def _begin(self, text: str) -> int | None:
        """Where on the line a number, a date, or a set that has a label, begins."""
        runs = self.words.get(text, set())
        if len(runs) == 1:
            return min(runs)[0]
        try:
            point = Decimal(self._day(text)) if self.column.row.dated else Decimal(text)
            return bisect_left(self.numbers, point) if self.numbers else None
        except (InvalidOperation, ValueError):
            return None

    def _day(self, text: str) -> int:
        """The day of a date, as the original writes dates."""
        layout = self.column.row.layout
        read = datetime.fromisoformat(text) if layout is None else datetime.strptime(text, layout)
        return read.toordinal()

    def _listed(self, label: str) -> Iterator[Run]:
        """Runs that are written value by value."""
        leaves = self.column.row.leaves
        yield from _joined(label, " | ", leaves, list(range(len(leaves) + 1)))
        if braces := BRACES.fullmatch(label):
            lowest = self.column.levels[self.column.row.lowest]
            edges = np.searchsorted(lowest.sets, np.arange(len(lowest.labels) + 1)).tolist()
            yield from _joined(braces[1], ", ", lowest.labels, edges)


def label_ends(label: str) -> Iterator[tuple[str | None, str | None]]:
    """How a label may name the ends of a run: from the first up to before the second; None is open."""
    if found := BRACKETS.fullmatch(label):
        yield from splits(found[1], ", ")
    if found := BELOW.fullmatch(label):
        yield None, found[1]
    if found := ABOVE.fullmatch(label):
        yield found[1] or found[2], None
    yield from splits(label, BEFORE)


def _joined(text: str, mark: str, labels: Sequence[str], edges: Sequence[int]) -> Iterator[Run]:
    """The runs whose labels, joined by a mark, make up the text."""
    for first, label in enumerate(labels):
        after, length = first + 1, len(label)
        if not text.startswith(label + mark):
            continue
        while length < len(text) and after < len(labels):
            length += len(mark) + len(labels[after])
            after += 1
        if mark.join(labels[first:after]) == text:
            yield edges[first], edges[after]


def splits(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """The text divided at each of the marks in it."""
    place = text.find(mark)
    while place >= 0:
        yield text[:place], text[place + len(mark) :]
        place = text.find(mark, place + 1)


def _length(run: Run) -> int:
    return run[1] - run[0]
