"""Attacks on releases: everybody of the original is searched for in one release, or in several together."""

from __future__ import annotations

from paretonym.evidence.attacks.attack import attack
from paretonym.evidence.attacks.findings import Attack

__all__ = ["Attack", "attack"]
