"""Missing values, values without a place, tops, labels, and the check of every hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from paretonym.base.errors import Bug, InputError
from paretonym.tables.schema.bound_schema import QuasiColumn
from paretonym.tables.schema.hierarchies.hierarchy import (
    Groups,
    Hierarchy,
    Level,
    check_hierarchy,
    distinct_labels,
)

Quasi = Callable[..., QuasiColumn]
TREE = {"tree": {"A": ["a", "b"], "C": ["c"]}}
VALUE = {"missing": "value", "null": ["?"]}


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def test_missing_is_a_leaf_of_its_own_until_the_top(quasi: Quasi) -> None:
    column = quasi(["a", "?", None, " "], hierarchy=TREE, settings=VALUE)
    assert labels(column) == [("a", "b", "c", "(missing)"), ("A", "C", "(missing)"), ("*",)]
    assert (column.hierarchy.domain, column.null_code) == (4, 3)
    assert column.codes.tolist() == [0, 3, 3]
    assert column.hierarchy.origin == "the leaves of the tree and missing"


def test_missing_joins_a_top_that_is_there(quasi: Quasi) -> None:
    column = quasi(["12", None], hierarchy={"mask": 2}, settings=VALUE)
    assert labels(column) == [("12", "(missing)"), ("1*", "(missing)"), ("**",)]


def test_without_missing_values_there_is_no_such_leaf(quasi: Quasi) -> None:
    column = quasi(["a"], hierarchy=TREE, settings=VALUE)
    assert (column.hierarchy.domain, column.null_code) == (3, -1)


def test_only_missing_values(quasi: Quasi) -> None:
    assert labels(quasi([None], hierarchy={"mask": 2}, settings=VALUE)) == [("(missing)",)]
    assert labels(quasi([None], hierarchy={"intervals": [5]}, settings=VALUE)) == [("(missing)",)] * 2 + [
        ("*",)
    ]


def test_a_value_called_missing_keeps_its_text(quasi: Quasi) -> None:
    column = quasi(["(missing)", None], hierarchy={"flat": True}, settings=VALUE)
    assert labels(column)[0] == ("(missing)", "(missing) (level 0)")


def test_a_value_without_a_place_is_shown_as_the_top(quasi: Quasi) -> None:
    column = quasi(["a", "x", None, "y"], hierarchy=TREE, unknown="top", settings=VALUE)
    assert labels(column) == [("a", "b", "c", "(missing)", "*"), ("A", "C", "(missing)", "*"), ("*",)]
    assert [level.sizes.tolist() for level in column.hierarchy.levels] == [[1, 1, 1, 1, 4], [2, 1, 1, 4], [4]]
    assert column.hierarchy.domain == 4
    assert column.codes.tolist() == [0, 4, 4]
    assert column.null_code == 3


def test_unreadable_numbers_can_go_to_the_top(quasi: Quasi) -> None:
    column = quasi(["7", "n/a"], hierarchy={"intervals": [5]}, unknown="top")
    assert labels(column) == [("7", "*"), ("[5, 10)", "*"), ("*",)]


def test_not_all_values_can_lack_a_place(quasi: Quasi) -> None:
    with pytest.raises(InputError) as caught:
        quasi(["n/a"], hierarchy={"intervals": [5]}, unknown="top")
    assert str(caught.value) == (
        "the schema, column 'x': no value is in the hierarchy; check hierarchy and type"
    )


def test_a_value_that_looks_like_the_top(quasi: Quasi) -> None:
    column = quasi(["*", "* (level 1)"], hierarchy={"flat": True})
    assert labels(column)[1] == ("* (level 1, 2)",)


def test_equal_sets_share_their_label() -> None:
    pairs = np.array([0, 0, 1], dtype=np.int32)
    given: list[tuple[Groups, tuple[str, ...]]] = [(pairs, ("X", "c")), (pairs, ("X", "c"))]
    assert distinct_labels(given) == given


def hierarchy() -> Hierarchy:
    leaves = Level(np.arange(3, dtype=np.int32), ("a", "b", "c"), np.ones(3, dtype=np.int64))
    pairs = Level(np.array([0, 0, 1], dtype=np.int32), ("ab", "c"), np.array([2, 1], dtype=np.int64))
    top = Level(np.zeros(3, dtype=np.int32), ("*",), np.array([3], dtype=np.int64))
    return Hierarchy(("a", "b", "c"), (leaves, pairs, top), 3, "here")


def changed(level: int, **changes: object) -> Hierarchy:
    whole = hierarchy()
    levels = list(whole.levels)
    levels[level] = replace(levels[level], **changes)  # type: ignore[arg-type]
    return replace(whole, levels=tuple(levels))


def test_a_good_hierarchy_passes() -> None:
    check_hierarchy(hierarchy())


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        (replace(hierarchy(), levels=()), "a hierarchy has no levels or no leaves"),
        (replace(hierarchy(), levels=hierarchy().levels[:2]), "the top level of a hierarchy is not one set"),
        (changed(1, groups=np.array([0, 1], dtype=np.int32)), "level 1 does not cover the leaves"),
        (
            changed(1, groups=np.array([0, 1, 0], dtype=np.int32)),
            "the groups of level 1 are not numbered in the order of the leaves",
        ),
        (changed(1, sizes=np.array([1, 2])), "the sizes of level 1 do not count domain values"),
        (
            changed(
                0, groups=np.array([0, 1, 1], dtype=np.int32), labels=("a", "bc"), sizes=np.array([1, 2])
            ),
            "level 0 is not nested in level 1",
        ),
        (changed(1, labels=("a", "c")), "two different sets of a hierarchy have the same label"),
        (changed(1, labels=("x", "x")), "two sets of one level have the same label"),
    ],
)
def test_a_broken_hierarchy_is_our_bug(broken: Hierarchy, text: str) -> None:
    with pytest.raises(Bug) as caught:
        check_hierarchy(broken)
    assert str(caught.value) == text
