"""No cuts are below their proven bound: compared with all cuts of small random tables, for every k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paretonym.base.budget import Limits
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.cuts import cut_relaxation
from paretonym.engine.spaces.cuts.cut_relaxation import Boxes, CutRelaxation
from paretonym.engine.spaces.cuts.cuts_bound import CutsBound, closures, is_bounded, sizes_for
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Archive, Evaluator, added
from paretonym.engine.spaces.cuts.genome_space import Genomes
from paretonym.engine.spaces.cuts.hybrid import every_genome, search_hybrid
from paretonym.research.exams.random_tables import bounded, random_table
from paretonym.study.study import Study
from tests.naive.cut_relaxation import plain_bounds

RULES = ("0", "0.05", "0.1", "0.3", "0.5", "any:0.1", "any:0.3")
MOST_GENOMES = 800


@cache
def problem_of(seed: int) -> CutsProblem:
    """A question about k and loss to a small random table, some of them with bounds on their levels."""
    generator = Random(f"gap {seed}")
    table = random_table(generator, rows=(1, 50), quasi=(1, 4))
    table = bounded(table, generator) if generator.random() < 0.3 else table
    return CutsProblem.of(table.study().cube, ("k", "loss"), parse_suppression(generator.choice(RULES)))


# Hierarchies of numbers: boundaries made of values, of the schema, and of granules.
FLAT: dict[str, Any] = {"hierarchy": {"flat": True}}
LINES: tuple[dict[str, Any], ...] = (
    FLAT,
    FLAT,
    {"hierarchy": {"intervals": [2, 4]}},
    {"hierarchy": {"breaks": [[3, 9], [9]]}},
    FLAT | {"granularity": 2},
    {"hierarchy": {"intervals": [3, 9]}, "levels": [1, 2]},
)


@cache
def lined_problem(seed: int) -> CutsProblem:
    """A question to a table of numbers or dates with rare values, of which many are suppressed: most cuts
    make a boundary that not all releases may show."""
    generator = Random(f"line {seed}")
    rows, line = generator.randint(6, 60), generator.choice(LINES)
    values = generator.sample(range(15), generator.randint(2, 7))
    weights = [generator.choice((1, 1, 3, 10)) for _ in values]
    age = generator.choices([*values, None], [*weights, generator.choice((0, 0, 1))], k=rows)
    columns: dict[str, Any] = {"age": {"role": "quasi", "type": "integer", **line}}
    table: dict[str, list[Any]] = {"age": age}
    if line == FLAT and generator.random() < 0.3:
        table["age"] = [None if day is None else date(2020, 1, 1 + 2 * day) for day in age]
        columns["age"] = {"role": "quasi", "type": "date", **FLAT}
    for name in ("town", "job")[: generator.randint(0, 2)]:
        table[name] = generator.choices("abc", [6, 3, 1], k=rows)
        columns[name] = {"role": "quasi", "order": ["a", "b", "c"]}
    cube = Study(pa.table(table), {"missing": "value", "columns": columns}).cube
    return CutsProblem.of(cube, ("k", "loss"), parse_suppression(generator.choice(RULES)))


def small(seeds: range, problem: Callable[[int], CutsProblem] = problem_of) -> list[int]:
    """The seeds of tables with few enough cuts to list them all."""
    return [seed for seed in seeds if 2 < problem(seed).space.size <= MOST_GENOMES]


def archive_of(problem: CutsProblem, genomes: Genomes) -> tuple[Archive, Evaluator]:
    archive, evaluator = Archive(problem), Evaluator(problem)
    for _ in added(archive, evaluator, genomes):
        pass
    return archive, evaluator


@pytest.mark.parametrize("of", [problem_of, lined_problem])
def test_no_cuts_lose_less_than_their_bound_and_a_closed_walk_has_found_all(
    of: Callable[[int], CutsProblem],
) -> None:
    checked = closed = 0
    for seed in small(range(120), of):
        problem = of(seed)
        truth = archive_of(problem, every_genome(problem.space))[0].front.values
        archive, evaluator = archive_of(problem, problem.space.ends)
        if len(archive.front) == 0:
            continue
        bound = CutsBound(problem, archive, evaluator, Limits(1), None)
        for boxes in (1, 8, 60):
            bound.walk(boxes)
            for k, least in bound.proven().steps:
                assert least <= truth[truth[:, 0] >= k, 1].min(initial=np.inf), (seed, boxes, k)
                checked += 1
        bound.walk(None)
        proven, found = bound.proven(), archive.front.values
        assert all(least <= truth[truth[:, 0] >= k, 1].min(initial=np.inf) for k, least in proven.steps), seed
        if proven.complete:
            closed += 1
            assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, truth.tolist())), seed
            for k, loss in found:
                assert least_at(proven.steps, k) == loss
    assert checked > 300
    assert closed > 20


def least_at(steps: tuple[tuple[int, float], ...], k: float) -> float:
    return max(least for step, least in steps if step <= k)


def test_sizes_are_those_found_and_the_next_ones() -> None:
    assert sizes_for(np.array([4.0, 9.0]), 9).tolist() == [1, 2, 4, 5, 9]
    many = sizes_for(np.arange(1.0, 1000.0), 5000)
    assert len(many) <= 192
    assert many[0] == 1


def test_a_cut_takes_along_what_it_needs() -> None:
    """Between two valid genomes, a cut with all that it needs is valid, and so is leaving out all that needs
    it."""
    for seed in range(40):
        problem = problem_of(seed)
        needed, dependent = closures(problem.space)
        coarsest, finest = problem.space.ends
        for gap in range(problem.space.length):
            assert problem.space.valid(coarsest | needed[gap])
            if not coarsest[gap]:
                assert problem.space.valid(finest & ~dependent[gap])


def boxes_of(problem: CutsProblem, sizes: int, seed: int) -> Boxes:
    drawn = problem.space.random(8, np.random.default_rng(seed))
    forced, allowed = drawn[:4] & drawn[4:], drawn[:4] | drawn[4:]
    forced[0], allowed[0] = problem.space.ends
    valid = [problem.space.valid(f) and problem.space.valid(a) for f, a in zip(forced, allowed, strict=True)]
    number = sum(valid)
    return Boxes(
        np.ascontiguousarray(forced[valid]),
        np.ascontiguousarray(allowed[valid]),
        np.zeros(number, dtype=np.int64),
        np.full(number, sizes, dtype=np.int64),
        np.zeros((number, sizes)),
    )


@pytest.mark.parametrize("runs", [1 << 24, 80])
@pytest.mark.parametrize("of", [problem_of, lined_problem])
def test_compiled_and_plain_bounds_are_the_same(
    of: Callable[[int], CutsProblem], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut_relaxation, "MOST_RUNS", runs)
    for seed in range(0, 60, 2):
        problem = of(seed)
        if problem.space.length == 0:
            continue
        sizes = np.unique(np.array([1, 2, 3, 5, problem.cube.rows], dtype=np.int64))
        relaxation = CutRelaxation.of(problem, sizes)
        boxes = boxes_of(problem, len(sizes), seed)
        for share in (2.0, 0.4):
            known = np.full(len(sizes), share * relaxation.whole)
            least, gaps, genomes = relaxation(boxes, known)
            places = relaxation.most_places
            plain = plain_bounds(relaxation.table, sizes, problem.suppressible, places, boxes, known)
            np.testing.assert_allclose(least, plain[0], rtol=1e-12)
            assert gaps.tolist() == plain[1].tolist(), seed
            assert (genomes == plain[2]).all(), seed


def test_boundaries_that_may_not_be_shown_raise_bounds() -> None:
    """Beside the bounds for the same tables if every boundary might be shown. A single bound may be a little
    lower: other multipliers are tried."""
    raised = 0
    for seed in range(60):
        problem = lined_problem(seed)
        sizes = np.unique(np.array([2, 3, 5, 8, problem.cube.rows], dtype=np.int64))
        ruled = CutRelaxation.of(problem, sizes)
        free = replace(ruled, table=ruled.table.replaced(boundary=np.full_like(ruled.table.boundary, -1)))
        boxes, known = boxes_of(problem, len(sizes), seed), np.full(len(sizes), 2.0 * ruled.whole)
        with_rule, without = ruled(boxes, known).least, free(boxes, known).least
        raised += bool((with_rule > 1.05 * without).any())
    assert raised > 20


def test_threads_change_nothing() -> None:
    problem = problem_of(next(seed for seed in range(500) if problem_of(seed).space.size > 30_000))
    found = [search_hybrid(problem, Limits(threads), Tuning(evaluations=2000)) for threads in (1, 3)]
    assert found[0].least_losses == found[1].least_losses
    assert (found[0].values == found[1].values).all()
    assert found[0].complete or found[0].least_losses


def test_a_stopped_search_has_a_bound_too() -> None:
    problem = problem_of(next(seed for seed in range(500) if problem_of(seed).space.size > 30_000))
    found = search_hybrid(problem, Limits(1, seconds=1e-6))
    assert found.complete or found.least_losses


def test_only_k_and_loss_are_bounded() -> None:
    cube = problem_of(0).cube
    limit, every = parse_suppression("0.05"), parse_suppression("any:0.1")
    assert is_bounded(CutsProblem.of(cube, ("loss", "k"), limit))
    assert is_bounded(CutsProblem.of(cube, ("k", "loss"), every))
    assert not is_bounded(CutsProblem.of(cube, ("k", "gl"), limit))
    assert not is_bounded(CutsProblem.of(cube, ("k", "loss", "sl"), limit))
