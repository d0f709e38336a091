"""From a question to the space of cuts to a frontier: choose the search, run it, make solutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.counts import kernel_library as library
from paretonym.errors import Field, InputError, NoSolution, did_you_mean
from paretonym.frontier.epsilon_dominance import thinned
from paretonym.frontier.pareto_frontier import Frontier, Objective, SearchFacts, TableFacts
from paretonym.frontier.solution import Solution, number_to_json
from paretonym.recoding.recoding_contract import digest, short_ids
from paretonym.rounding import rounded
from paretonym.search.budget import Limits
from paretonym.search.lattice_frontier import Exploration, grid
from paretonym.search.search_options import STANDARD, Tuning, check_used
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.spaces.cuts.genome_archive import CutsFound
from paretonym.spaces.cuts.hybrid import search_hybrid
from paretonym.spaces.cuts.nsga2 import search_nsga2
from paretonym.spaces.cuts.numpy_genomes import genome_classes, goodness_of, staying

Search: TypeAlias = Callable[[CutsProblem, Limits, Tuning], CutsFound]

CUTS_SEARCHES: Mapping[str, Search] = {"hybrid": search_hybrid, "nsga2": search_nsga2}
DEFAULT_SEARCH = "hybrid"
# A space may have so many genomes that their number fills a page; this number stands for any above it.
MOST_COUNTED = 10**18


def explore_cuts(
    problem: CutsProblem,
    method: str = DEFAULT_SEARCH,
    limits: Limits | None = None,
    tuning: Tuning = STANDARD,
) -> Exploration:
    """Find the frontier of a question to the space of cuts, as well as the search can."""
    if method not in CUTS_SEARCHES:
        raise InputError.of(
            Field("search"), f"there is no search '{method}' for cuts", did_you_mean(method, CUTS_SEARCHES)
        )
    limits = limits or Limits()
    check_used(method, tuning)
    grid(problem, tuning)  # mistakes should not wait for a long search
    if text := library.missing():
        limits.remark(text)
    found = CUTS_SEARCHES[method](problem, limits, tuning)
    if len(found.front) == 0:
        raise NoSolution(_nothing(problem, found))
    return Exploration(frontier(problem, found, method, tuning), found.evaluated, limits.elapsed)


def _nothing(problem: CutsProblem, found: CutsFound) -> str:
    asked = " and ".join(str(requirement) for requirement in problem.requirements)
    if found.interrupted:
        return "Interrupted before anything was found."
    return (
        f"No release with {asked} was found among {found.evaluated:,} cuts. "
        f"Ask for less, allow more suppression, or give more {Field('evaluations')}."
    )


def frontier(problem: CutsProblem, found: CutsFound, method: str, tuning: Tuning) -> Frontier:
    """What a search found, with names and values."""
    size = min(problem.space.size, MOST_COUNTED)
    shown = boxed(problem, found, tuning)
    return Frontier(
        TableFacts(
            problem.cube.rows,
            problem.cube.read,
            problem.space.names,
            tuple(margin.name for margin in problem.cube.sensitive),
        ),
        SearchFacts(
            "cuts",
            size,
            method,
            shown.complete,
            tuning.seed or 0,
            str(problem.rule),
            0 if found.complete else size - min(found.evaluated, size - 1),
            dict(tuning.box),
            interrupted=found.interrupted,
        ),
        tuple(Objective(o.name, o.direction) for o in problem.objectives),
        solutions(problem, shown),
    )


def boxed(problem: CutsProblem, found: CutsFound, tuning: Tuning) -> CutsFound:
    """One solution for each box, if boxes are asked for; what is thinned out is no complete frontier."""
    if not tuning.box:
        return found
    kept = thinned(found.front.values, grid(problem, tuning))
    complete = found.complete and len(kept) == len(found.front)
    return replace(found, front=found.front.take(kept), complete=complete)


def solutions(problem: CutsProblem, found: CutsFound) -> tuple[Solution, ...]:
    """Candidates with their names and with every value that a solution shows."""
    front = found.front
    facts = problem.facts(front.counted)
    columns = {o.name: rounded(o.value(facts)).tolist() for o in problem.measured}
    kept = (
        keep(problem, genome, {name: column[i] for name, column in columns.items()})
        for i, genome in enumerate(front.genomes)
    )
    recodings = [
        CutsRecoding.of(problem.space, genome, rule, int(k))
        for genome, rule, k in zip(front.genomes, kept, facts.smallest, strict=True)
    ]
    ids = short_ids([digest(recoding) for recoding in recodings])
    return tuple(
        Solution(ids[i], {name: column[i] for name, column in columns.items()}, int(facts.gone[i]), recoding)
        for i, recoding in enumerate(recodings)
    )


def keep(problem: CutsProblem, genome: npt.NDArray[np.bool_], values: Mapping[str, float]) -> dict[str, str]:
    """What a class must have to stay: what the worst class that stays has, of each key. Where classes go in
    the order of two keys, both are written together: the second counts among those with the first alone."""
    signs = {key.name: ">=" if key.direction == "max" else "<=" for key in problem.keys}
    if problem.rule.kind != "order" or len(problem.keys) == 1:
        return {name: f"{sign}{number_to_json(values[name])}" for name, sign in signs.items()}
    classes = genome_classes(problem, genome)
    goodness = goodness_of(problem, classes)
    stays = staying(problem, classes, goodness)[0]
    first, second = min(zip(goodness[0][stays].tolist(), goodness[1][stays].tolist(), strict=True))
    return {",".join(signs): f">={number_to_json(first)},{number_to_json(second)}"}
