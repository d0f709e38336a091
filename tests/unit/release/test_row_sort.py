"""Rows as integers, and the way from a row to its tuple: beside plain Python, also where words overflow."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.counts.tuple_counts import count_tuples
from paretonym.release import released_rows
from paretonym.release.released_rows import RowTuples
from paretonym.release.row_sort import FIRST_BITS, FURTHER_BITS, Words, sort_rows
from paretonym.testing.random_tables import random_table

SIZES = st.lists(st.sampled_from([1, 2, 3, 1000, 2**20, 2**30]), min_size=1, max_size=12)


@settings(deadline=None)
@given(SIZES, st.integers(0, 2**32), st.integers(1, 60))
def test_rows_come_back_sorted(sizes: list[int], seed: int, rows: int) -> None:
    generator = Random(seed)
    drawn = [
        tuple(generator.randrange(min(size, 5)) * (size // 5 or 1) for size in sizes) for _ in range(rows)
    ]
    drawn = [tuple(min(c, s - 1) for c, s in zip(row, sizes, strict=True)) for row in drawn]
    words = Words.of(sizes)
    columns = [np.array(column, dtype=np.int32) for column in zip(*drawn, strict=True)]
    found = sort_rows(words, words.pack(columns))
    assert list(zip(*(codes.tolist() for codes in found.codes(0, rows)), strict=True)) == sorted(drawn)
    different, counts = found.distinct
    listed = list(zip(*(codes.tolist() for codes in different), strict=True))
    assert listed == sorted(set(drawn))
    assert counts.tolist() == [drawn.count(row) for row in listed]


def test_columns_that_do_not_fit_go_to_the_next_word() -> None:
    words = Words.of([2**30, 2**31, 2**2, 2**20, 2**20])
    assert [[digit.column for digit in word] for word in words.digits] == [[0, 1], [2, 3], [4]]
    assert sum(digit.bits for digit in words.digits[0]) <= FIRST_BITS
    assert all(sum(digit.bits for digit in word) <= FURTHER_BITS for word in words.digits[1:])


@pytest.mark.parametrize("word", [1 << 62, 50, 2])
@pytest.mark.parametrize("seed", range(5))
def test_every_row_finds_its_tuple(word: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_table(Random(seed), quasi=(3, 5), rows=(5, 60)).study()
    cube = count_tuples(study.table, study.bound)
    monkeypatch.setattr(released_rows, "_WORD", word)
    monkeypatch.setattr(released_rows, "BLOCK", 7)
    found = RowTuples.of(study.table, study.bound, cube).every()
    assert (found == -1).tolist() == study.table.dropped(study.bound.omitted).tolist()
    assert np.bincount(found[found >= 0], minlength=cube.tuples).tolist() == cube.counts.tolist()
    for j, column in enumerate(study.bound.quasi):
        leaves = np.append(column.codes, column.null_code)[study.table.column(column.name).codes]
        groups = column.hierarchy.levels[column.lowest].groups
        kept = found >= 0
        assert (groups[leaves[kept]] == cube.groups[found[kept], j]).all()
