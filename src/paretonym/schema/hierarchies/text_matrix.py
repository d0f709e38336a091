"""Many texts at once, as a matrix of characters: for columns with a million distinct values."""

from __future__ import annotations

from collections.abc import Sequence
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
    together = "".join(texts)
    lengths = lengths_of(texts)
    width = int(lengths.max(initial=0))
    if width > longest or not together.isascii() or "\0" in together:
        return None
    flat = np.frombuffer(together.encode("ascii"), dtype=np.uint8)
    if len(flat) == width * len(texts):
        return flat.reshape(len(texts), width)
    rows = np.zeros((len(texts), width), dtype=np.uint8)
    rows[np.arange(width) < lengths[:, None]] = flat
    return rows


def lengths_of(texts: Sequence[str]) -> Integers:
    """The number of characters of each text."""
    return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))


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
