"""Characters kept from the left."""

from __future__ import annotations

from collections.abc import Callable

from paretonym.tables.schema.bound_schema import QuasiColumn

Quasi = Callable[..., QuasiColumn]


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def test_keeping_goes_from_the_left(quasi: Quasi) -> None:
    column = quasi(["12345", "12399", "1", "123", "2"], hierarchy={"keep": [3, 1]})
    assert labels(column) == [
        ("1", "123", "12345", "12399", "2"),
        ("1", "123*", "2"),
        ("1*", "2*"),
        ("*",),
    ]


def test_kept_characters_are_not_bytes(quasi: Quasi) -> None:
    assert labels(quasi(["äöü", "äxß"], hierarchy={"keep": [1]}))[1] == ("ä*",)
