"""A schema and its table: missing values, dropped rows, sensitive and class columns, tables with very many
columns, and the rules that fail closed, word for word."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.bound_schema import BoundSchema, SensitiveColumn
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import schema_from
from paretonym.tables.source.engines import read
from paretonym.tables.source.table_counts import Counts

Bound = Callable[..., BoundSchema]
Tables = Callable[..., Counts]
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


def sensitive(bound: Bound, cells: Counts, **entry: Any) -> SensitiveColumn:
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
    with pytest.raises(InputError) as caught:
        bind(schema, cells)
    assert [str(problem).removeprefix("the schema, column ") for problem in caught.value.problems] == [
        "'pay': the table people.csv has this column, but the schema gives it no role; add it with one of "
        "the roles "
        "identifier, quasi, sensitive, class, other, drop, person, weight, household, required-k",
        "'ag': the table people.csv does not have this column; did you mean 'age'?",
        "'sex': its role is undecided; decide on one of identifier, quasi, sensitive, class, other, drop, "
        "person, weight, household, required-k",
        "'age': 1 of 2 rows have no value, but the schema does not say what to do with them; set missing = "
        '"drop" to drop such rows, or missing = "value", for all columns or for this one',
        "'name': this identifier repeats: 1 value is in 2 rows; give one row per person; set role = "
        '"person" if the column says which person a row belongs to; or set rows = "events" if rows are not '
        "people",
        "'age': not numbers: 1 value ('x'); fix them, or set unknown = \"top\", or list them in null if "
        "they mean "
        "missing",
    ]


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


@pytest.fixture
def message(bound: Bound) -> Callable[..., str]:
    """What is wrong, without its place."""

    def told(cells: Counts, columns: dict[str, Any], **settings: Any) -> str:
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
        "hierarchy.keep, hierarchy.date, hierarchy.file, hierarchy.flat, hierarchy.tree, hierarchy.ready"
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
        'this identifier repeats: 1 value is in 2 rows; give one row per person; set role = "person" if the '
        'column says which person a row belongs to; or set rows = "events" if rows are not people'
    )
    assert bound(cells, columns, null=["?"], rows="events").rows == 7


def test_numbers_in_digits_of_their_own_are_one_person_each(bound: Bound, table: Tables) -> None:
    """Decimals of pandas and numerics of PostgreSQL."""
    digits = ["1", "1.0", "10", "2.50", "2.5", "0.0"]
    cells = table({"p": "decimal", "h": "decimal"}, p=digits, h=digits, x=["1"] * 6)
    columns = {"p": {"role": "person"}, "h": {"role": "household"}, "x": FLAT}
    found = bound(cells, columns)
    for column in (found.person, found.household):
        assert column is not None
        assert column.number == 4
        assert column.codes.tolist() == [0, 0, 1, 2, 2, 3]
    as_texts = bound(table(p=digits, h=digits, x=["1"] * 6), columns)
    assert as_texts.person is not None
    assert as_texts.person.number == 6


def test_an_identifier_that_repeats_in_other_digits(message: Callable[..., str], table: Tables) -> None:
    cells = table({"i": "decimal"}, i=["1", "1.0", "10", None, "2.5"], x=["1"] * 5)
    said = message(cells, {"i": {"role": "identifier"}, "x": FLAT})
    assert said.startswith("this identifier repeats: 1 value is in 2 rows;")


def test_a_sensitive_column_of_many_numbers(message: Callable[..., str], bound: Bound, table: Tables) -> None:
    cells = table(x=["1"] * 51, s=[str(number) for number in range(51)])
    columns: dict[str, Any] = {"x": FLAT, "s": {"role": "sensitive"}}
    text = (
        "a sensitive column of numbers has 51 values and no level: neighbouring numbers would count as "
        "different values, and l and t would look better than they are; give a "
        "hierarchy and the level to publish, such as hierarchy.intervals = [1000] and release_level = 1 "
        "(level = 1 only measures intervals: the exact numbers are published), "
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


def wide(columns: int) -> Counts:
    cells = pa.array(np.arange(4) % 2)
    return read(pa.table({f"c{n}": cells for n in range(columns)}))


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_the_work_grows_with_the_columns_not_with_their_square() -> None:
    columns = 2_000
    names = [Counted(f"c{n}") for n in range(columns)]
    kept = schema_from({"columns": {"c0": FLAT}}).columns[0]
    schema = Schema((kept, *(ColumnSpec(name, "drop") for name in names[1:])))
    Counted.compared = 0
    bind(schema, wide(columns))
    assert Counted.compared < 40 * columns


def test_columns_that_are_forgotten_are_one_message() -> None:
    schema = schema_from({"columns": {"c0": FLAT}})
    with pytest.raises(InputError) as refused:
        bind(schema, wide(203))
    assert len(refused.value.problems) == 202
    message = str(refused.value)
    assert message.startswith("the schema, each of 202 columns ('c1', 'c2', ")
    assert (
        "and 182 more): the table the dataframe has this column, but the schema gives it no role" in message
    )


def test_weights(bound: Bound, table: Tables) -> None:
    schema = schema_from(
        {"columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "w": {"role": "weight"}}}
    )
    cells = ["1", "0", "0.0", "-2", "many", "1,5", "inf", "1e13", "1e-300", None, " "]
    with pytest.raises(InputError) as caught:
        bind(schema, table(age=["1"] * 11, w=cells))
    drop = 'or give the column the role "drop"'
    assert [str(problem).removeprefix("the schema, column 'w': ") for problem in caught.value.problems] == [
        '2 of 11 rows have no weight; give every row its weight, or set missing = "drop" for this column to '
        "drop these rows",
        f"3 of 11 rows have a weight that is not a number; write numbers such as 12.5, {drop}",
        f"3 of 11 rows have a weight of 0 or below; a row stands for some people: remove these rows, {drop}",
        "2 of 11 rows have a weight above 1e+12 or below 1e-12; a weight says how many people a row stands "
        f"for: check the unit, {drop}",
    ]
    found = bind(schema, table(age=["1"] * 4, w=["2.5", "1", "1.0", "1e1"])).weight
    assert found is not None
    assert (found.values.tolist(), found.codes.tolist()) == ([1, 2.5, 10], [1, 0, 0, 2])
