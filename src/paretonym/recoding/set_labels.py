"""The labels of runs of neighbouring values: nodes of a tree, ranges of an order. Intervals of numbers and
dates have those of `boundaries.line_label`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.counts import Axis

Places: TypeAlias = npt.NDArray[np.integer]
Run: TypeAlias = tuple[int, int]


def run_labels(axis: Axis, firsts: Places, afters: Places) -> tuple[str, ...]:
    """A label for each run of groups of the lowest level. Two different runs never share a label."""
    labels, whole = axis.hierarchy.levels[axis.lowest].labels, axis.hierarchy.levels[-1].labels[0]
    named = set_labels(axis)
    taken = {whole: (0, len(labels)), **{label: (i, i + 1) for i, label in enumerate(labels)}}
    result = []
    for first, after in zip(firsts.tolist(), afters.tolist(), strict=True):
        if after - first == 1:
            result.append(labels[first])
        elif after - first == len(labels):
            # A value outside the hierarchy has the same label: it is shown as everything.
            result.append(whole)
        else:
            label = named.get((first, after)) or _listed(axis, labels[first:after])
            result.append(_free(label, (first, after), taken))
    return tuple(result)


def _listed(axis: Axis, labels: Sequence[str]) -> str:
    """Neighbours that have no name together: their ends in an order, all of them in a tree."""
    return f"{labels[0]} … {labels[-1]}" if axis.cutting.on_line else f"{{{', '.join(labels)}}}"


def _free(label: str, run: Run, taken: dict[str, Run]) -> str:
    """The label, or the first of its variants that no other run has; it is reserved from now on."""
    free, number = label, 2
    while taken.setdefault(free, run) != run:
        free, number = f"{label} ({number})", number + 1
    return free


def set_labels(axis: Axis) -> dict[Run, str]:
    """The labels of the sets of a tree, by the groups of the lowest level that they hold; the coarsest
    level's counts, as a ragged tree shows one set at several levels. An order has none."""
    names: dict[Run, str] = {}
    if axis.cutting.on_line:
        return names
    lowest = axis.hierarchy.levels[axis.lowest].groups
    for level in axis.hierarchy.levels[axis.lowest :]:
        begin, end = lowest[level.edges[:-1]], lowest[level.edges[1:] - 1] + 1
        names.update(zip(zip(begin.tolist(), end.tolist(), strict=True), level.labels, strict=True))
    return names
