"""Property vectors: their indices are the measures, and the spread index orders releases as the sum does."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.arrays import Integers
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.research.exams.random_tables import RandomTable
from tests.strategies import tables


def class_sizes(realized: Realized) -> Integers:
    """For each row the size of its class. Its worst case is `k`, its sum `spread-k`."""
    classes = realized.classes
    sizes = np.where(realized.stays, classes.rows, 0)
    return np.repeat(sizes[classes.of_tuple], realized.cube.counts)


def value_counts(realized: Realized) -> Integers:
    """For each row how often its sensitive value occurs in its class. Its sum is `spread-l`."""
    margin, classes = realized.cube.sensitive[0], realized.classes
    cells = margin.cells(classes.of_tuple, len(classes)) * realized.stays[:, None]
    return np.repeat(cells[classes.of_tuple[margin.tuples], margin.values], margin.counts)


def worst_case(vector: Integers) -> int:
    """The least value of a row that stays: the index of k-anonymity and its kin.

    >>> worst_case(np.array([3, 3, 3, 0, 2, 2]))
    2
    """
    return int(vector[vector > 0].min())


def total(vector: Integers) -> int:
    """The sum over all rows; it orders releases as `spread` does."""
    return int(vector.sum())


def spread(left: Integers, right: Integers) -> int:
    """By how much the rows are better off on the left than on the right, those that are, summed.

    Σ max(left − right, 0). spread(a, b) > spread(b, a) exactly if total(a) > total(b): the two differ by the
    difference of the sums (the paper's Observation). It hides who pays for whose gain.

    >>> one, other = np.array([3, 3, 3, 1]), np.array([2, 2, 2, 4])
    >>> spread(one, other), spread(other, one)
    (3, 3)
    """
    return int(np.maximum(left - right, 0).sum())


TABLES = tables(quasi=(2, 3), rows=(5, 40), sensitive=1)
SUPPRESS = st.sampled_from(("0", "0.2"))


def releases(table: RandomTable, suppress: str) -> list[Realized]:
    study = table.study()
    front = study.explore("k", "spread-k", "loss", suppress=suppress, space="lattice")
    return [Realized.of(solution.recoding, study.cube) for solution in front]


@settings(max_examples=20)
@given(TABLES, SUPPRESS)
def test_indices_are_measures(table: RandomTable, suppress: str) -> None:
    for realized in releases(table, suppress):
        sizes, counts = class_sizes(realized), value_counts(realized)
        assert len(sizes) == len(counts) == realized.cube.rows
        measured = realized.measure("k", "spread-k", "spread-l")
        assert (worst_case(sizes), total(sizes)) == (measured["k"], measured["spread-k"])
        assert total(counts) == measured["spread-l"]
        assert (sizes == 0).sum() == realized.suppressed


def check_observation(left: Integers, right: Integers) -> None:
    there, back = spread(left, right), spread(right, left)
    assert (there > back) == (total(left) > total(right))
    assert there - back == total(left) - total(right)


VECTORS = st.lists(st.integers(0, 3), min_size=5, max_size=5).map(np.array)


@settings(max_examples=200)
@given(VECTORS, VECTORS)
def test_observation(left: Integers, right: Integers) -> None:
    """I(a, b) > I(b, a) exactly if the sum of a is larger; so a sum does for both. For any two vectors."""
    check_observation(left, right)


@settings(max_examples=20)
@given(TABLES, SUPPRESS)
def test_observation_of_releases(table: RandomTable, suppress: str) -> None:
    found = releases(table, suppress)
    pairs = [(class_sizes(a), class_sizes(b)) for a in found for b in found]
    pairs += [(value_counts(a), value_counts(b)) for a in found for b in found]
    for left, right in pairs:
        check_observation(left, right)


def test_the_papers_intuition() -> None:
    """The same worst case, and one of the two protects more people."""
    one, other = np.array([3, 3, 3, 3, 3, 3]), np.array([3, 3, 3, 5, 5, 5])
    assert worst_case(one) == worst_case(other)
    assert (spread(other, one), spread(one, other)) == (6, 0)
