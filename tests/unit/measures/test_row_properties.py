"""Property vectors: their indices are the measures, and the spread index orders releases as the sum does."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from paretonym.errors import Bug, InputError
from paretonym.measures.recoded_counts import Realized, realize
from paretonym.measures.row_properties import class_sizes, spread, total, value_counts, worst_case
from paretonym.run.study import Study
from paretonym.testing.random_tables import random_table


def releases(seed: int) -> tuple[Study, list[Realized]]:
    generator = Random(f"properties {seed}")
    study = random_table(generator, quasi=(2, 3), rows=(5, 40), sensitive=1).study()
    front = study.explore("k", "spread-k", "loss", suppress=generator.choice(("0", "0.2")))
    return study, [realize(solution.recoding, study.cube) for solution in front]


@pytest.mark.parametrize("seed", range(20))
def test_indices_are_measures(seed: int) -> None:
    study, found = releases(seed)
    for realized in found:
        sizes, counts = class_sizes(realized), value_counts(realized)
        assert len(sizes) == len(counts) == study.cube.rows
        measured = realized.measure("k", "spread-k", "spread-l")
        assert (worst_case(sizes), total(sizes)) == (measured["k"], measured["spread-k"])
        assert total(counts) == measured["spread-l"]
        assert (sizes == 0).sum() == realized.suppressed


@pytest.mark.parametrize("seed", range(20))
def test_observation(seed: int) -> None:
    """I(a, b) > I(b, a) exactly if the sum of a is larger; so a sum does for both. For any two vectors."""
    generator = np.random.default_rng(seed)
    pairs = [tuple(generator.integers(0, 4, (2, 5))) for _ in range(30)]
    _, found = releases(seed)
    pairs += [(class_sizes(a), class_sizes(b)) for a in found for b in found]
    pairs += [(value_counts(a), value_counts(b)) for a in found for b in found]
    for left, right in pairs:
        there, back = spread(left, right), spread(right, left)
        assert (there > back) == (total(left) > total(right))
        assert there - back == total(left) - total(right)


def test_the_papers_intuition() -> None:
    """The same worst case, and one of the two protects more people."""
    one, other = np.array([3, 3, 3, 3, 3, 3]), np.array([3, 3, 3, 5, 5, 5])
    assert worst_case(one) == worst_case(other)
    assert (spread(other, one), spread(one, other)) == (6, 0)


def test_different_tables_are_not_compared() -> None:
    with pytest.raises(Bug, match="different tables"):
        spread(np.array([1, 2]), np.array([1, 2, 3]))


def test_unknown_column() -> None:
    _, found = releases(0)
    with pytest.raises(InputError, match="'salary' is no sensitive column"):
        value_counts(found[0], "salary")
