"""The values that a label stands for, read as any reader of a file would: by the labels of the schema, or by
the form of the label.

An attack must not conclude too much: a label that can be read in several ways stands for all of them, and
one that cannot be read for every value.
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

from paretonym.arrays import Mask
from paretonym.schema import QuasiColumn

# From the first leaf up to but excluding the second.
Run: TypeAlias = tuple[int, int]

WHOLE_LINE = ("(not missing)", "any number", "any date")
BRACKETS = re.compile(r"\[(.+)\)", re.DOTALL)
BELOW = re.compile(r"(?:<|before )(.+)", re.DOTALL)
ABOVE = re.compile(r"(.+)\+|from (.+)", re.DOTALL)
BRACES = re.compile(r"\{(.+)\}", re.DOTALL)
NUMBERED = re.compile(r"(.+) \(\d+\)", re.DOTALL)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Reads the labels of one quasi-identifier."""

    column: QuasiColumn

    def leaves(self, label: str) -> Mask:
        """Mark the leaves that a label may stand for."""
        mask = np.zeros(len(self.column.hierarchy.leaves), dtype=np.bool_)
        for first, after in self._runs(label) or {(0, len(mask))}:
            mask[first:after] = True
        return mask

    def _runs(self, label: str) -> set[Run]:
        runs = self._named.get(label) or set(self._formed(label))
        if not runs and (numbered := NUMBERED.fullmatch(label)):
            # Two sets that would have the same label are numbered.
            runs = set(self._formed(numbered[1]))
        return runs

    @cached_property
    def _named(self) -> dict[str, set[Run]]:
        """The sets that have a label in the hierarchy."""
        named: dict[str, set[Run]] = {}
        for level in self.column.hierarchy.levels:
            numbers = np.arange(len(level.labels))
            first = np.searchsorted(level.groups, numbers).tolist()
            after = np.searchsorted(level.groups, numbers, side="right").tolist()
            for label, run in zip(level.labels, zip(first, after, strict=True), strict=True):
                named.setdefault(label, set()).add(run)
        return named

    @cached_property
    def _points(self) -> list[Decimal]:
        """Where numbers and dates lie, in ascending order."""
        cutting = self.column.cutting
        if cutting.line is None:
            return []
        scale = cutting.line.scale
        dated = cutting.order == "dates"
        return [Decimal(point) if dated else Decimal(scale.text(point)) for point in cutting.line.points]

    def _formed(self, label: str) -> Iterator[Run]:
        """The sets that a label may mean by its form."""
        length = len(self.column.hierarchy.leaves) - self.column.cutting.alone
        if label in WHOLE_LINE:
            yield 0, length
        for low, high in label_ends(label):
            first = 0 if low is None else self._place(low)
            after = length if high is None else self._place(high)
            if first is not None and after is not None and first < after:
                yield first, after
        for left, right in splits(label, " … "):
            for first, _ in self._named.get(left, ()):
                yield from ((first, after) for _, after in self._named.get(right, ()) if first < after)
        yield from _joined(label, " | ", self.column.hierarchy.leaves)
        if braces := BRACES.fullmatch(label):
            lowest = self.column.hierarchy.levels[self.column.lowest]
            for first, after in _joined(braces[1], ", ", lowest.labels):
                begin, end = np.searchsorted(lowest.groups, [first, after]).tolist()
                yield begin, end

    def _place(self, text: str) -> int | None:
        """Where on the line a number, a date, or a set that has a label, begins."""
        if runs := self._named.get(text):
            return min(runs)[0]
        try:
            point = self._day(text) if self.column.cutting.order == "dates" else Decimal(text)
        except (InvalidOperation, ValueError):
            return None
        return bisect_left(self._points, point) if self._points else None

    def _day(self, text: str) -> Decimal:
        line = self.column.cutting.line
        layout = None if line is None else line.scale.layout
        read = datetime.fromisoformat(text) if layout is None else datetime.strptime(text, layout)
        return Decimal(read.toordinal())


def label_ends(label: str) -> Iterator[tuple[str | None, str | None]]:
    """How a label may name the ends of a run: from the first up to before the second; None is open.

    >>> list(label_ends("[20, 30)")), list(label_ends("<18")), list(label_ends("65+"))
    ([('20', '30')], [(None, '18')], [('65', None)])
    """
    if brackets := BRACKETS.fullmatch(label):
        yield from splits(brackets[1], ", ")
    if below := BELOW.fullmatch(label):
        yield None, below[1]
    if above := ABOVE.fullmatch(label):
        yield above[1] or above[2], None
    yield from splits(label, " … before ")


def splits(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """The text divided at each of the marks in it."""
    place = text.find(mark)
    while place >= 0:
        yield text[:place], text[place + len(mark) :]
        place = text.find(mark, place + 1)


def _joined(text: str, mark: str, labels: Sequence[str]) -> Iterator[Run]:
    """The runs of labels that, joined by a mark, make up the text."""
    for first, label in enumerate(labels):
        if not text.startswith(label + mark):
            continue
        after, length = first + 1, len(label)
        while length < len(text) and after < len(labels):
            length += len(mark) + len(labels[after])
            after += 1
        if mark.join(labels[first:after]) == text:
            yield first, after
