"""A hierarchy: for every level, the set of domain values that replaces a leaf; what every hierarchy must
satisfy; and labels that distinguish its sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.errors import Bug

Groups: TypeAlias = npt.NDArray[np.int32]
Sizes: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """One level: `groups[leaf]` is the set that a leaf is shown as, `labels` and `sizes` describe the sets.

    Groups are numbered 0, 1, … in the order of the leaves (non-decreasing: leaves lie in pre-order). A size
    counts domain values, whether or not they occur.
    """

    groups: Groups
    labels: tuple[str, ...]
    sizes: Sizes

    @classmethod
    def of(cls, groups: Groups, labels: tuple[str, ...]) -> Level:
        """A level whose leaves are domain values."""
        return cls(groups, labels, np.bincount(groups, minlength=len(labels)).astype(np.int64))

    @cached_property
    def edges(self) -> Sizes:
        """The first leaf of each set and, last, the number of leaves: the leaves of a set are neighbours."""
        return np.searchsorted(self.groups, np.arange(len(self.labels) + 1)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Nested levels over ordered leaves; level 0 is the finest, the last one is a single set.

    `domain` is D, the number of domain values, and `origin` says in words where it comes from. It may differ
    from the number of leaves: a value outside the hierarchy that the schema shows as the top set is a leaf,
    but not a domain value. The first `listed` leaves are the schema's, whether or not they occur; the others
    occur.
    """

    leaves: tuple[str, ...]
    levels: tuple[Level, ...]
    domain: int
    origin: str
    listed: int = 0

    @property
    def height(self) -> int:
        return len(self.levels) - 1

    @cached_property
    def group_counts(self) -> tuple[int, ...]:
        return tuple(len(level.labels) for level in self.levels)

    def step(self, level: int) -> Groups:
        """The group at `level + 1` of each group at `level`."""
        finer, coarser = self.levels[level].groups, self.levels[level + 1].groups
        result = np.empty(self.group_counts[level], dtype=np.int32)
        result[finer] = coarser
        return result

    @property
    def strays(self) -> int:
        """Number of leaves that are no domain values: 1 if values outside the hierarchy are shown as the top
        set, else 0."""
        return len(self.leaves) - self.domain


def check_hierarchy(hierarchy: Hierarchy, differ: bool = False) -> None:
    """Raise a Bug unless the levels cover the leaves, nest, follow the leaves' order, end in one set and
    label different sets differently, unless it is known that all labels `differ`. Never shows a value."""
    if not hierarchy.levels or not hierarchy.leaves:
        raise Bug("a hierarchy has no levels or no leaves")
    for number, level in enumerate(hierarchy.levels):
        _check_level(hierarchy, level, number)
    for number in range(hierarchy.height):
        _check_nested(hierarchy, number)
    if hierarchy.group_counts[-1] != 1:
        raise Bug("the top level of a hierarchy is not one set")
    if not differ:
        _check_labels(hierarchy)


def _check_level(hierarchy: Hierarchy, level: Level, number: int) -> None:
    groups, count = level.groups, len(level.labels)
    if len(groups) != len(hierarchy.leaves):
        raise Bug(f"level {number} does not cover the leaves")
    steps = np.diff(groups)
    if groups[0] != 0 or groups[-1] != count - 1 or (len(steps) and (steps.min() < 0 or steps.max() > 1)):
        raise Bug(f"the groups of level {number} are not numbered in the order of the leaves")
    if not np.array_equal(level.sizes, _sizes(hierarchy, level)):
        raise Bug(f"the sizes of level {number} do not count domain values")


def _sizes(hierarchy: Hierarchy, level: Level) -> np.ndarray:
    sizes = np.bincount(level.groups[: hierarchy.domain], minlength=len(level.labels))
    return np.where(sizes == 0, hierarchy.domain, sizes)


def _check_nested(hierarchy: Hierarchy, number: int) -> None:
    finer, coarser = hierarchy.levels[number].groups, hierarchy.levels[number + 1].groups
    if not np.array_equal(hierarchy.step(number)[finer], coarser):
        raise Bug(f"level {number} is not nested in level {number + 1}")


def _check_labels(hierarchy: Hierarchy) -> None:
    """Check that different sets have different labels. Sets are compared by their domain values; a stray set
    is the whole domain."""
    seen: dict[str, int] = {}
    domain = hierarchy.domain
    for level in hierarchy.levels:
        placed = level.groups[:domain]
        count = int(placed[-1]) + 1
        keys = set_keys(placed, count) + [domain] * (len(level.labels) - count)
        pairs = dict(zip(level.labels, keys, strict=True))
        if len(pairs) < len(level.labels) and len(set(keys)) == len(keys):
            raise Bug("two sets of one level have the same label")
        for label in seen.keys() & pairs.keys():
            if seen[label] != pairs[label]:
                raise Bug("two different sets of a hierarchy have the same label")
        seen.update(pairs)


def distinct_labels(
    levels: Sequence[tuple[Groups, tuple[str, ...]]],
) -> list[tuple[Groups, tuple[str, ...]]]:
    """The groups and labels of all levels, a label changed only if a lower level uses it for another set.

    A value that looks like a label keeps its text, since lower levels come first; the set above it is named
    with its level. Equal sets may share a label.

    >>> levels = [(np.array([0, 1]), ("a", "*")), (np.array([0, 0]), ("*",))]
    >>> [labels for _, labels in distinct_labels(levels)]
    [('a', '*'), ('* (level 1)',)]
    """
    taken: dict[str, int] = {}
    result = []
    for level, (groups, labels) in enumerate(levels):
        keys = set_keys(groups, len(labels))
        result.append(
            (groups, tuple(_free(label, key, level, taken) for label, key in zip(labels, keys, strict=True)))
        )
    return result


def all_differ(labels: Sequence[tuple[str, ...]]) -> bool:
    """True if no label is used twice, which is usual and quickly checked; those of the first level differ."""
    further = set().union(*labels[1:])
    return len(further) == sum(map(len, labels[1:])) and further.isdisjoint(labels[0])


def set_keys(groups: Groups, count: int) -> list[int]:
    """A number for each set of consecutive leaves: the same for the same set, and for no other."""
    first = np.searchsorted(groups, np.arange(count))
    after = np.searchsorted(groups, np.arange(count), side="right")
    keys: list[int] = (first.astype(np.int64) * (len(groups) + 1) + after).tolist()
    return keys


def _free(text: str, key: int, level: int, taken: dict[str, int]) -> str:
    """The text, or the first of its variants that no other set has; it is reserved from now on."""
    candidate, number = text, 1
    while taken.setdefault(candidate, key) != key:
        suffix = f"level {level}" if number == 1 else f"level {level}, {number}"
        candidate, number = f"{text} ({suffix})", number + 1
    return candidate
