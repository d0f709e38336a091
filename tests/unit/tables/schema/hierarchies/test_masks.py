"""Characters masked from the right."""

from __future__ import annotations

from collections.abc import Callable

from paretonym.tables.schema.bound_schema import QuasiColumn

Quasi = Callable[..., QuasiColumn]


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def test_masking_goes_from_the_right_and_keeps_leading_zeros(quasi: Quasi) -> None:
    column = quasi(["01230", "01239", "01300"], hierarchy={"mask": 2})
    assert labels(column) == [("01230", "01239", "01300"), ("0123*", "0130*"), ("012**", "013**"), ("*",)]


def test_masking_all_characters_is_the_top(quasi: Quasi) -> None:
    assert labels(quasi(["12", "13"], hierarchy={"mask": 2})) == [("12", "13"), ("1*",), ("**",)]


def test_values_of_different_lengths_stay_apart_until_nothing_is_left_of_them(quasi: Quasi) -> None:
    column = quasi(["123", "12", "1234", "5"], hierarchy={"mask": 4})
    assert labels(column) == [
        ("5", "12", "123", "1234"),
        ("*", "1*", "12*", "123*"),
        ("**", "1**", "12**"),
        ("***", "1***"),
        ("****",),
    ]


def test_a_value_that_looks_like_a_label_keeps_its_text(quasi: Quasi) -> None:
    column = quasi(["1*", "12", "13"], hierarchy={"mask": 1})
    assert labels(column) == [("1*", "12", "13"), ("1* (level 1)",)]
    column = quasi(["1*", "12", "23"], hierarchy={"mask": 1})
    assert labels(column) == [("1*", "12", "23"), ("1* (level 1)", "2*"), ("*",)]


def test_characters_are_not_bytes(quasi: Quasi) -> None:
    assert labels(quasi(["äöü", "äöß"], hierarchy={"mask": 1}))[1] == ("äö*",)


def test_a_label_does_not_show_how_long_the_longest_value_is(quasi: Quasi) -> None:
    short, mixed = (quasi(["12", "13", *more], hierarchy={"mask": 4}) for more in ((), ("123456",)))
    for level in (1, 2, 3, 4):
        assert short.hierarchy.levels[level].labels[0] == mixed.hierarchy.levels[level].labels[0]
