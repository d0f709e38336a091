"""What every hierarchy must satisfy. A user's mistakes are found before; this finds ours."""

from __future__ import annotations

import numpy as np

from paretonym.errors import Bug
from paretonym.schema.hierarchies.distinct_labels import set_keys
from paretonym.schema.hierarchies.hierarchy import Hierarchy, Level


def check_hierarchy(hierarchy: Hierarchy) -> None:
    """Raise a Bug unless the levels cover the leaves, nest, follow the leaves' order, end in one set and
    label different sets differently. Never shows a value.
    """
    if not hierarchy.levels or not hierarchy.leaves:
        raise Bug("a hierarchy has no levels or no leaves")
    for number, level in enumerate(hierarchy.levels):
        _check_level(hierarchy, level, number)
    for number in range(hierarchy.height):
        _check_nested(hierarchy, number)
    if hierarchy.group_counts[-1] != 1:
        raise Bug("the top level of a hierarchy is not one set")
    _check_labels(hierarchy)


def strays(hierarchy: Hierarchy) -> int:
    """How many leaves are no domain values: 1 if values without a place are shown as the top set, else 0."""
    return len(hierarchy.leaves) - hierarchy.domain


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
    """Sets are compared by their domain values; a stray set stands for the whole domain."""
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
