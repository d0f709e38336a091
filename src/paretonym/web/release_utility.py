"""What analysts can still do with a release, as the page shows it: for the publisher, never written."""

from __future__ import annotations

from typing import Any

from paretonym.errors import MOST_VALUES_SHOWN
from paretonym.extras import installed
from paretonym.utility import AnalystUtility, ColumnUtility
from paretonym.web.open_runs import OpenRun

# Pairs of columns that are listed, those that change most.
MOST_PAIRS = 20


def utility_facts(run: OpenRun, name: str, target: str | None, regression: str | None) -> dict[str, Any]:
    """The utility of a release, and what may be predicted; models need scikit-learn."""
    found = run.frontier.pick(name).utility(target, regression)
    schema = run.data.schema
    return {
        "summary": found.summary,
        "values": found.values,
        "columns": [_column(each) for each in found.columns],
        "associations": [each._asdict() for each in found.pairs[:MOST_PAIRS]],
        "prediction": None if found.prediction is None else str(found.prediction),
        "regression": _regression(found),
        "targets": [each.name for each in schema.with_role("sensitive", "class")],
        "models": installed("utility"),
    }


def _column(column: ColumnUtility) -> dict[str, Any]:
    """A column with the values whose shares change most; none of a sensitive column."""
    shares = zip(column.labels, column.before, column.after, strict=True)
    most = sorted(shares, key=lambda each: -abs(each[1] - each[2]))[:MOST_VALUES_SHOWN]
    return {
        "name": column.name,
        "error": column.error,
        "values": [{"label": label, "before": before, "after": after} for label, before, after in most],
    }


def _regression(found: AnalystUtility) -> dict[str, Any] | None:
    if found.regression is None:
        return None
    lines = [
        {
            "name": each.name,
            "before": str(each.before),
            "after": None if each.after is None else str(each.after),
            "overlap": each.overlap,
        }
        for each in found.regression.coefficients
    ]
    return {"formula": found.regression.formula, "coefficients": lines}
