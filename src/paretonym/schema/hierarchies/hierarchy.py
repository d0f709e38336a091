"""A hierarchy: for every level, which set of domain values stands in for a leaf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

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


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Nested levels over ordered leaves; level 0 is the finest, the last one is a single set.

    `domain` is D, the number of domain values, and `origin` says in words where it comes from. It may differ
    from the number of leaves: a value without a place that the schema shows as the top set is a leaf, but not
    a domain value. The first `listed` leaves are the schema's, whether or not they occur; the others occur.
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
