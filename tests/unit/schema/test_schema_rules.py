"""The rules that fail closed, word for word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paretonym.errors import InputError
from paretonym.schema.bound_schema import BoundSchema
from paretonym.schema.schema_parser import schema_from
from paretonym.schema.uniqueness_warnings import exposures
from paretonym.source.table import Table

Bound = Callable[..., BoundSchema]
Tables = Callable[..., Table]
FLAT = {"role": "quasi", "hierarchy": {"flat": True}}


@pytest.fixture
def message(bound: Bound) -> Callable[..., str]:
    """What is wrong, without its place."""

    def told(cells: Table, columns: dict[str, Any], **settings: Any) -> str:
        with pytest.raises(InputError) as caught:
            bound(cells, columns, **settings)
        return "\n".join(f"{problem.wrong}; {problem.remedy}" for problem in caught.value.problems)

    return told


def test_a_table_needs_a_quasi_identifier(message: Callable[..., str], table: Tables) -> None:
    assert message(table(x=["1"]), {"x": {"role": "drop"}}) == (
        'no column has the role quasi; set role = "quasi" for the columns by which a person could be '
        "recognized"
    )


def test_a_quasi_identifier_needs_a_hierarchy(message: Callable[..., str], table: Tables) -> None:
    assert message(table(x=["1"]), {"x": {"role": "quasi"}}) == (
        "a quasi-identifier needs a hierarchy; give one of hierarchy.intervals, hierarchy.breaks, "
        "hierarchy.mask, "
        "hierarchy.keep, hierarchy.date, hierarchy.file, hierarchy.flat, hierarchy.tree"
    )


def test_levels_must_exist(message: Callable[..., str], table: Tables) -> None:
    assert message(table(x=["1", "2"]), {"x": {**FLAT, "levels": [0, 2]}}) == (
        "levels goes up to 2, but the hierarchy's top is level 1; give levels between 0 and 1"
    )


def test_granularity_needs_numbers(message: Callable[..., str], bound: Bound, table: Tables) -> None:
    cells = table(x=["1", "2"])
    assert message(cells, {"x": {**FLAT, "granularity": 5}}) == (
        'granularity is given, but the values are not numbers; omit it, or set type = "integer" or "decimal"'
    )
    bound(cells, {"x": {**FLAT, "granularity": 5, "type": "integer"}})
    bound(cells, {"x": {"role": "quasi", "hierarchy": {"intervals": [5]}, "granularity": 5}})


def test_an_identifier_that_repeats(message: Callable[..., str], bound: Bound, table: Tables) -> None:
    cells = table(i=["u", "u", "v", None, None, "?", "?"], x=["1"] * 7)
    columns = {"i": {"role": "identifier"}, "x": FLAT}
    assert message(cells, columns, null=["?"]) == (
        "this identifier repeats: 1 value is in 2 rows; give one row per person, or set rows = "
        '"events" if rows are not people'
    )
    assert bound(cells, columns, null=["?"], rows="events").rows == 7


def test_a_sensitive_column_of_many_numbers(message: Callable[..., str], bound: Bound, table: Tables) -> None:
    cells = table(x=["1"] * 51, s=[str(number) for number in range(51)])
    columns: dict[str, Any] = {"x": FLAT, "s": {"role": "sensitive"}}
    text = (
        "a sensitive column of numbers has 51 values and no level: neighbouring numbers would count as "
        "different values, and l and t would look better than they are; give a "
        "hierarchy and a level, such as hierarchy.intervals = [1000] and level = 1, "
        'or set type = "text" if the numbers are codes'
    )
    assert message(cells, columns) == text
    columns["s"]["hierarchy"] = {"intervals": [10]}
    assert message(cells, columns) == text
    assert len(bound(cells, {**columns, "s": {**columns["s"], "level": 1}}).sensitive[0].values) == 6
    assert bound(cells, {"x": FLAT, "s": {"role": "sensitive", "type": "text"}}).rows == 51
    fewer = table(x=["1"] * 50, s=[str(number) for number in range(50)])
    assert bound(fewer, {"x": FLAT, "s": {"role": "sensitive"}}).rows == 50
    # Published at a level, it is measured there.
    assert len(bound(cells, {**columns, "s": {**columns["s"], "release_level": 1}}).sensitive[0].values) == 6


def test_a_level_needs_a_hierarchy_that_has_it(message: Callable[..., str], table: Tables) -> None:
    cells = table(x=["1", "1"], s=["1", "2"])
    assert message(cells, {"x": FLAT, "s": {"role": "sensitive", "level": 1}}) == (
        "level is 1, but there is no hierarchy; give a hierarchy, or omit level"
    )
    assert message(cells, {"x": FLAT, "s": {"role": "sensitive", "release_level": 1}}) == (
        "release_level is 1, but there is no hierarchy; give a hierarchy, or omit release_level"
    )
    assert message(
        cells, {"x": FLAT, "s": {"role": "sensitive", "level": 2, "hierarchy": {"intervals": [5]}}}
    ) == (
        "level 2 is not below the hierarchy's top, level 2, where all values are one; give a level from 0 "
        "to 1"
    )


def warned(bound: Bound, data: Any, column: dict[str, Any]) -> tuple[str, ...]:
    columns = {"x": FLAT, "cost": column}
    schema = schema_from({"columns": columns})
    return tuple(map(str, exposures(schema, data, bound(data, columns))))


def test_exact_sensitive_values_that_find_rows_are_warned_of(bound: Bound, table: Tables) -> None:
    def sentences(*cells: str | None, **further: Any) -> tuple[str, ...]:
        data = table(x=["1"] * 4, cost=list(cells))
        return warned(bound, data, {"role": "sensitive", "missing": "value", **further})

    (sentence,) = sentences("17.20", "3.90", "8.15", "8.15")
    assert sentence == (
        "Column 'cost' is published exactly. 2 of 4 rows (50.0 %) have a value that no other row has, and 4 "
        "a value that fewer than 5 rows have: somebody who knows the exact value finds the row. Drop it, "
        "publish "
        'a coarser level of its hierarchy (release_level = 1), or set kept = "yes" if it is harmless.'
    )
    # Twins find nobody alone, and a missing value is none.
    assert sentences("a", "b", "b", "a") == sentences("a", "a", None, "") == ()
    assert sentences("a", "b", "c", "c", kept="yes") == ()
    assert sentences("1", "2", "3", "3", hierarchy={"intervals": [10]}, release_level=1) == ()
    assert len(sentences("1", "2", "3", "3", hierarchy={"intervals": [10]}, level=1)) == 1


def test_few_unique_values_among_many_rows_are_warned_of(bound: Bound, table: Tables) -> None:
    """4,345 of 26,583 wages were unique: far fewer than half of the rows have a value of their own."""
    wages = [str(wage) for wage in range(4345)] + [str(5000 + place % 100) for place in range(26583 - 4345)]
    data = table(x=["1"] * 26583, cost=wages)
    (sentence,) = warned(bound, data, {"role": "sensitive", "hierarchy": {"intervals": [1000]}, "level": 1})
    assert "4,345 of 26,583 rows (16.3 %) have a value that no other row has:" in sentence
    one = table(x=["1"] * 5000, cost=["rare", *["common"] * 4999])
    (sentence,) = warned(bound, one, {"role": "sensitive"})
    assert "1 of 5,000 rows (less than 0.1 %) has a value that no other row has:" in sentence


@pytest.mark.parametrize("role", ["other", "class"])
def test_kept_columns_with_unique_values_are_warned_of(bound: Bound, table: Tables, role: str) -> None:
    data = table(x=["1"] * 6, cost=["a", "a", "b", "b", "b", "c"])
    (sentence,) = warned(bound, data, {"role": role})
    assert (
        "1 of 6 rows (16.7 %) has a value that no other row has, and 6 a value that fewer than 5" in sentence
    )
    assert sentence.endswith('Drop it, generalize it in the data, or set kept = "yes" if it is harmless.')
    assert warned(bound, data, {"role": role, "kept": "yes"}) == ()


@pytest.mark.parametrize("role", ["other", "class"])
def test_near_unique_columns_are_not_kept_by_accident(
    message: Callable[..., str], bound: Bound, table: Tables, role: str
) -> None:
    cells = table(x=["1"] * 4, y=["a", "b", "c", "c"])
    assert message(cells, {"x": FLAT, "y": {"role": role}}) == (
        "3 distinct values in 4 rows would be released unchanged and could identify people; "
        'set role = "drop", or kept = "yes" if the column is harmless'
    )
    assert bound(cells, {"x": FLAT, "y": {"role": role, "kept": "yes"}}).rows == 4
    assert bound(table(x=["1"] * 4, y=["a", "b", "b", "a"]), {"x": FLAT, "y": {"role": role}}).rows == 4


@pytest.mark.parametrize(
    ("kind", "bad", "good", "noun"),
    [
        ("integer", "1.5", "-2.0", "integers"),
        ("decimal", "x", "1e3", "numbers"),
        ("date", "1.2.2020", "2020-02-01", "dates"),
        ("boolean", "maybe", "TRUE", "true or false (yes or no, 1 or 0)"),
    ],
)
def test_values_must_be_of_their_type(
    message: Callable[..., str], table: Tables, kind: str, bad: str, good: str, noun: str
) -> None:
    remedy = f'fix them or change type = "{kind}", or list them in null if they mean missing'
    cells = table(x=[good, bad])
    assert message(cells, {"x": {**FLAT, "type": kind}}) == f"not {noun}: 1 value ('{bad}'); {remedy}"
    cells = table(x=["1", "1"], s=[good, bad])
    assert (
        message(cells, {"x": FLAT, "s": {"role": "sensitive", "type": kind}})
        == f"not {noun}: 1 value; {remedy}"
    )


def test_sensitive_values_are_never_shown(message: Callable[..., str], table: Tables) -> None:
    cells = table(x=["1", "1"], s=["secret", "1"])
    for entry in ({"order": ["1"]}, {"hierarchy": {"tree": ["1"]}}, {"hierarchy": {"intervals": [5]}}):
        assert "1 value;" in message(cells, {"x": FLAT, "s": {"role": "sensitive", **entry}})
        assert "secret" not in message(cells, {"x": FLAT, "s": {"role": "sensitive", **entry}})
