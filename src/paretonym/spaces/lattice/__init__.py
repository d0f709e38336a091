"""The lattice of full-domain generalization: one level of its hierarchy for each quasi-identifier."""

from __future__ import annotations

from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding

__all__ = [
    "LatticeRecoding",
]
