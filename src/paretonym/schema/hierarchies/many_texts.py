"""Many texts at once: for columns with a million distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.arrow import pa

# Fewer texts are read one after the other before Arrow is loaded.
MANY = 10_000
# Longer texts, of more than eight characters each, are compared one by one.
MOST_WORDS = 4


def arrow_texts(texts: Sequence[str]) -> Any | None:
    """The texts as an Arrow array; None if some text is no UTF-8 (half a character)."""
    try:
        return pa.array(texts, pa.string())
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return None


def text_order(texts: Sequence[str]) -> Integers:
    """The places of texts in ascending order, equal ones in the order in which they are given.

    >>> text_order(["b", "ab", "a"]).tolist()
    [2, 1, 0]
    """
    words = _words(texts) if len(texts) >= MANY else None
    if words is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    if words.shape[1] == 1:
        return np.argsort(words[:, 0], kind="stable")
    return np.lexsort(words.T[::-1])


def _words(texts: Sequence[str]) -> npt.NDArray[np.uint64] | None:
    """Eight characters as one number, for each text: the larger the number, the later the text. None if some
    text is long, or has other characters than those of ASCII without the character zero."""
    if "\0" in "".join(texts):
        return None
    try:
        cells = np.array(texts, dtype=np.bytes_)
    except UnicodeEncodeError:
        return None
    width = max(-(-cells.itemsize // 8), 1)
    if width > MOST_WORDS:
        return None
    return cells.astype(f"S{8 * width}").view(">u8").reshape(len(texts), width).astype(np.uint64)


def picked(texts: Sequence[str], places: Integers) -> tuple[str, ...]:
    """The texts at these places, in a third of the time that Python takes for one after the other.

    >>> picked(("a", "b", "c"), np.array([2, 0]))
    ('c', 'a')
    """
    wanted: list[int] = places.tolist()
    # Of a single place, itemgetter gives the text itself.
    return itemgetter(*wanted)(texts) if len(wanted) > 1 else tuple(texts[place] for place in wanted)
