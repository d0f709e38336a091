"""Where a search over cuts begins: the lattice's proven frontier, which lies in the space of cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paretonym.arrays import Integers
from paretonym.budget import Limits
from paretonym.measures import CLASS_SIZE, SUPPRESSION
from paretonym.recoding import Suppression
from paretonym.search import Problem, search_exact
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_space import Genomes

# A larger lattice is not proven before the search begins.
MOST_NODES = 200_000
# At most this share of a budget is spent on a lattice of which every node must be evaluated, and at most this
# many nodes if each is expensive.
SHARE = 4
MOST_DEAR = 1000


def lattice_problem(problem: CutsProblem) -> Problem:
    """The same question to the lattice if the lattice has its rule; otherwise an approximation."""
    rule = problem.rule
    suppression = Suppression("limit" if _by_size(problem) else "any", rule.fraction)
    # If nothing may be suppressed, objectives about suppression are constant; with fewer objectives, more is
    # pruned.
    left_out = () if suppression.fraction else (SUPPRESSION,)
    names = tuple(o.name for o in problem.lattice_objectives if o.name not in left_out)
    # For an approximation, a bound could exclude what the problem's own rule admits.
    bounds = problem.requirements if same_question(problem) else ()
    settings = {} if problem.from_classes else problem.settings
    return Problem.of(problem.cube, names, suppression, settings, bounds)


def _by_size(problem: CutsProblem) -> bool:
    rule = problem.rule
    return rule.kind == "mean" or (rule.kind == "order" and (rule.keys == (CLASS_SIZE,) or not rule.fraction))


def same_question(problem: CutsProblem) -> bool:
    """Whether the question to the lattice is exactly the same: with a rule and measures that its search
    has, and without granules, which count as one value in cuts alone."""
    known_rule = problem.rule.kind == "any" or (problem.rule.kind == "order" and _by_size(problem))
    granular = any(axis.cutting.granules is not None for axis in problem.cube.axes)
    same_measures = problem.lattice_objectives == problem.objectives and not problem.from_classes
    return known_rule and same_measures and not granular


def lattice_start(problem: CutsProblem, limits: Limits, budget: int | None = None) -> tuple[Genomes, int]:
    """Genomes that cover the lattice's frontier, and how many other nodes were evaluated to find them.

    If the lattice can answer only an approximation, these are all its nodes if a `budget` of evaluations has
    room for them; otherwise those on the frontier of the approximation.
    """
    question = lattice_problem(problem)
    size = question.lattice.size
    if not same_question(problem) and size <= _affordable(problem, budget):
        return _genomes(problem, question, np.arange(size)), 0
    if size > MOST_NODES:
        limits.remark("The lattice is too large to be searched first: the search starts with random cuts.")
        return np.empty((0, problem.space.length), dtype=np.bool_), 0
    # Its nodes are counted faster than cuts: they are no basis for an estimate.
    quiet = replace(limits, progress=lambda done, total: None, remark=lambda text: None, _first=[])
    if limits.evaluations is not None and budget is not None:
        quiet = replace(quiet, evaluations=budget * (SHARE - 1) // SHARE)
    result = search_exact(question, quiet)
    nodes = np.unique(result.best.counted.nodes).astype(np.int64)
    return _genomes(problem, question, nodes), result.evaluated - len(nodes)


def _affordable(problem: CutsProblem, budget: int | None) -> int:
    """The largest number of nodes that may all be evaluated."""
    share = (budget or 0) // SHARE
    return min(share, MOST_DEAR) if problem.from_classes else share


def _genomes(problem: CutsProblem, question: Problem, nodes: Integers) -> Genomes:
    """The cuts of nodes: between atoms that a level tells apart."""
    levels = question.lattice.level_table(nodes)
    parts = []
    for j, axis in enumerate(problem.space.axes):
        groups = np.array([level.groups[axis.edges[:-1]] for level in axis.axis.hierarchy.levels])
        parts.append(np.diff(groups, axis=1)[levels[:, j]] != 0)
    return np.concatenate(parts, axis=1)
