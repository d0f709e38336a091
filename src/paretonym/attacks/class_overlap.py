"""Which classes of two releases may contain the same person, according to the schema and their labels
alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.attacks.label_spans import same_level, spans
from paretonym.attacks.published_file import Published
from paretonym.audits import SchemaLike, schema_of
from paretonym.schema import ColumnSpec

AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Overlap:
    """Pairs of classes whose sets overlap in every column, and whether one contains the other."""

    first: Integers
    second: Integers
    first_inside: Mask
    second_inside: Mask
    not_compared: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Labels:
    """Two files' labels of one column: which overlap, and which contain one another."""

    overlap: Mask
    first_inside: Mask
    second_inside: Mask
    compared: bool = True


def overlap(first: Published, second: Published, schema: SchemaLike) -> Overlap:
    """The classes of two releases that may share people."""
    described = schema_of(schema)
    names = [name for name in first.quasi if name in second.quasi]
    columns, codes = [], []
    for name in names:
        texts, own = zip(*(_coded(one, name) for one in (first, second)), strict=True)
        levels = [_level(one, name) for one in (first, second)]
        columns.append(_labels(described.column(name), texts[0], texts[1], levels[0], levels[1]))
        codes.append(own)
    pairs = [np.empty((0, 2), dtype=np.int64)]
    width = max(1, AT_ONCE // max(1, len(second.classes)))
    for begin in range(0, len(first.classes), width):
        here = slice(begin, begin + width)
        fit = np.ones((len(first.classes[here]), len(second.classes)), dtype=np.bool_)
        for column, (one, other) in zip(columns, codes, strict=True):
            fit &= column.overlap[one[here][:, None], other[None, :]]
        pairs.append(np.argwhere(fit) + np.array([begin, 0]))
    found = np.concatenate(pairs)
    a, b = found[:, 0], found[:, 1]
    whole = names == first.quasi and len(names) == len(second.quasi)
    inside = [np.full(len(a), whole) for _ in range(2)]
    for column, (one, other) in zip(columns, codes, strict=True):
        inside[0] &= column.first_inside[one[a], other[b]]
        inside[1] &= column.second_inside[one[a], other[b]]
    apart = tuple(name for name, column in zip(names, columns, strict=True) if not column.compared)
    return Overlap(a, b, inside[0], inside[1], apart)


def _coded(release: Published, name: str) -> tuple[list[str], Integers]:
    """The distinct labels of a column, and the label of each class."""
    place = release.quasi.index(name)
    number: dict[str, int] = {}
    codes = [number.setdefault(labels[place], len(number)) for labels in release.classes]
    return list(number), np.array(codes, dtype=np.int64)


def _level(release: Published, name: str) -> int | None:
    levels = release.description.recoding.levels
    level = levels.get(name, 0) if levels is not None else None
    return level if isinstance(level, int) else None


def _labels(
    column: ColumnSpec, first: list[str], second: list[str], low: int | None, high: int | None
) -> Labels:
    if low is not None and high is not None:
        found = _by_levels(column, first, second, low, high)
        if found is not None:
            return found
    read = spans(column, [*first, *second])
    if read is not None:
        one, other = (np.array([read[label] for label in own], dtype=np.int64) for own in (first, second))
        a, b, c, d = one[:, :1], one[:, 1:], other[:, 0][None], other[:, 1][None]
        return Labels((a < d) & (c < b), (c <= a) & (b <= d), (a <= c) & (d <= b))
    same = np.array([[x == y for y in second] for x in first], dtype=np.bool_)
    same &= low is not None and low == high
    return Labels(np.ones_like(same), same, same, compared=False)


def _by_levels(column: ColumnSpec, first: list[str], second: list[str], low: int, high: int) -> Labels | None:
    """Levels are nested: generalized to the coarser level of both, labels overlap if they are equal."""
    looked = same_level(column, (first, second), (low, high))
    if looked is None:
        return None
    raised = [looked[0][label] for label in first], [looked[1][label] for label in second]
    equal = np.array([[x == y for y in raised[1]] for x in raised[0]], dtype=np.bool_).reshape(
        len(first), len(second)
    )
    return Labels(equal, equal & (low <= high), equal & (high <= low))
