"""What was released before, for those who add to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Mask
from paretonym.measures.recoded_counts import Realized
from paretonym.release.tuple_index import RowTuples
from paretonym.schema.bound_schema import BoundSchema
from paretonym.schema.model import Schema
from paretonym.source.table import Table


@dataclass(frozen=True, eq=False)
class Old:
    """What was released before: the data, bound to their schema, and what the recoding made of them."""

    table: Table
    schema: Schema
    bound: BoundSchema
    realized: Realized

    def suppressed(self) -> Mask:
        """Which rows the old release left out though no value was missing."""
        tuples = RowTuples.of(self.table, self.bound, self.realized.cube).every()
        left_out = ~self.realized.stays[self.realized.classes.of_tuple]
        # The entry for -1, the rows that were dropped.
        found: Mask = np.append(left_out, False)[tuples]
        return found
