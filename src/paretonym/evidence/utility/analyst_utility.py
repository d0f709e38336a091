"""The utility of one release as analysts feel it, beside the original table.

All of it describes the table itself and is for the publisher alone. A reader is taken to spread every row
evenly over the values that it shows; these are estimates, and nothing about them is proven.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.language import _, format_number
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.sentence_parts import percentage
from paretonym.engine.measures import Realized
from paretonym.engine.measures.estimates import AnalystColumn, DeclaredAnalysis, ReaderTable, Result
from paretonym.evidence.utility.prediction import Prediction, predicted

MEASURES = ("marginal-error", "association-error", "pmse")


class ColumnUtility(NamedTuple):
    """The shares of the values or groups of a quasi-identifier, and half the sum of their differences; of a
    sensitive column, whose values are shown nowhere, the latter alone."""

    name: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    error: float

    @property
    def most_off(self) -> tuple[str, float, float] | None:
        """The value whose share changes most, with its share before and after."""
        shares = zip(self.labels, self.before, self.after, strict=True)
        return max(shares, key=lambda each: abs(each[1] - each[2]), default=None)


class PairUtility(NamedTuple):
    """Cramér's V of two columns."""

    columns: tuple[str, str]
    before: float
    after: float


class AnalystUtility(NamedTuple):
    """Utility of a release for analysts."""

    columns: tuple[ColumnUtility, ...]
    pairs: tuple[PairUtility, ...]
    values: dict[str, float]
    prediction: Prediction | None = None
    regression: Result | None = None

    @property
    def summary(self) -> str:
        """Its three numbers in a sentence each."""
        single, association, propensity = (self.values[name] for name in MEASURES)
        return _(
            "Shares of single values are off by {shares} on average, associations of two columns by "
            "{association}. Original and reconstructed rows: pMSE {propensity} (0 if they cannot be "
            "distinguished by two columns, {most} if always).",
            shares=percentage(single),
            association=format_number(f"{association:.2f}"),
            propensity=format_number(f"{propensity:.4f}"),
            most=format_number("0.25"),
        )

    def __repr__(self) -> str:
        return one_line(self)

    def __str__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        rows = [(column.name, percentage(column.error)) for column in self.columns]
        heads = ("column", "shares are off by")
        lines = [self.summary] if self.prediction is None else [self.summary, str(self.prediction)]
        if self.regression is not None:
            lines += map(str, self.regression.figures)
        return NotebookView(lines, heads, rows).html()


def analyst_utility(
    realized: Realized, target: str | None = None, regression: DeclaredAnalysis | None = None
) -> AnalystUtility:
    """The utility of a release. `target` is a sensitive or class column that a model predicts from the
    quasi-identifiers, `regression` one of the table, to be compared with that of the release."""
    truth, released = ReaderTable.original(realized.cube), ReaderTable.of(realized)
    pairs = [
        PairUtility((a.name, b.name), round(before, 6), round(after, 6))
        for (a, b), before, after in zip(
            truth.pairs, truth.associations.tolist(), released.associations.tolist(), strict=True
        )
    ]
    return AnalystUtility(
        tuple(_column(column, truth, released) for column in truth.columns),
        tuple(sorted(pairs, key=lambda pair: -abs(pair.before - pair.after))),
        realized.measure(*MEASURES),
        None if target is None else predicted(realized, target),
        None if regression is None else regression.result(realized),
    )


def _column(column: AnalystColumn, truth: ReaderTable, found: ReaderTable) -> ColumnUtility:
    before, after = truth.shares(column), found.shares(column)
    error = round(float(np.abs(before - after).sum() / 2), 6)
    if column.sensitive:
        return ColumnUtility(column.name, (), (), (), error)
    return ColumnUtility(column.name, column.labels, _rounded(before), _rounded(after), error)


def _rounded(shares: Floats) -> tuple[float, ...]:
    return tuple(shares.round(6).tolist())
