"""Attacks on releases: everybody of the original is searched for in one release, or in several together."""

from __future__ import annotations

from paretonym.attacks.attack import attack, attack_pair, match_rows
from paretonym.attacks.findings import Attack, Disclosure, Estimate, Matching, Verdict

__all__ = [
    "Attack",
    "Disclosure",
    "Estimate",
    "Matching",
    "Verdict",
    "attack",
    "attack_pair",
    "match_rows",
]
