"""Dominance, and the Pareto frontier: the releases that no other dominates."""

from __future__ import annotations

from paretonym.engine.frontier.cautions import cautions
from paretonym.engine.frontier.dominance import (
    Archive,
    Grid,
    Scale,
    as_costs,
    finite,
    frontier_places,
    hypervolume,
)
from paretonym.engine.frontier.microdata import Microdata, StoredFacts
from paretonym.engine.frontier.pareto_frontier import Frontier, Objective, TableFacts, objective_values
from paretonym.engine.frontier.plain_words import plain_word, term, values_in_words
from paretonym.engine.frontier.proven_bound import GENERALIZATION, RELEASE, ProvenBound
from paretonym.engine.frontier.run_record import RunFiles, RunRecord
from paretonym.engine.frontier.search_facts import SearchFacts
from paretonym.engine.frontier.solution import Description, Rival, Solution, describe, suppression_reasons
from paretonym.engine.frontier.verdict import verdict

__all__ = [
    "GENERALIZATION",
    "RELEASE",
    "Archive",
    "Description",
    "Frontier",
    "Grid",
    "Microdata",
    "Objective",
    "ProvenBound",
    "Rival",
    "RunFiles",
    "RunRecord",
    "Scale",
    "SearchFacts",
    "Solution",
    "StoredFacts",
    "TableFacts",
    "as_costs",
    "cautions",
    "describe",
    "finite",
    "frontier_places",
    "hypervolume",
    "objective_values",
    "plain_word",
    "suppression_reasons",
    "term",
    "values_in_words",
    "verdict",
]
