"""Lattices beyond what is proven node by node: what is found is true, and nothing more is claimed."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

import paretonym
from paretonym.base.arrays import Integers
from paretonym.base.budget import Limits
from paretonym.engine.search import exact
from paretonym.engine.search.bounds import MOST_NODES
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import neighbours, search_large
from paretonym.research.exams.search_exam import random_problem

COLUMNS = tuple(f"q{j}" for j in range(11))


@pytest.fixture(scope="module")
def wide() -> paretonym.Study:
    """Eleven columns with five levels each: 48,828,125 nodes."""
    generator = Random(1)
    table = pa.table({name: [str(generator.randrange(16)) for _ in range(60)] for name in COLUMNS})
    entry = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4, 8]}}
    return paretonym.Study(table, {"columns": dict.fromkeys(COLUMNS, entry)})


@pytest.mark.parametrize("objectives", [("k", "loss"), ("k", "loss", "discernibility")])
def test_a_lattice_of_48_million_nodes(wide: paretonym.Study, objectives: tuple[str, ...]) -> None:
    front = wide.explore(*objectives, suppress="10%", time=1, space="lattice")
    assert 5**11 == 48_828_125 > MOST_NODES
    assert len(front) > 3
    for solution in front:
        assert (solution.rival is None) == front.search.complete
        again = wide.realized(solution.recoding).measure(*objectives)
        assert again == pytest.approx({name: solution.values[name] for name in objectives}), solution.id


@pytest.mark.parametrize("seed", range(12))
def test_with_time_for_every_node_it_is_the_exact_frontier(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = random_problem(seed)
    proven = search_exact(problem, Limits(threads=1))
    monkeypatch.setattr(exact, "MOST_NODES", 0)
    large = search_exact(problem, Limits(threads=1))
    assert large.complete
    assert sorted(map(tuple, large.best.values.tolist())) == sorted(map(tuple, proven.best.values.tolist()))


@pytest.mark.parametrize("seed", range(12))
def test_stopped_at_once_it_claims_nothing_that_is_wrong(seed: int) -> None:
    problem = random_problem(seed)
    proven = search_exact(problem, Limits(threads=1))
    early = search_large(problem, Limits(threads=1, seconds=0.0))
    if early.complete:
        pytest.skip("all nodes fit into the first batch")
    signs = [-1.0 if direction == "max" else 1.0 for direction in problem.directions]
    for gap in early.unresolved:
        for row in proven.best.values:
            reached = [
                sign * (value - best) for sign, value, best in zip(signs, row, gap.values, strict=True)
            ]
            assert min(reached) >= -1e-9, "an open node is better than the gap allows"


@pytest.mark.parametrize("seed", range(6))
def test_neighbours_differ_in_one_level(seed: int) -> None:
    problem = random_problem(seed)
    lattice = problem.lattice
    for node in range(0, lattice.size, max(lattice.size // 20, 1)):
        near = {
            other
            for other in range(lattice.size)
            if abs(
                problem.above_lowest(_one(other)).astype(int) - problem.above_lowest(_one(node)).astype(int)
            ).sum()
            == 1
        }
        assert set(neighbours(problem, _one(node)).tolist()) == near


def _one(node: int) -> Integers:
    return np.array([node], dtype=np.int64)


def test_more_nodes_than_can_be_numbered() -> None:
    names = [f"q{j}" for j in range(28)]
    entry = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4, 8]}}
    study = paretonym.Study(
        pa.table({name: ["1", "9"] for name in names}), {"columns": dict.fromkeys(names, entry)}
    )
    with pytest.raises(
        paretonym.InputError, match=r"its 3\.7e\+19 nodes are more than can be numbered; narrow"
    ):
        study.explore(suppress="10%", time=1, space="lattice")
