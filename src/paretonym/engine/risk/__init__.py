"""Risk of a release, in numbers: re-identification and attribute disclosure by an attacker."""

from __future__ import annotations

from paretonym.engine.risk.attribute_disclosure import (
    Disclosure,
    DominatedMeans,
    Known,
    disclosures,
    dominated_means,
    known_values,
)
from paretonym.engine.risk.household_risk import HouseholdRisk, household_risk
from paretonym.engine.risk.reidentification import NO_RISK, THRESHOLDS, Risk, risk
from paretonym.engine.risk.suppressed_groups import (
    MOST_GROUPS,
    SuppressedGroup,
    suppressed_by_values,
    suppressed_groups,
)
from paretonym.engine.risk.table_risk import SampleRisk, TableRisk, sampling_share

__all__ = [
    "MOST_GROUPS",
    "NO_RISK",
    "THRESHOLDS",
    "Disclosure",
    "DominatedMeans",
    "HouseholdRisk",
    "Known",
    "Risk",
    "SampleRisk",
    "SuppressedGroup",
    "TableRisk",
    "disclosures",
    "dominated_means",
    "household_risk",
    "known_values",
    "risk",
    "sampling_share",
    "suppressed_by_values",
    "suppressed_groups",
]
