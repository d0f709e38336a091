"""Estimates of population uniques: closed forms, samples of populations whose truth is known, the rule."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from paretonym.engine.risk.population_uniqueness import (
    PopulationUniques,
    SampleCounts,
    pitman,
    slide_negative_binomial,
    zayatz,
)


def sampled(classes: np.ndarray, fraction: float, generator: np.random.Generator) -> SampleCounts:
    """A simple random sample of people, given the class of each."""
    rows = generator.choice(len(classes), round(fraction * len(classes)), replace=False)
    sizes, counts = np.unique(np.unique(classes[rows], return_counts=True)[1], return_counts=True)
    return SampleCounts(dict(zip(sizes.tolist(), counts.tolist(), strict=True)), fraction)


def uniques(classes: np.ndarray) -> int:
    return int((np.unique(classes, return_counts=True)[1] == 1).sum())


def test_zayatz_by_hand() -> None:
    """Two classes of 1 and one of 2 in a sample of 4 of 8."""
    one, two = comb(1, 1) * comb(7, 3) / comb(8, 4), comb(2, 1) * comb(6, 3) / comb(8, 4)
    expected = 2 * (2 * one / (2 * one + 1 * two)) / 0.5
    assert zayatz(SampleCounts({1: 2, 2: 1}, 0.5)) == pytest.approx(expected)


def test_pitman_recovers_its_own_process() -> None:
    """People come one by one: to a class of size c with weight c − α, to a new one with θ + α·classes."""
    generator = np.random.default_rng(3)
    alpha, theta, people = 0.4, 50.0, 20_000
    sizes: list[int] = []
    classes = np.zeros(people, dtype=np.int64)
    for i in range(people):
        if generator.random() * (theta + i) < theta + alpha * len(sizes):
            classes[i] = len(sizes)
            sizes.append(1)
            continue
        # Somebody of the table at random, and again with probability α / size of the class.
        while True:
            own = classes[generator.integers(i)]
            if generator.random() >= alpha / sizes[own]:
                break
        classes[i], sizes[own] = own, sizes[own] + 1
    found = pitman(sampled(classes, 0.1, generator))
    assert found == pytest.approx(uniques(classes), rel=0.15)


def test_the_slide_model_recovers_its_own_population() -> None:
    generator = np.random.default_rng(4)
    sizes = 1 + generator.negative_binomial(1.5, 0.4, 20_000)
    classes = np.repeat(np.arange(len(sizes)), sizes)
    found = slide_negative_binomial(sampled(classes, 0.5, generator))
    assert found == pytest.approx(uniques(classes), rel=0.15)


def test_the_whole_population_is_known() -> None:
    counts = SampleCounts({1: 7, 2: 3, 5: 1}, 1.0)
    assert zayatz(counts) == pytest.approx(7)
    assert slide_negative_binomial(counts) == 7
    assert {each.uniques for each in PopulationUniques.of(SampleCounts({2: 4}, 0.1)).estimates} == {0.0}


def test_which_model_is_trusted() -> None:
    counts = {1: 400, 2: 90, 3: 30, 4: 12, 7: 5}
    few, many = (
        PopulationUniques.of(SampleCounts(counts, 0.1)),
        PopulationUniques.of(SampleCounts(counts, 0.3)),
    )
    assert few.trusted == "pitman"
    found = {each.model: each.uniques for each in many.estimates}
    assert many.trusted == min(("snb", "zayatz"), key=lambda name: found[name] or 0)
    # No class of two: the slide model has nothing to fit.
    alone = PopulationUniques.of(SampleCounts({1: 5, 3: 2}, 0.5))
    assert (alone.trusted, {e.model: e.uniques for e in alone.estimates}["snb"]) == ("zayatz", None)
