"""What any run of neighbouring values is called: an interval, a node of a tree, a range, a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Axis

Places: TypeAlias = npt.NDArray[np.integer]
Run: TypeAlias = tuple[int, int]

_INTERVAL = re.compile(r"\[(.+), (.+)\)")


def run_labels(
    axis: Axis, labels: tuple[str, ...], firsts: Places, afters: Places, named: Mapping[Run, str]
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
            label = named.get((first, after)) or _joined(axis, labels, first, after)
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


def _joined(axis: Axis, labels: tuple[str, ...], first: int, after: int) -> str:
    if axis.cutting.order == "numbers":
        return _interval(axis, labels, first, after)
    if axis.cutting.order == "dates":
        return _period(axis, labels, first, after)
    if axis.cutting.order == "order":
        return f"{labels[first]} … {labels[after - 1]}"
    return "{" + ", ".join(labels[first:after]) + "}"


def _interval(axis: Axis, labels: tuple[str, ...], first: int, after: int) -> str:
    """From the least number to below the next group's: `[15, 25)`, `<18`, `65+`. The least and the greatest
    number of the table are nobody's business: the groups at the ends have none."""
    low, high = _low(labels[first]), _high(labels[after - 1])
    if high == "":
        high = _low(labels[after]) if after < len(labels) - axis.cutting.alone else None
        low = low if first or _INTERVAL.fullmatch(labels[0]) else None
    if low is None:
        return "any number" if high is None else f"<{high}"
    return f"{low}+" if high is None else f"[{low}, {high})"


def _period(axis: Axis, labels: tuple[str, ...], first: int, after: int) -> str:
    """The same for dates, by where the next group begins."""
    last = after == len(labels) - axis.cutting.alone
    if first == 0:
        # Alone with missing ones: every date there is.
        return "any date" if last else f"before {labels[after]}"
    return f"from {labels[first]}" if last else f"{labels[first]} … before {labels[after]}"


def _low(label: str) -> str | None:
    """Where the numbers of an atom begin; None if they have no least end."""
    if label.startswith("<"):
        return None
    found = _INTERVAL.fullmatch(label)
    return found[1] if found else label.removesuffix("+")


def _high(label: str) -> str | None:
    """Where they end: None if they do not, nothing for a single number."""
    if label.endswith("+"):
        return None
    found = _INTERVAL.fullmatch(label)
    if found:
        return found[2]
    return label[1:] if label.startswith("<") else ""
