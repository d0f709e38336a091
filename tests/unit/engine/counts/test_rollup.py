"""Compiled visits beside plain numpy: the same facts at every node, whichever way there."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from paretonym.engine.counts import rollup as visits
from paretonym.engine.counts.class_statistics import Kind, Statistic
from paretonym.engine.counts.cube import Cube
from paretonym.engine.counts.kernel_interface import Bounds
from paretonym.engine.counts.rollup import Counted, Visits
from paretonym.engine.counts.tuple_layout import Plan
from paretonym.engine.measures.cell_costs import CellCosts
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.search.bounds import enter_stairs
from paretonym.research.exams.random_tables import RandomTable, bounded, random_table
from tests.naive.rollup import node_facts

CASES = 12
# Every kind of roll-up: many values for many runs, one value for digits without bits.
SHAPES: Mapping[str, Mapping[str, Any]] = {
    "few rows": {"rows": (1, 30)},
    "many rows": {"rows": (200, 400)},
    "one quasi-identifier": {"quasi": (1, 1), "rows": (1, 60)},
    "five quasi-identifiers": {"quasi": (5, 5), "rows": (50, 120), "kinds": ("flat", "intervals")},
    "digits without bits": {"kinds": ("flat",), "rows": (1, 60)},
    "many values": {},
    "wider than a word": {},
}


def cases(shape: str, most: int = CASES) -> int:
    """Fewer of the large tables."""
    return most if SHAPES[shape] else 2


def of_numbers(rows: list[dict[str, int]], widths: Mapping[str, list[int]], generator: Random) -> RandomTable:
    """Columns of numbers with intervals of these widths, and a sensitive one."""
    entries: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": {"intervals": widths[name]}} for name in widths
    }
    entries["s0"] = {"role": "sensitive", "order": ["x", "y", "z"]}
    texts = tuple(
        {name: str(value) for name, value in row.items()} | {"s0": generator.choice("xxyz")} for row in rows
    )
    return RandomTable(texts, {"columns": entries})


def of_many_values(generator: Random) -> RandomTable:
    """Many runs fall together when a digit of many values goes up."""
    widths = {"a": [2, 6, 12], "b": [3, 30, 60, 120], "c": [2]}
    most = {"a": 70, "b": 70, "c": 3}
    number = generator.randint(100, 600)
    rows = [{name: generator.randint(0, most[name]) for name in widths} for _ in range(number)]
    return of_numbers(rows, widths, generator)


def of_wide_columns(generator: Random) -> RandomTable:
    """Eight columns of nine bits each: more than a key of one word can hold. Rows of their own see to it
    that every value occurs."""
    names, number = "abcdefgh", generator.randint(60, 120)
    ends = (0, 511)
    rows = [{n: generator.choice([*ends, generator.randint(*ends)]) for n in names} for _ in range(number)]
    rows += [dict.fromkeys(names, value) for value in range(512)]
    return of_numbers(rows, {name: [256] for name in names}, generator)


def drawn_cube(shape: str, case: int) -> tuple[Cube, Random]:
    generator = Random(f"{shape} {case}")
    table = of_wide_columns(generator) if shape == "wider than a word" else of_many_values(generator)
    if SHAPES[shape]:
        table = random_table(generator, sensitive=1, **SHAPES[shape])
    if generator.random() < 0.5:
        table = bounded(table, generator)
    return table.study().cube, generator


def some_nodes(cube: Cube, generator: Random) -> npt.NDArray[np.int64]:
    size = Lattice.of(cube).size
    numbers = range(size) if size < 150 else sorted(generator.sample(range(size), 150))
    return np.array(numbers, dtype=np.int64)


def visited(walk: Visits, cube: Cube, numbers: npt.NDArray[np.int64]) -> list[npt.NDArray[np.generic]]:
    lattice = Lattice.of(cube)
    levels = lattice.level_table(numbers) - np.array(lattice.lowest, dtype=np.int64)
    return list(walk.visit(numbers, levels))


EVERY = tuple(Statistic(kind, "s0", released, 3.0) for kind in Kind for released in (False, True))


def plan_of(cube: Cube, suppressible: int, every: bool, order: tuple[int, ...] | None = None) -> Plan:
    units = [CellCosts.of("generalization", cube).units]
    return Plan.of(cube, units, suppressible, every, EVERY, order)


@pytest.mark.parametrize("every", [True, False], ids=["every threshold", "one limit"])
@pytest.mark.parametrize("shape", SHAPES)
def test_equals_plain_numpy(shape: str, every: bool) -> None:
    for case in range(cases(shape)):
        cube, generator = drawn_cube(shape, case)
        suppressible = generator.choice([0, 1, 3, cube.rows // 10, cube.rows // 3, cube.rows - 1])
        numbers = some_nodes(cube, generator)
        nodes, facts, costs, statistics = visited(Visits(plan_of(cube, suppressible, every)), cube, numbers)
        units = [CellCosts.of("generalization", cube).units]
        place = 0
        for number in numbers.tolist():
            levels = Lattice.of(cube).levels(number)
            wanted, spent, values = node_facts(cube, levels, units, EVERY, suppressible, every)
            found = slice(place, place + len(wanted))
            assert facts[found].tolist() == wanted.tolist()
            assert costs[found].tolist() == spent.tolist()
            assert statistics[found] == pytest.approx(values, rel=5.1e-10, abs=1e-10)
            assert set(nodes[found].tolist()) == {number}
            place += len(wanted)
        assert place == len(facts)


@pytest.mark.parametrize("shape", SHAPES)
def test_jumps_find_what_a_walk_finds(shape: str) -> None:
    for case in range(cases(shape)):
        cube, generator = drawn_cube(shape, case)
        plan = plan_of(cube, cube.rows // 5, False)
        numbers = some_nodes(cube, generator)
        in_order = visited(Visits(plan), cube, numbers)
        jumbled = np.array(generator.sample(range(len(numbers)), len(numbers)))
        jumping = visited(Visits(plan), cube, numbers[jumbled])
        for ordered, jumped in zip(in_order, jumping, strict=True):
            assert jumped == pytest.approx(ordered[jumbled], rel=5.1e-10)


@pytest.mark.parametrize("kept", [1, 5, 10**9])
@pytest.mark.parametrize("prefixes", [1, 20, 1000])
@pytest.mark.parametrize("shape", SHAPES)
def test_kept_prefixes_change_nothing(
    shape: str, prefixes: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many prefixes are kept, and whether there is room for all of them."""
    monkeypatch.setattr(visits, "_MOST_PREFIXES", prefixes)
    monkeypatch.setattr(visits, "_MOST_KEPT", kept)
    for case in range(cases(shape, CASES // 2)):
        cube, generator = drawn_cube(shape, case)
        numbers = some_nodes(cube, generator)
        in_order = visited(Visits(plan_of(cube, cube.rows // 5, False)), cube, numbers)
        plan = plan_of(cube, cube.rows // 5, False, cube.jumping_order)
        jumbled = np.array(generator.sample(range(len(numbers)), len(numbers)))
        for ordered, jumped in zip(in_order, visited(Visits(plan), cube, numbers[jumbled]), strict=True):
            assert jumped == pytest.approx(ordered[jumbled], rel=5.1e-10, abs=1e-10)


def test_a_walk_goes_on_from_where_it_stands() -> None:
    """Visits in pieces are the same as all at once, also when a node comes twice."""
    cube, generator = drawn_cube("many rows", 0)
    plan = plan_of(cube, 10, True)
    numbers = some_nodes(cube, generator)
    whole = visited(Visits(plan), cube, numbers)
    walk = Visits(plan)
    pieces = [visited(walk, cube, piece) for piece in np.array_split(numbers, 7) if len(piece)]
    for column, wanted in enumerate(whole):
        assert np.concatenate([piece[column] for piece in pieces]) == pytest.approx(wanted, rel=5.1e-10)
    last = visited(walk, cube, numbers[-1:])
    assert last[1].tolist() == visited(walk, cube, numbers[-1:])[1].tolist()


def test_wide_columns_need_two_words() -> None:
    cube, _ = drawn_cube("wider than a word", 0)
    assert plan_of(cube, 0, False).layout.words == 2
    few, _ = drawn_cube("few rows", 0)
    assert plan_of(few, 0, False).layout.words == 1


def test_two_kinds_of_cost_are_carried_alike() -> None:
    for case in range(CASES):
        cube, generator = drawn_cube("few rows", case)
        units = CellCosts.of("generalization", cube).units
        doubled = tuple(tuple(2 * level for level in axis) for axis in units)
        numbers = some_nodes(cube, generator)
        _, _, costs, _ = visited(Visits(Plan.of(cube, [units, doubled], cube.rows // 2, True)), cube, numbers)
        assert costs[:, 1].tolist() == (2 * costs[:, 0]).tolist()


@pytest.mark.parametrize("every", [True, False], ids=["every threshold", "one limit"])
@pytest.mark.parametrize("shape", SHAPES)
def test_visits_leave_the_stairs_that_numpy_finds(shape: str, every: bool) -> None:
    for case in range(cases(shape)):
        cube, generator = drawn_cube(shape, case)
        suppressible = generator.choice([0, 1, 3, cube.rows // 10, cube.rows // 3, cube.rows - 1])
        numbers, size = some_nodes(cube, generator), Lattice.of(cube).size
        sizes = np.array(sorted(generator.sample(range(1, cube.rows + 20), 9)), dtype=np.int64)
        axes, none = np.zeros(len(cube.axes), dtype=np.int64), np.empty(0, dtype=np.int64)
        left = [
            Bounds.made(
                nodes=size, suppressible=suppressible, size_place=0, sizes=sizes, place=none, tops=axes,
                weights=axes, required=np.empty(0),
            )
            for _ in "ab"
        ]  # fmt: skip
        visited(Visits(plan_of(cube, suppressible, every), bounds=left[0]), cube, numbers)
        levels = [Lattice.of(cube).levels(number) for number in numbers.tolist()]
        facts = [node_facts(cube, own, (), (), suppressible, True)[0] for own in levels]
        nodes = np.repeat(numbers, [len(each) for each in facts])
        empty = np.empty((len(nodes), 0))
        counted = Counted(nodes, np.concatenate(facts), empty.astype(np.int64), empty)
        enter_stairs(counted, left[1], cube.rows)
        assert left[0].staircase.tolist() == left[1].staircase.tolist()
