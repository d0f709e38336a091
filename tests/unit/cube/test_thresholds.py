"""Thresholds on class sizes: both ways to find them, beside plain counting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from paretonym.cube.layout import most_thresholds
from paretonym.cube.thresholds import run_space, runs_by_histogram, runs_by_sorting, size_runs


def plain(counts: npt.NDArray[np.int64], suppressible: int) -> list[tuple[int, int]]:
    runs = [(int(size), int(counts[counts < size].sum())) for size in np.unique(counts)]
    return [(size, gone) for size, gone in runs if gone <= suppressible]


@pytest.mark.parametrize("way", [size_runs, runs_by_histogram, runs_by_sorting])
@pytest.mark.parametrize("suppressible", [0, 1, 5, 30, 100, 5000])
def test_runs(way: object, suppressible: int) -> None:
    generator = np.random.default_rng(suppressible)
    for _ in range(50):
        counts = np.ceil(generator.exponential(6, generator.integers(1, 60))).astype(np.int64)
        space = run_space(len(counts), suppressible)
        found = way(counts, len(counts), suppressible, space)  # type: ignore[operator]
        runs = list(zip(space.sizes[:found].tolist(), space.rows[:found].tolist(), strict=True))
        assert runs == plain(counts, suppressible)
        assert not space.histogram.any()


@pytest.mark.parametrize("suppressible", [*range(40), 301, 4524])
def test_room_for_every_threshold(suppressible: int) -> None:
    """The worst case: one class of each size 1, 2, …"""
    counts = np.arange(1, suppressible + 3, dtype=np.int64)
    assert len(plain(counts, suppressible)) <= most_thresholds(suppressible)
    space = run_space(len(counts), suppressible)
    assert size_runs(counts, len(counts), suppressible, space) == len(plain(counts, suppressible))
