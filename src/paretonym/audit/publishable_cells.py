"""Checks that every cell of a release is one that its schema can publish, at the levels or in the sets that
its manifest states. No original is needed: a finer cell was not written by a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from paretonym.audit.checks import Check
from paretonym.audit.label_sets import EVERYTHING_ON_THE_LINE, NUMBERED, SEVERAL, label_ends, splits
from paretonym.audit.manifest import GROUPS, MEANS, Recoding
from paretonym.audit.released_table import MISSING, ReleasedTable
from paretonym.base.errors import shown

if TYPE_CHECKING:
    from paretonym.tables.schema import ColumnSpec, Schema
    from paretonym.tables.schema.hierarchies import LabelLevels

UNPUBLISHED = "cells that the schema does not publish"
# What is missing, where a value of the table has the same text.
MISSING_TOO = re.compile(re.escape(MISSING) + r"( \(level [0-9]+(, [0-9]+)?\))?")
# Values of a set that are listed one by one.
LISTS = ((re.compile(r"\{(.+)\}", re.DOTALL), ", "), (re.compile(r"(.+)", re.DOTALL), " | "))


def check_cells(table: ReleasedTable, schema: Schema, recoding: Recoding | None) -> Check:
    """The check of all columns. If no recoding is stated, quasi-identifiers are not judged."""
    columns = [schema.column(name) for name in table.names if name in schema.names]
    faults, total = [*_level_faults(columns, recoding)], 0
    for column in columns:
        null = schema.null_of(column.name)
        if _is_free(column, null):
            # Only an empty cell says that a value is missing.
            texts = table.cells([column.name], among=("", *null))[column.name]
            right = {""}
        else:
            texts = table.cells([column.name])[column.name]
            right = _publishable(schema, column, recoding, list(texts))
        odd = [text for text in texts if text not in right]
        number = sum(texts[text] for text in odd)
        if number:
            total += number
            faults.append(_fault(column, number, odd))
    return Check("file", UNPUBLISHED, 0, total, not faults, "; ".join(faults))


def _fault(column: ColumnSpec, number: int, odd: Sequence[str]) -> str:
    """The fault of the cells of a column; only labels of a quasi-identifier may be shown."""
    cells = f"{number:,} {'cell' if number == 1 else 'cells'}"
    labels = "" if column.secret else f": {shown(sorted(odd))}"
    return f"column '{column.name}' has {cells} that the schema does not publish at the stated level{labels}"


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
    from paretonym.tables.schema.hierarchies import LabelLevels

    return LabelLevels(column, column.unknown_to_top, null)


def _publishable(
    schema: Schema, column: ColumnSpec, recoding: Recoding | None, texts: Sequence[str]
) -> set[str]:
    """Those of the texts that a release can show in a column; all where that is not known."""
    labels, lowest = labels_of(column, schema.null_of(column.name)), (column.levels or (0,))[0]
    if column.role == "weight" and column.round is not None:
        return {text for text in texts if text == "" or _is_multiple(text, column.round)}
    if column.role != "quasi":
        level = column.published_level or 0
        return {"", *(text for text, levels in labels.of(texts).items() if level in levels)}
    missing = {text for text in texts if MISSING_TOO.fullmatch(text)}
    right = missing if (column.missing or schema.missing) == "value" else set()
    if recoding is not None and recoding.space == MEANS:
        words = {text for text, levels in labels.of(texts).items() if any(n >= lowest for n in levels)}
        return right | words | {text for text in texts if lowest == 0 and _is_mean(column, text)}
    if recoding is not None and recoding.space:
        granularity = column.granularity if recoding.space == GROUPS and lowest == 0 else None
        return right | _in_sets(labels, lowest, granularity, texts)
    level = lowest
    if recoding is None or recoding.bucket is None:
        stated = None if recoding is None else (recoding.levels or {}).get(column.name)
        if stated is None:
            # A manifest that states no level is judged elsewhere.
            return set(texts)
        level = stated
    return right | {text for text, levels in labels.of(texts).items() if level in levels}


def _is_mean(column: ColumnSpec, text: str) -> bool:
    """True if a text is a number of a column of numbers, rounded as the schema says."""
    from paretonym.tables.schema.hierarchies import parse_number

    number = parse_number(text) if text == text.strip() else None
    dated = column.kind.reads == "dates" or column.type == "date"
    if number is None or dated or column.kind.reads == "texts" or column.order is not None:
        return False
    granules = 1 if column.granularity is None else Fraction(column.granularity)
    begin = Fraction(number) - Fraction(column.kind.origin)
    return column.granularity is None or (begin / granules).denominator == 1


def _is_free(column: ColumnSpec, null: tuple[str, ...]) -> bool:
    """True if a column may show any value: it is no quasi-identifier, is not generalized or rounded, and the
    schema does not list its values."""
    if column.role == "quasi" or (column.role == "weight" and column.round is not None):
        return False
    if column.role in ("sensitive", "other") and column.published_level is not None:
        return False
    listed = labels_of(column, null).listed and not column.unknown_to_top
    return not (column.role == "sensitive" and listed)


def _is_multiple(text: str, step: Decimal) -> bool:
    from paretonym.tables.schema.hierarchies import parse_number

    number = parse_number(text) if text == text.strip() else None
    return number is not None and number > 0 and (Fraction(number) / Fraction(step)).denominator == 1


def _in_sets(labels: LabelLevels, lowest: int, granularity: Decimal | None, texts: Sequence[str]) -> set[str]:
    """The texts that are labels of sets made of those of the `lowest` level or, with a `granularity`, of
    granules."""
    ways = {text: list(_ways(text)) for text in texts}
    every_way = list(chain(*ways.values()))
    parts = {part for way in every_way for part in (*way.words, *way.ends)}
    levels, fewest = labels.of([*texts, *parts]), 0 if granularity is None else 1
    words = {text for text, of in levels.items() if any(n >= max(lowest, fewest) for n in of)}
    free = lowest == 0 and granularity is None

    def begins(end: str) -> bool:
        """True if a set may begin at a number or date."""
        return end in words or (labels.is_point(end) if free else labels.separates(end, lowest, granularity))

    ends = {end for way in every_way for end in way.ends if begins(end)}
    return {
        text
        for text in texts
        if text in words
        or text in EVERYTHING_ON_THE_LINE
        or any(words.issuperset(way.words) and ends.issuperset(way.ends) for way in ways[text])
    }


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


def check_labels(table: ReleasedTable, recoding: Recoding, roles: Mapping[str, str]) -> list[Check]:
    """Check that the labels that a manifest lists are those of the file."""
    if not recoding.space:
        return []
    quasi = [name for name, role in roles.items() if role == "quasi" and name in table.names]
    cells = table.cells(quasi)
    wrong = [name for name in quasi if list(recoding.labels.get(name, ())) != sorted(cells[name])]
    wrong += [name for name in recoding.labels if roles.get(name) != "quasi"]
    reason = f"the listed labels are not those of the file: {shown(wrong)}" if wrong else ""
    return [Check("file", "labels", holds=not wrong, reason=reason)]
