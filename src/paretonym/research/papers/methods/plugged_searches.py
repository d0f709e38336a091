"""The papers' searches of the lattice as plug-ins: entry points in `pyproject.toml` name these."""

from __future__ import annotations

from paretonym.engine.spaces.lattice import lattice_search
from paretonym.engine.spaces.space import SearchMethod
from paretonym.research.papers.methods.pbg_ea import search_pbg
from paretonym.research.papers.methods.poka import search_poka

POKA = SearchMethod(
    lattice_search(search_poka),
    {
        "depth": "go down this many levels from each solution (the mean height of the hierarchies)",
        "base": "start at these levels, such as age=3,sex=1 (the top)",
    },
)
PBG = SearchMethod(
    lattice_search(search_pbg),
    {
        "seed": "the random seed (0)",
        "population": "nodes in a generation (25)",
        "generations": "stop after this many generations (100)",
        "evaluations": "evaluate at most this many nodes",
    },
)
