"""Dominance, quality indicators, and the Pareto frontier: the releases that no other dominates."""

from __future__ import annotations

from paretonym.frontier import pareto_frontier, solution
from paretonym.frontier.axis_scale import Scale
from paretonym.frontier.cautions import cautions, known_briefly
from paretonym.frontier.dominance import as_costs, crowding, dominates, finite, frontier_places, preferred
from paretonym.frontier.epsilon_dominance import Archive, Grid, thinned
from paretonym.frontier.indicators import convergence_error, hypervolume, representation_ratio
from paretonym.frontier.microdata import Microdata, StoredFacts
from paretonym.frontier.pareto_frontier import FORMAT, Frontier, Objective, SearchFacts, TableFacts
from paretonym.frontier.release_facts import ReleaseFacts
from paretonym.frontier.run_record import (
    KEY_FILE,
    RUN_FILE,
    RUN_FORMAT,
    RunRecord,
    document_text,
    read_document,
    record_release,
    releases_of,
)
from paretonym.frontier.solution import Rival, Solution
from paretonym.frontier.solution_description import Description, describe, suppression_reasons

__all__ = [
    "FORMAT",
    "KEY_FILE",
    "RUN_FILE",
    "RUN_FORMAT",
    "Archive",
    "Description",
    "Frontier",
    "Grid",
    "Microdata",
    "Objective",
    "ReleaseFacts",
    "Rival",
    "RunRecord",
    "Scale",
    "SearchFacts",
    "Solution",
    "StoredFacts",
    "TableFacts",
    "as_costs",
    "cautions",
    "convergence_error",
    "crowding",
    "describe",
    "document_text",
    "dominates",
    "finite",
    "frontier_places",
    "hypervolume",
    "known_briefly",
    "pareto_frontier",
    "preferred",
    "read_document",
    "record_release",
    "releases_of",
    "representation_ratio",
    "solution",
    "suppression_reasons",
    "thinned",
]
