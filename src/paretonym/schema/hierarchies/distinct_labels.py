"""Labels that tell sets apart: within a column, two different sets never share one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.schema.hierarchies.hierarchy import Groups


def distinct_labels(groups: Sequence[Groups], labels: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The labels of all levels, changed only where a lower level uses the label for another set.

    A value that looks like a label keeps its text, since lower levels come first; the set above it is named
    with its level. Equal sets may share a label.

    >>> zeros = np.zeros(2, dtype=np.int32)
    >>> distinct_labels([np.arange(2, dtype=np.int32), zeros], [("a", "*"), ("*",)])
    [('a', '*'), ('* (level 1)',)]
    """
    taken: dict[str, int] = {}
    result = []
    for level, (sets, texts) in enumerate(zip(groups, labels, strict=True)):
        keys = set_keys(sets, len(texts))
        if len(set(texts)) < len(texts) or not taken.keys().isdisjoint(texts):
            texts = tuple(_free(text, key, level, taken) for text, key in zip(texts, keys, strict=True))
        else:
            taken.update(zip(texts, keys, strict=True))
        result.append(texts)
    return result


def set_keys(groups: Groups, count: int) -> list[int]:
    """A number for each set of consecutive leaves: the same for the same set, and for no other."""
    first = np.searchsorted(groups, np.arange(count))
    after = np.searchsorted(groups, np.arange(count), side="right")
    keys: list[int] = (first.astype(np.int64) * (len(groups) + 1) + after).tolist()
    return keys


def _free(text: str, key: int, level: int, taken: dict[str, int]) -> str:
    """The text, or the first of its variants that no other set has; taken from now on."""
    candidate, number = text, 1
    while taken.setdefault(candidate, key) != key:
        suffix = f"level {level}" if number == 1 else f"level {level}, {number}"
        candidate, number = f"{text} ({suffix})", number + 1
    return candidate
