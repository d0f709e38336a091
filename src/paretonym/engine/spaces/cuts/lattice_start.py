"""Where a search over cuts begins: the lattice's proven frontier, which lies in the space of cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from paretonym.base.budget import Limits
from paretonym.base.factorize import group_sums, summed
from paretonym.engine.counts import Axis, Cube, Margin
from paretonym.engine.measures import CLASS_SIZE, SUPPRESSION
from paretonym.engine.recoding import Atoms, Suppression
from paretonym.engine.search import Problem, search_exact
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_space import Genomes, GenomeSpace
from paretonym.tables.schema.hierarchies import Hierarchy, Level

# A larger lattice is not proven before the search begins.
MOST_NODES = 200_000
# At most this share of a budget is spent on a lattice of which every node must be evaluated, and at most this
# many nodes if each is expensive.
SHARE = 4
MOST_DEAR = 1000


def lattice_problem(problem: CutsProblem) -> Problem:
    """This question put to the lattice if the lattice has its rule; otherwise an approximation."""
    cube = atoms_cube(problem.cube, problem.space)
    rule = problem.rule
    suppression = Suppression("limit" if _by_size(problem) else "any", rule.fraction)
    # If nothing may be suppressed, objectives about suppression are constant; with fewer objectives, more is
    # pruned.
    left_out = () if suppression.fraction else (SUPPRESSION,)
    names = tuple(o.name for o in problem.lattice_objectives if o.name not in left_out)
    # For an approximation, a bound could exclude what the problem's own rule admits.
    bounds = problem.requirements if same_question(problem) else ()
    settings = {} if problem.from_classes else problem.settings
    return Problem.of(cube, names, suppression, settings, bounds)


def _by_size(problem: CutsProblem) -> bool:
    rule = problem.rule
    return rule.kind == "mean" or (rule.kind == "order" and (rule.keys == (CLASS_SIZE,) or not rule.fraction))


def same_question(problem: CutsProblem) -> bool:
    """True if the question to the lattice is exactly the same: with a rule and measures that its search
    has."""
    known_rule = problem.rule.kind == "any" or (problem.rule.kind == "order" and _by_size(problem))
    return known_rule and problem.lattice_objectives == problem.objectives and not problem.from_classes


def lattice_start(problem: CutsProblem, limits: Limits, budget: int | None = None) -> tuple[Genomes, int]:
    """Genomes that cover the lattice's frontier, and how many other nodes were evaluated to find them.

    If the lattice can answer only an approximation, these are all its nodes if a `budget` of evaluations has
    room for them; otherwise those on the frontier of the approximation.
    """
    question = lattice_problem(problem)
    size = question.lattice.size
    if not same_question(problem) and size <= _affordable(problem, budget):
        return _genomes(question, np.arange(size)), 0
    if size > MOST_NODES:
        limits.remark("The lattice is too large to be searched first: the search starts with random cuts.")
        return np.empty((0, problem.space.length), dtype=np.bool_), 0
    # Its nodes are counted faster than cuts: they are no basis for an estimate.
    quiet = replace(limits, progress=lambda done, total: None, remark=lambda text: None, _first=[])
    if limits.evaluations is not None and budget is not None:
        quiet = replace(quiet, evaluations=budget * (SHARE - 1) // SHARE)
    result = search_exact(question, quiet)
    nodes = np.unique(result.best.counted.nodes)
    return _genomes(question, nodes), result.evaluated - len(nodes)


def _affordable(problem: CutsProblem, budget: int | None) -> int:
    """The largest number of nodes that may all be evaluated."""
    share = (budget or 0) // SHARE
    return min(share, MOST_DEAR) if problem.from_classes else share


def _genomes(question: Problem, nodes: npt.NDArray[np.integer]) -> Genomes:
    """The cuts of nodes."""
    levels = question.lattice.level_table(nodes.astype(np.int64))
    cuts = [
        np.array([np.diff(level.groups) != 0 for level in axis.hierarchy.levels], dtype=np.bool_)
        for axis in question.cube.axes
    ]
    return np.concatenate([cuts_of_axis[levels[:, j]] for j, cuts_of_axis in enumerate(cuts)], axis=1)


def atoms_cube(cube: Cube, space: GenomeSpace) -> Cube:
    """The cube with atoms as leaves, without levels finer than the atoms."""
    atoms, counts, merged = space.tuples(cube)
    return replace(
        cube,
        axes=tuple(_axis(axis) for axis in space.axes),
        groups=atoms,
        counts=counts,
        margins={
            **cube.margins,
            "sensitive": tuple(_margin(margin, merged) for margin in cube.sensitive),
            "class": tuple(_margin(margin, merged) for margin in cube.classes),
            "person": () if cube.persons is None else (cube.persons.merged(merged),),
        },
    )


def _axis(cut: Atoms) -> Axis:
    numbers = np.arange(len(cut), dtype=np.int32)
    names = tuple(map(str, numbers.tolist()))
    levels, highest = [Level(numbers, names, _sizes(cut, numbers))], 0
    for place in range(cut.axis.lowest, cut.axis.hierarchy.height + 1):
        level = cut.axis.hierarchy.levels[place]
        groups = level.groups[cut.edges[:-1]]
        coarse = np.array_equal(groups, level.groups[cut.edges[1:] - 1])
        if coarse and len(level.labels) < len(levels[-1].labels):
            levels.append(Level(groups, level.labels, _sizes(cut, groups)))
        if place <= cut.axis.highest:
            highest = len(levels) - 1
    hierarchy = Hierarchy(names, tuple(levels), cut.domain, cut.axis.hierarchy.origin)
    # Granules are leaves now.
    cutting = replace(cut.axis.cutting, granules=None)
    return Axis(cut.name, hierarchy, 0, highest, cut.axis.importance, cut.rows, cutting)


def _sizes(cut: Atoms, groups: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    sizes = group_sums(groups, cut.sizes)
    return np.where(sizes == 0, cut.domain, sizes)


def _margin(margin: Margin, merged: npt.NDArray[np.int64]) -> Margin:
    width = len(margin.labels)
    cells, counts = summed(merged[margin.tuples] * width + margin.values, margin.counts)
    return replace(
        margin,
        tuples=cells // width,
        values=(cells % width).astype(np.int32),
        counts=counts,
        holders=None if margin.holders is None else margin.holders.merged(merged),
    )
