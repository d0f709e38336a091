"""Flat sets, orders and trees."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.bound_schema import QuasiColumn

Quasi = Callable[..., QuasiColumn]
EDUCATION = {"Low": ["Preschool", "1st-4th"], "High": ["Masters"]}


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def message(quasi: Quasi, cells: list[str], **entry: object) -> str:
    with pytest.raises(InputError) as caught:
        quasi(cells, **entry)
    return str(caught.value).replace("the schema, column 'x': ", "")


def test_flat_is_as_is_or_one_set(quasi: Quasi) -> None:
    column = quasi(["m", "f", "m"], hierarchy={"flat": True})
    assert labels(column) == [("f", "m"), ("*",)]
    assert column.codes.tolist() == [1, 0]


def test_one_value_is_one_set_already(quasi: Quasi) -> None:
    assert labels(quasi(["m"], hierarchy={"flat": True})) == [("m",)]


def test_the_leaves_of_a_tree_are_the_domain(quasi: Quasi) -> None:
    column = quasi(["Masters"], hierarchy={"tree": EDUCATION})
    assert labels(column) == [("Preschool", "1st-4th", "Masters"), ("Low", "High"), ("*",)]
    assert (column.hierarchy.domain, column.hierarchy.origin) == (3, "the leaves of the tree")
    assert column.codes.tolist() == [2]


def test_a_ragged_tree_shows_a_high_leaf_as_itself(quasi: Quasi) -> None:
    tree = {"A": {"B": ["b", "c"], "d": []}, "e": []}
    column = quasi(["b"], hierarchy={"tree": tree})
    assert labels(column) == [("b", "c", "d", "e"), ("B", "d", "e"), ("A", "e"), ("*",)]
    assert [level.groups.tolist() for level in column.hierarchy.levels] == [
        [0, 1, 2, 3],
        [0, 0, 1, 2],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
    ]


def test_lists_may_hold_tables(quasi: Quasi) -> None:
    tree = ["e", {"A": ["d", {"B": ["b", 7]}]}]
    assert labels(quasi(["b"], hierarchy={"tree": tree}))[:2] == [("e", "d", "b", "7"), ("e", "d", "B")]


def test_a_root_that_is_written_down_is_the_top(quasi: Quasi) -> None:
    assert labels(quasi(["Masters"], hierarchy={"tree": {"Any": EDUCATION}}))[-1] == ("Any",)


def test_a_set_named_like_a_leaf_is_told_apart(quasi: Quasi) -> None:
    column = quasi(["x"], hierarchy={"tree": {"Other": ["Other", "x"], "y": []}})
    assert labels(column) == [("Other", "x", "y"), ("Other (level 1)", "y"), ("*",)]


def test_a_set_of_one_leaf_may_share_its_name(quasi: Quasi) -> None:
    column = quasi(["x"], hierarchy={"tree": {"x": ["x"], "Y": ["y", "z"]}})
    assert labels(column)[1] == ("x", "Y")


def test_order_rearranges_a_tree(quasi: Quasi) -> None:
    order = ["Masters", "1st-4th", "Preschool"]
    column = quasi(["Masters"], hierarchy={"tree": EDUCATION}, order=order)
    assert labels(column)[:2] == [tuple(order), ("High", "Low")]


def test_order_must_keep_sets_together(quasi: Quasi) -> None:
    text = message(
        quasi, ["Masters"], hierarchy={"tree": EDUCATION}, order=["Preschool", "Masters", "1st-4th"]
    )
    assert text == (
        "the values of the sets 'Low' are not adjacent in order; list the values of a set next to each other"
    )


def test_order_must_list_exactly_the_leaves(quasi: Quasi) -> None:
    text = message(quasi, ["Masters"], hierarchy={"tree": EDUCATION}, order=["Preschool", "PhD", "1st-4th"])
    assert text.splitlines() == [
        "in order, but not in the hierarchy: 1 value ('PhD'); list exactly the leaves in order",
        "in the hierarchy, but not in order: 1 value ('Masters'); list exactly the leaves in order",
    ]


def test_order_alone_is_a_flat_hierarchy(quasi: Quasi) -> None:
    column = quasi(["low"], order=["low", "middle", "high"])
    assert labels(column) == [("low", "middle", "high"), ("*",)]
    assert (column.hierarchy.domain, column.hierarchy.origin) == (3, "the values listed in order")


def test_values_without_a_place_are_listed(quasi: Quasi) -> None:
    assert message(quasi, ["PhD"], hierarchy={"tree": EDUCATION}) == (
        "not in the tree: 1 value ('PhD'); add them, or set unknown = \"top\""
    )
    assert message(quasi, ["b", "a"], order=["a"]) == (
        "not in order: 1 value ('b'); add them, or set unknown = \"top\""
    )


def test_kinds_with_an_order_of_their_own_refuse_another(quasi: Quasi) -> None:
    assert message(quasi, ["1"], hierarchy={"intervals": [5]}, order=["1"]) == (
        "order is given, but this kind of hierarchy has its own order; omit order, or use it alone "
        "or with "
        "hierarchy.file, flat or tree"
    )
