"""The space of cuts: every quasi-identifier's ordered domain cut into groups, one bit for each gap."""

from __future__ import annotations

from paretonym.engine.spaces.cuts.crowding import GENERATIONS, crowding, usual_population
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.cuts_space import GENERATION_OPTIONS, cuts_search
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Archive, CutsFound, Evaluator, added
from paretonym.engine.spaces.cuts.genome_space import CutAxis, Genomes, GenomeSpace

__all__ = [
    "GENERATIONS",
    "GENERATION_OPTIONS",
    "Archive",
    "CutAxis",
    "CutsFound",
    "CutsProblem",
    "CutsRecoding",
    "Evaluator",
    "GenomeSpace",
    "Genomes",
    "PaperProblem",
    "added",
    "crowding",
    "cuts_search",
    "usual_population",
]
