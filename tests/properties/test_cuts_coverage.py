"""Hybrid covers the lattice's frontier under the problem's own rule: everything on it that cuts may show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from paretonym.base.budget import Limits
from paretonym.engine.frontier import Solution
from paretonym.engine.frontier.dominance import as_costs, frontier_places
from paretonym.engine.measures.limit import Limit
from paretonym.engine.measures.objective import Requirement
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.cuts import hybrid
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_evaluation import CutsFound, Evaluator
from paretonym.engine.spaces.cuts.genome_space import Genomes, GenomeSpace
from paretonym.engine.spaces.cuts.hybrid import Hybrid, search_hybrid
from paretonym.engine.spaces.cuts.lattice_start import lattice_start
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import bounded, random_table
from paretonym.study.study import Study
from tests.naive.genomes import genome_of

PAPERS = [PaperProblem(n, prefer) for n in (1, 2, 3, 4) for prefer in ("k", "l")] + [
    PaperProblem(4, sound=True),
    *(PaperProblem(4, prefer, floor=True) for prefer in ("k", "l")),
]
BUDGET = 1200


def problems(paper: PaperProblem, number: int) -> Iterator[CutsProblem]:
    """The paper's question to tables with few nodes and more cuts than the budget allows."""
    generator = Random(f"coverage {paper}")
    while number:
        table = random_table(generator, quasi=(3, 4), rows=(30, 80), sensitive=1)
        if generator.random() < 0.3:
            table = bounded(table, generator)
        problem = CutsProblem.of_paper(paper, table.study().cube, parse_suppression("0.1").fraction)
        if len(every_node(problem)) <= BUDGET // 4 and problem.space.size > 2 * BUDGET:
            number -= 1
            yield problem


def every_node(problem: CutsProblem) -> Genomes:
    """All nodes of the lattice, one by one."""
    ways = product(*(range(axis.lowest, axis.highest + 1) for axis in problem.cube.axes))
    return np.array([genome_of(problem.space, levels) for levels in ways])


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_no_node_of_the_lattice_beats_what_hybrid_finds(paper: PaperProblem) -> None:
    for seed, problem in enumerate(problems(paper, 4)):
        found = search_hybrid(problem, Limits(threads=1), Tuning(seed=seed, evaluations=BUDGET))
        assert not found.complete
        assert covered(problem, found)


@pytest.mark.parametrize("paper", [PaperProblem(1), PaperProblem(2), PaperProblem(4, sound=True)], ids=str)
def test_not_even_where_the_budget_is_spent_on_the_lattice(paper: PaperProblem) -> None:
    """What the lattice's own search can answer is found at any price."""
    for seed, problem in enumerate(problems(paper, 3)):
        assert covered(problem, search_hybrid(problem, Limits(threads=1), Tuning(seed=seed, evaluations=1)))


@pytest.mark.parametrize(("paper", "budget"), [(PaperProblem(2), 1), (PaperProblem(3), BUDGET)], ids=str)
def test_nor_where_solutions_must_have_something(paper: PaperProblem, budget: int) -> None:
    """Of the nodes those that lose few enough rows: the best of all nodes may lose more."""
    left_out = 0
    for seed, problem in enumerate(problems(paper, 6)):
        asked = replace(problem, requirements=(Requirement.of(Limit("sl", "at-most", 0.05), problem.cube),))
        found = search_hybrid(asked, Limits(threads=1), Tuning(seed=seed, evaluations=budget))
        nodes = Evaluator(asked).evaluate(every_node(asked))
        met = nodes.admissible
        left_out += (~met).sum()
        ours = as_costs(found.front.values, asked.directions)
        for vector in as_costs(nodes.values[met], asked.directions):
            assert (ours <= vector).all(axis=1).any(), seed
    assert left_out


def test_what_the_lattice_gives_is_kept_even_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it, though it comes in many portions and the clock is looked at between them."""
    monkeypatch.setattr(hybrid, "_BATCH", 2)
    monkeypatch.setattr(
        hybrid, "lattice_start", lambda problem, *_: lattice_start(problem, Limits(threads=1))
    )
    for problem in problems(PaperProblem(2), 3):
        search = Hybrid(problem, Limits(threads=1, seconds=1e-9), BUDGET, 0, Evaluator(problem))
        search.begin()
        search.improve()
        assert covered(problem, search.found())


def covered(problem: CutsProblem, found: CutsFound) -> bool:
    """Whether nothing on the lattice's frontier that cuts may show is better than all that was found, or only
    different."""
    ours = as_costs(found.front.values, problem.directions)
    candidates = Evaluator(problem).evaluate(every_node(problem))
    best = frontier_places(candidates.values, problem.directions, np.arange(len(candidates.values)))
    nodes = as_costs(candidates.values, problem.directions)[[i for i in best if candidates.shown[i]]]
    return all((ours <= vector).all(axis=1).any() for vector in nodes)


def shown_by_cuts(study: Study, node: Solution) -> bool:
    """Whether cuts between the sets of a node can be shown, and are as fine: what stays decides where."""
    assert isinstance(node.recoding, LatticeRecoding)
    levels, space = dict(node.recoding.levels), GenomeSpace.of(study.cube)
    genome = genome_of(space, [levels[axis.name] for axis in study.cube.axes])
    recoding = CutsRecoding.of(space, genome, node.recoding.keep)
    if recoding.hidden(study.cube).any():
        return False
    return Realized.of(recoding, study.cube).measure("loss")["loss"] <= node.values["loss"]


@pytest.mark.parametrize("part", range(10))
def test_cuts_are_never_worse_than_levels_that_they_may_show(part: int) -> None:
    """As a person would compare them, over 300 tables without granules."""
    compared = left_out = 0
    for seed in range(30):
        generator = Random(f"never worse {part} {seed}")
        table = random_table(generator, quasi=(1, 3), rows=(5, 60), sensitive=1)
        suppress = generator.choice(["0", "0.1", "any:0.2"])
        study = (bounded(table, generator) if generator.random() < 0.3 else table).study()
        levels = study.explore("k", "loss", suppress=suppress, threads=1, space="lattice")
        cuts = study.explore("k", "loss", suppress=suppress, space="cuts", evaluations=100, threads=1)
        for node in levels:
            k, loss = node.values["k"], node.values["loss"]
            if not shown_by_cuts(study, node):
                assert suppress != "0"
                left_out += 1
                continue
            compared += 1
            assert any(cut.values["k"] >= k and cut.values["loss"] <= loss for cut in cuts), seed
    # Names do not tell of values that go: some are coarser than at the level.
    assert compared > 5 * left_out
