"""One thread's way over nodes of the lattice: the door to the compiled visits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.counted import Counted, room
from paretonym.cube.kernels import merge_space
from paretonym.cube.layout import Plan, most_thresholds
from paretonym.cube.thresholds import run_space
from paretonym.cube.visiting import FACTS, Space, visit

Integers: TypeAlias = npt.NDArray[np.int64]


class Walk:
    """Memory of one thread for visiting nodes of a plan."""

    def __init__(self, plan: Plan) -> None:
        length = len(plan.keys)
        self.plan = plan
        self._state = plan.state()
        self._space = Space(
            merge_space(length),
            run_space(length, plan.layout.suppressible),
            np.empty(length, dtype=np.float64),
            np.empty(plan.cells.shape[1], dtype=np.float64),
        )

    def visit(self, numbers: Integers, levels: Integers) -> Counted:
        """The candidates of each node.

        `levels` holds the levels of each node above the lowest, in the schema's order. Nodes that come in
        walking order cost least.
        """
        plan = self.plan
        thresholds = most_thresholds(plan.layout.suppressible) if plan.layout.every_threshold else 1
        out = room(len(numbers) * thresholds, FACTS, len(plan.layout.dearer), len(plan.requests.kinds))
        ordered = np.ascontiguousarray(levels[:, plan.order])
        written = visit(plan.layout, plan.requests, self._state, self._space, numbers, ordered, out)
        return out.take(slice(written))
