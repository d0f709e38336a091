"""Labels of one column in two files, compared by the schema and the labels alone: generalized to the coarser
level, or as spans on a line, which overlap if their sets do.

Levels are nested, so two sets of values overlap exactly if the finer one lies in the coarser one. If a
hierarchy lists its values, that is known; for a band, a month or a masked code, a value inside is tried.

A span is a pair of numbers on a line, from the first up to but excluding the second. Numbers and dates are
read from the label; words are looked up if the schema lists them. If a label cannot be read, its column is
not compared. A label that may mean more than one set spans the widest: an attack must not claim too much.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import Any, TypeAlias

from paretonym.audits import EVERYTHING_ON_THE_LINE, MISSING, LabelReader, NotMeasurable, meaning_of_values
from paretonym.errors import InputError
from paretonym.schema import ColumnSpec
from paretonym.schema.hierarchies import MISSING_LABEL, Built, Values, build

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
DAY = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?$")


def raised(column: ColumnSpec, labels: Sequence[str], low: int, high: int) -> dict[str, str] | None:
    """The label of level `high` for each label of level `low`; None if that is unknown for some.

    >>> from paretonym.schema.schema_file import schema_from
    >>> schema = schema_from({"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}}}})
    >>> raised(schema.columns[0], ["[20, 30)", "[50, 60)"], 1, 2)
    {'[20, 30)': '[0, 40)', '[50, 60)': '[40, 80)'}
    """
    if low == high:
        return {label: label for label in labels}
    inside = [text for label in labels for text in _inside(label) if _built(column, [text]) is not None]
    built = _built(column, list(dict.fromkeys(inside)))
    if built is None or high >= len(built.hierarchy.levels):
        return None
    finer, coarser = built.hierarchy.levels[low], built.hierarchy.levels[high]
    above = {
        finer.labels[own]: coarser.labels[other]
        for own, other in zip(finer.groups.tolist(), coarser.groups.tolist(), strict=True)
    }
    # A value outside the hierarchy is shown as the top set at every level, and may be anything.
    top = built.hierarchy.levels[-1].labels[0]
    known = all(label in above and label != top for label in labels)
    return {label: above[label] for label in labels} if known else None


def same_level(
    column: ColumnSpec, labels: tuple[Sequence[str], Sequence[str]], levels: tuple[int, int]
) -> tuple[Mapping[str, str], Mapping[str, str]] | None:
    """For the labels of two files, those at the coarser level of both; None if they cannot be compared."""
    high = max(levels)
    first, second = (raised(column, own, low, high) for own, low in zip(labels, levels, strict=True))
    return None if first is None or second is None else (first, second)


def _inside(label: str) -> Iterator[str]:
    """Texts that may be values of the set with this label; those that are not do no harm."""
    yield label
    yield from NUMBER.findall(label)
    if found := DAY.match(label):
        yield f"{found[1]}-{found[2] or '01'}-{found[3] or '01'}"
    if "*" in label.strip("*"):
        yield label.replace("*", "0")


def _built(column: ColumnSpec, texts: Sequence[str]) -> Built | None:
    texts = [text for text in texts if text != MISSING_LABEL]
    try:
        return build(column, Values(column.name, tuple(texts)), True)
    except InputError:
        return None


Span: TypeAlias = tuple[int, int]
# From the first up to but excluding the second, None is open; a single value ends where it begins.
Ends: TypeAlias = tuple[Any, Any]

EVERYTHING = "*"
BETWEEN = re.compile(r"\[(.+), (.+)\)|(.+) … before (.+)")
BELOW = re.compile(r"(?:<|before )(.+)")
ABOVE = re.compile(r"(.+)\+|from (.+)")
PERIOD = re.compile(r"(\d{4})(?:-(\d\d)|-Q([1-4])|(s))?")


def spans(column: ColumnSpec, labels: Iterable[str]) -> dict[str, Span] | None:
    """The span of every label of a column in two releases; None if one cannot be read.

    >>> from paretonym.schema.schema_file import schema_from
    >>> schema = schema_from({"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}}}})
    >>> found = spans(schema.columns[0], ["<25", "[20, 30)", "25", "25+"])
    >>> found["<25"][1] > found["[20, 30)"][0], found["<25"][1] > found["25"][0]
    (True, False)
    """
    asked = list(dict.fromkeys(labels))
    for read in _readers(column):
        found = _on_line(asked, read)
        if found is not None:
            return found
    return _by_words(column, asked)


def _readers(column: ColumnSpec) -> list[Callable[[str], Ends]]:
    """How the labels of a column may be read where its values lie on a line."""
    if column.order is not None or column.kind.reads == "texts":
        return []

    def days(text: str) -> Ends:
        return _days(text, column.format)

    dated = column.kind.reads == "dates" or column.type == "date"
    return [days] if dated else [_number, days]


def _on_line(labels: Sequence[str], read: Callable[[str], Ends]) -> dict[str, Span] | None:
    """Spans of labels that are all numbers, or all dates."""
    ends: dict[str, Ends] = {}
    for label in labels:
        if label not in (EVERYTHING, MISSING):
            try:
                ends[label] = _ends(label, read)
            except (ValueError, InvalidOperation, OverflowError):
                return None
    points = sorted({end for pair in ends.values() for end in pair if end is not None})
    # A place for each point and one behind it; before them what is below all, behind what is missing.
    place = {point: 2 * number + 1 for number, point in enumerate(points)}
    last = 2 * len(points) + 2
    found = {EVERYTHING: (0, last + 1), MISSING: (last, last + 1)}
    for label, (low, high) in ends.items():
        first = 0 if low is None else place[low]
        found[label] = first, last if high is None else max(place[high], first + 1)
    return found


def _ends(label: str, read: Callable[[str], Ends]) -> Ends:
    """Where a label begins and ends."""
    if label in EVERYTHING_ON_THE_LINE:
        return None, None
    if found := BETWEEN.fullmatch(label):
        return read(found[1] or found[3])[0], read(found[2] or found[4])[0]
    if found := BELOW.fullmatch(label):
        return None, read(found[1])[0]
    if found := ABOVE.fullmatch(label):
        return read(found[1] or found[2])[0], None
    return read(label)


def _number(text: str) -> Ends:
    number = Decimal(text.strip())
    if not number.is_finite():
        raise ValueError(text)
    return number, number


def _days(text: str, layout: str | None) -> Ends:
    """The first day of a date, month, quarter, year or decade, and the day after the last."""
    if found := PERIOD.fullmatch(text):
        year, months = int(found[1]), 12
        month = int(found[2]) if found[2] else 3 * int(found[3]) - 2 if found[3] else 1
        months = 1 if found[2] else 3 if found[3] else 120 if found[4] else 12
        after = year * 12 + month - 1 + months
        return datetime.date(year, month, 1), datetime.date(after // 12, after % 12 + 1, 1)
    day = datetime.datetime.fromisoformat(text).date() if layout is None else _written(text, layout)
    return day, day + datetime.timedelta(days=1)


def _written(text: str, layout: str) -> datetime.date:
    """A date in ISO form, if it is written in several ways."""
    try:
        return datetime.datetime.strptime(text.strip(), layout).date()
    except ValueError:
        return datetime.datetime.fromisoformat(text).date()


def _by_words(column: ColumnSpec, labels: Sequence[str]) -> dict[str, Span] | None:
    """Spans of labels that the schema lists, or that list values themselves."""
    texts = list(dict.fromkeys(chain.from_iterable(_values(column, label) for label in labels)))
    meaning = meaning_of_values(column, texts)
    if meaning is None:
        return None
    reader = LabelReader(meaning)
    try:
        return {label: reader.run(label, everything=True) for label in labels}
    except NotMeasurable:
        return None


def _values(column: ColumnSpec, label: str) -> Iterator[str]:
    """Values that lie in the set of a label; none where the schema lists all of them."""
    if label not in (EVERYTHING, MISSING) and column.order is None:
        yield from column.kind.members(label)
