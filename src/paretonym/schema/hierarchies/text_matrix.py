"""Many texts at once, as a matrix of characters: for columns with a million distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers

Characters: TypeAlias = npt.NDArray[np.uint8]

# Longer texts are compared one by one: the matrix has a place for each character of the longest.
LONGEST = 32


def characters_of(texts: Sequence[str], longest: int = LONGEST) -> Characters | None:
    """The ASCII codes of texts, one row for each, filled up with zeros; None if some text has another
    character, the character zero, or more than `longest` of them.

    >>> characters_of(["ab", "c"]).tolist(), characters_of(["ä"])
    ([[97, 98], [99, 0]], None)
    """
    together = "\0".join((*texts, ""))
    if not together.isascii():
        return None
    flat = np.frombuffer(together.encode("ascii"), dtype=np.uint8)
    ends = np.flatnonzero(flat == 0)
    lengths = np.diff(ends, prepend=-1) - 1
    width = int(lengths.max(initial=0))
    if len(ends) != len(texts) or width > longest:
        return None
    if len(flat) == (width + 1) * len(texts):
        return flat.reshape(len(texts), width + 1)[:, :width]
    rows = np.zeros((len(texts), width), dtype=np.uint8)
    rows[np.arange(width) < lengths[:, None]] = flat[flat > 0]
    return rows


def picked(texts: Sequence[str], places: Integers) -> tuple[str, ...]:
    """The texts at these places, in a third of the time that Python takes for one after the other.

    >>> picked(("a", "b", "c"), np.array([2, 0]))
    ('c', 'a')
    """
    wanted: list[int] = places.tolist()
    # Of a single place, itemgetter gives the text itself.
    return itemgetter(*wanted)(texts) if len(wanted) > 1 else tuple(texts[place] for place in wanted)


def text_order(texts: Sequence[str]) -> Integers:
    """The places of texts in ascending order, equal ones in the order in which they are given.

    >>> text_order(["b", "ab", "a"]).tolist()
    [2, 1, 0]
    """
    rows = characters_of(texts)
    if rows is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    # Eight characters are one number: the larger the number, the later the text.
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 8)))
    words = np.ascontiguousarray(padded).view(">u8").astype(np.uint64)
    if words.shape[1] == 1:
        return np.argsort(words[:, 0], kind="stable")
    return np.lexsort(words.T[::-1]) if words.shape[1] else np.arange(len(texts))
