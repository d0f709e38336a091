"""The cube: distinct tuples and their counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings

from paretonym.engine.counts.tuple_layout import WORD_BITS, Packing
from paretonym.research.exams.random_tables import RandomTable, text_table
from paretonym.study.study import Study
from tests.strategies import tables


@settings(max_examples=20)
@given(tables(missing=0.5))
def test_cube_counts_rows(table: RandomTable) -> None:
    cube = table.study().cube
    dropping = table.schema["missing"] == "drop"
    left = [row for row in table.rows if not (dropping and None in row.values())]
    assert (cube.read, cube.rows, cube.dropped) == (
        len(table.rows), len(left), len(table.rows) - len(left),
    )  # fmt: skip
    # Values that no level tells apart are counted together.
    if all(axis.lowest == 0 for axis in cube.axes):
        assert sorted(cube.counts.tolist()) == sorted(Counter(tuple(row.values()) for row in left).values())
    for j, axis in enumerate(cube.axes):
        assert axis.leaf_rows.sum() == len(left)
        at_lowest = np.bincount(cube.groups[:, j], weights=cube.counts, minlength=axis.groups(axis.lowest))
        assert at_lowest.astype(int).tolist() == axis.rows(axis.lowest).tolist()


def test_persons_of_each_value_beside_coded_ends() -> None:
    """Level 0 shows 2 and 3 as <10, and 70 and 80 as 60+: a person with both counts once."""
    ages = ["2", "3", "3", "20", "20", "20", "41", "70", "80", "80"]
    whose = ["a", "a", "b", "a", "b", "b", "c", "c", "a", "b"]
    age = {"role": "quasi", "type": "integer", "hierarchy": {"flat": True}, "bottom": 10, "top": 60}
    study = Study(
        text_table({"age": ages, "who": whose}), {"columns": {"age": age, "who": {"role": "person"}}}
    )
    axis = study.cube.axes[0]
    assert axis.groups(0) == 4
    assert axis.leaf_persons is not None
    found = dict(zip(axis.hierarchy.leaves, axis.leaf_persons.tolist(), strict=True))
    assert found == {"<10": 2, "20": 2, "41": 1, "60+": 3}


def test_packing() -> None:
    packing = Packing.of([5, 1, 2, 9])
    assert packing.bits == (3, 0, 1, 4)
    assert packing.shift == (5, 0, 4, 0)
    columns = [np.array([4, 0]), np.array([0, 0]), np.array([1, 0]), np.array([8, 3])]
    keys = packing.pack(columns)
    for column, shift, bits in zip(columns, packing.shift, packing.bits, strict=True):
        digits = (keys[:, 0] >> np.uint64(shift)) & np.uint64((1 << bits) - 1)
        assert digits.tolist() == column.tolist()


def test_keys_of_several_words() -> None:
    assert Packing.of([2] * WORD_BITS).words == 1
    assert Packing.of([2] * (WORD_BITS + 1)).words == 2
    packing = Packing.of([1 << 31, 1 << 31, 1 << 31, 1])
    assert packing.word == (1, 0, 0, 0)
    assert packing.shift == (0, 31, 0, 0)
