"""The trade-offs paper's setting: Adult with nine quasi-identifiers, and our loop beside pymoo's."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import paretonym
from paretonym.base.arrays import Floats
from paretonym.base.budget import Limits
from paretonym.engine.frontier import hypervolume
from paretonym.engine.frontier.dominance import as_costs
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Archive, Evaluator, added, costs_of
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace
from paretonym.engine.spaces.cuts.hybrid import search_hybrid
from paretonym.engine.spaces.cuts.lattice_start import lattice_start
from paretonym.research.papers.methods.nsga2 import Breeding, search_nsga2

POPULATION, GENERATIONS = 40, 25


def adult() -> CutsProblem:
    return CutsProblem.of_paper(PaperProblem(2), paretonym.example("adult-nine").cube, Fraction(1, 10))


def test_the_setting_is_the_papers() -> None:
    cube = paretonym.example("adult-nine").cube
    space = GenomeSpace.of(cube)
    assert (cube.rows, len(space.axes)) == (30_162, 9)
    constrained = {axis.name for axis in space.axes if not axis.axis.cutting.on_line}
    assert constrained == {"workclass", "marital-status", "occupation", "native-country"}
    # "About 100 bits with age in granules of 5".
    assert (space.length, len(space.axes[0])) == (101, 16)
    marital = next(axis for axis in space.axes if axis.axis.name == "marital-status")
    assert marital.axis.hierarchy.leaves == (
        "Divorced", "Widowed", "Separated", "Never-married",
        "Married-spouse-absent", "Married-civ-spouse", "Married-AF-spouse",
    )  # fmt: skip


def by_pymoo(problem: CutsProblem, seed: int) -> npt.NDArray[np.float64]:
    """The same operators in pymoo's NSGA-II, at equal settings; the best of all that it evaluates."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.crossover import Crossover
    from pymoo.core.mutation import Mutation
    from pymoo.core.problem import Problem
    from pymoo.core.sampling import Sampling
    from pymoo.optimize import minimize

    evaluator, breeding, archive = Evaluator(problem), Breeding(problem.space), Archive(problem)
    generator = np.random.default_rng(1000 + seed)

    class Cuts(Problem):  # type: ignore[misc]
        def _evaluate(self, x: Any, out: Any, *args: Any, **kwargs: Any) -> None:
            (candidates, _), *_ = added(archive, evaluator, x.astype(bool))
            out["F"] = as_costs(candidates.values, problem.directions)

    class FromTrees(Sampling):  # type: ignore[misc]
        def _do(self, asked: Any, number: int, **kwargs: Any) -> Any:
            return problem.space.random(number, generator)

    class Crossed(Crossover):  # type: ignore[misc]
        def _do(self, asked: Any, parents: Any, **kwargs: Any) -> Any:
            mothers, fathers = parents.astype(bool)
            children = breeding.children(mothers, fathers, generator)
            return np.stack([children[::2], children[1::2]])

    class Unchanged(Mutation):  # type: ignore[misc]
        def _do(self, asked: Any, x: Any, **kwargs: Any) -> Any:
            # Children are mutated where they are crossed.
            return x

    minimize(
        Cuts(n_var=problem.space.length, n_obj=2, xl=0, xu=1, vtype=bool),
        NSGA2(
            POPULATION,
            sampling=FromTrees(),
            crossover=Crossed(2, 2, prob=1.0),
            mutation=Unchanged(),
            eliminate_duplicates=False,
        ),
        ("n_gen", GENERATIONS + 1),
        seed=seed,
    )
    return archive.front.values


def volume(values: Floats, problem: CutsProblem) -> float:
    """The hypervolume of vectors, as a share of a box that depends on the table alone."""
    directions = problem.directions
    corner = [0.0 if direction == "max" else 1.0 for direction in directions]
    return hypervolume(costs_of(values, problem), ["min"] * len(directions), corner)


@pytest.mark.slow
def test_our_loop_gets_as_far_as_pymoos() -> None:
    """The means over seeds differ by less than three times their standard error."""
    pytest.importorskip("pymoo")
    problem = adult()
    tuning = Tuning(population=POPULATION, generations=GENERATIONS)
    ours, theirs = [], []
    for seed in range(8):
        found = search_nsga2(problem, Limits(threads=1), replace(tuning, seed=seed))
        ours.append(volume(found.front.values, problem))
        theirs.append(volume(by_pymoo(problem, seed), problem))
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / len(ours))
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_hybrid_gets_farther_and_covers_the_lattice(number: int) -> None:
    problem = CutsProblem.of_paper(
        PaperProblem(number), paretonym.example("adult-nine").cube, Fraction(1, 10)
    )
    theirs = search_nsga2(problem, Limits(), Tuning(generations=20))
    ours = search_hybrid(problem, Limits(), Tuning(evaluations=theirs.evaluated))
    assert volume(ours.front.values, problem) > volume(theirs.front.values, problem)
    genomes, _ = lattice_start(problem, Limits())
    found = as_costs(ours.front.values, problem.directions)
    nodes = Evaluator(problem).evaluate(genomes)
    costs = as_costs(nodes.values, problem.directions)
    covered = [bool((found <= vector).all(axis=1).any()) for vector in costs]
    shown = np.flatnonzero(nodes.shown)
    assert len(shown) > 10
    assert all(covered[place] for place in shown)
    # What cuts may not show, they nearly always replace by something as good.
    assert sum(covered) > 0.75 * len(covered)
