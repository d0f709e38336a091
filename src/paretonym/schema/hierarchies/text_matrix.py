"""Many texts at once, as a matrix of characters: for columns with a million distinct values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers

Characters: TypeAlias = npt.NDArray[np.uint8]
Lengths: TypeAlias = npt.NDArray[np.int16]

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


def lengths_of(texts: Sequence[str]) -> Integers:
    """The number of characters of each text."""
    return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))


def picked(texts: Sequence[str], places: Integers) -> tuple[str, ...]:
    """The texts at these places, in a third of the time that Python takes for one after the other.

    >>> picked(("a", "b", "c"), np.array([2, 0]))
    ('c', 'a')
    """
    wanted: list[int] = places.tolist()
    # Of a single place, itemgetter gives the text itself.
    return itemgetter(*wanted)(texts) if len(wanted) > 1 else tuple(texts[place] for place in wanted)


def respelled(texts: tuple[str, ...], places: Sequence[int], others: Iterable[str]) -> tuple[str, ...]:
    """The texts, with others at some places."""
    if not places:
        return texts
    changed = list(texts)
    for place, other in zip(places, others, strict=True):
        changed[place] = other
    return tuple(changed)


def shared_beginnings(rows: Characters) -> Lengths:
    """How many characters each row, except the first, has in common with the row before it, up to the first
    that differs.

    >>> shared_beginnings(characters_of(["abc", "abd", "b", "b"])).tolist()
    [2, 0, 3]
    """
    differs = np.ones((max(len(rows) - 1, 0), rows.shape[1] + 1), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=differs[:, :-1])
    return np.asarray(differs.argmax(axis=1), dtype=np.int16)


def text_order(texts: Sequence[str]) -> Integers:
    """The places of texts in ascending order, equal ones in the order in which they are given.

    >>> text_order(["b", "ab", "a"]).tolist()
    [2, 1, 0]
    """
    rows = characters_of(texts)
    if rows is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    count, width = rows.shape
    padded = np.zeros((count, -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = rows
    # Eight characters are one number: the larger the number, the later the text.
    words = padded.view(">u8").astype(np.uint64)
    if words.shape[1] == 1:
        return np.argsort(words[:, 0], kind="stable")
    return np.lexsort(words.T[::-1]) if words.shape[1] else np.arange(count)
