"""Ranks and counts made block by block, beside numpy's over all at once."""

from __future__ import annotations

import numpy as np
import pytest

from paretonym.counts import factorize as ranking
from paretonym.counts.factorize import counted, rank


@pytest.mark.parametrize("block", [1, 3, 64, 1 << 19])
@pytest.mark.parametrize("rows", [0, 1, 64, 200])
def test_blocks_give_what_all_at_once_gives(block: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "BLOCK", block)
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
