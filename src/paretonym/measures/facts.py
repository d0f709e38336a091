"""What was counted of candidates: everything that a measure may be a function of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Counts: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StayingCost:
    """The cost of the rows that stay, as numerators: `staying / unit`; a row costs `most / unit` at worst."""

    staying: Floats
    most: float
    unit: float


@dataclass(frozen=True, eq=False)
class Facts:
    """Counts of many candidates at once, one entry each. `rows` is N, before any suppression.

    `smallest` is the size of the smallest class that stays, `gone` the number of suppressed rows, `classes`
    and `squares` the number and the squared sizes of the classes that stay, `all_squares` the squared sizes
    before suppression.
    """

    rows: int
    node: Counts
    smallest: Counts
    gone: Counts
    classes: Counts
    squares: Counts
    all_squares: Counts
    costs: Mapping[str, StayingCost]

    def __len__(self) -> int:
        return len(self.node)

    @property
    def staying(self) -> Counts:
        return self.rows - self.gone
