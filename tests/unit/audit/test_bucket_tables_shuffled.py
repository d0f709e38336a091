"""Is the bound on people beside their own value right, and does it see what was not mixed?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import permutations
from random import Random
from typing import Any

import pytest

from paretonym.audit.bucket_tables import DOUBT, board, expected, log_chance


def implausible(buckets: Mapping[Any, int], hits: int) -> bool:
    return log_chance(buckets, hits) < math.log(DOUBT)


@pytest.mark.parametrize("values", ["ab", "aab", "aabb", "abcd", "aabbc", "aaabbc", "abcdef"])
@pytest.mark.parametrize("alone", [1.0, 0.5])
def test_never_below_the_chance_itself(values: str, alone: float) -> None:
    """Every permutation of one bucket is tried, with all its people or half of them recognisable."""
    people = values[: max(1, int(alone * len(values)))]
    bucket = board(Counter(people), Counter(values))  # type: ignore[arg-type]
    hits = Counter(
        sum(own == got for own, got in zip(people, order, strict=False)) for order in permutations(values)
    )
    assert expected(bucket) == pytest.approx(sum(h * n for h, n in hits.items()) / hits.total())
    for least in range(len(people) + 1):
        chance = sum(n for h, n in hits.items() if h >= least) / hits.total()
        assert math.exp(log_chance({bucket: 1}, least)) >= chance * (1 - 1e-9)


def test_large_buckets_have_a_bound_too() -> None:
    half = ((1_000, 1_000), (1_000, 1_000))
    assert not implausible({half: 1}, 1_000)
    assert not implausible({half: 1}, 1_200)
    assert implausible({half: 1}, 2_000)


@pytest.mark.parametrize("seed", range(30))
def test_mixed_buckets_are_plausible_and_unmixed_ones_are_not(seed: int) -> None:
    """Seeds, and no search for the least likely mixture: one would be found."""
    generator = Random(seed)
    buckets: Counter[tuple[tuple[int, int], ...]] = Counter()
    mixed = unmixed = 0
    for _ in range(12):
        own = [generator.choice([0, 0, 1, 2]) for _ in range(generator.randint(6, 20))]
        got = generator.sample(own, len(own))
        buckets[board(Counter(own), Counter(own))] += 1
        mixed += sum(a == b for a, b in zip(own, got, strict=True))
        unmixed += len(own)
    assert not implausible(buckets, mixed)
    assert implausible(buckets, unmixed)
