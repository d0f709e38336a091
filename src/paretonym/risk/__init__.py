"""What an attacker could do with a release: re-identification and attribute disclosure, in numbers."""

from __future__ import annotations

from paretonym.risk.attribute_disclosure import Disclosure, Known, disclosures, known_values
from paretonym.risk.reidentification import NO_RISK, THRESHOLDS, Risk, SizeBin, risk

__all__ = [
    "NO_RISK",
    "THRESHOLDS",
    "Disclosure",
    "Known",
    "Risk",
    "SizeBin",
    "disclosures",
    "known_values",
    "risk",
]
