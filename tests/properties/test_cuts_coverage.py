"""Hybrid is never worse than levels: it covers the lattice's frontier under the problem's own rule."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import numpy as np
import pytest

from paretonym.frontier.dominance import as_costs
from paretonym.recoding.cuts.space import Genomes
from paretonym.recoding.suppression import parse_suppression
from paretonym.search.cuts.archive import CutsFound
from paretonym.search.cuts.evaluating import Evaluator
from paretonym.search.cuts.four_problems import PaperProblem
from paretonym.search.cuts.hybrid import search_hybrid
from paretonym.search.cuts.problem import CutsProblem
from paretonym.search.limits import Limits
from paretonym.search.tuning import Tuning
from paretonym.testing.random_tables import bounded, random_table

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
        problem = paper.of(table.study().cube, parse_suppression("0.1").fraction)
        if len(every_node(problem)) <= BUDGET // 4 and problem.space.size > 2 * BUDGET:
            number -= 1
            yield problem


def every_node(problem: CutsProblem) -> Genomes:
    """All nodes of the lattice, one by one."""
    ways = product(*(range(axis.lowest, axis.highest + 1) for axis in problem.cube.axes))
    return np.array([problem.space.at_levels(levels) for levels in ways])


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


def covered(problem: CutsProblem, found: CutsFound) -> bool:
    """Whether nothing on the lattice is better than all that was found, or only different."""
    ours = as_costs(found.front.values, problem.directions)
    nodes = as_costs(Evaluator(problem).evaluate(every_node(problem)).values, problem.directions)
    return all((ours <= vector).all(axis=1).any() for vector in nodes)
