"""A schema's facts as tables for people."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from paretonym.schema.summary import ColumnSummary, LevelSummary, SchemaSummary

LONGEST_LABEL = 30


def schema_view(summary: SchemaSummary) -> RenderableType:
    """Every column, then the levels of those that have a hierarchy."""
    return Group(_columns(summary), _levels(summary))


def _columns(summary: SchemaSummary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for heading in ("role", "type"):
        table.add_column(heading, no_wrap=True)
    for heading in ("values", "missing", "D"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("D counts", overflow="fold")
    for column in summary.columns:
        domain = "" if column.domain is None else f"{column.domain:,}"
        table.add_row(
            printable(column.name), column.role, column.type, f"{column.distinct:,}",
            f"{column.missing:,}" if column.missing else "", domain, printable(column.origin or ""),
        )  # fmt: skip
    return table


def _levels(summary: SchemaSummary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for heading in ("level", "groups", "rows in a group", "values in a group"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("such as", overflow="fold")
    for column in summary.columns:
        for level in column.levels:
            table.add_row(*_level(column, level), end_section=level is column.levels[-1])
    return table


def _level(column: ColumnSummary, level: LevelSummary) -> tuple[str | Text, ...]:
    empty = f" ({level.empty:,} empty)" if level.empty else ""
    return (
        printable(column.name) if level is column.levels[0] else "",
        f"{level.level}" if _used(column, level) else f"({level.level})",
        f"{level.groups:,}{empty}",
        _between(level.smallest_rows, level.largest_rows),
        _between(level.smallest_size, level.largest_size),
        ", ".join(map(_short, level.examples))
        or ("not shown: sensitive" if column.role == "sensitive" else ""),
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
