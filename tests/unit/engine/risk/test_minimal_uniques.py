"""Minimal sample uniques against enumeration of all subsets, and against published scores."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.engine.risk.minimal_uniques import MinimalUniques, checked_size, minimal_uniques
from tests.naive.uniques import plainly_counted

# Two tables of the tests of sdcMicro 5.7 (tests/testthat/test_suda2.R) with their published scores.
GUIDELINE = [
    "Urban Female incomplete Employed", "Urban Female incomplete Employed", "Urban Female primary- Non-LF",
    "Urban Male complete Employed", "Rural Female complete Unemployed", "Urban Male complete Employed",
    "Urban Female primary Non-LF", "Urban Male post Unemployed", "Urban Female incomplete Non-LF",
    "Urban Female incomplete Non-LF",
]  # fmt: skip
GUIDELINE_SCORES = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
BOOK = [
    "20s male 50k+ high", "20s male 50k+ high", "20s male 50k- high", "20s male 50k- high",
    "20s female 50k- university", "20s female 50k- high", "20s female 50k- middle",
    "60s male 50k- university",
]  # fmt: skip
BOOK_SCORES = [0, 0, 0, 0, 4, 2, 6, 8]


def found_in(rows: list[tuple[object, ...]], size: int, threads: int = 1) -> tuple[MinimalUniques, list[int]]:
    """The minimal uniques of rows, and the score of each row."""
    counts = Counter(rows)
    tuples = list(counts)
    values: list[dict[object, int]] = [{} for _ in rows[0]]
    codes = [[own.setdefault(row[j], len(own)) for row in tuples] for j, own in enumerate(values)]
    found = minimal_uniques(
        np.array(codes, dtype=np.int32), np.array(list(counts.values()), dtype=np.int64), size, threads
    )
    scores = dict(zip(tuples, found.scores.tolist(), strict=True))
    return found, [scores[row] for row in rows]


def enumerated(rows: list[tuple[object, ...]], size: int) -> tuple[dict[tuple[int, ...], int], list[int]]:
    """The same by trying all subsets for each row."""
    columns = len(rows[0])
    counts: Counter[tuple[int, ...]] = Counter()
    scores = []
    for row in rows:
        own: list[tuple[int, ...]] = []
        for members in range(1, size + 1):
            for subset in combinations(range(columns), members):
                alike = sum(all(row[j] == other[j] for j in subset) for other in rows)
                if alike == 1 and not any(set(smaller) < set(subset) for smaller in own):
                    own.append(subset)
        counts.update(own)
        scores.append(sum(prod(columns - i for i in range(len(s), size + 1)) for s in own))
    return dict(counts), scores


@pytest.mark.parametrize(
    ("texts", "expected"), [(GUIDELINE, GUIDELINE_SCORES), (BOOK, BOOK_SCORES)], ids=["guideline", "book"]
)
def test_published_scores(texts: list[str], expected: list[int]) -> None:
    assert found_in([tuple(text.split()) for text in texts], size=3)[1] == expected


def test_published_contributions() -> None:
    """Those of sdcMicro's tests too: 50, 37.5 and 37.5 percent."""
    found, _ = found_in([(2, 0, 0), (1, 3, 6), (1, 0, 0)], size=2)
    assert [found.of_column(j) / found.total for j in range(3)] == [0.5, 0.375, 0.375]
    assert found.rows_by_smallest() == (2, 1)


ROWS = st.integers(2, 5).flatmap(
    lambda columns: st.lists(st.tuples(*[st.integers(0, 2)] * columns), min_size=1, max_size=14)
)


@given(ROWS, st.data())
@settings(max_examples=60, deadline=None)
def test_against_enumeration(rows: list[tuple[object, ...]], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(rows[0]) - 1))
    found, scores = found_in(rows, size, data.draw(st.integers(1, 2)))
    counts, expected = enumerated(rows, size)
    assert found.counts == counts
    assert scores == expected
    assert found.total == sum(expected)


@given(ROWS)
@settings(max_examples=20, deadline=None)
def test_numpy_finds_the_same(rows: list[tuple[object, ...]]) -> None:
    compiled, scores = found_in(rows, len(rows[0]) - 1)
    with plainly_counted():
        plain, plain_scores = found_in(rows, len(rows[0]) - 1)
    assert (compiled.counts, scores) == (plain.counts, plain_scores)
    assert compiled.rows_by_smallest() == plain.rows_by_smallest()


def test_a_size_that_does_not_exist() -> None:
    assert (checked_size(None, 10), checked_size(None, 2), checked_size(None, 1)) == (3, 1, 0)
    with pytest.raises(InputError, match="there are 4 quasi-identifiers, and a combination has fewer"):
        checked_size(4, 4)
    with pytest.raises(InputError, match="there is one quasi-identifier"):
        checked_size(1, 1)
    with pytest.raises(InputError, match="size: '2%' is not a whole number; give a number of columns"):
        checked_size("2%", 4)  # type: ignore[arg-type]


def test_too_many_combinations() -> None:
    codes = np.zeros((60, 2), dtype=np.int32)
    with pytest.raises(InputError, match=r"60 quasi-identifiers have [\d,]+ combinations of at most 8"):
        minimal_uniques(codes, np.ones(2, dtype=np.int64), 8)
