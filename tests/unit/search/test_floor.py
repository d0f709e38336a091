"""The floor beside every partition of tiny tables, and beside the least cost of every row, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from paretonym.search import floor as floors_module
from paretonym.search.floor import floors
from paretonym.testing.random_tables import PERSON, RandomTable
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


@settings(max_examples=100)
@given(tables(quasi=(1, 3), rows=(1, 7), persons=True))
def test_no_partition_of_persons_loses_less(table: RandomTable) -> None:
    plain, sizes, cube = Table.of(table.rows, table.schema), range(1, 5), table.study().cube
    assert cube.persons is not None
    # At level 0: the floor is over all levels, those below what a search may use too.
    names = [PERSON, *(quasi.name for quasi in plain.quasis)]
    tuples = {tuple(row[name] for name in names) for row in plain.rows}
    alike = len(tuples) == len({row[PERSON] for row in plain.rows})
    for k, least in zip(sizes, floors(cube, sizes), strict=True):
        assert least <= float(floor(plain, k)) + 1e-9
        assert least <= least_loss(plain, k)
        if alike:
            assert least == pytest.approx(float(floor(plain, k)), abs=1e-9)


@settings(max_examples=50)
@given(TINY)
def test_groups_of_columns_give_a_lower_floor(table: RandomTable) -> None:
    """As where a lattice is too large to visit."""
    cube, sizes = table.study().cube, [3, 1, 2, 2]
    whole = floors(cube, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floors_module, "MOST_VISITED", 0)
        patch.setattr(floors_module, "MOST_IN_GROUP", 0)
        assert len(floors_module.column_groups(cube)) == len(cube.axes)
        apart = floors(cube, sizes, threads=1)
        patch.setattr(floors_module, "SIZES_AT_ONCE", 1)
        assert (floors(cube, sizes) == apart).all()
    assert (apart <= whole + 1e-12).all()
    assert whole[2] == whole[3]


def test_a_table_without_differences_costs_nothing() -> None:
    table = RandomTable(({"a": "x"},) * 4, {"columns": {"a": {"role": "quasi", "hierarchy": {"flat": True}}}})
    assert floors(table.study().cube, [1, 4, 5]).tolist() == pytest.approx([0, 0, 1])
