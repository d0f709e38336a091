"""Dominance, with ties and infinities, and indicators in closed form."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.engine.frontier.dominance import finite, frontier_places, hypervolume
from paretonym.research.exams.search_exam import dominates

DIRECTIONS = {1: ["max"], 2: ["max", "min"], 3: ["min", "max", "min"], 4: ["min", "min", "max", "max"]}
INFINITE = [0.0, 1.0, 2.0, np.inf, -np.inf]


def plain(values: np.ndarray, directions: list[str], ranks: np.ndarray) -> list[int]:
    """Every pair compared; of equals the one of least rank."""
    rows = values.tolist()
    kept = []
    for i, row in enumerate(rows):
        beaten = any(dominates(other, row, directions) for other in rows)
        first = min((j for j, other in enumerate(rows) if other == row), key=lambda j: ranks[j])
        if not beaten and first == i:
            kept.append(i)
    return kept


@pytest.mark.parametrize("pool", [[0.0, 1.0, 2.0, 3.0], INFINITE], ids=["ties", "infinities"])
@pytest.mark.parametrize("objectives", DIRECTIONS)
@settings(max_examples=25)
@given(data=st.data())
def test_frontier_places(data: st.DataObject, objectives: int, pool: list[float]) -> None:
    directions = DIRECTIONS[objectives]
    vectors = st.tuples(*[st.sampled_from(pool)] * objectives)
    values = np.array(data.draw(st.lists(vectors, min_size=1, max_size=30)))
    ranks = np.array(data.draw(st.permutations(range(len(values)))))
    places = frontier_places(values, directions, ranks)
    assert sorted(places.tolist()) == plain(values, directions, ranks)
    jumbled = np.array(data.draw(st.permutations(range(len(values)))))
    again = frontier_places(values[jumbled], directions, ranks[jumbled])
    assert jumbled[again].tolist() == places.tolist()


def test_ordered_by_the_first_objective_best_first() -> None:
    values = np.array([[1.0, 0.1], [7.0, 0.9], [3.0, 0.2]])
    assert frontier_places(values, ["max", "min"], np.arange(3)).tolist() == [1, 2, 0]
    assert frontier_places(values, ["min", "max"], np.arange(3)).tolist() == [0, 2, 1]


def test_nothing_in_nothing_out() -> None:
    assert frontier_places(np.empty((0, 2)), ["max", "min"], np.empty(0, dtype=np.int64)).tolist() == []


@pytest.mark.parametrize(("left", "right"), list(product([(1, 2), (2, 1), (2, 2), (1, 1)], repeat=2)))
def test_dominates(left: tuple[int, int], right: tuple[int, int]) -> None:
    better = left[0] >= right[0] and left[1] <= right[1] and left != right
    assert dominates(left, right, ["max", "min"]) == better


def test_infinite_entries_keep_their_order() -> None:
    costs = np.array([[np.inf, 1e300], [5.0, -np.inf], [-np.inf, 0.0]])
    replaced = finite(costs)
    assert np.isfinite(replaced).all()
    assert np.argsort(replaced, axis=0).tolist() == np.argsort(costs, axis=0).tolist()


def test_hypervolume() -> None:
    """Two steps: 4 × 0.25 and, above it, 2 × 0.25."""
    values = np.array([[4.0, 0.75], [2.0, 0.5]])
    assert hypervolume(values, ["max", "min"], [0.0, 1.0]) == pytest.approx(1.5)
    with_infinite = np.array([[4.0, 0.75], [2.0, 0.5], [np.inf, 0.9]])
    assert hypervolume(with_infinite, ["max", "min"], [0.0, 1.0]) == pytest.approx(1.5)
