"""Levels over leaves that the schema lists: a row for each leaf, with the set that shows it at each level."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.errors import InputError, Problem, shown
from paretonym.schema.hierarchies.level_table import (
    NOT_LISTED,
    Labels,
    LevelTable,
    Values,
    places,
    runs,
    unchanged,
)

SetOfLevel: TypeAlias = tuple[Hashable, str]
"""What distinguishes a set from the others of its level, and its label."""
Rows: TypeAlias = Sequence[tuple[str, Sequence[SetOfLevel]]]
"""Each leaf with its sets, from level 1 up to the coarsest that is listed."""


def listed_table(
    rows: Rows, order: tuple[str, ...] | None, values: Values, origin: str, lacking: str
) -> LevelTable:
    """The levels of these rows. Sets are ordered by their first row, the outermost first, or as `order` says;
    `lacking` is what is wrong with a value that has no row, `origin` where the domain comes from."""
    numbers = [_numbered([leaf for leaf, _ in rows])]
    numbers += [_numbered([sets[level] for _, sets in rows]) for level in range(len(rows[0][1]))]
    ranks = np.lexsort(numbers) if order is None else _ordered(rows, numbers, order, values)
    leaves = tuple(rows[place][0] for place in ranks.tolist())
    codes = places(values.texts, leaves)
    values.require(codes >= 0, lacking, NOT_LISTED, "hierarchy")
    levels = [_level(rows, numbers[level], ranks, level) for level in range(1, len(numbers))]
    return LevelTable(leaves, (unchanged(leaves), *levels), codes, origin, listed=True)


def _numbered(keys: Sequence[Hashable]) -> Integers:
    """Each key's number, by first appearance."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.fromiter(map(numbers.__getitem__, keys), dtype=np.int64, count=len(keys))


def _level(rows: Rows, numbers: Integers, ranks: Integers, level: int) -> Labels:
    ranked = numbers[ranks]
    groups, first = runs(ranked[1:] != ranked[:-1], len(ranked))
    return Labels(groups, tuple(rows[place][1][level - 1][1] for place in ranks[first].tolist()))


def _ordered(rows: Rows, numbers: list[Integers], order: tuple[str, ...], values: Values) -> Integers:
    """The rows in the order that the schema gives, which must keep every set together."""
    index = {leaf: place for place, (leaf, _) in enumerate(rows)}
    problems = [
        *_difference(values, order, index, "in order, but not in the hierarchy"),
        *_difference(values, index, order, "in the hierarchy, but not in order"),
    ]
    if problems:
        raise InputError(problems)
    ranks = np.array([index[leaf] for leaf in order], dtype=np.int64)
    torn = [
        label
        for level in range(len(numbers) - 1, 0, -1)
        for label in _torn(rows, numbers[level][ranks], ranks, level)
    ]
    if torn:
        distinct = list(dict.fromkeys(torn))
        named = f"{len(distinct)} sets" if values.secret else f"the sets {shown(distinct)}"
        wrong = f"the values of {named} are not adjacent in order"
        remedy = "list the values of a set next to each other"
        raise InputError.of(values.place, wrong, remedy, "order")
    return ranks


def _torn(rows: Rows, ranked: Integers, ranks: Integers, level: int) -> list[str]:
    """The labels of sets of a level whose leaves are not consecutive."""
    _, first = runs(ranked[1:] != ranked[:-1], len(ranked))
    numbers, pieces = np.unique(ranked[first], return_counts=True)
    torn = set(numbers[pieces > 1].tolist())
    places_of = {int(ranked[place]): int(ranks[place]) for place in first.tolist()}
    return [rows[places_of[number]][1][level - 1][1] for number in sorted(torn)]


def _difference(values: Values, these: Iterable[str], those: Iterable[str], what: str) -> list[Problem]:
    listed = set(those)
    extra = [text for text in these if text not in listed]
    if not extra:
        return []
    wrong = f"{what}: {values.counted(extra)}"
    return [Problem(values.place, wrong, "list exactly the leaves in order", "order")]
