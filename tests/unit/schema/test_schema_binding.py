"""A schema and its table: missing values, dropped rows, sensitive and class columns."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from paretonym.errors import InputError
from paretonym.schema.bound_schema import BoundSchema, SensitiveColumn
from paretonym.schema.schema_binding import problems
from paretonym.schema.schema_parser import schema_from
from paretonym.source.table import Table

Bound = Callable[..., BoundSchema]
Tables = Callable[..., Table]
FLAT = {"role": "quasi", "hierarchy": {"flat": True}}


def test_a_quasi_identifier_carries_its_settings(bound: Bound, table: Tables) -> None:
    entry = {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "levels": [1, 2], "importance": 0.1}
    column = bound(table(x=["1", "7"]), {"x": entry}).quasi[0]
    assert (column.name, column.lowest, column.highest, column.importance) == ("x", 1, 2, Fraction(1, 10))
    column = bound(table(x=["1", "7"]), {"x": FLAT}).quasi[0]
    assert (column.lowest, column.highest, column.importance) == (0, 1, Fraction(1))


def test_quasi_identifiers_come_in_the_order_of_the_schema(bound: Bound, table: Tables) -> None:
    result = bound(table(a=["1"], b=["2"]), {"b": FLAT, "a": FLAT})
    assert [column.name for column in result.quasi] == ["b", "a"]


def test_rows_with_missing_values_are_dropped(bound: Bound, table: Tables) -> None:
    cells = table(x=["1", "?", "3", None, "5", "  "], s=["a", "b", "", "a", "a", "b"])
    result = bound(cells, {"x": FLAT, "s": {"role": "sensitive"}}, null=["?"], missing="drop")
    assert cells.dropped(result.omitted).tolist() == [False, True, True, True, False, True]
    assert result.rows == 2


def test_the_domain_is_what_occurs_in_the_rows_left(bound: Bound, table: Tables) -> None:
    result = bound(
        table(x=["1", "2"], s=["a", None]), {"x": FLAT, "s": {"role": "sensitive"}}, missing="drop"
    )
    assert result.quasi[0].hierarchy.leaves == ("1",)
    assert result.quasi[0].codes.tolist() == [0, -1]


def test_a_column_may_have_its_own_rule(bound: Bound, table: Tables) -> None:
    columns = {"x": {**FLAT, "missing": "value"}, "y": FLAT}
    cells = table(x=["1", None, "1"], y=["1", "1", None])
    result = bound(cells, columns, missing="drop")
    assert cells.dropped(result.omitted).tolist() == [False, False, True]
    assert result.quasi[0].null_code == 1


@pytest.mark.parametrize("role", ["identifier", "class", "other", "drop"])
def test_any_role_may_drop_its_missing_rows(bound: Bound, table: Tables, role: str) -> None:
    cells = table(x=["1", "1", "2"], y=["p", None, "q"])
    entry = {"role": role, "kept": "yes"}
    result = bound(cells, {"x": FLAT, "y": {**entry, "missing": "drop"}})
    assert cells.dropped(result.omitted).tolist() == [False, True, False]
    assert bound(cells, {"x": FLAT, "y": entry}, missing="drop").rows == 3


def test_a_number_that_is_not_one_is_missing(bound: Bound, table: Tables) -> None:
    cells = table({"x": "decimal"}, x=["1.5", "nan"])
    result = bound(cells, {"x": FLAT}, missing="drop")
    assert cells.dropped(result.omitted).tolist() == [False, True]


def sensitive(bound: Bound, cells: Table, **entry: Any) -> SensitiveColumn:
    result = bound(cells, {"x": FLAT, "s": {"role": "sensitive", **entry}}, missing="value")
    return result.sensitive[0]


def test_a_plain_sensitive_column(bound: Bound, table: Tables) -> None:
    column = sensitive(bound, table(x=["1"] * 3, s=["b", None, "a"]))
    assert (column.values, column.codes.tolist(), column.null_code) == (("a", "b", "(missing)"), [1, 0], 2)
    assert (column.ordered, column.tree) == (False, None)


def test_a_sensitive_column_is_measured_at_its_level(bound: Bound, table: Tables) -> None:
    cells = table(x=["1"] * 4, s=["12", "3", "27", None])
    column = sensitive(bound, cells, hierarchy={"intervals": [10, 20]}, level=1)
    assert column.values == ("[0, 10)", "[10, 20)", "[20, 30)", "(missing)")
    assert (column.codes.tolist(), column.null_code, column.ordered) == ([1, 0, 2], 3, True)
    assert column.tree is not None
    assert column.tree.leaves == column.values
    assert [level.groups.tolist() for level in column.tree.levels] == [
        [0, 1, 2, 3],
        [0, 0, 1, 2],
        [0, 0, 0, 0],
    ]
    assert [level.sizes.tolist() for level in column.tree.levels] == [[1, 1, 1, 1], [2, 1, 1], [4]]


def test_what_has_an_order(bound: Bound, table: Tables) -> None:
    cells = table({"s": "integer"}, x=["1", "1"], s=["10", "9"])
    assert sensitive(bound, cells).values == ("9", "10")
    assert sensitive(bound, cells).ordered
    assert not sensitive(bound, cells, type="text").ordered
    listed = sensitive(bound, cells, order=["10", "9", "8"])
    assert (listed.ordered, listed.values, listed.tree) == (True, ("10", "9", "8"), None)
    assert sensitive(bound, table(x=["1"], s=["2020-01-01"]), hierarchy={"date": ["year"]}).ordered
    assert not sensitive(bound, cells, hierarchy={"tree": {"A": ["9"], "B": ["10"]}}).ordered


def test_a_class_column(bound: Bound, table: Tables) -> None:
    cells = table(x=["1"] * 8, c=["no", "yes", None, "?", "no", "no", "yes", "yes"])
    column = bound(cells, {"x": FLAT, "c": {"role": "class"}}, null=["?"]).classes[0]
    assert (column.values, column.codes.tolist(), column.null_code) == (
        ("no", "yes", "(missing)"),
        [0, 1, 2],
        2,
    )
    cells = table(x=["1"] * 4, c=["(missing)", None, "a", "a"])
    assert bound(cells, {"x": FLAT, "c": {"role": "class"}}).classes[0].values == (
        "(missing)",
        "a",
        "((missing))",
    )


def test_all_problems_are_told_at_once(table: Tables) -> None:
    schema = schema_from(
        {
            "columns": {
                "name": {"role": "identifier"},
                "age": {"role": "quasi", "hierarchy": {"intervals": [5]}},
                "sex": {"role": "undecided"},
                "ag": {"role": "drop"},
            }
        }
    )
    cells = table(name=["u", "u"], age=["x", None], sex=["m", "f"], pay=["1", "2"])
    assert [str(problem).removeprefix("the schema, column ") for problem in problems(schema, cells)] == [
        "'pay': the table people.csv has this column, but the schema gives it no role; add it with one of "
        "the roles "
        "identifier, quasi, sensitive, class, other, drop",
        "'ag': the table people.csv does not have this column; did you mean 'age'? known: age, name, pay, "
        "sex",
        "'sex': its role is undecided; decide on one of identifier, quasi, sensitive, class, other, drop",
        "'age': 1 of 2 rows have no value, but the schema does not say what to do with them; set missing = "
        '"drop" to drop such rows, or missing = "value", for all columns or for this one',
        "'name': this identifier repeats: 1 value is in 2 rows; give one row per person, or set rows = "
        '"events" if rows are not people',
        "'age': not numbers: 1 value ('x'); fix them, or set unknown = \"top\", or list them in null if "
        "they mean "
        "missing",
    ]


def test_a_good_schema_has_no_problems(table: Tables) -> None:
    assert problems(schema_from({"columns": {"x": FLAT}}), table(x=["1"])) == ()


def test_no_rows_left(bound: Bound, table: Tables) -> None:
    with pytest.raises(InputError) as caught:
        bound(table(x=["1", None], y=[None, "1"]), {"x": FLAT, "y": FLAT}, missing="drop")
    assert str(caught.value) == (
        'the schema: every one of the 2 rows has a missing value, so none remain; set missing = "value" '
        "for the "
        "columns that are often empty"
    )
    with pytest.raises(InputError, match=r"^people.csv: the table has no rows; give a table with rows$"):
        bound(table(x=[]), {"x": FLAT})
