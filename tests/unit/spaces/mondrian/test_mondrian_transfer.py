"""Regions found by cuts that go through none of them, beside trying every one."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from paretonym.errors import Bug
from paretonym.spaces.mondrian.mondrian_transfer import Regions
from tests.strategies import generators

SIDE = 12


def split(generator: Random, box: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """A box cut again and again; some pieces of three are thrown away, as children without rows are."""
    axis = generator.randrange(len(box))
    low, high = box[axis]
    if high - low < 3 or generator.random() < 0.2:
        return [box]
    cuts = sorted(generator.sample(range(low + 1, high), 2))
    pieces = [[*box[:axis], run, *box[axis + 1 :]] for run in zip([low, *cuts], [*cuts, high], strict=True)]
    kept = pieces if generator.random() < 0.7 else pieces[1:]
    return [part for piece in kept for part in split(generator, piece)]


@settings(max_examples=20)
@given(generators)
def test_every_point_beside_every_region(generator: Random) -> None:
    """Every third point on each axis, and both ends."""
    boxes = np.array(split(generator, [(0, SIDE)] * 3))
    regions = Regions(boxes[:, :, 0], boxes[:, :, 1])
    points = np.array([*product((0, 1, 4, 7, 10, SIDE - 1), repeat=3)])
    inside = [
        [all(a <= p < b for p, (a, b) in zip(point, box, strict=True)) for box in boxes] for point in points
    ]
    tried = [row.index(True) if True in row else -1 for row in inside]
    assert regions.find(points).tolist() == tried


def test_regions_that_overlap_are_our_mistake() -> None:
    regions = Regions(np.array([[0, 0], [1, 1]]), np.array([[2, 2], [3, 3]]))
    with pytest.raises(Bug, match="overlap"):
        regions.find(np.array([[1, 1]]))
