"""MDAV beside its slow twin, and by hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from paretonym.research.microaggregation.mdav import mdav
from tests.naive.mdav import mdav as plain_mdav


@pytest.mark.parametrize("seed", range(40))
def test_clusters_are_those_of_the_slow_twin(seed: int) -> None:
    generator = Random(seed)
    number, columns = generator.randint(1, 60), generator.randint(1, 4)
    counts = [generator.choice((1, 1, 1, 2, 5)) if seed % 2 else 1 for _ in range(number)]
    k = generator.randint(1, min(6, sum(counts)))
    # No two distances are equal but by chance.
    points = [tuple(Fraction(generator.randint(0, 10**6)) for _ in range(columns)) for _ in range(number)]
    found = mdav(np.array(points, dtype=np.float64), np.array(counts), k)
    clusters = plain_mdav(points, counts, k)
    assert sorted(map(sorted, clusters)) == sorted(
        np.flatnonzero(found == cluster).tolist() for cluster in range(int(found.max()) + 1)
    )
    assert np.bincount(found, weights=np.array(counts)).min() >= k


@pytest.mark.parametrize("k", [3, 5, 10])
def test_classes_have_from_k_to_less_than_2k_rows(k: int) -> None:
    """Of a table shaped as Census is: 1,080 rows of 13 numbers, each row another."""
    points = np.random.default_rng(k).lognormal(size=(1080, 13))
    sizes = np.bincount(mdav(points, np.ones(1080, dtype=np.int64), k))
    assert (sizes.min(), sizes.max() < 2 * k, sizes.sum()) == (k, True, 1080)


def test_a_tuple_of_many_rows_is_a_class_of_its_own() -> None:
    points = np.array([[0.0], [1.0], [2.0], [50.0]])
    assert mdav(points, np.array([1, 1, 1, 9]), 3).tolist() == [0, 0, 0, 1]
