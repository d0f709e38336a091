"""Where the risk of a table comes from, before any release, and what analysts can still do with a release, as
the page shows them: for the publisher, never written."""

from __future__ import annotations

from typing import Any

from paretonym.errors import MOST_VALUES_SHOWN
from paretonym.extras import installed
from paretonym.frontier import Microdata
from paretonym.language import _
from paretonym.report.pages import affordable_size, estimates
from paretonym.risk import SampleRisk, sampling_share
from paretonym.utility import AnalystUtility, ColumnUtility
from paretonym.web.open_runs import OpenRun

# Combinations of columns that are listed, the riskiest first.
MOST_COMBINATIONS = 15


def table_risk_facts(data: Microdata, fraction: str | None) -> dict[str, Any]:
    """The table as it is: uniques, class sizes, columns and combinations that make people unique and, if a
    sampling fraction or weights are known, estimates of the population. No value of a column is in it."""
    share = data.sampling_fraction if fraction is None else sampling_share(fraction, data.unit)
    found = data.table_risk(affordable_size(data), share)
    riskiest = sorted(found.columns, key=lambda column: (-column.score, column.without))
    return {
        "summary": str(found),
        "warnings": list(found.warnings),
        "sizes": {
            "counted": _(found.unit.many),
            "bins": [each._asdict() for each in found.classes.bins() if each.classes],
        },
        "columns": [each._asdict() for each in riskiest],
        "combinations": [each._asdict() for each in found.combinations[:MOST_COMBINATIONS]],
        "more": max(0, len(found.combinations) - MOST_COMBINATIONS),
        "sample": None if found.sample is None else _sample(found.sample),
        "of_people": found.unit.is_person,
        "fraction": fraction,
    }


def _sample(found: SampleRisk) -> dict[str, Any]:
    """The estimates in words, and how many are unique in the population by each model."""
    return {
        "text": estimates(found),
        "models": [
            {
                "name": each.model,
                "assumes": _(each.assumes),
                "trusted": each.model == found.uniques.trusted,
                "unique": each.uniques,
                "share": None if each.uniques is None else each.uniques * found.fraction / found.rows,
            }
            for each in found.uniques.estimates
        ],
    }


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
