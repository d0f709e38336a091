"""The facts about a bound schema, and the columns that point to people by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from paretonym.tables.schema.bound_schema import BoundSchema
from paretonym.tables.schema.exposures import exposures
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import schema_from
from paretonym.tables.schema.schema_summary import ColumnSummary, LevelSummary, SchemaSummary, summarize
from paretonym.tables.source.table_counts import Counts


def test_every_number_of_a_small_table(table: Callable[..., Counts]) -> None:
    cells = table(
        age=["1", "3", "12", None, "1"], sex=["m", "m", "f", "f", "m"], ill=["a", "b", "b", "a", "b"],
        note=["p", "p", "p", "p", "q"],
    )  # fmt: skip
    schema = schema_from(
        {
            "missing": "drop",
            "columns": {
                "age": {"role": "quasi", "hierarchy": {"intervals": [10]}, "levels": [1, 2]},
                "sex": {"role": "quasi", "hierarchy": {"tree": {"A": ["m", "x"], "B": ["f"]}}},
                "ill": {"role": "sensitive", "hierarchy": {"flat": True}},
                "note": {"role": "other"},
            },
        }
    )
    summary = summarize(schema, cells, bind(schema, cells))
    ill, note = summary.warnings
    assert ill.startswith("Column 'ill' is published exactly. 1 of 4 rows (25.0 %) has a value that no other")
    assert note.startswith("Column 'note' is published exactly. 1 of 4 rows")
    assert replace(summary, warnings=()) == SchemaSummary(
        read=5,
        dropped=1,
        rows=4,
        columns=(
            ColumnSummary(
                "age", "quasi", "text", 3, 1, 3, "the distinct values that occur", 1, 2,
                (
                    LevelSummary(0, 3, 1, 1, 1, 2, 0, ("1", "3", "12")),
                    LevelSummary(1, 2, 1, 2, 1, 3, 0, ("[0, 10)", "[10, 20)")),
                    LevelSummary(2, 1, 3, 3, 4, 4, 0, ("*",)),
                ),
            ),
            ColumnSummary(
                "sex", "quasi", "text", 2, 0, 3, "the leaves of the tree", 0, 2,
                (
                    LevelSummary(0, 3, 1, 1, 1, 3, 1, ("m", "x", "f")),
                    LevelSummary(1, 2, 1, 2, 1, 3, 0, ("A", "B")),
                    LevelSummary(2, 1, 3, 3, 4, 4, 0, ("*",)),
                ),
            ),
            ColumnSummary(
                "ill", "sensitive", "text", 2, 0, 2, "the values at the level at which it is measured",
                levels=(LevelSummary(0, 2, 1, 1, 1, 3, 0, ()),),
            ),
            ColumnSummary("note", "other", "text", 2, 0),
        ),
    )  # fmt: skip


def test_missing_values_count_as_rows(table: Callable[..., Counts]) -> None:
    cells = table(x=["1", None, None])
    schema = schema_from(
        {"missing": "value", "columns": {"x": {"role": "quasi", "hierarchy": {"flat": True}}}}
    )
    column = summarize(schema, cells, bind(schema, cells)).columns[0]
    assert (column.missing, column.distinct, column.domain) == (2, 1, 2)
    assert column.levels[0] == LevelSummary(0, 2, 1, 1, 1, 2, 0, ("1", "(missing)"))


def test_a_measured_column_begins_at_its_level(table: Callable[..., Counts]) -> None:
    cells = table(x=["1"] * 3, s=["1", "2", "15"])
    entry = {"role": "sensitive", "hierarchy": {"intervals": [10]}, "level": 1}
    schema = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": {"flat": True}}, "s": entry}})
    column = summarize(schema, cells, bind(schema, cells)).columns[1]
    facts = [(each.level, each.groups, each.smallest_rows, each.largest_rows) for each in column.levels]
    assert facts == [(1, 2, 1, 2), (2, 1, 3, 3)]


def test_values_that_differ_only_by_blanks_are_warned_of(table: Callable[..., Counts]) -> None:
    """Of columns that are compared as text; numbers are read without their blanks."""
    cells = table(sex=["m", "m ", " m", "f"] * 2, age=["1", "1 ", "2", "3"] * 2, name=["a", "a "] * 4)
    numbers = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2]}}
    roles = {"sex": {"role": "quasi", "hierarchy": {"flat": True}}, "age": numbers, "name": {"role": "drop"}}
    schema = schema_from({"columns": roles})
    assert summarize(schema, cells, bind(schema, cells)).warnings == (
        "4 rows have a value of 'sex' that differs from another one only by blanks at its ends: it counts as "
        "a different value, so people seem rarer than they are; remove such blanks from the data.",
    )


def test_one_number_in_several_digits_is_warned_of(table: Callable[..., Counts]) -> None:
    """Of a sensitive column of texts; as numbers they are one value."""
    cells = table(x=["a", "b"] * 2, dose=["1.5", "1.50", "2", "1.5"])
    quasi = {"role": "quasi", "hierarchy": {"flat": True}}
    warned = [
        [text for text in summarize(schema, cells, bind(schema, cells)).warnings if "zeros" in text]
        for kind in ({}, {"type": "decimal"})
        for schema in [schema_from({"columns": {"x": quasi, "dose": {"role": "sensitive", **kind}}})]
    ]
    assert warned == [
        [
            "2 values of 'dose' differ only by zeros at the end of a number: as texts they count as "
            'different values, so l looks better than it is; set type = "decimal" if they are numbers.'
        ],
        [],
    ]


Bound = Callable[..., BoundSchema]
Tables = Callable[..., Counts]
FLAT = {"role": "quasi", "hierarchy": {"flat": True}}


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
        "Column 'cost' is published exactly. 2 of 4 rows (50.0 %) have a value that no other row has. 4 rows "
        "have one that fewer than 5 rows have. Somebody who knows such a value finds the row. Drop the "
        "column, publish it coarser, or declare it harmless in the schema."
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
    assert "4,345 of 26,583 rows (16.3 %) have a value that no other row has. " in sentence
    one = table(x=["1"] * 5000, cost=["rare", *["common"] * 4999])
    (sentence,) = warned(bound, one, {"role": "sensitive"})
    assert "1 of 5,000 rows (less than 0.1 %) has a value that no other row has. " in sentence


@pytest.mark.parametrize("role", ["other", "class"])
def test_kept_columns_with_unique_values_are_warned_of(bound: Bound, table: Tables, role: str) -> None:
    data = table(x=["1"] * 6, cost=["a", "a", "b", "b", "b", "c"])
    (sentence,) = warned(bound, data, {"role": role})
    assert "1 of 6 rows (16.7 %) has a value that no other row has. 6 rows have one that fewer" in sentence
    assert sentence.endswith("Drop the column, publish it coarser, or declare it harmless in the schema.")
    assert warned(bound, data, {"role": role, "kept": "yes"}) == ()


def test_what_is_published_coarser_is_counted_as_it_is_published(bound: Bound, table: Tables) -> None:
    """One salary is alone in its interval; numbers above the top are published as one."""
    intervals = {"role": "sensitive", "type": "integer", "hierarchy": {"intervals": [1000]}, "level": 1}
    data = table(x=["1"] * 9, cost=[*(f"1{n}00" for n in range(1, 9)), "98765"])
    (found,) = warned(bound, data, {**intervals, "release_level": 1})
    assert found.startswith(
        "Column 'cost' is published at a level of its hierarchy. 1 of 9 rows (11.1 %) has a value that no "
    )
    assert warned(bound, data, {**intervals, "release_level": 1, "top": 1000}) == ()
    other = {"role": "other", "type": "integer", "hierarchy": {"intervals": [1000]}, "top": 1150}
    (found,) = warned(bound, data, other)
    assert "1 of 9 rows (11.1 %) has a value that no other row has" in found


def test_columns_that_single_people_out_together_are_named(bound: Bound, table: Tables) -> None:
    """No colour, size or shape is rare, but three people have a combination of their own."""
    data = table(
        x=["1"] * 9,
        colour=["red", "red", "red", "red", "blue", "blue", "blue", "blue", "blue"],
        size=["s", "s", "s", "m", "m", "m", "m", "s", "m"],
        shape=["o", "o", "o", "o", "o", "o", "o", "o", "v"],
        note=["v"] * 8 + ["o"],
    )
    columns = {"x": FLAT, "colour": {"role": "other"}, "size": {"role": "class"}, "shape": {"role": "other"}}
    columns["note"] = {"role": "other", "kept": "yes"}
    schema = schema_from({"columns": columns})
    *alone, together = map(str, exposures(schema, data, bound(data, columns)))
    assert len(alone) == 1
    assert together == (
        "Columns 'colour', 'size', 'shape' are published. Together they single out 3 of 9 people: somebody "
        "who knows these values finds the row. Drop one of them, publish it coarser, or declare those "
        "harmless in the schema that nobody can know."
    )
    harmless = {**columns, "size": {"role": "class", "kept": "yes"}, "colour": {"role": "drop"}}
    assert len(exposures(schema_from({"columns": harmless}), data, bound(data, harmless))) == 1


def test_rows_of_one_person_do_not_hide_that_the_person_is_singled_out(bound: Bound, table: Tables) -> None:
    data = table(
        x=["1"] * 6,
        who=["a", "a", "b", "c", "d", "e"],
        colour=["red", "red", "red", "blue", "blue", "blue"],
        size=["s", "s", "m", "m", "s", "s"],
    )
    columns = {"x": FLAT, "who": {"role": "person"}, "colour": {"role": "other"}, "size": {"role": "other"}}
    (together,) = exposures(schema_from({"columns": columns}), data, bound(data, columns))
    # a alone is red and s, in two rows; d and e share blue and s.
    assert (together.together, together.unique, together.rows) == ("'colour', 'size'", 3, 5)


def test_recipients_lack_weights_that_are_not_released(table: Tables) -> None:
    """The release had none, and nobody said so."""
    data = table(x=["1", "1"], w=["2.5", "4"])
    for entry, sentences in (({}, 1), ({"release": True}, 0)):
        schema = schema_from({"columns": {"x": FLAT, "w": {"role": "weight", **entry}}})
        warnings = summarize(schema, data, bind(schema, data)).warnings
        assert (
            len([text for text in warnings if "is not published: totals of the population" in text])
            == sentences
        )
