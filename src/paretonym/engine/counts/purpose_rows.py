"""The rows of a table for declared analyses: by tuple of the cube, with the values that these need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.tables.schema import Analysis


@dataclass(frozen=True, eq=False)
class AnalysedColumn:
    """A column of an analysis: its values in their order, and as numbers if they are all numbers. Tuples have
    the values of quasi-identifier `axis`; other columns have none, and are published as they are or as sets:
    set s holds the values `members[s]`."""

    name: str
    labels: tuple[str, ...]
    numbers: Floats | None
    axis: int | None
    members: tuple[Integers, ...] | None = None


@dataclass(frozen=True, eq=False)
class AnalysedRows:
    """`counts[i]` rows with tuple `tuples[i]` have the value `codes[c][i]` in column c; a code beyond the
    labels of a quasi-identifier is no value. `sets[c]` are the sets that a release shows of a column that is
    no quasi-identifier."""

    analysis: Analysis
    columns: tuple[AnalysedColumn, ...]
    tuples: Integers
    codes: tuple[Integers, ...]
    counts: Integers
    sets: tuple[Integers | None, ...]

    @property
    def valued(self) -> Mask:
        """Which entries have a value in every column: the others are left out of the analysis."""
        inside = np.ones(len(self.counts), dtype=np.bool_)
        for column, codes in zip(self.columns, self.codes, strict=True):
            inside &= codes < len(column.labels)
        return inside
