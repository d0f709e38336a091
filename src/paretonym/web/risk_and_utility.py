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
    risk = data.table_risk(affordable_size(data), share)
    riskiest = sorted(risk.columns, key=lambda column: (-column.score, column.without))
    return {
        "summary": str(risk),
        "warnings": list(risk.warnings),
        "sizes": {
            "counted": _(risk.unit.many),
            "bins": [entry._asdict() for entry in risk.classes.bins() if entry.classes],
        },
        "columns": [entry._asdict() for entry in riskiest],
        "combinations": [entry._asdict() for entry in risk.combinations[:MOST_COMBINATIONS]],
        "more": max(0, len(risk.combinations) - MOST_COMBINATIONS),
        "sample": None if risk.sample is None else _sample(risk.sample),
        "of_people": risk.unit.is_person,
        "fraction": fraction,
    }


def _sample(risk: SampleRisk) -> dict[str, Any]:
    """The estimates in words, and how many are unique in the population by each model."""
    return {
        "text": estimates(risk),
        "models": [
            {
                "name": estimate.model,
                "assumes": _(estimate.assumes),
                "trusted": estimate.model == risk.uniques.trusted,
                "unique": estimate.uniques,
                "share": None if estimate.uniques is None else estimate.uniques * risk.fraction / risk.rows,
            }
            for estimate in risk.uniques.estimates
        ],
    }


# Pairs of columns that are listed, those that change most.
MOST_PAIRS = 20


def utility_facts(run: OpenRun, name: str, target: str | None, regression: str | None) -> dict[str, Any]:
    """The utility of a release, and what may be predicted; models need scikit-learn."""
    utility = run.frontier.pick(name).utility(target, regression)
    schema = run.data.schema
    return {
        "summary": utility.summary,
        "values": utility.values,
        "columns": [_column(entry) for entry in utility.columns],
        "associations": [entry._asdict() for entry in utility.pairs[:MOST_PAIRS]],
        "prediction": None if utility.prediction is None else str(utility.prediction),
        "regression": _regression(utility),
        "targets": [entry.name for entry in schema.with_role("sensitive", "class")],
        "models": installed("utility"),
    }


def _column(column: ColumnUtility) -> dict[str, Any]:
    """A column with the values whose shares change most; none of a sensitive column."""
    shares = zip(column.labels, column.before, column.after, strict=True)
    most = sorted(shares, key=lambda share: -abs(share[1] - share[2]))[:MOST_VALUES_SHOWN]
    return {
        "name": column.name,
        "error": column.error,
        "values": [{"label": label, "before": before, "after": after} for label, before, after in most],
    }


def _regression(utility: AnalystUtility) -> dict[str, Any] | None:
    if utility.regression is None:
        return None
    lines = [
        {
            "name": coefficient.name,
            "before": str(coefficient.before),
            "after": None if coefficient.after is None else str(coefficient.after),
            "overlap": coefficient.overlap,
        }
        for coefficient in utility.regression.coefficients
    ]
    return {"formula": utility.regression.formula, "coefficients": lines}
