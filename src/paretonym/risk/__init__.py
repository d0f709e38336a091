"""What an attacker could do with a release: re-identification and attribute disclosure, in numbers."""

from __future__ import annotations

from paretonym.risk.attribute_disclosure import Disclosure, Known, disclosures, known_values
from paretonym.risk.reidentification import NO_RISK, THRESHOLDS, Risk, SizeBin, risk
from paretonym.risk.table_risk import SampleRisk, TableRisk

__all__ = [
    "NO_RISK",
    "THRESHOLDS",
    "Disclosure",
    "Known",
    "Risk",
    "SampleRisk",
    "SizeBin",
    "TableRisk",
    "disclosures",
    "known_values",
    "risk",
]
