"""Levels over many texts at once, beside what labels one text after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.tables.schema import schema_from
from paretonym.tables.schema.hierarchies import Values, build, level_table
from paretonym.tables.schema.hierarchies.level_table import LevelTable, runs

ASCII = st.text("0123*a ", max_size=7)
ANY = st.text("01*aé\0", max_size=7)
LONG = st.text("01", min_size=30, max_size=40)
TEXTS = st.one_of(*(st.lists(kind, unique=True, max_size=25).map(tuple) for kind in (ASCII, ANY, LONG)))


def _drafted(texts: tuple[str, ...], hierarchy: dict[str, object]) -> LevelTable:
    column = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": hierarchy}}}).column("x")
    return level_table(column, Values("x", texts))


def _check(draft: LevelTable, texts: tuple[str, ...], labels: list[Callable[[str], str]]) -> None:
    """Each level shows a text by its label, and equal labels are one set."""
    assert sorted(draft.leaves) == sorted(texts)
    assert [draft.leaves[code] for code in draft.codes.tolist()] == list(texts)
    assert len(draft.levels) == 1 + len(labels)
    shown = [list(draft.leaves), *([label(leaf) for leaf in draft.leaves] for label in labels)]
    for level, expected in zip(draft.levels, shown, strict=True):
        assert [level.labels[group] for group in level.groups.tolist()] == expected
        changes = np.array(
            [one != other for one, other in zip(expected[1:], expected, strict=False)], dtype=np.bool_
        )
        assert level.groups.tolist() == runs(changes, len(expected))[0].tolist()
        assert len(set(expected)) == len(level.labels)


@given(TEXTS, st.integers(1, 9))
def test_masked_characters_are_those_of_each_text(texts: tuple[str, ...], characters: int) -> None:
    def masked(stars: int) -> Callable[[str], str]:
        return lambda text: text[: max(len(text) - stars, 0)] + "*" * stars

    _check(
        _drafted(texts, {"mask": characters}), texts, [masked(stars) for stars in range(1, characters + 1)]
    )


@given(TEXTS, st.lists(st.integers(1, 8), min_size=1, max_size=4, unique=True))
def test_kept_characters_are_those_of_each_text(texts: tuple[str, ...], counts: list[int]) -> None:
    def kept(count: int) -> Callable[[str], str]:
        return lambda text: f"{text[:count]}*" if len(text) >= count else text

    falling = sorted(counts, reverse=True)
    _check(_drafted(texts, {"keep": falling}), texts, [kept(count) for count in falling])


@given(st.lists(st.decimals(-50, 50, places=1).map(str), unique=True, min_size=1, max_size=20))
def test_numbers_written_in_several_ways_are_one_leaf(texts: list[str]) -> None:
    """Their leaves are distinct, so that level 0 needs no check."""
    written = tuple(dict.fromkeys([*texts, *(text.removesuffix(".0") for text in texts), "007", "7"]))
    draft = _drafted(written, {"intervals": [5, 10]})
    assert len(set(draft.leaves)) == len(draft.leaves)
    assert [float(draft.leaves[code]) for code in draft.codes.tolist()] == [float(text) for text in written]


@given(st.lists(st.dates().map(str), unique=True, min_size=1, max_size=20))
def test_dates_written_in_several_ways_are_one_leaf(texts: list[str]) -> None:
    written = (*texts, *(f"{text}T10:30" for text in texts[::2]), f" {texts[0]}")
    draft = _drafted(written, {"date": ["month", "year"]})
    assert draft.leaves == tuple(sorted(texts))
    assert [draft.leaves[code] for code in draft.codes.tolist()] == [text.strip()[:10] for text in written]


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (("12", "1*", "34"), [("1*", "12", "34"), ("1* (level 1)", "3*"), ("*",)]),
        (("1*", "1*2", "*"), [("*", "1*", "1*2"), ("*", "1*", "1**"), ("* (level 2)",)]),
    ],
)
def test_a_value_that_looks_like_a_label_keeps_its_text(
    texts: tuple[str, ...], labels: list[tuple[str, ...]]
) -> None:
    column = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": {"mask": 1}}}}).column("x")
    assert [level.labels for level in build(column, Values("x", texts)).hierarchy.levels] == labels
