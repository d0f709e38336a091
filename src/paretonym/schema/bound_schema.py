"""A schema bound to data: what the cube needs to know of each column, as maps over its distinct values.

All `codes` here map the code of a distinct value of the source's column (its place in `ValueCounts.texts`) to
a leaf, a sensitive value or a class label; -1 means missing, or that the value stands only in rows that are
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.schema.hierarchies.cut_order import Cutting
from paretonym.schema.hierarchies.hierarchy import Hierarchy
from paretonym.source import Omission, ValueCounts


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundColumn:
    """A column in codes. `null_code` is that of a null where missing is a value of its own, else -1."""

    name: str
    codes: Codes
    null_code: int = -1

    @cached_property
    def lookup(self) -> Codes:
        """The code of each distinct value and, last, of a null: its code, -1, finds the last entry."""
        return np.append(self.codes, np.int32(self.null_code)).astype(np.int32)

    def over(self, places: Codes) -> Self:
        """The column over other distinct values, each of them given by its place among these."""
        return replace(self, codes=self.codes[places])

    def rows_of_codes(self, counted: ValueCounts, size: int) -> Integers:
        """How many rows have each of the codes below `size`."""
        codes, rows = self.lookup, np.append(counted.counts, counted.nulls)
        placed = codes >= 0
        sums = np.zeros(size, dtype=np.int64)
        np.add.at(sums, codes[placed], rows[placed])
        return sums


@dataclass(frozen=True, eq=False, kw_only=True)
class QuasiColumn(BoundColumn):
    """A quasi-identifier with its hierarchy, the levels that a search may use and its weight in `loss`. Codes
    are leaves."""

    hierarchy: Hierarchy
    lowest: int
    highest: int
    importance: Fraction
    cutting: Cutting = field(default_factory=Cutting)

    def groups(self, level: int) -> Codes:
        """The set of a level that each distinct value and, last, a null is shown as."""
        # What stands only in rows that are left out has no leaf.
        return np.append(self.hierarchy.levels[level].groups, np.int32(-1))[self.lookup].astype(np.int32)


@dataclass(frozen=True, eq=False)
class PublishedLevel:
    """The level at which a sensitive column is published, if not as it is. `codes` gives the label of each
    distinct value (-1: missing), `measured` the measured value of each label."""

    labels: tuple[str, ...]
    codes: Codes
    measured: Codes

    def over(self, places: Codes) -> PublishedLevel:
        """The level over other distinct values, each of them given by its place among these."""
        return replace(self, codes=self.codes[places])


@dataclass(frozen=True, eq=False, kw_only=True)
class SensitiveColumn(BoundColumn):
    """A sensitive column at the level at which it is measured; `ordered` if its values have an order,
    `tree` if it has a hierarchy above that level (its leaves are `values`, in the same order)."""

    values: tuple[str, ...]
    ordered: bool
    tree: Hierarchy | None
    published: PublishedLevel | None = None

    def over(self, places: Codes) -> Self:
        return replace(
            self, codes=self.codes[places], published=self.published and self.published.over(places)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassColumn(BoundColumn):
    """A column whose label a recipient wants to predict (role `class`); a null is a label of its own."""

    values: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BoundSchema:
    """Everything the schema says about these data. Rows are `omitted` because a value is missing that must be
    there; `rows` are left."""

    quasi: tuple[QuasiColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    classes: tuple[ClassColumn, ...]
    omitted: Omission
    rows: int

    def published(self, name: str) -> PublishedLevel | None:
        """How a column is published that is not published as it is."""
        return next((column.published for column in self.sensitive if column.name == name), None)
