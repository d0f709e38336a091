"""A schema's facts as tables for people."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from paretonym.schema.summary import ColumnSummary, LevelSummary, SchemaSummary

LONGEST_LABEL = 30
# Alike in every column's table, so that numbers stand below each other.
WIDTHS = {"level": 5, "groups": 14, "rows each": 15, "values each": 11}


def schema_view(summary: SchemaSummary) -> RenderableType:
    """Every column, then the levels of those that have a hierarchy."""
    parts: list[RenderableType] = [_columns(summary)]
    for column in summary.columns:
        if column.levels:
            parts += [Text(_title(column)), _levels(column)]
    return Group(*parts)


def _columns(summary: SchemaSummary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for heading in ("role", "type"):
        table.add_column(heading, no_wrap=True)
    for heading in ("values", "missing"):
        table.add_column(heading, justify="right", no_wrap=True)
    for column in summary.columns:
        missing = f"{column.missing:,}" if column.missing else ""
        table.add_row(printable(column.name), column.role, column.type, f"{column.distinct:,}", missing)
    return table


def _title(column: ColumnSummary) -> str:
    """The size of the domain, by which loss is measured, and where it comes from."""
    return (
        f"{printable(column.name)} ({column.role}): D = {column.domain:,}, {printable(column.origin or '')}"
    )


def _levels(column: ColumnSummary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, width in WIDTHS.items():
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    table.add_column("such as", overflow="fold")
    for level in column.levels:
        table.add_row(*_level(column, level))
    return table


def _level(column: ColumnSummary, level: LevelSummary) -> tuple[str, ...]:
    empty = f" ({level.empty:,} empty)" if level.empty else ""
    hidden = "not shown: sensitive" if column.role == "sensitive" else ""
    return (
        f"{level.level}" if _used(column, level) else f"({level.level})",
        f"{level.groups:,}{empty}",
        _between(level.smallest_rows, level.largest_rows),
        _between(level.smallest_size, level.largest_size),
        ", ".join(map(_short, level.examples)) or hidden,
    )


def _used(column: ColumnSummary, level: LevelSummary) -> bool:
    """Whether the search may use the level; those that it may not stand in brackets."""
    return column.lowest is None or column.highest is None or column.lowest <= level.level <= column.highest


def _between(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} … {high:,}"


def _short(label: str) -> str:
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def printable(text: str) -> str:
    """A text that cannot move the cursor or colour the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)
