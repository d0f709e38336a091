"""Witnesses beside plain counting: whole classes of one node, the sizes of theirs at another below."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import numpy as np
from hypothesis import given, settings

from paretonym.base.arrays import Integers
from paretonym.engine.counts.cube import Cube
from paretonym.engine.counts.kernel_interface import Witnesses
from paretonym.engine.counts.tuple_layout import Plan
from paretonym.engine.search.witness_bounds import first_above, nobody, scratch, with_room, with_witnesses
from paretonym.research.exams.random_tables import RandomTable, random_table
from tests.naive.kernels import raise_bounds, rows_by_size, split
from tests.naive.node_bounds import drawn_bounds
from tests.strategies import generators, tables

Class = tuple[int, ...]
LARGEST = 40
TABLES = tables(quasi=(1, 5), rows=(1, 200))


def planned(table: RandomTable) -> tuple[Cube, Plan]:
    cube = table.study().cube
    return cube, Plan.of(cube, [], 0, False, (), cube.jumping_order)


def drawn_levels(plan: Plan, most: Integers, generator: Random) -> Integers:
    return np.array([generator.randint(0, int(step)) for step in most], dtype=np.int64)


def called_at(plan: Plan, levels: Integers, wanted: int) -> Witnesses:
    """The witnesses of one node."""
    space = scratch(plan, LARGEST)
    length = plan.tuples.length
    called, holders = with_witnesses(nobody(plan, 1), plan, space, levels[None, :], wanted, length)
    assert holders.tolist() == [0]
    assert not space.tally.by_size.any()
    return called


def keys_of(called: Witnesses) -> list[int]:
    return [int(key) for key in called.keys[: called.starts[1], 0]]


def class_of(cube: Cube, plan: Plan, levels: Integers, key: int) -> Class:
    """The groups that a packed tuple shows."""
    shown = []
    for position, j in enumerate(plan.order):
        axis, shift = cube.axes[j], int(plan.layout.shift[position])
        group = (key >> shift) & ((1 << int(plan.layout.bits[position])) - 1)
        shown.append(int(axis.mapping(axis.lowest, axis.lowest + int(levels[position]))[group]))
    return tuple(shown)


def sizes_at(cube: Cube, plan: Plan, levels: Integers) -> dict[Class, int]:
    sizes: dict[Class, int] = defaultdict(int)
    for key, rows in zip(plan.tuples.keys[:, 0].tolist(), plan.tuples.counts.tolist(), strict=True):
        sizes[class_of(cube, plan, levels, key)] += rows
    return sizes


@settings(max_examples=60)
@given(table=TABLES, generator=generators)
def test_the_smallest_classes_are_called_whole(table: RandomTable, generator: Random) -> None:
    cube, plan = planned(table)
    levels = drawn_levels(plan, plan.layout.steps, generator)
    wanted = generator.choice([1, 5, 20, 1000])
    called = called_at(plan, levels, wanted)
    sizes = sizes_at(cube, plan, levels)
    members = Counter(class_of(cube, plan, levels, key) for key in keys_of(called))
    tuples = Counter(class_of(cube, plan, levels, key) for key in plan.tuples.keys[:, 0].tolist())
    assert all(members[shown] == tuples[shown] for shown in members)
    assert len(set(keys_of(called))) == called.starts[1]
    chosen = sorted(sizes[shown] for shown in members)
    small = sorted(size for size in sizes.values() if size <= LARGEST)
    assert chosen == small[: len(chosen)]
    assert sum(chosen) >= min(wanted, sum(small))
    assert not chosen or sum(chosen[:-1]) < wanted


@settings(max_examples=60)
@given(table=TABLES, generator=generators)
def test_what_witnesses_show_tells_their_classes_apart(table: RandomTable, generator: Random) -> None:
    cube, plan = planned(table)
    levels = drawn_levels(plan, plan.layout.steps, generator)
    called = called_at(plan, levels, 30)
    classes = [class_of(cube, plan, levels, key) for key in keys_of(called)]
    shown = called.shown[: len(classes), 0].tolist()
    assert len(set(zip(classes, shown, strict=True))) == len(set(classes)) == len(set(shown))


@settings(max_examples=60)
@given(table=TABLES, generator=generators)
def test_sizes_below(table: RandomTable, generator: Random) -> None:
    """The sizes of the witnesses' classes below are those of whole classes there."""
    cube, plan = planned(table)
    above = drawn_levels(plan, plan.layout.steps, generator)
    below = drawn_levels(plan, above, generator)
    called = called_at(plan, above, generator.choice([1, 10, 1000]))
    others = [drawn_levels(plan, above, generator) for _ in range(generator.randint(0, 2))]
    found, counted = split(plan, called, 0, np.array([below, *others]))
    assert counted >= called.starts[1]
    for levels, (found_sizes, _) in zip([below, *others], found, strict=True):
        by_size = rows_by_size(found_sizes, LARGEST)
        sizes = sizes_at(cube, plan, levels)
        heard = {class_of(cube, plan, levels, key) for key in keys_of(called)}
        expected = Counter(sizes[shown] for shown in heard if sizes[shown] <= LARGEST)
        assert {s: int(n) // s for s, n in enumerate(by_size) if n} == dict(expected)


def test_no_room() -> None:
    _, plan = planned(random_table(Random("witnesses"), rows=(100, 100)))
    space = scratch(plan, 1000)
    levels = np.stack([plan.layout.steps, np.zeros_like(plan.layout.steps)])
    called, holders = with_witnesses(nobody(plan, 1), plan, space, levels, 1, 1)
    assert holders.tolist() == [-1, 0]
    assert called.starts.tolist() == [0, 1]
    assert not space.tally.by_size.any()


def test_more_room_keeps_what_is_there() -> None:
    _, plan = planned(random_table(Random("witnesses"), rows=(100, 100)))
    called = called_at(plan, plan.layout.steps, 5)
    larger = with_room(called, plan, 10 * called.room)
    assert larger.room >= 10 * called.room
    assert keys_of(larger) == keys_of(called)
    assert with_room(larger, plan, 5) is larger


@given(generators)
def test_bounds_are_raised_to_what_is_lost(generator: Random) -> None:
    by_size = np.array([size * generator.choice([0, 0, 1, 2]) for size in range(30)], dtype=np.int64)
    bounds = drawn_bounds(generator, 2, 2, 0)
    before, k_before = bounds.staircase.copy(), -bounds.known[1, 0]
    raise_bounds(bounds, 1, by_size)
    lost = {a: int(by_size[:a].sum()) for a in range(1, 41)}
    too_many = [a for a, rows in lost.items() if rows > bounds.suppressible]
    for size, stair, old in zip(
        bounds.sizes.tolist(), bounds.staircase[1].tolist(), before[1].tolist(), strict=True
    ):
        assert old <= stair <= max(old, lost[size])
        assert stair == max(old, lost[size]) or stair > bounds.suppressible
    assert -bounds.known[1, 0] == min([k_before, *(a - 1 for a in too_many[:1])])
    assert bounds.staircase[0].tolist() == before[0].tolist()


def test_first_above() -> None:
    levels = np.array([[0, 1], [2, 2], [3, 0]], dtype=np.int64)
    others = np.array([[0, 0], [1, 1], [2, 2], [2, 3]], dtype=np.int64)
    assert first_above(levels, others).tolist() == [1, 2, -1]
    assert first_above(levels, others[:0]).tolist() == [-1, -1, -1]
