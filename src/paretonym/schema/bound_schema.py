"""A schema that has met its table: what the cube needs to know of each column, in codes.

All `codes` here map the index of a distinct value of the table's column (`Column.texts`) to a leaf, a
sensitive value or a class label; -1 means missing, or that the value stands only in rows that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes
from paretonym.schema.cut_order import Cutting
from paretonym.schema.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class QuasiColumn:
    """A quasi-identifier with its hierarchy, the levels that a search may use and its weight in `loss`.

    `null_code` is the leaf of a null row where missing is a value of its own, else -1.
    """

    name: str
    hierarchy: Hierarchy
    codes: Codes
    lowest: int
    highest: int
    importance: Fraction
    null_code: int = -1
    cutting: Cutting = field(default_factory=Cutting)


@dataclass(frozen=True, eq=False)
class PublishedLevel:
    """The level at which a sensitive column is published, if not as it is. `codes` gives the label of each
    distinct value (-1: missing), `measured` the measured value of each label."""

    labels: tuple[str, ...]
    codes: Codes
    measured: Codes


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column at the level at which it is measured; `ordered` if its values have an order,
    `tree` if it has a hierarchy above that level (its leaves are `values`, in the same order)."""

    name: str
    values: tuple[str, ...]
    codes: Codes
    ordered: bool
    tree: Hierarchy | None
    null_code: int = -1
    published: PublishedLevel | None = None


@dataclass(frozen=True, eq=False)
class ClassColumn:
    """A column whose label a recipient wants to predict (role `class`); a null is a label of its own."""

    name: str
    values: tuple[str, ...]
    codes: Codes
    null_code: int = -1


@dataclass(frozen=True, eq=False)
class BoundSchema:
    """Everything the schema says about this table. `dropped` marks the rows that are left out because a
    value is missing that must be there."""

    quasi: tuple[QuasiColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    classes: tuple[ClassColumn, ...]
    dropped: npt.NDArray[np.bool_]

    @property
    def rows(self) -> int:
        return int((~self.dropped).sum())

    def published(self, name: str) -> PublishedLevel | None:
        """How a column is published that is not published as it is."""
        return next((column.published for column in self.sensitive if column.name == name), None)
