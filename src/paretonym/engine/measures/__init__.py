"""Measures of what a release protects and what it costs: plain functions of counts, with one card each."""

from __future__ import annotations

import sys

from paretonym.engine.measures.candidate_facts import Facts
from paretonym.engine.measures.card import Measure, MeasureName
from paretonym.engine.measures.cell_costs import CellCosts, CostRule
from paretonym.engine.measures.estimated_population import individual_risk
from paretonym.engine.measures.formatting import apart, is_share, measured, written
from paretonym.engine.measures.limit import Bounds, Limit, parse_numbers
from paretonym.engine.measures.measure_table import CallableModule, measures
from paretonym.engine.measures.objective import (
    Objective,
    Requirement,
    Settings,
    known_measure,
    parse_settings,
    settings_of,
    with_seed,
)
from paretonym.engine.measures.recoded_counts import Realized, meeting
from paretonym.engine.measures.registry import (
    ALWAYS,
    CLASS_SIZE,
    GENERALIZATION,
    HOUSEHOLD_SIZE,
    LOSS,
    MEASURES,
    OBJECTIVES,
    POPULATION_SIZE,
    SQUARED_ERROR,
    SUPPRESSION,
    SWEPT_OBJECTIVES,
    card_of,
)
from paretonym.engine.measures.weighted_loss import WEIGHTS, WeightedFloors

__all__ = [
    "ALWAYS",
    "CLASS_SIZE",
    "GENERALIZATION",
    "HOUSEHOLD_SIZE",
    "LOSS",
    "MEASURES",
    "OBJECTIVES",
    "POPULATION_SIZE",
    "SQUARED_ERROR",
    "SUPPRESSION",
    "SWEPT_OBJECTIVES",
    "WEIGHTS",
    "Bounds",
    "CellCosts",
    "CostRule",
    "Facts",
    "Limit",
    "Measure",
    "MeasureName",
    "Objective",
    "Realized",
    "Requirement",
    "Settings",
    "WeightedFloors",
    "apart",
    "card_of",
    "individual_risk",
    "is_share",
    "known_measure",
    "measured",
    "measures",
    "meeting",
    "parse_numbers",
    "parse_settings",
    "settings_of",
    "with_seed",
    "written",
]

sys.modules[__name__].__class__ = CallableModule
