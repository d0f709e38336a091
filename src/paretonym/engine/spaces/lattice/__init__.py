"""The lattice of full-domain generalization: one level of its hierarchy for each quasi-identifier."""

from __future__ import annotations

from paretonym.engine.spaces.lattice.lattice_space import MOST_NUMBERED, LatticeRecoding, lattice_search

__all__ = [
    "MOST_NUMBERED",
    "LatticeRecoding",
    "lattice_search",
]
