"""One thread's way over nodes of the lattice: the door to the compiled visits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.kernels import merge_space
from paretonym.cube.layout import Plan, most_thresholds
from paretonym.cube.thresholds import run_space
from paretonym.cube.visiting import FACTS, visit

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


class Walk:
    """Memory of one thread for visiting nodes of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._state = plan.state()
        self._merge = merge_space(len(plan.keys))
        self._runs = run_space(len(plan.keys), plan.layout.suppressible)

    def visit(self, numbers: Integers, levels: Integers) -> tuple[Integers, Integers, Floats]:
        """Candidates of each node: its number, what was counted, and the cost of the suppressed rows.

        `levels` holds the levels of each node above the lowest, in the schema's order. Nodes that come in
        walking order cost least.
        """
        layout = self.plan.layout
        most = len(numbers) * (most_thresholds(layout.suppressible) if layout.every_threshold else 1)
        nodes = np.empty(most, dtype=np.int64)
        facts = np.empty((most, FACTS), dtype=np.int64)
        costs = np.empty((most, len(layout.dearer)), dtype=np.float64)
        ordered = np.ascontiguousarray(levels[:, self.plan.order])
        written = visit(layout, self._state, self._merge, self._runs, numbers, ordered, nodes, facts, costs)
        return nodes[:written], facts[:written], costs[:written]
