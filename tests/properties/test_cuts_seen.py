"""`utility-loss` and `query-error` in the space of cuts: what the search says is what is measured anew."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pyarrow
import pytest

from paretonym.base.budget import Limits
from paretonym.engine.frontier.dominance import frontier_places
from paretonym.engine.measures.limit import Limit
from paretonym.engine.measures.objective import Requirement
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.suppression import parse_keep, parse_suppression
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.search.suppression_rule import Rule
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.cuts_space import CUTS, released
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Evaluator
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace
from paretonym.engine.spaces.cuts.hybrid import Hybrid, every_genome, search_hybrid
from paretonym.engine.spaces.exploration import solve
from paretonym.research.exams.random_tables import bounded, random_table
from paretonym.research.papers.methods.nsga2 import Nsga2
from paretonym.study.study import Study

NAMES = ("k", "l-distinct", "utility-loss", "query-error")
RULES = ("0", "0.2", "any:0.3")
SETTINGS = {"utility-loss": {"minsup": 0.1}, "query-error": {"queries": 40.0}}


def drawn_study(seed: int, quasi: tuple[int, int] = (2, 3)) -> Study:
    generator = Random(f"seen {seed}")
    table = random_table(generator, quasi=quasi, rows=(8, 40), sensitive=1 + seed % 2)
    return (bounded(table, generator) if seed % 3 == 0 else table).study()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", CUTS.searches)
def test_what_a_search_says_is_what_is_measured_anew(seed: int, method: str) -> None:
    study = drawn_study(seed)
    problem = CutsProblem.of(study.cube, NAMES, parse_suppression(RULES[seed % 3]), SETTINGS)
    tuning = Tuning(seed=seed, population=6, generations=5)
    found = solve(CUTS, problem, method, Limits(threads=1), tuning).frontier
    for solution in found:
        again = Realized.of(solution.recoding, study.cube).measure(*NAMES, settings=SETTINGS)
        assert again == pytest.approx({name: solution.values[name] for name in NAMES}, rel=5.1e-10, abs=1e-12)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("order", ("k", "l-distinct"), Fraction(3, 10)),
        Rule("order", ("l-distinct", "k"), Fraction(3, 10)),
        Rule("order", ("l-distinct",), Fraction(3, 10)),
        Rule("mean", ("k",)),
        Rule("mean", ("l-distinct",)),
    ],
    ids=str,
)
def test_whatever_the_rule_of_suppression(rule: Rule) -> None:
    gone, tuning = 0, Tuning(evaluations=60)
    for seed in (4, 5, 7, 8, 10):
        like = CutsProblem.of(drawn_study(seed).cube, NAMES, parse_suppression("0"))
        problem = replace(like, rule=rule)
        found = solve(CUTS, problem, "hybrid", Limits(threads=1), tuning).frontier
        for solution in found:
            gone += solution.suppressed
            again = Realized.of(solution.recoding, problem.cube).measure("utility-loss", "query-error")
            known = {name: solution.values[name] for name in again}
            assert again == pytest.approx(known, rel=5.1e-10, abs=1e-12)
    assert gone


@pytest.mark.parametrize("rule", RULES)
def test_hybrid_finds_the_whole_frontier_of_a_small_space(rule: str) -> None:
    seed = 0
    while GenomeSpace.of((study := drawn_study(seed, (2, 2))).cube).size not in range(20, 200):
        seed += 1
    problem = CutsProblem.of(study.cube, ("privacy-loss", "utility-loss"), parse_suppression(rule))
    candidates = Evaluator(problem).evaluate(every_genome(problem.space))
    everything = candidates.values[candidates.shown]
    whole = everything[frontier_places(everything, problem.directions, np.arange(len(everything)))]
    search = Hybrid(problem, Limits(threads=1), 4000, seed, Evaluator(problem))
    search.begin()
    search.improve()
    assert np.array_equal(search.archive.front.values, whole)
    listed = search_hybrid(problem, Limits(threads=1), Tuning(seed=seed))
    assert listed.complete
    assert np.array_equal(listed.front.values, whole)


@pytest.mark.parametrize("seed", range(6))
def test_everything_told_apart_costs_nothing(seed: int) -> None:
    table = random_table(Random(f"apart {seed}"), quasi=(2, 3), rows=(8, 40), sensitive=1)
    problem = CutsProblem.of(table.study().cube, ("k", "utility-loss", "query-error"), parse_suppression("0"))
    values = Evaluator(problem).evaluate(np.ones((1, problem.space.length), dtype=bool)).values
    assert values[0, 1:].tolist() == [0.0, 0.0]


def test_a_seed_fixes_the_result_with_any_number_of_threads() -> None:
    problem = CutsProblem.of(drawn_study(2).cube, NAMES, parse_suppression("any:0.3"))
    tuning = Tuning(seed=3, population=10, generations=4)
    for method in CUTS.searches:
        once, twice = (
            solve(CUTS, problem, method, Limits(threads=threads), tuning).frontier for threads in (1, 2)
        )
        assert once.as_json() == twice.as_json()


def test_a_requirement_may_be_about_it() -> None:
    cube = drawn_study(1).cube
    free = CutsProblem.of(cube, ("k", "loss"), parse_suppression("0.2"))
    bound = replace(
        free, requirements=(Requirement.of(Limit("utility-loss", "at-most", 0.02), cube, SETTINGS),)
    )
    found = search_hybrid(bound, Limits(threads=1), Tuning(evaluations=200))
    assert len(found.front)
    for solution in released(bound, found).solutions:
        anew = Realized.of(solution.recoding, cube).measure("utility-loss", settings=SETTINGS)
        assert anew["utility-loss"] <= 0.02
    longest = search_hybrid(free, Limits(threads=1), Tuning(evaluations=200))
    assert longest.front.values[:, 0].max() > found.front.values[:, 0].max()


@pytest.mark.parametrize("method", CUTS.searches)
def test_a_dear_search_stops_soon_after_its_time(method: str) -> None:
    """Not at the end of a generation: after a few genomes."""
    problem = CutsProblem.of(drawn_study(10).cube, NAMES, parse_suppression("0.2"))
    assert problem.space.size > 1000
    found = CUTS.searches[method].run(problem, Limits(threads=1, seconds=1e-9), Tuning(evaluations=1000))
    assert 0 < found.evaluated <= 8
    assert found.solutions


def test_a_value_without_a_place_stands_for_all_also_among_granules() -> None:
    """Granules of five are shown as the same values that are cut there without granules."""
    cells = {"age": ["10", "11", "12", "20", "x", "31"], "s": list("ababab")}

    def measured(cuts: list[bool], **entry: object) -> dict[str, float]:
        columns = {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}, "unknown": "top", **entry},
            "s": {"role": "sensitive"},
        }
        cube = Study(pyarrow.table(cells), {"missing": "drop", "columns": columns}).cube
        recoding = CutsRecoding.of(GenomeSpace.of(cube), np.array(cuts), parse_keep({"k": ">=1"}))
        return Realized.of(recoding, cube).measure("utility-loss", "query-error")

    assert measured([True] * 3, granularity=5) == measured([False, False, True, True, True])


def test_the_population_of_nsga2_has_the_values_of_its_genomes() -> None:
    """Also where a genome has many candidates and one that was seen before comes again."""
    problem = CutsProblem.of(drawn_study(1).cube, ("k", "loss"), parse_suppression("any:0.3"))
    run = Nsga2(Evaluator(problem), Limits(threads=1), 20, 200, seed=0)
    first = problem.space.random(20, np.random.default_rng(0))
    run.take_in(np.concatenate([first[:5], first]))
    for _ in range(4):
        run.step()
    for genome, values in zip(run.genomes, run.values, strict=True):
        own = Evaluator(problem).evaluate(genome[None]).values
        assert values.tolist() in own.tolist()


def test_problem_4_knows_nothing_of_it() -> None:
    """The four problems name their own objectives: nothing dear is measured there."""
    assert not CutsProblem.of_paper(
        PaperProblem(4), drawn_study(1).cube, parse_suppression("0.1").fraction
    ).from_classes
