"""Compiled: visit nodes and put up every threshold on one or two numbers of a class."""

from __future__ import annotations

from typing import NamedTuple

from paretonym.cube.compiling import compiled
from paretonym.cube.kernels import MergeSpace
from paretonym.cube.staircase import Stairs, record_stairs
from paretonym.cube.visiting import arrive


class ClimbingSpace(NamedTuple):
    """Scratch memory of one thread."""

    merge: MergeSpace
    stairs: Stairs


@compiled
def visit_stairs(layout, requests, thresholds, state, space, numbers, levels, out):
    """Write the candidates of each node, as long as there is room. Returns how many nodes and candidates."""
    written = 0
    for i in range(len(numbers)):
        row = arrive(layout, state, space.merge, levels[i])
        found = record_stairs(layout, requests, thresholds, state, row, space, out, written)
        if found < 0:
            return i, written
        out.nodes[written : written + found] = numbers[i]
        written += found
    return len(numbers), written
