"""Lattices whose k and loss are made up, not counted: monotone, with ties or without, as needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.recoding.level_lattice import Lattice


@dataclass(frozen=True, eq=False)
class MadeLattice:
    """Node → (k, loss); neither ever falls when a node is generalized, as without suppression."""

    lattice: Lattice
    table: Floats

    @property
    def problem(self) -> Any:
        return SimpleNamespace(
            lattice=self.lattice,
            objectives=[SimpleNamespace(name="k"), SimpleNamespace(name="loss")],
            above_lowest=self.lattice.level_table,
        )

    @cached_property
    def frontier(self) -> set[tuple[float, float]]:
        rows = {(k, loss) for k, loss in self.table.tolist()}
        return {a for a in rows if not any(b != a and b[0] >= a[0] and b[1] <= a[1] for b in rows)}

    def levels(self, node: int) -> tuple[int, ...]:
        return self.lattice.levels(node)


class MadeLedger:
    """Stands in for a ledger: looks values up, and remembers what was asked for."""

    def __init__(self, made: MadeLattice) -> None:
        self.problem, self.values = made.problem, made.table
        self.seen: set[int] = set()

    def look(self, nodes: Integers) -> None:
        self.seen.update(nodes.tolist())

    def first_places(self, nodes: Integers) -> Integers:
        assert set(nodes.tolist()) <= self.seen, "a value is read that was not evaluated"
        return nodes


def made_lattice(seed: int, *, ties: bool) -> MadeLattice:
    """Sums of weights over all specializations of a node: monotone. Without `ties` all k and all losses
    differ."""
    generator = Random(f"made {seed} {ties}")
    while True:
        shape = [generator.randint(2, 4) for _ in range(generator.randint(2, 4))]
        tops = tuple(extent - 1 for extent in shape)
        lattice = Lattice(tuple(f"q{j}" for j in range(len(shape))), (0,) * len(shape), tops)
        columns = [_column(generator, shape, ties) for _ in range(2)]
        if ties or all(len(set(column.tolist())) == lattice.size for column in columns):
            return MadeLattice(lattice, np.stack(columns, axis=1).astype(np.float64))


def _column(generator: Random, shape: list[int], ties: bool) -> Integers:
    choices = (0, 0, 0, 1, 2) if ties else range(1, 1000)
    weights = np.array(generator.choices(choices, k=math.prod(shape)), dtype=np.int64)
    # At the bottom k is 1, 2 or 3, so that searches stop by their rule too.
    weights[0] = generator.randint(1, 3)
    weights = weights.reshape(shape)
    for axis in range(weights.ndim):
        weights = weights.cumsum(axis=axis)
    return weights.ravel()
