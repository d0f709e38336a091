"""The space of cuts: every quasi-identifier's ordered domain cut into groups, one bit for each gap."""

from __future__ import annotations

from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace

__all__ = [
    "CutsRecoding",
    "GenomeSpace",
]
