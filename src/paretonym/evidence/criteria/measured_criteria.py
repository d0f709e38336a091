"""The three criteria of a table beside the people that it was made from and others of the same population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paretonym.evidence.criteria.inference import inference
from paretonym.evidence.criteria.linkability import linkability
from paretonym.evidence.criteria.referee import ReadTable
from paretonym.evidence.criteria.singling_out import singling_out
from paretonym.evidence.criteria.success_rate import Criterion

CRITERIA = ("singling-out", "linkability", "inference")
TARGETS = 2000
NEIGHBOURS = (1, 5)


@dataclass(frozen=True, slots=True)
class MeasuredCriteria:
    """Results of the attacks on one table, with the columns that were compared, those that the table
    lacks, and the labels that could not be read, by column."""

    place: str
    columns: tuple[str, ...]
    lacking: tuple[str, ...]
    unread: Mapping[str, tuple[str, ...]]
    seed: int
    criteria: tuple[Criterion, ...]
    remarks: tuple[str, ...] = ()

    def highest(self, name: str) -> Criterion | None:
        """The attack on one criterion with the highest upper end; None if there is none: a table without a
        sensitive column has nothing to infer."""
        attacks = (one for one in self.criteria if one.name == name)
        return max(attacks, key=lambda one: one.upper, default=None)

    def as_json(self) -> dict[str, Any]:
        return {
            "table": self.place,
            "columns": list(self.columns),
            "lacking": list(self.lacking),
            "unread": {column: len(labels) for column, labels in self.unread.items()},
            "seed": self.seed,
            "criteria": [criterion.as_json() for criterion in self.criteria],
        }


def measure_criteria(
    table: ReadTable, *, names: Sequence[str] = CRITERIA, targets: int = TARGETS, seed: int = 0
) -> MeasuredCriteria:
    """Measure singling out, linkability and inference, or those named, for a table about the people of an
    original.

    Every attack is tried on people of the original and of the control, and what counts is the difference.
    Equal rows of the table are one row, so that a table with every row twice has the risks of the table.
    """
    rows, criteria = table.rows, list[Criterion]()
    if "singling-out" in names:
        criteria.append(singling_out(rows.once, targets, seed))
    if "linkability" in names:
        criteria += linkability(rows.once, NEIGHBOURS, targets, seed)
    if "inference" in names:
        criteria += [inference(rows, table.quasi, secret, targets, seed) for secret in table.sensitive]
    return MeasuredCriteria(
        table.place, table.columns, table.lacking, table.unread, seed, tuple(criteria), table.remarks
    )
