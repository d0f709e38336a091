"""One thread's way over nodes of the lattice: the door to the compiled visits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.climbing import ClimbingSpace, visit_stairs
from paretonym.cube.counted import Counted, joined, room
from paretonym.cube.kernels import merge_space
from paretonym.cube.layout import Plan, most_thresholds
from paretonym.cube.observing import Space, observe
from paretonym.cube.staircase import stairs_space
from paretonym.cube.thresholds import run_space
from paretonym.cube.visiting import FACTS, visit

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
            np.empty(plan.cells.shape[1], dtype=np.int64),
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
        state, space = self._state, self._space
        if len(plan.requests.kinds):
            written = observe(plan.layout, plan.requests, state, space, numbers, ordered, out)
        else:
            written = visit(plan.layout, state, space.merge, space.runs, numbers, ordered, out)
        return out.take(slice(written))


class Climb:
    """The same, for every threshold on one or two numbers of a class: `thresholds` names for each the places
    of its statistics, -1 for the size of the class, -2 for none."""

    def __init__(self, plan: Plan, thresholds: Integers) -> None:
        length = len(plan.keys)
        self.plan = plan
        self._thresholds = thresholds
        self._state = plan.state()
        stairs = stairs_space(length, len(plan.requests.kinds), len(plan.layout.dearer), plan.cells.shape[1])
        self._space = ClimbingSpace(merge_space(length), stairs)
        self._room = 4096

    def visit(self, numbers: Integers, levels: Integers) -> Counted:
        """The candidates of each node. Their number is not known before: room is made as it is needed."""
        plan, parts, done = self.plan, [], 0
        ordered = np.ascontiguousarray(levels[:, plan.order])
        while done < len(numbers):
            out = room(self._room, FACTS, len(plan.layout.dearer), len(plan.requests.kinds))
            nodes, written = visit_stairs(
                plan.layout,
                plan.requests,
                self._thresholds,
                self._state,
                self._space,
                numbers[done:],
                ordered[done:],
                out,
            )
            parts.append(out.take(slice(written)))
            done += nodes
            if nodes == 0:
                self._room *= 2
        return joined(parts)
