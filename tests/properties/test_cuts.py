"""Cuts of random tables: every genome valid, counts as the plain twin's, frontiers as if all were listed."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.budget import Limits
from paretonym.engine.counts import Cube
from paretonym.engine.frontier.dominance import frontier_places
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.cuts_space import CUTS, keep
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_classes import candidates_of
from paretonym.engine.spaces.cuts.genome_evaluation import Archive, Evaluator, without_hidden_cuts
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace
from paretonym.engine.spaces.cuts.hybrid import Hybrid, Moves, every_genome, search_hybrid
from paretonym.engine.spaces.cuts.lattice_start import lattice_start
from paretonym.engine.spaces.exploration import solve
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.research.papers.methods.nsga2 import Breeding
from tests.strategies import seeds, tables

ASKED = tuple(
    name
    for name, card in MEASURES.items()
    if name not in ("precision-loss", "t-ordered") and card.counted.from_classes is None
)
PAPERS = [PaperProblem(n, prefer) for n in (1, 2, 3, 4) for prefer in ("k", "l")] + [
    PaperProblem(4, sound=True),
    *(PaperProblem(4, prefer, floor=True) for prefer in ("k", "l")),
]


def drawn(**further: Any) -> st.SearchStrategy[RandomTable]:
    return tables(rows=(1, 60), sensitive=1, labelled=True, **further)


def cube_of(seed: int) -> Cube:
    return random_table(Random(f"cuts {seed}"), rows=(1, 60), sensitive=1, labelled=True).study().cube


@settings(max_examples=25)
@given(drawn(), seeds)
def test_every_genome_ever_produced_is_valid(table: RandomTable, seed: int) -> None:
    cube, generator = table.study().cube, np.random.default_rng(seed)
    problem = CutsProblem.of(cube, ("k", "loss"), parse_suppression("0.2"))
    space = problem.space
    genomes = space.random(20, generator)
    assert all(map(space.valid, genomes))
    moves, breeding = Moves(space), Breeding(space, mutation=0.3)
    for _ in range(5):
        children = breeding.children(genomes[::2], genomes[1::2], generator)
        assert all(map(space.valid, children))
        genomes = children
        if len(moves):
            genomes = moves.moved(genomes, generator.integers(0, len(moves), len(genomes)))
            assert all(map(space.valid, moves.neighbours(genomes[0])))
    assert all(map(space.valid, lattice_start(problem, Limits(threads=1))[0]))
    search = Hybrid(problem, Limits(threads=1), 300, seed, Evaluator(problem))
    search.begin()
    # A space of one genome is enumerated, and has no children.
    assert len(moves) == 0 or all(map(space.valid, search.children(50)))


@settings(max_examples=25)
@given(drawn(quasi=(1, 2)))
def test_all_genomes_are_listed_once(table: RandomTable) -> None:
    space = GenomeSpace.of(table.study().cube)
    if space.size > 5000:
        return
    genomes = every_genome(space)
    assert len(genomes) == space.size == len({genome.tobytes() for genome in genomes})
    assert all(map(space.valid, genomes))


def problem_of(cube: Cube, generator: Random) -> CutsProblem:
    """Any measures under any rule."""
    if generator.random() < 1 / 3:
        return CutsProblem.of_paper(generator.choice(PAPERS), cube, parse_suppression("0.2").fraction)
    rule = generator.choice(["0", "0.1", "0.3", "any:0.1", "any:0.3"])
    classwise = [name for name in ASKED if MEASURES[name].algebra.classwise]
    names = dict.fromkeys([generator.choice(classwise), *generator.sample(ASKED, 4)])
    return CutsProblem.of(cube, tuple(names), parse_suppression(rule))


@st.composite
def problems(draw: st.DrawFn) -> CutsProblem:
    return problem_of(draw(drawn()).study().cube, Random(draw(seeds)))


@settings(max_examples=45)
@given(problems(), seeds)
def test_compiled_counts_are_those_of_the_plain_twin(problem: CutsProblem, seed: int) -> None:
    genomes = problem.space.random(6, np.random.default_rng(seed))
    for genome in genomes:
        tables = Evaluator(problem).evaluate(genome[None]).table, candidates_of(problem, genome)
        fast, slow = (sorted(map(tuple, table.tolist())) for table in tables)
        np.testing.assert_allclose(fast, slow, rtol=1e-9)
        assert [row[-3:] for row in fast] == [row[-3:] for row in slow]


@settings(max_examples=30)
@given(problems(), seeds)
def test_a_solution_is_what_its_recoding_makes_of_the_table(problem: CutsProblem, seed: int) -> None:
    candidates = Evaluator(problem).evaluate(problem.space.random(4, np.random.default_rng(seed)))
    names = [measure.name for measure in problem.measured]
    for i, genome in enumerate(candidates.genomes[:20]):
        if not candidates.shown[i]:
            repaired = without_hidden_cuts(problem, candidates, i)
            assert problem.space.valid(repaired)
            assert repaired.sum() < genome.sum()
            continue
        values = dict(zip(names, candidates.measures[i].tolist(), strict=True))
        rule = keep(problem, genome, values)
        recoding = CutsRecoding.of(problem.space, genome, rule)
        realized = Realized.of(recoding, problem.cube)
        known = {name: value for name, value in values.items() if name in MEASURES}
        assert realized.suppressed == candidates.suppressed[i]
        assert realized.measure(*known) == pytest.approx(known, rel=1e-9, abs=1e-12)


def tiny_problem(seed: int) -> CutsProblem:
    """Few enough genomes to list them all."""
    generator = Random(f"tiny {seed}")
    while True:
        cube = random_table(generator, quasi=(2, 2), rows=(20, 60), sensitive=1).study().cube
        problem = CutsProblem.of_paper(generator.choice(PAPERS), cube, parse_suppression("0.1").fraction)
        if 20 < problem.space.size < 3000:
            return problem


@pytest.mark.parametrize("seed", range(12))
def test_hybrid_finds_the_whole_frontier_of_a_small_space(seed: int) -> None:
    problem = tiny_problem(seed)
    candidates = Evaluator(problem).evaluate(every_genome(problem.space))
    everything = candidates.values[candidates.shown]
    whole = everything[frontier_places(everything, problem.directions, np.arange(len(everything)))]
    # By search alone, and as a person would get it, where all are listed and the frontier is proven.
    search = Hybrid(problem, Limits(threads=1), 20_000, seed, Evaluator(problem))
    search.begin()
    search.improve()
    listed = search_hybrid(problem, Limits(threads=1), Tuning(seed=seed))
    assert np.array_equal(search.archive.front.values, whole)
    assert np.array_equal(listed.front.values, whole)
    assert listed.complete
    assert not search.found().complete


@pytest.mark.parametrize("method", CUTS.searches)
@pytest.mark.parametrize("seed", range(3))
def test_a_seed_fixes_the_result_with_any_number_of_threads(method: str, seed: int) -> None:
    problem = problem_of(cube_of(seed), Random(f"rule {seed}"))
    options = Tuning(seed=seed, population=20, generations=10)
    once, twice = (
        solve(CUTS, problem, method, Limits(threads=threads), options).frontier for threads in (1, 2)
    )
    assert once.as_json() == twice.as_json()


def test_a_requirement_keeps_out_what_misses_it() -> None:
    from paretonym.engine.measures.limit import Limit
    from paretonym.engine.measures.objective import Requirement

    cube = cube_of(1)
    problem = CutsProblem.of(cube, ("k", "loss"), parse_suppression("0.1"))
    bounded_problem = replace(problem, requirements=(Requirement.of(Limit("k", "at-least", 3.0), cube),))
    archive, whole = Archive(bounded_problem), Archive(problem)
    genomes = problem.space.random(50, np.random.default_rng(0))
    archive.add(Evaluator(bounded_problem).evaluate(genomes))
    whole.add(Evaluator(problem).evaluate(genomes))
    assert archive.front.values[:, 0].min() >= 3
    assert whole.front.values[:, 0].min() < 3
