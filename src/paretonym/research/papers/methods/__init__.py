"""The searches of the papers: POkA, PBG-EA, NSGA-II."""

from __future__ import annotations

from paretonym.research.papers.methods.pbg_ea import search_pbg
from paretonym.research.papers.methods.poka import LOSSES, search_poka

__all__ = [
    "LOSSES",
    "search_pbg",
    "search_poka",
]
