"""What a manifest says about an estimated population: computed from the rows that stay alone, with few
digits, and with what it assumes.

Estimates are no claims and no statements: nothing proves them. They could still disclose suppressed rows. If
weights are scaled to a sampling fraction, the scale of the frontier depends on the weights of all rows; here
it is that of the rows that stay. The weights of suppressed rows are not used: these are taken to have the
mean weight of the others, and are counted in blocks, like all suppressed rows. So every table that has the
same rows that stay, and a number of suppressed rows in the same block, gives the same estimates.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrays import Floats
from paretonym.measures.estimated_population import estimated_people, expected_number
from paretonym.measures.estimates.released_regions import Seen
from paretonym.number_text import format_fraction, number_to_json

# Digits that an estimate has, and decimals of a weighted loss.
DIGITS = 2
DECIMALS = 3

BY_WEIGHTS = "a row stands for as many people of the population as its weight says"
BY_FRACTION = "everybody in the population was drawn with the same probability, the sampling fraction"
SCALED = (
    "a row stands for people of the population in proportion to its weight, and all rows for as many as the "
    "sampling fraction says"
)
BINOMIAL = (
    "the number of people of a class in the population is negative binomial, given the number in the sample"
)
MEAN_WEIGHT = "suppressed rows have the mean weight of the rows that stay"


class PublishedEstimates(NamedTuple):
    """Estimates from the rows that stay: the fewest people that a class stands for, the number of people who
    are expected to be found, and the share of detail that these rows lose by their weights, if they have
    any."""

    fraction: Fraction | None
    smallest: float
    found: float
    generalization: float | None = None

    @classmethod
    def of(cls, seen: Seen, generalization: float | None) -> PublishedEstimates | None:
        """The estimates of a release; None if nothing says how its rows were drawn."""
        cube = seen.cube
        if cube.weighed is None and cube.fraction is None:
            return None
        sizes = seen.classes.sizes[seen.stays].astype(np.float64)
        people = _people(seen)
        return cls(cube.fraction, float(people.min()), expected_number(sizes, people), generalization)

    def as_json(self, stay: int, gone: int) -> dict[str, Any]:
        """The entry of the manifest of a release in which so many rows stay; as many as are published as
        suppressed are `gone`."""
        values = {
            "k-map-estimated": coarse(self.smallest, up=False, whole=True),
            "expected-reidentifications": coarse(self.found, up=True),
        }
        if self.generalization is not None:
            lost = round(self.generalization * stay / (stay + gone), DECIMALS)
            left_out = round(gone / (stay + gone), DECIMALS)
            values |= {"gl.weights=1": lost, "sl.weights=1": left_out}
            values["loss.weights=1"] = round(lost + left_out, DECIMALS)
        fraction = {} if self.fraction is None else {"sampling_fraction": format_fraction(self.fraction)}
        return {
            "weights": self.generalization is not None,
            **fraction,
            "assumes": self._assumptions(),
            "values": {name: number_to_json(value) for name, value in values.items()},
        }

    def _assumptions(self) -> list[str]:
        if self.generalization is None:
            return [BY_FRACTION, BINOMIAL]
        return [BY_WEIGHTS if self.fraction is None else SCALED, BINOMIAL, MEAN_WEIGHT]


def _people(seen: Seen) -> Floats:
    """The people that each class that stays stands for, by the rows that stay."""
    cube, stays, of_tuple = seen.cube, seen.stays, seen.classes.of_tuple
    if cube.weighed is None or cube.fraction is None:
        return estimated_people(seen)[stays]
    # Two classes: all that stay, and all others.
    gone = np.where(stays, 0, 1)[of_tuple]
    rows = np.rint(np.bincount(gone, cube.counts, 2)).astype(np.int64)
    number = float(cube.class_sizes(gone, rows)[0])
    weight = float(cube.weights.people_in(gone, 2)[0])
    of_classes = cube.weights.people_in(of_tuple, len(seen.classes))[stays]
    return np.maximum(of_classes * (number / (float(cube.fraction) * weight)), seen.classes.sizes[stays])


def coarse(value: float, up: bool, whole: bool = False) -> float:
    """A number with two digits, rounded to the side that promises less; a whole one, if it is to be.

    >>> coarse(1234.5, up=False, whole=True), coarse(7.9, up=False, whole=True), coarse(0.04321, up=True)
    (1200.0, 7.0, 0.044)
    """
    if value <= 0:
        return 0.0
    exponent = math.floor(math.log10(value)) - DIGITS + 1
    exponent = max(exponent, 0) if whole else exponent
    steps = float(f"{value / 10.0**exponent:.9g}")
    return float(f"{math.ceil(steps) if up else math.floor(steps)}e{exponent}")
