"""Compiled: which nodes of a layer can still change the frontier, given what is known of the layer above."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.compiling import compiled

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


class Bounds(NamedTuple):
    """What is known of all nodes, and how to read it. `known[node]` holds the best that the objectives at
    `places` can be (as costs), `staircase[node]` the rows that go at least for each of `sizes`; `size_place`
    is the place of k, -1 without it; `required` is what objectives must be at worst."""

    known: Floats
    staircase: npt.NDArray[np.int32]
    sizes: Integers
    places: Integers
    size_place: int
    suppressible: int
    required: Floats


@compiled
def open_nodes(nodes, levels, tops, weights, bounds, least, per_row, best, is_open):
    """Inherit bounds from the more general neighbours of each node, then test it.

    `least` and `per_row` are the floors of the nodes, `best` the frontier so far as costs. A node is closed
    if, for every size of its smallest class that is possible there, a known solution is nowhere worse.
    """
    known, staircase = bounds.known, bounds.staircase
    # Unsigned, so that no place is checked for being negative and whole stairs are compared at once.
    places, steps = np.uint64(known.shape[1]), np.uint64(staircase.shape[1])
    ideal, vector = np.empty(least.shape[1]), np.empty(least.shape[1])
    for i in range(len(nodes)):
        node = np.uint64(nodes[i])
        for axis in range(len(tops)):
            if levels[i, axis] < tops[axis]:
                above = node + np.uint64(weights[axis])
                for place in range(places):
                    known[node, place] = max(known[node, place], known[above, place])
                for step in range(steps):
                    staircase[node, step] = max(staircase[node, step], staircase[above, step])
        is_open[i] = can_improve(bounds, node, least[i], per_row[i], best, ideal, vector)


@compiled
def can_improve(bounds, node, least, per_row, best, ideal, vector):
    """Whether some vector that a node could have is not beaten or equalled by the frontier so far."""
    ideal[:] = least
    for i in range(len(bounds.places)):
        place = bounds.places[i]
        ideal[place] = max(ideal[place], bounds.known[node, i])
    for place in range(len(ideal)):
        if ideal[place] > bounds.required[place]:
            return False
    # Every stair is at best this; most nodes need no more than that.
    if beaten(ideal, best):
        return False
    return bounds.size_place < 0 or some_stair(bounds, node, per_row, best, ideal, vector)


@compiled
def some_stair(bounds, node, per_row, best, ideal, vector):
    """Whether some size of the smallest class, with the rows that it costs at least, is not beaten."""
    sizes, largest = bounds.sizes, -ideal[bounds.size_place]
    for stair in range(len(sizes)):
        gone = bounds.staircase[node, stair]
        if sizes[stair] > largest or gone > bounds.suppressible:
            break
        for place in range(len(ideal)):
            vector[place] = ideal[place] + per_row[place] * gone
        upper = np.float64(sizes[stair + 1] - 1) if stair + 1 < len(sizes) else largest
        vector[bounds.size_place] = -min(upper, largest)
        if vector[bounds.size_place] > bounds.required[bounds.size_place]:
            continue
        if not beaten(vector, best):
            return True
    return False


@compiled
def beaten(vector, best):
    """Whether a row of `best` is nowhere worse than the vector; that row moves to the front, since the next
    node is likely to be beaten by the same."""
    for row in range(len(best)):
        place = 0
        while place < len(vector) and best[row, place] <= vector[place]:
            place += 1
        if place == len(vector):
            if row > 0:
                for column in range(len(vector)):
                    best[0, column], best[row, column] = best[row, column], best[0, column]
            return True
    return False
