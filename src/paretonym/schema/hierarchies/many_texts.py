"""Many texts at once, by Arrow: for columns with a million distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from paretonym.arrays import Integers
from paretonym.arrow import pa, pc

# Fewer texts are read one after the other before Arrow is loaded.
MANY = 10_000


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
    cells = arrow_texts(texts) if len(texts) >= MANY else None
    if cells is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    order: Integers = pc.array_sort_indices(cells).to_numpy().astype(np.int64)
    return order


def picked(texts: Sequence[str], places: Integers) -> tuple[str, ...]:
    """The texts at these places, in a third of the time that Python takes for one after the other.

    >>> picked(("a", "b", "c"), np.array([2, 0]))
    ('c', 'a')
    """
    wanted: list[int] = places.tolist()
    # Of a single place, itemgetter gives the text itself.
    return itemgetter(*wanted)(texts) if len(wanted) > 1 else tuple(texts[place] for place in wanted)
