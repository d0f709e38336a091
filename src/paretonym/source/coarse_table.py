"""A table that was counted at coarser levels of its quasi-identifiers, since its distinct rows were too many:
what is below these levels is not known of a row, only how many rows have each value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paretonym.arrays import Codes, Integers, Mask
from paretonym.errors import Bug
from paretonym.source.data_source import Omission
from paretonym.source.table_counts import Column, Counts


@dataclass(frozen=True, eq=False, kw_only=True)
class CoarseColumn(Column):
    """A quasi-identifier whose codes are those of one value for each set of its level. `value_rows` counts
    the rows of each distinct value and, last, of a null; `left_rows` those that are not left out. Where rows
    whose values are known follow, they do from entry `known` on, and are not among these."""

    value_rows: Integers
    left_rows: Integers
    known: int | None = None

    @cached_property
    def _rows(self) -> Integers:
        if self.known is None or self.weights is None:
            return self.value_rows
        sums = np.zeros(len(self.texts) + 1, dtype=np.int64)
        # The first values are those of the rows that were counted coarser.
        sums[: len(self.value_rows) - 1] = self.value_rows[:-1]
        sums[-1] = self.value_rows[-1]
        np.add.at(sums, self.codes[self.known :], self.weights[self.known :])
        return sums


@dataclass(frozen=True, eq=False)
class CoarseCounts(Counts):
    """Distinct rows at the `levels` of the quasi-identifiers. `finer` reads the data again: it gives the
    values of each quasi-identifier in the rows that have one of these codes."""

    finer: Callable[[Mapping[str, Codes]], Mapping[str, Codes]] | None = None

    @cached_property
    def fingerprint(self) -> str:
        """That of the counted tuples, of the levels, and of how many rows have each value."""
        values = [
            sorted(zip(column.texts, column.counts.tolist(), strict=True))
            for column in self.columns
            if isinstance(column, CoarseColumn)
        ]
        described = json.dumps([super().fingerprint, dict(self.levels), values])
        return f"sum:{hashlib.sha256(described.encode()).hexdigest()}"

    def omitting(self, omitted: Omission) -> Counts:
        left = super().omitting(omitted)
        columns = tuple(
            replace(column, value_rows=column.left_rows) if isinstance(column, CoarseColumn) else column
            for column in left.columns
        )
        return replace(left, columns=columns)

    def values_in(self, stays: Mask, names: Sequence[str]) -> Mapping[str, Codes]:
        if self.finer is None:
            raise Bug("a coarse table cannot be read again")
        return self.finer({name: self.column(name).codes[stays] for name in names})
