"""Where the risk of a table comes from, before any release, as the page shows it: for the publisher, never
written."""

from __future__ import annotations

from typing import Any

from paretonym.frontier import Microdata
from paretonym.language import worded
from paretonym.report.pages import affordable_size, estimates
from paretonym.risk import SampleRisk, TableRisk, sampling_share

# Combinations of columns that are listed, the riskiest first.
MOST_COMBINATIONS = 15


def table_risk_facts(data: Microdata, fraction: str | None) -> dict[str, Any]:
    """The table as it is: uniques, class sizes, columns and combinations that make people unique and, if a
    sampling fraction or weights are known, estimates of the population. No value of a column is in it."""
    share = data.sampling_fraction if fraction is None else sampling_share(fraction, data.unit)
    found = data.table_risk(affordable_size(data), share)
    return {
        "summary": str(found),
        "warnings": list(found.warnings),
        "sizes": {
            "counted": worded(found.unit.many),
            "bins": [each._asdict() for each in found.classes.bins() if each.classes],
        },
        "columns": [each._asdict() for each in _riskiest_first(found)],
        "combinations": [each._asdict() for each in found.combinations[:MOST_COMBINATIONS]],
        "more": max(0, len(found.combinations) - MOST_COMBINATIONS),
        "sample": None if found.sample is None else _sample(found.sample),
        "of_people": found.unit.is_person,
        "fraction": fraction,
    }


def _riskiest_first(found: TableRisk) -> list[Any]:
    return sorted(found.columns, key=lambda column: (-column.score, column.without))


def _sample(found: SampleRisk) -> dict[str, Any]:
    """The estimates in words, and how many are unique in the population by each model."""
    return {
        "text": estimates(found),
        "models": [
            {
                "name": each.model,
                "assumes": worded(each.assumes),
                "trusted": each.model == found.uniques.trusted,
                "unique": each.uniques,
                "share": None if each.uniques is None else each.uniques * found.fraction / found.rows,
            }
            for each in found.uniques.estimates
        ],
    }
