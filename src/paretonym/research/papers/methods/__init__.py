"""The methods of the papers: POkA, PBG-EA, and the four problems of the trade-offs paper."""

from __future__ import annotations

from paretonym.research.papers.methods.four_problems import PaperProblem
from paretonym.research.papers.methods.pbg_ea import search_pbg
from paretonym.research.papers.methods.poka import LOSSES, search_poka

__all__ = [
    "LOSSES",
    "PaperProblem",
    "search_pbg",
    "search_poka",
]
