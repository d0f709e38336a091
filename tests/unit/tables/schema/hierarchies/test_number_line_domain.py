"""`domain = [17, 90]`: the integers that can occur are leaves, whether or not they do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.tables.schema import schema_from
from paretonym.tables.schema.bound_schema import QuasiColumn
from paretonym.tables.schema.hierarchies import Values, build

Quasi = Callable[..., QuasiColumn]


def naive(low: int, high: int, width: int, bottom: int | None, top: int | None) -> list[list[str]]:
    """Each leaf with its labels, one after the other."""
    rows: list[list[str]] = []
    for number in range(low, high + 1):
        if bottom is not None and number < bottom:
            row = [f"<{bottom}"] * 2
        elif top is not None and number >= top:
            row = [f"{top}+"] * 2
        else:
            first, after = number // width * width, number // width * width + width
            first = first if bottom is None else max(first, bottom)
            after = after if top is None else min(after, top)
            row = [str(number), f"[{first}, {after})"]
        if [*row, "*"] not in rows:
            rows.append([*row, "*"])
    return rows


@given(
    st.integers(-20, 20),
    st.integers(0, 40),
    st.integers(1, 9),
    st.none() | st.integers(-10, 0),
    st.none() | st.integers(1, 30),
    st.data(),
)
def test_beside_a_naive_twin(
    low: int, span: int, width: int, bottom: int | None, top: int | None, data: st.DataObject
) -> None:
    high = low + span
    texts = data.draw(st.lists(st.integers(low, high).map(str), unique=True))
    coding = {key: end for key, end in (("bottom", bottom), ("top", top)) if end is not None}
    entry = {"role": "quasi", "domain": [low, high], "hierarchy": {"intervals": [width]}, **coding}
    column = schema_from({"columns": {"x": entry}}).column("x")
    hierarchy = build(column, Values("x", tuple(texts))).hierarchy
    rows = [
        [level.labels[level.groups[leaf]] for level in hierarchy.levels]
        for leaf in range(len(hierarchy.leaves))
    ]
    assert rows == naive(low, high, width, bottom, top)
    assert hierarchy.domain == len(rows) == hierarchy.listed


def test_what_lies_outside_is_named_or_shown_as_the_top(quasi: Quasi) -> None:
    age = {"hierarchy": {"intervals": [10]}, "domain": [17, 90]}
    with pytest.raises(InputError) as error:
        quasi(["16", "20", "30.5", "91"], **age)
    assert str(error.value) == (
        "the schema, column 'x': outside domain = [17, 90]: 3 values ('16', '30.5', '91'); correct them, or "
        "the domain"
    )
    column = quasi(["16", "20", "91"], **age, unknown="top")
    assert (column.hierarchy.domain, column.hierarchy.strays) == (74, 1)


def test_a_number_that_means_missing_cannot_occur() -> None:
    entry = {"role": "quasi", "type": "integer", "domain": [97, 100], "hierarchy": {"flat": True}}
    column = schema_from({"columns": {"x": entry}}).column("x")
    values = Values("x", ("98",), null=("99",))
    assert build(column, values, missing=True).hierarchy.leaves == ("97", "98", "100", "(missing)")


def test_granules_cover_the_domain(quasi: Quasi) -> None:
    column = quasi(["20", "41"], hierarchy={"intervals": [20]}, domain=[15, 50], granularity=5)
    assert column.cutting.granules is not None
    assert column.cutting.granules.labels[:2] == ("[15, 20)", "[20, 25)")
    assert column.hierarchy.domain == 36


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ({"hierarchy": {"mask": 1}, "domain": [1, 2]}, "domain is given, but the values are not numbers"),
        (
            {"hierarchy": {"flat": True}, "domain": [2, 1]},
            "domain is .2, 1.; give the lowest and",
        ),
        ({"hierarchy": {"flat": True}, "domain": [1.5, 2]}, "domain is a list"),
        ({"hierarchy": {"flat": True}, "domain": [0, 10**7]}, "at most 1,000,000 apart"),
        ({"hierarchy": {"flat": True}, "domain": "17-90"}, "domain is the text '17-90'"),
    ],
)
def test_refused(quasi: Quasi, further: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        quasi(["1", "2"], **further)
