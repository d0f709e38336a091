"""The facts about a bound schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from paretonym.schema.schema_binding import bind
from paretonym.schema.schema_parser import schema_from
from paretonym.schema.schema_summary import ColumnSummary, LevelSummary, SchemaSummary, summarize
from paretonym.source.table import Table


def test_every_number_of_a_small_table(table: Callable[..., Table]) -> None:
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


def test_missing_values_count_as_rows(table: Callable[..., Table]) -> None:
    cells = table(x=["1", None, None])
    schema = schema_from(
        {"missing": "value", "columns": {"x": {"role": "quasi", "hierarchy": {"flat": True}}}}
    )
    column = summarize(schema, cells, bind(schema, cells)).columns[0]
    assert (column.missing, column.distinct, column.domain) == (2, 1, 2)
    assert column.levels[0] == LevelSummary(0, 2, 1, 1, 1, 2, 0, ("1", "(missing)"))


def test_a_measured_column_begins_at_its_level(table: Callable[..., Table]) -> None:
    cells = table(x=["1"] * 3, s=["1", "2", "15"])
    entry = {"role": "sensitive", "hierarchy": {"intervals": [10]}, "level": 1}
    schema = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": {"flat": True}}, "s": entry}})
    column = summarize(schema, cells, bind(schema, cells)).columns[1]
    assert [(level.groups, level.smallest_rows, level.largest_rows) for level in column.levels] == [
        (2, 1, 2),
        (1, 3, 3),
    ]
