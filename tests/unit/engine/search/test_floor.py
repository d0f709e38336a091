"""The floor beside every partition of tiny tables, and beside the least cost of every row, one by one."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from paretonym.engine.search import floor as floors_module
from paretonym.engine.search.floor import floors
from paretonym.research.exams.random_tables import PERSON, RandomTable, random_table
from tests.naive.floors import floor, least_loss
from tests.naive.twin import Table
from tests.strategies import tables

TINY = tables(quasi=(1, 3), rows=(1, 7))


@settings(max_examples=200)
@given(TINY)
def test_no_partition_loses_less(table: RandomTable) -> None:
    plain, sizes = Table.of(table.rows, table.schema), range(1, 7)
    for k, least in zip(sizes, floors(table.study().cube, sizes), strict=True):
        assert least == pytest.approx(float(floor(plain, k)), abs=1e-9)
        assert least <= least_loss(plain, k)


def rows_agree(plain: Table) -> bool:
    """At level 0: the floor is over all levels, those below what a search may use too."""
    names = [PERSON, *(quasi.name for quasi in plain.quasis)]
    tuples = {tuple(row[name] for name in names) for row in plain.rows}
    return len(tuples) == len({row[PERSON] for row in plain.rows})


@settings(max_examples=100)
@given(tables(quasi=(1, 3), rows=(1, 7), persons=True))
def test_no_partition_of_persons_loses_less(table: RandomTable) -> None:
    plain, sizes, cube = Table.of(table.rows, table.schema), range(1, 5), table.study().cube
    assert cube.persons is not None
    alike = rows_agree(plain)
    for k, least in zip(sizes, floors(cube, sizes), strict=True):
        assert least <= float(floor(plain, k)) + 1e-9
        assert least <= least_loss(plain, k)
        if alike:
            assert least == pytest.approx(float(floor(plain, k)), abs=1e-9)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Every lattice is too large to visit."""
    monkeypatch.setattr(floors_module, "MOST_VISITED", 0)
    monkeypatch.setattr(floors_module, "MOST_IN_GROUP", 0)
    return monkeypatch


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TINY)
def test_groups_of_columns_give_a_lower_floor(large: pytest.MonkeyPatch, table: RandomTable) -> None:
    """Where there are too many tuples to compare them."""
    large.setattr(floors_module, "MOST_COMPARED", 0)
    cube, plain, sizes = table.study().cube, Table.of(table.rows, table.schema), [3, 1, 2, 2]
    assert len(floors_module.column_groups(cube)) == len(cube.axes)
    apart = floors(cube, sizes, threads=1)
    large.setattr(floors_module, "SIZES_AT_ONCE", 1)
    assert (floors(cube, sizes) == apart).all()
    for k, least in zip(sizes, apart.tolist(), strict=True):
        assert least <= float(floor(plain, k)) + 1e-12
    assert apart[2] == apart[3]
    large.setattr(floors_module, "SIZES_AT_ONCE", 64)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(quasi=(2, 4), rows=(1, 7)) | tables(quasi=(2, 3), rows=(1, 7), persons=True))
def test_neighbours_give_the_whole_floor(large: pytest.MonkeyPatch, table: RandomTable) -> None:
    """Row by row the least cost of any node, if there are evaluations enough; a lower bound, if there are
    none, or if few tuples are looked at. No partition loses less."""
    cube, plain, sizes = table.study().cube, Table.of(table.rows, table.schema), range(1, 6)
    exact = len(cube.axes) > 1 and (cube.persons is None or rows_agree(plain))
    optimum = [least_loss(plain, k) for k in sizes]
    large.setattr(floors_module, "MOST_COMPARED", 1 << 36)
    for evaluations, nearest in ((1 << 30, 250), (0, 250), (1 << 30, 2), (200, 3)):
        large.setattr(floors_module, "MOST_EVALUATED", evaluations)
        large.setattr(floors_module, "NEAREST", nearest)
        values = floors(cube, sizes).tolist()
        assert values == sorted(values)
        for k, least, loss in zip(sizes, values, optimum, strict=True):
            assert least <= loss
            assert least <= float(floor(plain, k)) + 1e-9
            if evaluations > 200 and nearest > 2 and exact:
                assert least == pytest.approx(float(floor(plain, k)), abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_neighbours_of_a_larger_table_give_what_all_nodes_give(seed: int, large: pytest.MonkeyPatch) -> None:
    """Exactly, with any number of threads; never more, where fewer tuples and sets are looked at."""
    cube, sizes = (
        random_table(Random(f"near {seed}"), quasi=(3, 5), rows=(40, 120)).study().cube,
        [2, 3, 5, 9],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floors_module, "MOST_VISITED", 1 << 40)
        truth = floors(cube, sizes)
    assert floors(cube, sizes) == pytest.approx(truth, abs=1e-7)
    large.setattr(floors_module, "TUPLES_AT_ONCE", 7)
    assert (floors(cube, sizes, threads=1) == floors(cube, sizes, threads=2)).all()
    for name, few in (("MOST_COMPARED", 4000), ("MOST_EVALUATED", 3000), ("NEAREST", 4)):
        large.setattr(floors_module, name, few)
        assert (floors(cube, sizes) <= truth + 1e-9).all()


def test_a_table_without_differences_costs_nothing() -> None:
    table = RandomTable(({"a": "x"},) * 4, {"columns": {"a": {"role": "quasi", "hierarchy": {"flat": True}}}})
    assert floors(table.study().cube, [1, 4, 5]).tolist() == pytest.approx([0, 0, 1])
