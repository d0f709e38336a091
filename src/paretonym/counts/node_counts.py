"""The counts of candidates, as they come from the cube: arrays of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.counts import kernel_interface as interface

# Counts of a candidate: its smallest class, rows suppressed, classes, Σ of their squared sizes, the same for
# all classes, and classes of one row.
FACTS = 6
# Where classes are counted in persons, sizes are numbers of persons, and three more follow: the sizes of all
# classes that stay, those of all classes, and Σ of squared numbers of rows.
PERSON_FACTS = 9


class Counted(NamedTuple):
    """The node of each candidate, counts of its classes, the costs of its suppressed rows by kind, and the
    requested statistics, combined over the classes that stay."""

    nodes: Integers
    facts: Integers
    costs: Integers
    statistics: Floats

    def take(self, places: npt.NDArray[np.integer] | slice) -> Counted:
        return Counted(self.nodes[places], self.facts[places], self.costs[places], self.statistics[places])

    @classmethod
    def room(cls, candidates: int, facts: int, costs: int, statistics: int) -> Counted:
        """Memory for this many candidates."""
        return cls(
            np.empty(candidates, dtype=np.int64),
            np.empty((candidates, facts), dtype=np.int64),
            np.empty((candidates, costs), dtype=np.int64),
            np.empty((candidates, statistics), dtype=np.float64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Counted]) -> Counted:
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def for_kernels(self) -> interface.Counted:
        """The same memory, for C to write to."""
        return interface.Counted(
            room=len(self.nodes),
            facts=self.facts.shape[1],
            costs=self.costs.shape[1],
            statistics=self.statistics.shape[1],
            node=self.nodes,
            fact=self.facts,
            cost=self.costs,
            statistic=self.statistics,
        )
