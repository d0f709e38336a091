"""The way from a row to its tuple, and rows as distinct ones with counts: beside plain Python."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.base import factorize
from paretonym.engine.counts.tuple_counts import count_tuples
from paretonym.release.released_rows import Released, Source, row_tuples
from paretonym.research.exams.random_tables import random_table
from paretonym.tables.schema import PEOPLE

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=30)


def source(name: str, letters: str) -> Source:
    values = pa.array(list(letters))
    return Source(name, "other", values, values, np.arange(len(letters) + 1, dtype=np.int32))


@given(ROWS, st.integers(1, 7))
def test_rows_are_sorted_and_counted(rows: list[tuple[int, int, int]], size: int) -> None:
    first, second, counts = (np.array(cells) for cells in zip(*rows, strict=True))
    cells = [first.astype(np.int32), second.astype(np.int32)]
    released = Released.of([source("a", "pqr"), source("b", "xy")], cells, counts, PEOPLE)
    letters = [("p", "q", "r", None), ("x", "y", None)]
    # A null follows every value.
    expected = [
        (letters[0][a], letters[1][b])
        for a, b, count in sorted(rows, key=lambda r: r[:2])
        for _ in range(count)
    ]
    assert len(released) == len(expected)
    for start in range(0, len(expected), size):
        part = released.part(start, start + size)
        for piece, codes in ((released, released.rows(start, start + size)), (part, part.rows(0, size))):
            columns = [c.cells(own).to_pylist() for c, own in zip(piece.columns, codes, strict=True)]
            assert list(zip(*columns, strict=True)) == expected[start : start + size]
        occurring = [set(cells) - {None} for cells in zip(*expected[start : start + size], strict=True)]
        assert [set(column.values.to_pylist()) for column in part.columns] == occurring


@pytest.mark.parametrize("word", [1 << 62, 50, 2])
@pytest.mark.parametrize("seed", range(5))
def test_every_row_finds_its_tuple(word: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_table(Random(seed), quasi=(3, 5), rows=(5, 60)).study()
    cube = count_tuples(study.table, study.bound)
    monkeypatch.setattr(factorize, "WORD", word)
    monkeypatch.setattr(factorize, "BLOCK", 7)
    tuples = row_tuples(study.table, study.bound, cube)
    assert (tuples == -1).tolist() == study.table.dropped(study.bound.omitted).tolist()
    assert np.bincount(tuples[tuples >= 0], minlength=cube.tuples).tolist() == cube.counts.tolist()
    for j, column in enumerate(study.bound.quasi):
        leaves = np.append(column.codes, column.null_code)[study.table.column(column.name).codes]
        groups = column.hierarchy.levels[column.lowest].groups
        remaining = tuples >= 0
        assert (groups[leaves[remaining]] == cube.groups[tuples[remaining], j]).all()
