"""The utility of any table beside the original, from the two tables alone: a cell stands for the values of
its set, each equally likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.factorize import group_sums
from paretonym.base.number_text import as_number
from paretonym.engine.counts import AnalysedColumn, AnalysedRows
from paretonym.engine.measures.estimates import (
    AnalystColumn,
    DeclaredAnalysis,
    ReaderTable,
    Result,
    SetsShown,
    spread_rows,
)
from paretonym.evidence.criteria.compared_rows import ComparedColumn
from paretonym.evidence.criteria.referee import ReadTable
from paretonym.tables.schema import Analysis

# Values that have a group of their own; of numbers with more, equally frequent bands.
MOST_GROUPS = 50
_BLOCK = 1 << 13


@dataclass(frozen=True, slots=True)
class TableUtility:
    """Distance of a table from the original: of single columns, of pairs (associations, and pMSE: 0 if they
    cannot be distinguished, ¼ at most); for each sensitive column the share of people of the control whose
    value a model predicts that was trained on the table; and the declared analyses."""

    marginal_error: float
    association_error: float
    pmse: float
    prediction: dict[str, float]
    analyses: tuple[Result, ...] = ()

    @property
    def values(self) -> dict[str, float]:
        """The figures by name; of predictions the share of wrong ones, and of declared analyses the share of
        those that are not within tolerance, so that less is better for all."""
        wrong = {f"prediction-error@{name}": 1 - share for name, share in self.prediction.items()}
        if self.analyses:
            wrong["purpose-error"] = sum(not one.met for one in self.analyses) / len(self.analyses)
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
        tuple(_declared(table, analysis) for analysis in table.analyses),
    )


def _declared(table: ReadTable, analysis: Analysis) -> Result:
    """A declared analysis of a table, each row spread evenly over the values that its cells stand for."""
    projection = table.rows.projected(table.rows.places(analysis.used))
    columns, codes, shown = [], [], []
    for place, column in zip(projection.places, projection.columns, strict=True):
        analysed, code_of = _analysed(table, column)
        columns.append(analysed)
        codes.append(code_of[table.rows.original[:, place]])
        shown.append(_sets_shown(column, analysed, code_of))
    people = len(table.rows.original)
    nothing, each = np.zeros(people, dtype=np.int64), np.ones(people, dtype=np.int64)
    rows = AnalysedRows(analysis, tuple(columns), nothing, tuple(codes), each, (None,) * len(columns))
    declared = DeclaredAnalysis(rows)
    declared.check()
    weights = group_sums(projection.of_row, table.rows.weights, len(projection.cells))
    return declared.compared(spread_rows(columns, shown, list(projection.cells.T), weights.astype(float)))


def _analysed(table: ReadTable, column: ComparedColumn) -> tuple[AnalysedColumn, Integers]:
    """A column as analyses take it, and the code of each of its values; what is no value of it has the number
    of values as its code."""
    numbers = np.array([np.nan if (number := as_number(v)) is None else number for v in column.values])
    texts = np.array([bool(value) for value in column.values])
    (place,) = table.rows.places([column.name])
    people = np.unique(table.rows.original[:, place])
    numeric = column.name in table.numeric and not np.isnan(numbers[people[texts[people]]]).any()
    leaves = {leaf: order for order, leaf in enumerate(table.leaves.get(column.name, ()))}
    values = sorted(
        np.flatnonzero(~np.isnan(numbers) if numeric else texts).tolist(),
        key=lambda value: leaves.get(column.values[value], len(leaves)),
    )
    code_of = np.full(len(column.values), len(values))
    code_of[values] = np.arange(len(values))
    labels = tuple(column.values[value] for value in values)
    axis = 0 if column.name in table.leaves else None
    return AnalysedColumn(column.name, labels, numbers[values] if numeric else None, axis), code_of


def _sets_shown(column: ComparedColumn, analysed: AnalysedColumn, code_of: Integers) -> SetsShown:
    """The values that each cell of a column stands for."""
    number = len(analysed.labels)
    codes = [code_of[column.members(cell)] for cell in range(len(column.single))]
    members = [of_cell[of_cell < number] for of_cell in codes]
    ends = np.cumsum([0, *map(len, members)])
    return SetsShown(ends[:-1], ends[1:], analysed.numbers, number, np.concatenate(members))


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
    # Sums in another order, by other threads, must not decide between equal scores.
    named = score.round(9).argmax(axis=1)
    return float((named == groups[secret][control[:, secret]]).mean())
