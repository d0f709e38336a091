"""The utility of any table beside the original, from the two tables alone: a cell stands for the values of
its set, each equally likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.criteria.compared_rows import ComparedColumn
from paretonym.criteria.referee import ReadTable
from paretonym.measures.estimates import AnalystColumn, ReaderTable

# Values that have a group of their own; of numbers with more, equally frequent bands.
MOST_GROUPS = 50
_BLOCK = 1 << 13


@dataclass(frozen=True, slots=True)
class TableUtility:
    """How far a table is from the original: of single columns, of pairs (associations, and pMSE: 0 if they
    cannot be distinguished, ¼ at most); and for each sensitive column the share of people of the control
    whose value a model predicts that was trained on the table."""

    marginal_error: float
    association_error: float
    pmse: float
    prediction: dict[str, float]

    @property
    def values(self) -> dict[str, float]:
        """The figures by name; of predictions the share of wrong ones, so that less is better for all."""
        wrong = {f"prediction-error@{name}": 1 - share for name, share in self.prediction.items()}
        return {
            "marginal-error": self.marginal_error,
            "association-error": self.association_error,
            "pmse": self.pmse,
            **wrong,
        }

    def as_json(self) -> dict[str, Any]:
        return {name: round(value, 10) for name, value in self.values.items()}


def table_utility(table: ReadTable) -> TableUtility:
    """The utility of a table. That of the control says how near another sample of the population comes."""
    rows = table.rows
    groups = [_groups(column, rows.original[:, j]) for j, column in enumerate(rows.columns)]
    starts = np.cumsum([0, *(shares.shape[1] for shares in groups)]).tolist()
    columns = tuple(
        AnalystColumn(column.name, ("",) * shares.shape[1], start, sensitive=False)
        for column, shares, start in zip(rows.columns, groups, starts, strict=False)
    )
    cells = [_of_cells(column, shares) for column, shares in zip(rows.columns, groups, strict=True)]
    truth = _tabulated(columns, groups, rows.original, np.ones(len(rows.original)))
    other = _tabulated(columns, cells, rows.cells, rows.weights)
    of_value = [shares.argmax(axis=1) for shares in groups]
    predictions = {name: _predicted(table, other, of_value, name) for name in table.sensitive}
    return TableUtility(
        truth.marginal_error(other),
        truth.association_error(other),
        truth.propensity_error(other),
        predictions,
    )


def _groups(column: ComparedColumn, people: Integers) -> Floats:
    """Which group each value of a column is in, as a row of zeros and a one."""
    values = len(column.values)
    if values <= MOST_GROUPS:
        return np.eye(values)
    counts = np.bincount(people, minlength=values)
    if column.numbers is None:
        of_value = np.full(values, MOST_GROUPS - 1)
        of_value[np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1]] = np.arange(MOST_GROUPS - 1)
    else:
        before = np.cumsum(counts) - counts
        of_value = before * MOST_GROUPS // max(int(counts.sum()), 1)
    return np.asarray(np.eye(MOST_GROUPS)[np.minimum(of_value, MOST_GROUPS - 1)])


def _of_cells(column: ComparedColumn, groups: Floats) -> Floats:
    """The share of each cell of the table in each group."""
    shares = groups[np.maximum(column.single, 0)]
    several = np.flatnonzero(column.single < 0)
    sets = column.sets[column.set_of[several]]
    shares[several] = sets @ groups / np.maximum(sets.sum(axis=1, keepdims=True), 1)
    return np.asarray(shares)


def _tabulated(
    columns: tuple[AnalystColumn, ...], shares: Sequence[Floats], codes: Integers, weights: Floats | Integers
) -> ReaderTable:
    """The tables of all pairs of columns."""
    width = sum(part.shape[1] for part in shares)
    joint, single = np.zeros((width, width)), np.zeros(width)
    for start in range(0, len(codes), _BLOCK):
        block = slice(start, start + _BLOCK)
        of_rows = _side_by_side(shares, codes[block])
        weighted = of_rows * weights[block, None]
        joint += weighted.T @ of_rows
        single += weighted.sum(axis=0)
    np.fill_diagonal(joint, single)
    return ReaderTable(columns, joint)


def _side_by_side(shares: Sequence[Floats], codes: Integers) -> Floats:
    return np.concatenate([part[codes[:, j]] for j, part in enumerate(shares)], axis=1)


def _predicted(table: ReadTable, trained: ReaderTable, groups: Sequence[Integers], name: str) -> float:
    """The share of people of the control whose secret is named rightly by naive Bayes from their
    quasi-identifiers, begun with one row in every cell. `groups` says which group each value is in."""
    control, (secret,) = table.rows.control, table.rows.places([name])
    answer = trained.columns[secret].groups
    score = np.log(np.diagonal(trained.joint)[answer] + 1)[None, :]
    for place in table.rows.places(table.quasi):
        counts = trained.joint[trained.columns[place].groups, answer] + 1
        score = score + np.log(counts / counts.sum(axis=0))[groups[place][control[:, place]]]
    return float((score.argmax(axis=1) == groups[secret][control[:, secret]]).mean())
