"""Boxes and the archive, beside the algorithm as the paper writes it, and the paper's two theorems."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.base.rounding import rounded
from paretonym.engine.frontier.dominance import Archive, Grid
from paretonym.research.exams.search_exam import dominates

Vector = tuple[float, ...]


def most_kept(highest: Sequence[float], sides: Sequence[float]) -> int:
    """The most solutions that an archive can hold if values lie between 0 and `highest`.

    Of boxes that differ in one objective alone, one dominates the other, so there is at most one for each
    choice of the others: Π (floor(K/ε) + 1) over all objectives but the one with the fewest boxes. Theorem 2
    as printed has K/ε instead, which omits the box at the edge: with sides and highest values of 1, (1, ½)
    and (½, 1) are both kept, but the theorem allows only one.
    """
    counts = sorted(
        int(np.floor(rounded(np.array(k / side)))) + 1 for k, side in zip(highest, sides, strict=True)
    )
    return math.prod(counts[1:])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Grid, list[Vector]]:
    """Two to four objectives with few distinct values, so that boxes are shared and vectors come twice."""
    width = draw(st.integers(2, 4))
    directions = draw(st.tuples(*[st.sampled_from(("max", "min"))] * width))
    sides = draw(st.tuples(*[st.sampled_from((0.0, 1.0, 2.0, 2.5))] * width))
    halves = st.integers(0, 12).map(lambda number: number / 2)
    return Grid(directions, sides), draw(st.lists(st.tuples(*[halves] * width), min_size=1, max_size=60))


def box(grid: Grid, vector: Vector) -> Vector:
    return tuple(v // side if side else v for v, side in zip(vector, grid.sides, strict=True))


def box_dominates(grid: Grid, left: Vector, right: Vector) -> bool:
    if box(grid, left) != box(grid, right):
        return dominates(box(grid, left), box(grid, right), grid.directions)
    return dominates(left, right, grid.directions)


def updated(grid: Grid, archive: list[Vector], new: Vector) -> list[Vector]:
    """Algorithm 1, step by step."""
    if not archive:
        return [new]
    archive = [kept for kept in archive if not box_dominates(grid, new, kept)]
    dominated = [kept for kept in archive if box_dominates(grid, kept, new)]
    same = [kept for kept in archive if box(grid, kept) == box(grid, new)]
    return archive if dominated or same else [*archive, new]


@settings(max_examples=120)
@given(cases())
def test_archive_is_algorithm_1(case: tuple[Grid, list[Vector]]) -> None:
    grid, vectors = case
    archive: Archive[int] = Archive(grid)
    expected: list[Vector] = []
    for number, vector in enumerate(vectors):
        before = expected
        expected = updated(grid, expected, vector)
        assert archive.offer(vector, number) == (len(expected) > 0 and expected[-1:] != before[-1:])
        assert archive.values.tolist() == [list(kept) for kept in expected]
        assert [vectors[item] for item in archive.items] == expected
        check_theorems(grid, vectors[: number + 1], archive)


def check_theorems(grid: Grid, offered: list[Vector], archive: Archive[int]) -> None:
    """Theorem 1: nothing offered beats what is kept. Theorem 2, mended: there are not too many."""
    for kept in archive.values.tolist():
        assert not any(dominates(other, kept, grid.directions) for other in offered)
    if all(grid.sides):
        highest = np.array(offered).max(axis=0)
        assert len(archive) <= most_kept(highest.tolist(), grid.sides)


@settings(max_examples=60)
@given(cases())
def test_offered_again_changes_nothing(case: tuple[Grid, list[Vector]]) -> None:
    """So a search need not offer what it has offered before."""
    grid, vectors = case
    archive: Archive[int] = Archive(grid)
    for number, vector in enumerate(vectors):
        archive.offer(vector, number)
        kept = list(archive.items)
        for earlier in range(number + 1):
            assert not archive.offer(vectors[earlier], earlier)
        assert archive.items == kept


@given(cases())
def test_one_stays_in_every_box_that_no_other_beats(case: tuple[Grid, list[Vector]]) -> None:
    grid, vectors = case
    values = np.array(vectors)
    kept = values[grid.thinned(values)]
    assert {tuple(b) for b in grid.boxes(kept).tolist()} == grid.best_boxes(values)
    assert len(kept) == len(grid.best_boxes(values))


def test_theorem_2_as_printed_fails() -> None:
    """The smallest counter-example: two objectives of at most 1, boxes of side 1. It allows for 1/1 = 1."""
    grid = Grid(("max", "max"), (1.0, 1.0))
    archive: Archive[str] = Archive(grid)
    assert archive.offer((1.0, 0.5), "one")
    assert archive.offer((0.5, 1.0), "other")
    printed = max(1.0 / 1.0, 1.0 / 1.0)
    assert len(archive) == 2 > printed
    assert most_kept((1, 1), (1, 1)) == 2


def test_the_mended_bound_is_reached() -> None:
    """With two objectives it is exact."""
    grid = Grid(("max", "max"), (1.0, 1.0))
    values = np.array([[x, 4.0 - x] for x in range(5)])
    assert len(grid.thinned(values)) == 5 == most_kept((4, 4), (1, 1))


def test_boxes_of_decimals() -> None:
    """0.3 / 0.1 is 2.9999999999999996 in binary; the box is 3."""
    assert Grid(("min",), (0.1,)).boxes(np.array([[0.3], [0.29], [0.7]])).tolist() == [[3], [2], [7]]


def test_infinite_values_have_a_box() -> None:
    grid = Grid(("max", "min"), (5.0, 0.0))
    assert grid.boxes(np.array([[np.inf, np.inf]])).tolist() == [[-np.inf, np.inf]]


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        ({"gl": 1.0}, "box: 'gl' is not an objective of this run; known: k, loss"),
        ({"k": 0.0}, "box: the side of 'k' is not above 0; use, for example, k=5"),
        ({"k": np.inf}, "box: the side of 'k' is not above 0; use, for example, k=5"),
    ],
)
def test_refused(sides: dict[str, float], said: str) -> None:
    with pytest.raises(InputError) as caught:
        Grid.of(("k", "loss"), ("max", "min"), sides)
    assert str(caught.value) == said
