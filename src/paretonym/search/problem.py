"""What a search is asked: a cube, objectives and a rule of suppression; and how counts become values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Cube
from paretonym.cube.layout import most_thresholds
from paretonym.errors import InputError
from paretonym.measures.card import Measure
from paretonym.measures.costs import CellCosts, generalization_costs
from paretonym.measures.facts import Facts, StayingCost
from paretonym.measures.numbers import rounded
from paretonym.recoding.lattice import Lattice
from paretonym.recoding.suppression import Suppression

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

# Measured for every solution, asked for or not.
ALWAYS = ("k", "gl", "sl", "loss")


@dataclass(frozen=True, eq=False)
class Problem:
    """One question to one cube."""

    cube: Cube
    objectives: tuple[Measure, ...]
    suppression: Suppression

    def __post_init__(self) -> None:
        thresholds = any(objective.name == "k" for objective in self.objectives)
        if self.suppression.rule == "any" and not thresholds:
            raise InputError.of(
                "--suppress",
                f"'{self.suppression}' needs an objective that belongs to one class alone, and there is none",
                "add k to the objectives, or give a limit such as --suppress 0.01",
            )

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice.of(self.cube)

    @cached_property
    def suppressible(self) -> int:
        return self.suppression.allowed(self.cube.rows)

    @property
    def every_threshold(self) -> bool:
        return self.suppression.rule == "any"

    @property
    def most_candidates(self) -> int:
        """The most candidates that one node can have."""
        return most_thresholds(self.suppressible) if self.every_threshold else 1

    @cached_property
    def costs(self) -> Mapping[str, CellCosts]:
        """The cell costs that have to be counted on the way."""
        return {"generalization": generalization_costs(self.cube)}

    @property
    def directions(self) -> tuple[str, ...]:
        return tuple(objective.direction for objective in self.objectives)

    def facts(self, node: Integers, counted: Integers, spent: Floats) -> Facts:
        """Name what a visit counted. `spent` is the cost of the suppressed rows."""
        above_lowest = self.lattice.level_table(node) - np.array(self.lattice.lowest, dtype=np.int64)
        costs = {
            name: StayingCost(cost.node_totals(above_lowest) - spent[:, c], cost.most, cost.unit)
            for c, (name, cost) in enumerate(self.costs.items())
        }
        smallest, gone, classes, squares, all_squares = counted.T
        return Facts(self.cube.rows, node, smallest, gone, classes, squares, all_squares, costs)

    def values(self, facts: Facts) -> Floats:
        """The objectives of every candidate, one row each, rounded for comparison."""
        return np.stack([rounded(objective.value(facts)) for objective in self.objectives], axis=1)
