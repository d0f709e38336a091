"""Measures of what a release protects and what it costs: plain functions of counts, with one card each."""

from __future__ import annotations

from paretonym.measures.candidate_facts import Facts, StayingCost
from paretonym.measures.card import Measure, Movement
from paretonym.measures.cell_costs import RULES, CellCosts, CostRule, lattice_costs
from paretonym.measures.class_size import weighted_k
from paretonym.measures.formatting import apart, is_share, measured, number_to_json, rounded_out, written
from paretonym.measures.limit import (
    Bounds,
    Limit,
    check_percentage,
    parse_limit,
    parse_limits,
    parse_numbers,
    read_limits,
)
from paretonym.measures.measure_name import MeasureName
from paretonym.measures.objective import (
    Objective,
    Requirement,
    Settings,
    known_measure,
    objective,
    objectives,
    parse_settings,
    requirements,
    with_seed,
)
from paretonym.measures.recoded_counts import (
    Realized,
    class_measure,
    column_losses,
    meeting,
    realize,
    staying,
    staying_cost,
)
from paretonym.measures.registry import (
    ALWAYS,
    CLASS_SIZE,
    DISCLOSURE,
    GENERALIZATION,
    LOSS,
    MEASURES,
    OBJECTIVES,
    SUPPRESSION,
    SWEPT_OBJECTIVES,
    card_of,
    is_risk_of_people,
    requirable,
    shown_by_file,
)
from paretonym.measures.whole_number_costs import Numerators

__all__ = [
    "ALWAYS",
    "CLASS_SIZE",
    "DISCLOSURE",
    "GENERALIZATION",
    "LOSS",
    "MEASURES",
    "OBJECTIVES",
    "RULES",
    "SUPPRESSION",
    "SWEPT_OBJECTIVES",
    "Bounds",
    "CellCosts",
    "CostRule",
    "Facts",
    "Limit",
    "Measure",
    "MeasureName",
    "Movement",
    "Numerators",
    "Objective",
    "Realized",
    "Requirement",
    "Settings",
    "StayingCost",
    "apart",
    "card_of",
    "check_percentage",
    "class_measure",
    "column_losses",
    "is_risk_of_people",
    "is_share",
    "known_measure",
    "lattice_costs",
    "measured",
    "meeting",
    "number_to_json",
    "objective",
    "objectives",
    "parse_limit",
    "parse_limits",
    "parse_numbers",
    "parse_settings",
    "read_limits",
    "realize",
    "requirable",
    "requirements",
    "rounded_out",
    "shown_by_file",
    "staying",
    "staying_cost",
    "weighted_k",
    "with_seed",
    "written",
]
