"""Ranks and counts made block by block, beside numpy's over all at once."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from paretonym.base import factorize
from paretonym.base.factorize import counted, distinct_rows, rank, summed


@pytest.mark.parametrize("block", [1, 3, 64, 1 << 19])
@pytest.mark.parametrize("rows", [0, 1, 64, 200])
def test_blocks_give_what_all_at_once_gives(block: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factorize, "BLOCK", block)
    numbers = np.random.default_rng(rows).integers(-20, 20, rows)
    distinct, first, ranks, counts = np.unique(
        numbers, return_index=True, return_inverse=True, return_counts=True
    )
    replaced = numbers.copy()
    found = rank(replaced)
    assert found.distinct.tolist() == distinct.tolist()
    assert found.first.tolist() == first.tolist()
    assert found.counts.tolist() == counts.tolist()
    assert replaced.tolist() == ranks.tolist()
    blocks = [numbers[start : start + block] for start in range(0, max(rows, 1), block)]
    assert [part.tolist() for part in counted(blocks)] == [distinct.tolist(), counts.tolist()]


@pytest.mark.parametrize("word", [1 << 62, 50, 4])
def test_distinct_rows(word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same whether or not all columns fit into one number."""
    monkeypatch.setattr(factorize, "WORD", word)
    generator = np.random.default_rng(word)
    sizes = [3, 5, 2, 7]
    columns = [generator.integers(0, size, 300) for size in sizes]
    first, ids, counts = distinct_rows(columns, sizes)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    shown = [rows[place] for place in first.tolist()]
    assert shown == sorted(set(rows))
    assert [shown[number] for number in ids.tolist()] == rows
    assert dict(zip(shown, counts.tolist(), strict=True)) == Counter(rows)


def test_sums_of_weights() -> None:
    numbers, weights = np.random.default_rng(1).integers(0, 9, (2, 100))
    distinct, sums = summed(numbers, weights)
    assert distinct.tolist() == sorted(set(numbers.tolist()))
    assert sums.tolist() == [int(weights[numbers == number].sum()) for number in distinct.tolist()]
    nothing = np.empty(0, dtype=np.int64)
    assert [part.tolist() for part in summed(nothing, nothing)] == [[], []]
