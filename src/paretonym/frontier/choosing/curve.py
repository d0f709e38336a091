"""A frontier of two objectives as a curve: what is gained over what it costs, both from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Floats
from paretonym.frontier.frontier import Frontier, Objective
from paretonym.frontier.scaling import Scale
from paretonym.frontier.solution import Solution
from paretonym.measures.wording import is_share

# What people call costs; every other measure is something gained.
COSTS = (
    "loss", "gl", "sl", "discernibility", "classification-error", "precision-loss", "average-class",
    "entropy-loss", "utility-loss", "query-error",
)  # fmt: skip
# More points than these say nothing more about the shape of a curve.
MOST_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Curve:
    """Solutions from the cheapest on. `gains` are 0 for the worst and 1 for the best value, by logarithm
    where `ratios` says so; `costs` are 0 for the best and 1 for the worst."""

    solutions: tuple[Solution, ...]
    gain: Objective
    cost: Objective
    gains: Floats
    costs: Floats
    ratios: bool

    def __len__(self) -> int:
        return len(self.solutions)

    def gained(self, place: int) -> float:
        return self.solutions[place].values[self.gain.name]

    def spent(self, place: int) -> float:
        return self.solutions[place].values[self.cost.name]


def gain_and_cost(frontier: Frontier) -> tuple[Objective, Objective]:
    """Which of the first two objectives is what people pay for, and which what they pay."""
    first, second = frontier.objectives[:2]
    return (second, first) if first.name in COSTS and second.name not in COSTS else (first, second)


def curve(frontier: Frontier) -> Curve:
    """The curve of a frontier with two objectives, thinned out evenly where it has very many points."""
    gain, cost = gain_and_cost(frontier)
    ordered = sorted(frontier, key=lambda s: s.values[cost.name], reverse=cost.direction == "max")
    places = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), MOST_POINTS)).round().astype(int))
    solutions = tuple(ordered[place] for place in places.tolist())
    gained, spent = ([s.values[o.name] for s in solutions] for o in (gain, cost))
    scale = Scale.of(gained, straight=is_share(gain.name))
    return Curve(
        solutions,
        gain,
        cost,
        _from_worst(scale, gained, gain.direction == "max"),
        _from_worst(Scale.of(spent, straight=is_share(cost.name)), spent, cost.direction == "min"),
        scale.logarithmic,
    )


def _from_worst(scale: Scale, values: list[float], rising: bool) -> Floats:
    places = np.array([scale.place(value) for value in values])
    return places if rising else 1 - places
