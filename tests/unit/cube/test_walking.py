"""Compiled visits beside plain numpy: the same facts at every node, whichever way there."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from paretonym.cube.cube import Cube
from paretonym.cube.layout import Plan, lay_out
from paretonym.cube.plain import classes_at, node_facts
from paretonym.cube.walking import Walk
from paretonym.measures.costs import generalization_costs
from paretonym.recoding.lattice import Lattice
from paretonym.testing.random_tables import RandomTable, bounded, random_table

CASES = 12
# Every kind of roll-up: many values for many runs, one value for digits without bits.
SHAPES: Mapping[str, Mapping[str, Any]] = {
    "few rows": {"rows": (1, 30)},
    "many rows": {"rows": (200, 400)},
    "one quasi-identifier": {"quasi": (1, 1), "rows": (1, 60)},
    "five quasi-identifiers": {"quasi": (5, 5), "rows": (50, 120), "kinds": ("flat", "intervals")},
    "digits without bits": {"kinds": ("flat",), "rows": (1, 60)},
    "many values": {},
}


def of_many_values(generator: Random) -> RandomTable:
    """Many runs fall together when a digit of many values goes up."""
    widths = {"a": [2, 6, 12], "b": [3, 30, 60, 120], "c": [2]}
    most = {"a": 70, "b": 70, "c": 3}
    rows = [
        {name: generator.randint(0, most[name]) for name in widths}
        for _ in range(generator.randint(100, 600))
    ]
    entries = {name: {"role": "quasi", "hierarchy": {"intervals": widths[name]}} for name in widths}
    texts = tuple({name: str(value) for name, value in row.items()} for row in rows)
    return RandomTable(texts, {"columns": entries})


def drawn_cube(shape: str, case: int) -> tuple[Cube, Random]:
    generator = Random(f"{shape} {case}")
    table = random_table(generator, **SHAPES[shape]) if SHAPES[shape] else of_many_values(generator)
    if generator.random() < 0.5:
        table = bounded(table, generator)
    return table.study().cube, generator


def some_nodes(cube: Cube, generator: Random) -> npt.NDArray[np.int64]:
    size = Lattice.of(cube).size
    numbers = range(size) if size < 150 else sorted(generator.sample(range(size), 150))
    return np.array(numbers, dtype=np.int64)


def visited(walk: Walk, cube: Cube, numbers: npt.NDArray[np.int64]) -> list[npt.NDArray[np.float64]]:
    lattice = Lattice.of(cube)
    levels = lattice.level_table(numbers) - np.array(lattice.lowest, dtype=np.int64)
    return [np.asarray(part, dtype=np.float64) for part in walk.visit(numbers, levels)]


def plan_of(cube: Cube, suppressible: int, every: bool) -> Plan:
    return lay_out(cube, [generalization_costs(cube).units], suppressible, every)


@pytest.mark.parametrize("every", [True, False], ids=["every threshold", "one limit"])
@pytest.mark.parametrize("shape", SHAPES)
def test_equals_plain_numpy(shape: str, every: bool) -> None:
    for case in range(CASES):
        cube, generator = drawn_cube(shape, case)
        suppressible = generator.choice([0, 1, 3, cube.rows // 10, cube.rows // 3, cube.rows - 1])
        numbers = some_nodes(cube, generator)
        nodes, facts, costs = visited(Walk(plan_of(cube, suppressible, every)), cube, numbers)
        units = [generalization_costs(cube).units]
        place = 0
        for number in numbers.tolist():
            wanted, spent = node_facts(cube, Lattice.of(cube).levels(number), units, suppressible, every)
            found = slice(place, place + len(wanted))
            assert facts[found].tolist() == wanted.tolist()
            assert costs[found] == pytest.approx(spent, rel=1e-12)
            assert set(nodes[found].tolist()) == {number}
            place += len(wanted)
        assert place == len(facts)


@pytest.mark.parametrize("shape", SHAPES)
def test_jumps_find_what_a_walk_finds(shape: str) -> None:
    for case in range(CASES):
        cube, generator = drawn_cube(shape, case)
        plan = plan_of(cube, cube.rows // 5, False)
        numbers = some_nodes(cube, generator)
        in_order = visited(Walk(plan), cube, numbers)
        jumbled = np.array(generator.sample(range(len(numbers)), len(numbers)))
        jumping = visited(Walk(plan), cube, numbers[jumbled])
        for ordered, jumped in zip(in_order, jumping, strict=True):
            assert jumped == pytest.approx(ordered[jumbled], rel=1e-12)


def test_a_walk_goes_on_from_where_it_stands() -> None:
    """Visits in pieces are the same as all at once, also when a node comes twice."""
    cube, generator = drawn_cube("many rows", 0)
    plan = plan_of(cube, 10, True)
    numbers = some_nodes(cube, generator)
    whole = visited(Walk(plan), cube, numbers)
    walk = Walk(plan)
    pieces = [visited(walk, cube, piece) for piece in np.array_split(numbers, 7) if len(piece)]
    for column, wanted in enumerate(whole):
        assert np.concatenate([piece[column] for piece in pieces]) == pytest.approx(wanted, rel=1e-12)
    last = visited(walk, cube, numbers[-1:])
    assert last[1].tolist() == visited(walk, cube, numbers[-1:])[1].tolist()


def test_two_kinds_of_cost_are_carried_alike() -> None:
    for case in range(CASES):
        cube, generator = drawn_cube("few rows", case)
        units = generalization_costs(cube).units
        doubled = tuple(tuple(2 * level for level in axis) for axis in units)
        numbers = some_nodes(cube, generator)
        _, _, costs = visited(Walk(lay_out(cube, [units, doubled], cube.rows // 2, True)), cube, numbers)
        assert costs[:, 1] == pytest.approx(2 * costs[:, 0], rel=1e-12)


def test_values_are_counted_for_every_class() -> None:
    """The counts of sensitive values go up with their classes."""
    for case in range(CASES):
        generator = Random(f"values {case}")
        cube = random_table(generator, sensitive=2, rows=(1, 80)).study().cube
        plan = lay_out(cube, [generalization_costs(cube).units], 0, False, cube.sensitive)
        walk = Walk(plan)
        for number in generator.choices(range(Lattice.of(cube).size), k=20):
            visited(walk, cube, np.array([number]))
            state = walk._state
            row = state.rows[state.origin[-1]]
            length = state.lengths[row]
            found = np.column_stack([state.counts[row, :length], state.cells[row, :length]])
            assert sorted(found.tolist()) == sorted(plain_cells(cube, Lattice.of(cube).levels(number)))


def plain_cells(cube: Cube, levels: tuple[int, ...]) -> list[list[int]]:
    """The size of each class, and how often each value of each margin occurs in it."""
    columns = [
        axis.mapping(axis.lowest, level)[cube.groups[:, j]]
        for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True))
    ]
    tuples = list(zip(*(column.tolist() for column in columns), strict=True))
    _, sizes = classes_at(cube, levels)
    result = {shown: [int(size)] for shown, size in zip(sorted(set(tuples)), sizes, strict=True)}
    for margin in cube.sensitive:
        start = len(next(iter(result.values())))
        for counts in result.values():
            counts.extend([0] * len(margin.labels))
        for t, value, count in zip(margin.tuples, margin.values, margin.counts, strict=True):
            result[tuples[t]][start + int(value)] += int(count)
    return list(result.values())
