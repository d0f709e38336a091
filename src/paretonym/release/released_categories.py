"""Categories of a release: new ones, which say no more than its rows.

The categories of the input and their order can hold what no released row shows: the values of suppressed
rows, or which value occurred first. Those of a release are the texts that occur in it, in ascending order. If
the input's were ordered and the schema, which is public, gives an `order`, they are ordered by that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from paretonym.arrays import Codes
from paretonym.arrow import pa
from paretonym.schema import Schema
from paretonym.source import Counts


@dataclass(frozen=True, slots=True)
class Categories:
    """How texts are given back as categories; `order` is the schema's, if they were ordered.

    >>> sizes = Categories(("small", "middle", "large"))
    >>> sizes.places(pa.array(["large", "small"])).tolist()
    [1, 0]
    """

    order: tuple[str, ...] = ()

    def ordered(self, texts: Any) -> bool:
        """Whether the order has all of these texts."""
        return bool(self.order) and set(texts.to_pylist()) <= set(self.order)

    def places(self, texts: Any) -> Codes:
        """Where each of these texts, which are in ascending order, stands among the categories."""
        if not self.ordered(texts):
            return np.arange(len(texts), dtype=np.int32)
        known = {text: place for place, text in enumerate(self.order)}
        ranks = np.array([known[text] for text in texts.to_pylist()], dtype=np.int64)
        return np.argsort(np.argsort(ranks)).astype(np.int32)

    def type(self, texts: Any) -> Any:
        """The type in Arrow."""
        return pa.dictionary(pa.int32(), pa.string(), self.ordered(texts))

    def array(self, texts: Any, indices: Any) -> Any:
        """The cells in Arrow; `indices` are places among the texts, or null."""
        places = self.places(texts)
        listed = texts.cast(pa.string()).take(pa.array(np.argsort(places)))
        moved = pa.array(places).take(indices)
        return pa.DictionaryArray.from_arrays(moved, listed, ordered=self.ordered(texts))


def categories_for(name: str, source: Counts, schema: Schema) -> Categories | None:
    """The categories of a released column; None if the input's texts were none."""
    if name not in source.categories:
        return None
    return Categories((schema.column(name).order or ()) if source.categories[name] else ())
