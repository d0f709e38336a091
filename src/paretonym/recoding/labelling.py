"""What any run of leaves is shown as: sets of the hierarchy by their own label, others by their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from paretonym.cube.cube import Axis
from paretonym.recoding.classes import ShownSets
from paretonym.schema.hierarchy import Hierarchy

Run: TypeAlias = tuple[int, int]


def run_sets(axis: Axis, runs: Sequence[Run]) -> ShownSets:
    """The sets that hold the leaves of these runs (first, after): their labels and their sizes.

    A run of the leaf without a place alone stands for the whole domain, as it does in every level.
    """
    hierarchy = axis.hierarchy
    known = hierarchy_labels(hierarchy)
    taken = {label: run for run, label in known.items()}
    labels, ends = [], np.array(runs, dtype=np.int64).reshape(len(runs), 2)
    for run in runs:
        label = known.get(run) or _free(hierarchy, run, taken)
        taken[label] = run
        labels.append(label)
    sizes = np.minimum(ends[:, 1], hierarchy.domain) - ends[:, 0]
    whole = (sizes <= 0) | (ends[:, 1] > hierarchy.domain)
    return ShownSets(tuple(labels), np.where(whole, hierarchy.domain, sizes), ends[:, 0], ends[:, 1])


def hierarchy_labels(hierarchy: Hierarchy) -> dict[Run, str]:
    """The label of every run of leaves that is a set of some level; the lowest level counts."""
    labels: dict[Run, str] = {}
    for level in hierarchy.levels:
        numbers = np.arange(len(level.labels))
        first = np.searchsorted(level.groups, numbers).tolist()
        after = np.searchsorted(level.groups, numbers, side="right").tolist()
        for run, label in zip(zip(first, after, strict=True), level.labels, strict=True):
            labels.setdefault(run, label)
    return labels


def _free(hierarchy: Hierarchy, run: Run, taken: dict[str, Run]) -> str:
    """A label that no other set has."""
    line = hierarchy.line
    on_line = line is not None and run[1] <= len(line)
    label = line.label(*run) if line is not None and on_line else " | ".join(hierarchy.leaves[slice(*run)])
    free, number = label, 2
    while taken.get(free, run) != run:
        free, number = f"{label} ({number})", number + 1
    return free
