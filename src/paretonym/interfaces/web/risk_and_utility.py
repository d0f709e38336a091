"""Where the risk of a table comes from, before any release, and what analysts can still do with a release, as
the page shows them: for the publisher, never written."""

from __future__ import annotations

from typing import Any

from paretonym.base.errors import MOST_VALUES_SHOWN
from paretonym.base.language import _
from paretonym.engine.frontier import Microdata
from paretonym.evidence.utility import ColumnUtility
from paretonym.interfaces.web.open_runs import OpenRun
from paretonym.report.pages import affordable_size, estimates

# Combinations of columns that are listed, the riskiest first.
MOST_COMBINATIONS = 15


def table_risk_facts(data: Microdata) -> dict[str, Any]:
    """The table as it is: uniques, class sizes, columns and combinations that make people unique and, if a
    sampling fraction or weights are known, estimates of the population. No value of a column is in it."""
    risk = data.table_risk(affordable_size(data), data.sampling_fraction)
    riskiest = sorted(risk.columns, key=lambda column: (-column.score, column.without))
    return {
        "summary": str(risk),
        "warnings": list(risk.warnings),
        "sizes": {
            "counted": _(risk.unit.many),
            "bins": [entry._asdict() for entry in risk.classes.bins() if entry.classes],
        },
        "columns": [entry._asdict() for entry in riskiest],
        **({"grouped": _("person-groups")} if risk.cautions else {}),
        "combinations": [entry._asdict() for entry in risk.combinations[:MOST_COMBINATIONS]],
        "more": max(0, len(risk.combinations) - MOST_COMBINATIONS),
        "estimates": None if risk.sample is None else estimates(risk.sample),
    }


# Pairs of columns that are listed, those that change most.
MOST_PAIRS = 20


def utility_facts(run: OpenRun, name: str) -> dict[str, Any]:
    """The utility of a release: shares of values and associations, before and after."""
    utility = run.frontier.pick(name).utility()
    return {
        "summary": utility.summary,
        "values": utility.values,
        "columns": [_column(entry) for entry in utility.columns],
        "associations": [entry._asdict() for entry in utility.pairs[:MOST_PAIRS]],
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
