"""Where a search over cuts begins: the lattice's proven frontier, which lies in the space of cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paretonym.cube import compiling
from paretonym.recoding.cuts.atoms import atoms_cube
from paretonym.recoding.cuts.space import Genomes
from paretonym.recoding.suppression import Suppression
from paretonym.search.cuts.problem import CutsProblem
from paretonym.search.evaluating import kernel
from paretonym.search.exact import search_exact
from paretonym.search.limits import Limits
from paretonym.search.problem import Problem

# A larger lattice is not proven before the search begins.
MOST_NODES = 200_000


def lattice_problem(problem: CutsProblem) -> Problem:
    """The same question to the lattice, as far as the lattice knows the rule; else the nearest one."""
    cube = atoms_cube(problem.cube, problem.space)
    rule = problem.rule
    by_size = rule.kind == "mean" or (rule.kind == "order" and (rule.keys == ("k",) or not rule.fraction))
    suppression = Suppression("limit" if by_size else "any", rule.fraction)
    # Where nothing may go there is nothing to say of what goes; with fewer objectives more is pruned.
    left_out = () if suppression.fraction else ("sl",)
    names = tuple(o.name for o in problem.lattice_objectives if o.name not in left_out)
    return Problem.of(cube, names, suppression, problem.settings)


def lattice_start(problem: CutsProblem, limits: Limits) -> tuple[Genomes, int]:
    """The genomes of the lattice's frontier, and how many nodes were evaluated for it."""
    question = lattice_problem(problem)
    empty = np.empty((0, problem.space.length), dtype=np.bool_)
    if question.lattice.size > MOST_NODES:
        limits.remark("The lattice is too large to be proven first: the search begins with random cuts.")
        return empty, 0
    if not compiling.compiled_before(kernel(question)):
        limits.remark("Compiling for this kind of question: half a minute or so, only this once …")
    quiet = replace(limits, progress=lambda done, total: None, remark=lambda text: None)
    found = search_exact(question, quiet)
    nodes = np.unique(found.best.counted.nodes)
    levels = [question.lattice.levels(int(node)) for node in nodes]
    genomes = [
        np.concatenate(
            [
                np.diff(axis.hierarchy.levels[level].groups) != 0
                for axis, level in zip(question.cube.axes, each, strict=True)
            ]
        )
        for each in levels
    ]
    return np.array(genomes, dtype=np.bool_).reshape(len(genomes), problem.space.length), found.evaluated
