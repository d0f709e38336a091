"""Witnesses beside plain counting: whole classes of one node, the sizes of theirs at another below."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from paretonym.cube import witnesses
from paretonym.cube.closing import Bounds
from paretonym.cube.cube import Cube
from paretonym.cube.layout import Plan, jumping_order, lay_out
from paretonym.cube.witnesses import Called, call, first_above, raise_bounds, split, tally
from paretonym.testing.random_tables import bounded, random_table

Integers = npt.NDArray[np.int64]
Class = tuple[int, ...]
LARGEST = 40


def drawn(seed: int) -> tuple[Cube, Plan, Random]:
    generator = Random(f"witnesses {seed}")
    table = random_table(generator, quasi=(1, 5), rows=(1, 200))
    table = bounded(table, generator) if generator.random() < 0.4 else table
    cube = table.study().cube
    return cube, lay_out(cube, [], 0, False, (), jumping_order(cube)), generator


def drawn_levels(plan: Plan, most: Integers, generator: Random) -> Integers:
    return np.array([generator.randint(0, int(step)) for step in most], dtype=np.int64)


def called_at(plan: Plan, levels: Integers, wanted: int) -> Called:
    """The witnesses of one node."""
    room = np.zeros(len(plan.keys), dtype=np.int64)
    starts = np.zeros(1, dtype=np.int64)
    called = Called(plan.keys.copy(), room, starts, levels[None, :])
    space = tally(plan.layout, len(plan.keys), LARGEST)
    end = call(plan.layout, levels, plan.keys, plan.counts, space, wanted, called, 0, len(room))
    assert_empty(space)
    return called._replace(starts=np.array([0, end], dtype=np.int64))


def assert_empty(space: witnesses.Tally) -> None:
    """Scratch memory is left as the next one needs it."""
    assert not space.rows.any()
    assert not space.parts.any()
    assert not space.by_size.any()


def class_of(cube: Cube, plan: Plan, levels: Integers, key: int) -> Class:
    """The groups that a packed tuple shows."""
    shown = []
    for position, j in enumerate(plan.order):
        axis, shift = cube.axes[j], int(plan.layout.shifts[position])
        group = (key >> shift) & ((1 << int(plan.layout.bits[position])) - 1)
        shown.append(int(axis.mapping(axis.lowest, axis.lowest + int(levels[position]))[group]))
    return tuple(shown)


def sizes_at(cube: Cube, plan: Plan, levels: Integers) -> dict[Class, int]:
    sizes: dict[Class, int] = defaultdict(int)
    for key, rows in zip(plan.keys.tolist(), plan.counts.tolist(), strict=True):
        sizes[class_of(cube, plan, levels, key)] += rows
    return sizes


@pytest.mark.parametrize("seed", range(60))
def test_the_smallest_classes_are_called_whole(seed: int) -> None:
    cube, plan, generator = drawn(seed)
    levels = drawn_levels(plan, plan.layout.steps, generator)
    wanted = generator.choice([1, 5, 20, 1000])
    called = called_at(plan, levels, wanted)
    sizes = sizes_at(cube, plan, levels)
    end = int(called.starts[1])
    members = Counter(class_of(cube, plan, levels, key) for key in called.keys[:end].tolist())
    tuples = Counter(class_of(cube, plan, levels, key) for key in plan.keys.tolist())
    assert all(members[shown] == tuples[shown] for shown in members)
    assert len(set(called.keys[:end].tolist())) == end
    chosen = sorted(sizes[shown] for shown in members)
    small = sorted(size for size in sizes.values() if size <= LARGEST)
    assert chosen == small[: len(chosen)]
    assert sum(chosen) >= min(wanted, sum(small))
    assert not chosen or sum(chosen[:-1]) < wanted


@pytest.mark.parametrize("seed", range(60))
def test_a_class_begins_where_its_rows_are_negative(seed: int) -> None:
    cube, plan, generator = drawn(seed)
    levels = drawn_levels(plan, plan.layout.steps, generator)
    called = called_at(plan, levels, 30)
    classes = [class_of(cube, plan, levels, key) for key in called.keys[: called.starts[1]].tolist()]
    starts = [i for i, shown in enumerate(classes) if i == 0 or shown != classes[i - 1]]
    assert np.flatnonzero(called.rows[: len(classes)] < 0).tolist() == starts
    assert len(starts) == len(set(classes))


@pytest.mark.parametrize("seed", range(60))
def test_sizes_below(seed: int) -> None:
    """The sizes of the witnesses' classes below are those of whole classes there."""
    cube, plan, generator = drawn(seed)
    above = drawn_levels(plan, plan.layout.steps, generator)
    below = drawn_levels(plan, above, generator)
    called = called_at(plan, above, generator.choice([1, 10, 1000]))
    space = tally(plan.layout, len(plan.keys), LARGEST)
    largest = split(plan.layout, below, called, 0, space)
    sizes = sizes_at(cube, plan, below)
    heard = {class_of(cube, plan, below, key) for key in called.keys[: called.starts[1]].tolist()}
    expected = Counter(sizes[shown] for shown in heard if sizes[shown] <= LARGEST)
    assert {s: int(n) // s for s, n in enumerate(space.by_size) if n} == dict(expected)
    assert largest == max(expected, default=0)


def test_too_many_parts_tell_nothing() -> None:
    _, plan, _ = drawn(3)
    called = called_at(plan, plan.layout.steps, 1000)
    space = tally(plan.layout, len(plan.keys), LARGEST)
    none = space._replace(parts=space.parts[:1])
    assert split(plan.layout, np.zeros_like(plan.layout.steps), called, 0, none) == 0
    assert not none.by_size.any()


def test_no_room() -> None:
    _, plan, _ = drawn(3)
    called = Called(
        plan.keys.copy(), plan.keys.copy(), np.zeros(1, dtype=np.int64), plan.layout.steps[None, :]
    )
    space = tally(plan.layout, len(plan.keys), 1000)
    assert call(plan.layout, plan.layout.steps, plan.keys, plan.counts, space, 5, called, 0, 1) == -1
    assert_empty(space)


@pytest.mark.parametrize("seed", range(100))
def test_bounds_are_raised_to_what_is_lost(seed: int) -> None:
    generator = Random(seed)
    by_size = np.array([size * generator.choice([0, 0, 1, 2]) for size in range(30)], dtype=np.int64)
    largest = int(np.flatnonzero(by_size).max(initial=0))
    sizes = np.array(sorted(generator.sample(range(1, 40), 6)), dtype=np.int64)
    before = np.array(sorted(generator.choices(range(60), k=6)), dtype=np.int32)
    suppressible = generator.choice([0, 1, 10, 50, 10_000])
    bounds = Bounds(
        known=np.array([[-np.inf, -np.inf], [-np.inf, -25.0]]),
        staircase=np.stack([np.zeros(6, dtype=np.int32), before]),
        sizes=sizes,
        places=np.array([1, 0], dtype=np.int64),
        size_place=0,
        suppressible=suppressible,
        required=np.full(2, np.inf),
    )
    raise_bounds(bounds, 1, by_size, largest)
    lost = {a: int(by_size[:a].sum()) for a in range(1, 41)}
    too_many = [a for a, rows in lost.items() if rows > suppressible]
    for size, stair, old in zip(sizes.tolist(), bounds.staircase[1].tolist(), before.tolist(), strict=True):
        assert stair <= max(old, lost[size])
        assert stair >= old
        assert stair == max(old, lost[size]) or stair > suppressible
    k = too_many[0] - 1 if too_many else np.inf
    assert bounds.known[1].tolist() == [-np.inf, -min(k, 25.0)]
    assert not bounds.staircase[0].any()


def test_first_above() -> None:
    levels = np.array([[0, 1], [2, 2], [3, 0]], dtype=np.int64)
    others = np.array([[0, 0], [1, 1], [2, 2], [2, 3]], dtype=np.int64)
    places = np.empty(3, dtype=np.int64)
    first_above(levels, others, places)
    assert places.tolist() == [1, 2, -1]
