"""Whether every cell of a release is one that its schema can publish, at the levels or in the sets that its
manifest states. No original is needed: a finer cell was not written by a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

from paretonym.audit.audit_database import listed
from paretonym.audit.checks import Check
from paretonym.audit.label_sets import EVERYTHING_ON_THE_LINE, NUMBERED, SEVERAL, label_ends, splits
from paretonym.audit.manifest import GROUPS, Recoding
from paretonym.audit.released_table import MISSING, ReleasedTable
from paretonym.errors import shown
from paretonym.sql_literals import sql_text

if TYPE_CHECKING:
    from paretonym.schema import ColumnSpec, Schema
    from paretonym.schema.hierarchies import LabelLevels

UNPUBLISHED = "cells that the schema does not publish"
# What is missing, where a value of the table has the same text.
MISSING_TOO = re.compile(re.escape(MISSING) + r"( \(level [0-9]+(, [0-9]+)?\))?")
EMPTY = re.compile("")
# Values of a set that are listed one by one.
LISTS = ((re.compile(r"\{(.+)\}", re.DOTALL), ", "), (re.compile(r"(.+)", re.DOTALL), " | "))


class Rule(Protocol):
    """What the cells of a column must be."""

    def publishable(self, texts: Sequence[str]) -> set[str]:
        """Those of the texts that a release can show."""
        ...


def check_cells(table: ReleasedTable, schema: Schema, recoding: Recoding | None) -> Check:
    """The check of all columns. If no recoding is stated, quasi-identifiers are not judged."""
    columns = [schema.column(name) for name in table.names if name in schema.names]
    rules = {column.name: rule for column in columns if (rule := _rule(schema, column, recoding))}
    faults, total = [*_level_faults(columns, recoding)], 0
    cells, blank = table.cells(list(rules)), _odd_missing(table, columns, schema)
    for column in columns:
        number, odd = blank.get(column.name, 0), []
        if rule := rules.get(column.name):
            right = rule.publishable(list(cells[column.name]))
            odd = [text for text in cells[column.name] if text not in right]
            number = sum(cells[column.name][text] for text in odd)
        if number:
            total += number
            faults.append(_fault(column, number, odd))
    return Check("file", UNPUBLISHED, 0, total, not faults, "; ".join(faults))


def _fault(column: ColumnSpec, number: int, odd: Sequence[str]) -> str:
    """What is wrong with the cells of a column; only labels of a quasi-identifier may be shown."""
    cells = f"{number:,} {'cell' if number == 1 else 'cells'}"
    labels = "" if column.secret else f": {shown(sorted(odd))}"
    return f"column '{column.name}' has {cells} that the schema does not publish at the stated level{labels}"


def _odd_missing(table: ReleasedTable, columns: Sequence[ColumnSpec], schema: Schema) -> dict[str, int]:
    """How many cells of each column say that a value is missing, and are not empty."""
    names = [column.name for column in columns if column.role != "quasi"]
    counts = []
    for name in names:
        missing = listed([sql_text(text) for text in ("", *schema.null_of(name))])
        place = table.column(name)
        counts.append(f"coalesce(sum(n) filter (trim({place}) in ({missing}) and {place} <> ''), 0)")
    if not names:
        return {}
    return dict(zip(names, table.database.row(f"select {listed(counts)} from {table.view}"), strict=True))


def _level_faults(columns: Sequence[ColumnSpec], recoding: Recoding | None) -> Iterator[str]:
    """Stated levels that the schema does not allow."""
    levels = (None if recoding is None else recoding.levels) or {}
    for column in (column for column in columns if column.role == "quasi" and column.name in levels):
        level, top = levels[column.name], labels_of(column).top
        lowest, highest = column.levels or (0, top)
        if not lowest <= level <= min(highest, top):
            allowed = f"the schema allows levels {lowest} to {min(highest, top)}"
            yield f"the manifest states level {level} of '{column.name}', but {allowed}"


def labels_of(column: ColumnSpec, null: tuple[str, ...] = ()) -> LabelLevels:
    """The labels that the schema can give to values of a column."""
    from paretonym.schema.hierarchies import LabelLevels

    return LabelLevels(column, column.unknown_to_top, null)


@dataclass(frozen=True, eq=False)
class _AtLevels:
    """Labels of some levels of a hierarchy, or of what is missing."""

    labels: LabelLevels
    levels: frozenset[int]
    missing: re.Pattern[str] | None

    def publishable(self, texts: Sequence[str]) -> set[str]:
        levels = self.labels.of(texts)
        return {text for text in texts if levels[text] & self.levels or _fits(self.missing, text)}


@dataclass(frozen=True, eq=False)
class _InSets:
    """Labels of sets that are made of those of the `lowest` level or, with a `granularity`, of granules."""

    labels: LabelLevels
    lowest: int
    granularity: Decimal | None
    missing: re.Pattern[str] | None

    def publishable(self, texts: Sequence[str]) -> set[str]:
        ways = {text: list(_ways(text)) for text in texts}
        every_way = list(chain(*ways.values()))
        parts = {part for way in every_way for part in (*way.words, *way.ends)}
        levels, fewest = self.labels.of([*texts, *parts]), 0 if self.granularity is None else 1
        words = {text for text, of in levels.items() if any(n >= max(self.lowest, fewest) for n in of)}
        ends = {end for way in every_way for end in way.ends}
        ends = {end for end in ends if end in words or self._is_end(end)}
        return {
            text
            for text in texts
            if text in words
            or _fits(self.missing, text)
            or text in EVERYTHING_ON_THE_LINE
            or any(words.issuperset(way.words) and ends.issuperset(way.ends) for way in ways[text])
        }

    def _is_end(self, end: str) -> bool:
        """Whether a set may begin at a number or date."""
        if self.lowest == 0 and self.granularity is None:
            return self.labels.is_point(end)
        return self.labels.separates(end, self.lowest, self.granularity)


@dataclass(frozen=True, eq=False)
class _Rounded:
    """Weights that are rounded to multiples of a `step`; none becomes 0."""

    step: Decimal

    def publishable(self, texts: Sequence[str]) -> set[str]:
        from paretonym.schema.hierarchies import parse_number

        numbers = {text: parse_number(text) for text in texts if text == text.strip()}
        return {text for text, number in numbers.items() if text == "" or self._is_multiple(number)}

    def _is_multiple(self, number: Decimal | None) -> bool:
        return number is not None and number > 0 and (Fraction(number) / Fraction(self.step)).denominator == 1


class _Way(NamedTuple):
    """A way to read a label: by words of the hierarchy, or by the ends of an interval."""

    words: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


def _ways(text: str) -> Iterator[_Way]:
    for low, high in label_ends(text):
        yield _Way(ends=tuple(end for end in (low, high) if end is not None))
    for sides in splits(text, SEVERAL):
        yield _Way(words=sides)
    for form, mark in LISTS:
        if (match := form.fullmatch(text)) and mark in match[1]:
            yield _Way(words=tuple(match[1].split(mark)))
    # Two sets that would have the same label are numbered.
    if numbered := NUMBERED.fullmatch(text):
        yield _Way(words=(numbered[1],))
        yield from _ways(numbered[1])


def _fits(form: re.Pattern[str] | None, text: str) -> bool:
    return form is not None and form.fullmatch(text) is not None


def _rule(schema: Schema, column: ColumnSpec, recoding: Recoding | None) -> Rule | None:
    """What the cells of a column must be; None if that is not known, or anything."""
    if column.role == "weight" and column.round is not None:
        return _Rounded(column.round)
    labels = labels_of(column, schema.null_of(column.name))
    if column.role != "quasi":
        level = column.published_level
        only_listed = column.role == "sensitive" and labels.listed and not column.unknown_to_top
        generalized = column.role in ("sensitive", "other") and level is not None
        return _AtLevels(labels, frozenset([level or 0]), EMPTY) if generalized or only_listed else None
    if recoding is None:
        return None
    missing = MISSING_TOO if (column.missing or schema.missing) == "value" else None
    lowest = (column.levels or (0,))[0]
    if recoding.space:
        granularity = column.granularity if recoding.space == GROUPS and lowest == 0 else None
        return _InSets(labels, lowest, granularity, missing)
    if recoding.bucket is not None:
        return _AtLevels(labels, frozenset([lowest]), missing)
    level = (recoding.levels or {}).get(column.name)
    # A manifest that states no level is judged elsewhere.
    return None if level is None else _AtLevels(labels, frozenset([level]), missing)


def check_labels(table: ReleasedTable, recoding: Recoding, roles: Mapping[str, str]) -> list[Check]:
    """Whether the labels that a manifest lists are those of the file."""
    if not recoding.space:
        return []
    quasi = [name for name, role in roles.items() if role == "quasi" and name in table.names]
    cells = table.cells(quasi)
    wrong = [name for name in quasi if list(recoding.labels.get(name, ())) != sorted(cells[name])]
    wrong += [name for name in recoding.labels if roles.get(name) != "quasi"]
    reason = f"the listed labels are not those of the file: {shown(wrong)}" if wrong else ""
    return [Check("file", "labels", holds=not wrong, reason=reason)]
