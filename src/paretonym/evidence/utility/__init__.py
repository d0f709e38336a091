"""Utility of a release for analysts: tables, associations, a prediction, a regression."""

from __future__ import annotations

from paretonym.evidence.utility.analyst_utility import AnalystUtility, ColumnUtility, analyst_utility

__all__ = ["AnalystUtility", "ColumnUtility", "analyst_utility"]
