"""The k, ℓ and t of anybody's table, if its rows can be the people of the original at all.

The k of a table whose rows are nobody's (synthetic, swapped) guarantees nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.base.factorize import group_sums
from paretonym.evidence.criteria.compared_rows import ComparedRows
from paretonym.evidence.criteria.referee import ReadTable


@dataclass(frozen=True, slots=True)
class ClassGuarantee:
    """The smallest class (k), the worst ℓ and t (against the file's own distribution) of the sensitive
    columns; `classes`, the `rows` in them, `uniques` and the rows whose sensitive value is `certain`.
    `strange` rows are in groups that fit fewer people of the original than they have rows: with any of them
    nothing is guaranteed."""

    rows: int
    classes: int
    k: int
    l: float | None  # noqa: E741 - the measure's own name
    t: float | None
    uniques: int
    certain: int
    strange: int

    @classmethod
    def of(cls, table: ReadTable) -> ClassGuarantee:
        """The classes of a table by its quasi-identifiers."""
        rows = table.rows
        projection = rows.projected(rows.places(table.quasi))
        sizes = group_sums(projection.of_row, rows.weights, len(projection.cells))
        diversity, distance, certain = [], [], np.zeros(len(sizes), dtype=np.bool_)
        for place in rows.places(table.sensitive):
            values = rows.cells[:, place]
            width = int(values.max()) + 1
            pairs, of_pair = np.unique(projection.of_row * width + values, return_inverse=True)
            shares = group_sums(of_pair.ravel(), rows.weights, len(pairs)) / sizes[pairs // width]
            largest = np.zeros(len(sizes))
            np.maximum.at(largest, pairs // width, shares)
            whole = np.bincount(values, rows.weights, width) / sizes.sum()
            above = np.maximum(shares - whole[pairs % width], 0)
            diversity.append(float(1 / largest.max()))
            distance.append(float(np.bincount(pairs // width, above).max()))
            certain |= largest == 1
        return cls(
            int(sizes.sum()),
            len(sizes),
            int(sizes.min()),
            min(diversity, default=None),
            max(distance, default=None),
            int((sizes == 1).sum()),
            int(sizes[certain].sum()),
            strange_rows(rows, rows.places((*table.quasi, *table.sensitive))),
        )

    @property
    def holds(self) -> bool:
        """True if every group of equal rows fits as many people of the original."""
        return self.strange == 0

    @property
    def average_risk(self) -> float:
        """The mean chance of finding the right row for somebody in the file."""
        return self.classes / self.rows

    def as_json(self) -> dict[str, object]:
        measured = {"k": self.k, "l": self.l, "t-release": self.t, "risk-average": self.average_risk}
        counted = {"uniques": self.uniques, "certain": self.certain}
        return {
            **(measured if self.holds else {}),
            **(counted if self.holds else {}),
            "strange": self.strange,
        }

    def __str__(self) -> str:
        if not self.holds:
            return f"none: {self.strange:,} of {self.rows:,} rows are nobody's in the original"
        parts = [f"k = {self.k:,}"]
        if self.l is not None and self.t is not None:
            parts += [f"ℓ = {self.l:.3g}", f"t = {self.t:.2g}"]
        return ", ".join(parts)


def strange_rows(rows: ComparedRows, places: list[int]) -> int:
    """Number of rows of the table in groups of equal rows that fit fewer people than they have rows."""
    groups = rows.projected(places)
    sizes = group_sums(groups.of_row, rows.weights, len(groups.cells))
    people, numbers = np.unique(rows.original[:, places], axis=0, return_counts=True)
    members = [[column.members(cell) for cell in range(len(column.single))] for column in groups.columns]
    fitting = [
        [np.flatnonzero(marked[values]) for marked in of_column]
        for of_column, values in zip(members, people.T, strict=True)
    ]
    strange = 0
    for cells, size in zip(groups.cells.tolist(), sizes.tolist(), strict=True):
        some = min((fitting[j][cell] for j, cell in enumerate(cells)), key=len)
        for j, cell in enumerate(cells):
            some = some[members[j][cell][people[some, j]]]
        strange += size if numbers[some].sum() < size else 0
    return strange
