"""The values of a column for the editors of its hierarchy: each with its rows, and numbers as a histogram;
of every column of a draft a glance. For the publisher, on this page only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from paretonym.base.errors import InputError
from paretonym.interfaces.web.schema_drafts import HierarchyFiles, Upload, readable_schema
from paretonym.tables.schema import ColumnSpec, missing_texts
from paretonym.tables.schema.draft import round_up
from paretonym.tables.schema.hierarchies import Values, as_tree, level_table, parse_number
from paretonym.tables.source import Column, counts_with_points

# A tree of more values is better made in a file.
MOST_VALUES = 500
MOST_BINS = 40
# Into how many steps a break can be moved over the range, about.
STEPS = 200
# What a row of the table of columns has room for, and how many values are looked at for it.
GLANCE_VALUES, GLANCE_BARS, GLANCE_LENGTH = 4, 12, 24
MOST_GLANCED = 5_000
# Fewer values that are not numbers do not prevent bands: they have a place of their own.
NUMBERS = 0.9


def column_values(
    upload: Upload, mapping: Mapping[str, Any], name: str, files: HierarchyFiles
) -> dict[str, Any]:
    """The values, the most frequent first (None if there are too many), and the numbers among them (None if
    they are not numbers), as the schema reads them: without the missing ones, with decimal points. Of a
    column whose hierarchy is a file, also the tree that it is (None if there are too many values)."""
    schema = readable_schema(mapping, files)
    if name not in schema.names or name not in upload.table.names:
        raise InputError.of("the column", "no column has that name", "reload the page")
    if schema.column(name).role not in ("quasi", "sensitive"):
        raise InputError.of(f"column '{name}'", "its role has no hierarchy", "choose quasi or sensitive")
    column = counts_with_points(upload.table, schema.commas & {name}).column(name)
    absent = missing_texts(column, schema.null_of(name)).tolist()
    counted = zip(column.texts, column.counts.tolist(), absent, strict=True)
    values = sorted(((text, rows) for text, rows, gone in counted if not gone), key=lambda v: (-v[1], v[0]))
    listed = [{"text": text, "rows": rows} for text, rows in values]
    few = len(listed) <= MOST_VALUES
    tree = _tree(schema.column(name)) if few else None
    return {"values": listed if few else None, "numbers": _histogram(values), "tree": tree}


def glance(column: Column) -> dict[str, Any]:
    """Some of the most frequent values, and the rows of each bar of a small histogram: of numbers over their
    range, of other values the most frequent ones. Of very many values some are looked at."""
    step = -(-len(column.texts) // MOST_GLANCED) or 1
    counted = zip(column.texts[::step], column.counts[::step].tolist(), strict=True)
    values = sorted(((text, rows) for text, rows in counted if text), key=lambda value: -value[1])
    numbers = _numbers(values)
    bars = [rows for _, rows in values[:GLANCE_BARS]]
    if numbers is not None:
        few = len(numbers) <= GLANCE_BARS
        bars = [rows for _, rows in numbers] if few else _bins(numbers, GLANCE_BARS)
    texts = (text for text, _ in values[:GLANCE_VALUES])
    return {
        "sample": [t if len(t) <= GLANCE_LENGTH else f"{t[:GLANCE_LENGTH]}…" for t in texts],
        "bars": bars,
    }


def _tree(column: ColumnSpec) -> list[Any] | None:
    """The tree in a hierarchy file; the page edits it as that of a schema."""
    if column.kind.attached is None:
        return None
    table = level_table(column, Values(column.name, (), secret=column.secret))
    return as_tree(table) if len(table.leaves) <= MOST_VALUES else None


def _histogram(values: Sequence[tuple[str, int]]) -> dict[str, Any] | None:
    numbers = _numbers(values)
    if numbers is None:
        return None
    low, high = numbers[0][0], numbers[-1][0]
    step = round_up((high - low) / STEPS)
    return {
        "low": float(low),
        "high": float(high),
        "step": float(max(step, Decimal(1)) if _are_whole(numbers) else step),
        "bins": _bins(numbers, MOST_BINS),
    }


def _numbers(values: Sequence[tuple[str, int]]) -> list[tuple[Decimal, int]] | None:
    """The numbers in ascending order with their rows, None if too few of the values are numbers."""
    read = [(parse_number(text), rows) for text, rows in values]
    numbers = sorted((number, rows) for number, rows in read if number is not None)
    if len(numbers) < NUMBERS * len(values) or not numbers or numbers[0][0] == numbers[-1][0]:
        return None
    return numbers


def _are_whole(numbers: Sequence[tuple[Decimal, int]]) -> bool:
    return all(number == number.to_integral_value() for number, _ in numbers)


def _bins(numbers: Sequence[tuple[Decimal, int]], most: int) -> list[int]:
    """Number of rows in each of at most so many equal parts of the range."""
    low, high = numbers[0][0], numbers[-1][0]
    count = min(most, int(high - low) or 1) if _are_whole(numbers) else most
    bins = [0] * count
    for number, rows in numbers:
        bins[min(count - 1, int((number - low) * count / (high - low)))] += rows
    return bins
