"""What any run of neighbouring values is called: an interval, a node of a tree, a range."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.counts import Axis

Places: TypeAlias = npt.NDArray[np.integer]
Run: TypeAlias = tuple[int, int]
# What the boundary in front of a unit is called.
Boundary: TypeAlias = Callable[[int], str]

_INTERVAL = re.compile(r"\[(.+), (.+)\)")


def run_labels(
    axis: Axis,
    labels: tuple[str, ...],
    firsts: Places,
    afters: Places,
    named: Mapping[Run, str],
    boundary: Boundary,
) -> tuple[str, ...]:
    """A label for each run, given those of what runs are made of, in the order of the leaves: groups at the
    lowest level, or granules. `named` runs have a name already. Two different runs never share a label.
    """
    whole = axis.hierarchy.levels[-1].labels[0]
    taken = {whole: (0, len(labels)), **{label: (i, i + 1) for i, label in enumerate(labels)}}
    result = []
    for first, after in zip(firsts.tolist(), afters.tolist(), strict=True):
        if after - first == 1:
            result.append(labels[first])
        elif after - first == len(labels):
            # A value without a place has the same label: it is shown as everything.
            result.append(whole)
        else:
            label = named.get((first, after)) or _joined(axis, labels, first, after, boundary)
            result.append(_free(label, (first, after), taken))
    return tuple(result)


def _free(label: str, run: Run, taken: dict[str, Run]) -> str:
    """The label, or the first of its variants that no other run has; taken from now on."""
    free, number = label, 2
    while taken.setdefault(free, run) != run:
        free, number = f"{label} ({number})", number + 1
    return free


def set_labels(axis: Axis) -> dict[Run, str]:
    """The labels of all sets of the hierarchy, by the groups of the lowest level that they hold; the coarsest
    level's counts, as a ragged tree shows one set at several levels."""
    lowest = axis.hierarchy.levels[axis.lowest].groups
    found: dict[Run, str] = {}
    for level in axis.hierarchy.levels[axis.lowest :]:
        numbers = np.arange(len(level.labels))
        begin = lowest[np.searchsorted(level.groups, numbers)]
        end = lowest[np.searchsorted(level.groups, numbers, side="right") - 1] + 1
        found.update(zip(zip(begin.tolist(), end.tolist(), strict=True), level.labels, strict=True))
    return found


def _joined(axis: Axis, labels: tuple[str, ...], first: int, after: int, boundary: Boundary) -> str:
    last = after == len(labels) - axis.cutting.alone
    if axis.cutting.order == "numbers":
        return _interval(labels, first, None if last else after, after - 1, boundary)
    if axis.cutting.order == "dates":
        return _period(first, None if last else after, labels.__getitem__ if axis.lowest else boundary)
    return f"{labels[first]} … {labels[after - 1]}"


def _interval(labels: tuple[str, ...], first: int, after: int | None, last: int, boundary: Boundary) -> str:
    """From one boundary to below the next: `[15, 25)`, `<18`, `65+`. The least and the greatest number of the
    table are nobody's business: the groups at the ends have none, unless they are made of intervals."""
    begin, end = _INTERVAL.fullmatch(labels[first]), _INTERVAL.fullmatch(labels[last])
    low = begin[1] if begin else boundary(first) if first else None
    high = end[2] if end else None if after is None else boundary(after)
    if low is None:
        return "any number" if high is None else f"<{high}"
    return f"{low}+" if high is None else f"[{low}, {high})"


def _period(first: int, after: int | None, boundary: Boundary) -> str:
    """The same for dates."""
    if first == 0:
        # Alone with missing ones: every date there is.
        return "any date" if after is None else f"before {boundary(after)}"
    return f"from {boundary(first)}" if after is None else f"{boundary(first)} … before {boundary(after)}"
