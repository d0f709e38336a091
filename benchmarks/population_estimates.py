"""Estimates from samples beside the truth: `python -m benchmarks.population_estimates` draws samples from
finite populations in which everything is known, and prints bias and coverage as a Markdown table (a minute).

Bias is the mean estimate over the mean truth, minus 1. Coverage is the share of samples whose estimate lies
within 25 % of the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import paretonym as pn
from paretonym.base.arrays import Floats, Integers
from paretonym.engine.measures.estimated_population import individual_risk
from paretonym.engine.risk.population_uniqueness import PopulationUniques, SampleCounts

FRACTIONS = (0.02, 0.1, 0.3)
SAMPLES = 20
NEAR = 0.25
PEOPLE = 40_000


class Population(NamedTuple):
    """People by their class."""

    name: str
    classes: Integers


def populations() -> Iterator[Population]:
    generator = np.random.default_rng(0)
    adult = pn.example("adult").cube
    yield Population("Adult, 8 columns", np.repeat(np.arange(adult.tuples), adult.counts))
    six = pn.example("adult-six").cube
    yield Population("Adult, 6 columns", np.repeat(np.arange(six.tuples), six.counts))
    yield Population("log-normal classes", _drawn(np.exp(generator.normal(0, 2, 20_000)), generator))
    yield Population("equal classes", _drawn(np.ones(20_000), generator))
    sizes = 1 + generator.negative_binomial(1.5, 0.4, 12_000)
    yield Population("slide negative binomial", np.repeat(np.arange(len(sizes)), sizes))


def _drawn(weights: Floats, generator: np.random.Generator) -> Integers:
    return generator.choice(len(weights), PEOPLE, p=weights / weights.sum())


class Trial(NamedTuple):
    """One sample: the truth, and what was estimated."""

    uniques: float
    found: float
    estimates: dict[str, float]


def trial(classes: Integers, sizes: Integers, fraction: float, generator: np.random.Generator) -> Trial:
    rows = generator.choice(len(classes), round(fraction * len(classes)), replace=False)
    own, counts = np.unique(classes[rows], return_counts=True)
    occurring, often = np.unique(counts, return_counts=True)
    counted = SampleCounts(dict(zip(occurring.tolist(), often.tolist(), strict=True)), fraction)
    uniques = PopulationUniques.of(counted)
    estimates = {each.model: np.nan if each.uniques is None else each.uniques for each in uniques.estimates}
    expected = float((counts * individual_risk(counts.astype(float), counts / fraction)).sum())
    estimates |= {"rule": float(uniques.uniques or 0), "re-identifications": expected}
    return Trial(float((sizes == 1).sum()), float((counts / sizes[own]).sum()), estimates)


def line(population: Population, fraction: float) -> str:
    generator = np.random.default_rng(1)
    sizes = np.bincount(population.classes)
    trials = [trial(population.classes, sizes, fraction, generator) for _ in range(SAMPLES)]
    unique_share = trials[0].uniques / len(population.classes)
    cells = [population.name, f"{fraction:.0%}", f"{unique_share:.0%}"]
    cells += [_judged(trials, name, lambda t: t.uniques) for name in ("pitman", "zayatz", "snb", "rule")]
    cells.append(_judged(trials, "re-identifications", lambda t: t.found))
    return f"| {' | '.join(cells)} |"


def _judged(trials: list[Trial], name: str, truth: Callable[[Trial], float]) -> str:
    """Bias and coverage of one estimator."""
    estimates, true = np.array([(each.estimates[name], truth(each)) for each in trials]).T
    if np.isnan(estimates).all():
        return "does not fit"
    near = np.mean(abs(estimates - true) <= NEAR * true)
    return f"{np.nanmean(estimates) / np.mean(true) - 1:+.0%}, {near:.0%}"


def main() -> None:
    print("| population | sample | unique in it | pitman | zayatz | snb | rule | re-identifications |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for population in populations():
        for fraction in FRACTIONS:
            print(line(population, fraction), flush=True)


if __name__ == "__main__":
    main()
