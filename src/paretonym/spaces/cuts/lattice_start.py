"""Where a search over cuts begins: the lattice's proven frontier, which lies in the space of cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from paretonym.measures.registry import CLASS_SIZE, SUPPRESSION
from paretonym.recoding.suppression import Suppression
from paretonym.search.budget import Limits
from paretonym.search.exact import search_exact
from paretonym.search.problem import Problem
from paretonym.spaces.cuts.atoms import atoms_cube
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.cuts_space import Genomes

# A larger lattice is not proven before the search begins.
MOST_NODES = 200_000
# At most this share of a budget is spent on a lattice whose frontier only a look at every node shows, and
# at most so many nodes where each is dear.
SHARE = 4
MOST_DEAR = 1000


def lattice_problem(problem: CutsProblem) -> Problem:
    """The same question to the lattice, as far as the lattice knows the rule; else the nearest one."""
    cube = atoms_cube(problem.cube, problem.space)
    rule = problem.rule
    suppression = Suppression("limit" if _by_size(problem) else "any", rule.fraction)
    # Where nothing may go there is nothing to say of what goes; with fewer objectives more is pruned.
    left_out = () if suppression.fraction else (SUPPRESSION,)
    names = tuple(o.name for o in problem.lattice_objectives if o.name not in left_out)
    # Near is not the same: there a bound would leave out what the problem's own rule lets pass.
    bounds = problem.requirements if same_question(problem) else ()
    return Problem.of(cube, names, suppression, problem.settings, bounds)


def _by_size(problem: CutsProblem) -> bool:
    rule = problem.rule
    return rule.kind == "mean" or (rule.kind == "order" and (rule.keys == (CLASS_SIZE,) or not rule.fraction))


def same_question(problem: CutsProblem) -> bool:
    """Whether the lattice is asked the very same: by a rule and for measures that its search knows."""
    known_rule = problem.rule.kind == "any" or (problem.rule.kind == "order" and _by_size(problem))
    return known_rule and problem.lattice_objectives == problem.objectives and not problem.from_classes


def lattice_start(problem: CutsProblem, limits: Limits, budget: int | None = None) -> tuple[Genomes, int]:
    """Genomes that cover the lattice's frontier, and how many other nodes were evaluated to find them.

    Where the lattice can only be asked something near, these are all its nodes if a `budget` of evaluations
    has room for them; else those on the frontier of what is near.
    """
    question = lattice_problem(problem)
    size = question.lattice.size
    if not same_question(problem) and size <= _affordable(problem, budget):
        return _genomes(question, np.arange(size)), 0
    if size > MOST_NODES:
        limits.remark("The lattice is too large to be proven first: the search begins with random cuts.")
        return np.empty((0, problem.space.length), dtype=np.bool_), 0
    # Its nodes are counted faster than cuts are: they say nothing about how long those take.
    quiet = replace(limits, progress=lambda done, total: None, remark=lambda text: None, _first=[])
    found = search_exact(question, quiet)
    nodes = np.unique(found.best.counted.nodes)
    return _genomes(question, nodes), found.evaluated - len(nodes)


def _affordable(problem: CutsProblem, budget: int | None) -> int:
    """How many nodes may all be evaluated."""
    share = (budget or 0) // SHARE
    return min(share, MOST_DEAR) if problem.from_classes else share


def _genomes(question: Problem, nodes: npt.NDArray[np.integer]) -> Genomes:
    """The cuts of nodes."""
    levels = question.lattice.level_table(nodes.astype(np.int64))
    cuts = [
        np.array([np.diff(level.groups) != 0 for level in axis.hierarchy.levels], dtype=np.bool_)
        for axis in question.cube.axes
    ]
    return np.concatenate([each[levels[:, j]] for j, each in enumerate(cuts)], axis=1)
