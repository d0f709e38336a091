"""`paretonym schema`: review how a schema reads a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import USUAL_COUNT, CountOptions, Json, Quiet, check_address
from paretonym.cli.console import note, output, print_json, warn
from paretonym.cli.option_flags import in_shell
from paretonym.errors import InputError, Problem, printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from paretonym.schema import ColumnSummary, LevelSummary, SchemaSummary

FORMAT = "paretonym.schema-review/1"
EXAMPLES = """Examples:

\b
  paretonym schema patients.toml --data patients.csv
  paretonym schema patients.toml --data patients.csv --encoding cp1252 --json
  paretonym schema patients.toml --data sqlite:///clinic.db --table patients
  paretonym schema visits.toml --data "visits/*/*.parquet" --memory 4GB
"""


def schema(
    file: Annotated[Path, Argument(metavar="SCHEMA", help="What the columns mean (TOML).")],
    data: Annotated[
        str,
        Option(
            "--data",
            metavar="DATA",
            help="A table: a file, a folder of files, a pattern in quotes, a database, or - for the standard "
            "input.",
        ),
    ],
    source: CountOptions = USUAL_COUNT,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show how a schema reads a table.

    Lists roles, levels, groups and counts for review; or everything that is wrong, at once.
    """
    check_address(data)
    try:
        summary = _summary(file, data, source.keywords)
    except InputError as error:
        if as_json:
            print_json({"format": FORMAT, "problems": [_entry(problem) for problem in error.problems]})
        raise
    if as_json:
        print_json(_document(summary))
        return

    output().print(schema_view(summary))
    warn(*summary.warnings)
    note(_closing(summary), quiet)


def _summary(file: Path, data: str, form: Mapping[str, Any]) -> SchemaSummary:
    from paretonym.schema import bind, read_schema, summarize, wanted_of
    from paretonym.source.engines import open_source

    described = read_schema(file)
    encoding, separator = described.encoding, described.separator
    wanted = wanted_of(described)
    table = open_source(data, wanted, encoding=encoding, separator=separator, **form).whole
    return summarize(described, table, bind(described, table))


def _document(summary: SchemaSummary) -> dict[str, Any]:
    return {"format": FORMAT, "problems": [], "lattice": lattice_size(summary), **asdict(summary)}


TOO_MANY = (
    "These are too many for explore: narrow the levels of some quasi-identifiers (levels), generalize fewer "
    "columns, or use --space mondrian."
)


def lattice_size(summary: SchemaSummary) -> int:
    """The number of nodes in the lattice: ways to choose a level for every quasi-identifier."""
    size = 1
    for column in summary.columns:
        if column.lowest is not None and column.highest is not None:
            size *= column.highest - column.lowest + 1
    return size


def _closing(summary: SchemaSummary) -> str:
    from paretonym.sentence_parts import several
    from paretonym.spaces.lattice import MOST_NUMBERED

    dropped = f", {summary.dropped:,} dropped for a missing value" if summary.dropped else ""
    size = lattice_size(summary)
    many = size > MOST_NUMBERED
    number = f"{size:.1e}" if many else f"{size:,}"
    ways = "There is 1 way" if size == 1 else f"There are {number} ways"
    remedy = TOO_MANY if many else _verdict(summary)
    return (
        f"{several(summary.read, 'row', 'rows')} read{dropped}, {summary.rows:,} remaining. "
        f"{ways} to choose a level for every quasi-identifier. {remedy}"
    )


def _verdict(summary: SchemaSummary) -> str:
    """The last sentence, which does not contradict the warnings above it."""
    if not summary.warnings:
        return "No problem found."
    number = len(summary.warnings)
    return f"The schema fits the table; read the {'warning' if number == 1 else f'{number} warnings'} above."


LONGEST_LABEL = 30
# The same in every column's table, so that the numbers line up.
WIDTHS = {"level": 5, "groups": 14, "rows each": 15, "values each": 11}


def schema_view(summary: SchemaSummary) -> RenderableType:
    """A table of the columns, then one of the levels of each that has a hierarchy."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [_columns(summary)]
    for column in summary.columns:
        if column.levels:
            parts += [Text(_title(column)), _levels(column)]
    return Group(*parts)


def _columns(summary: SchemaSummary) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for heading in ("role", "type"):
        table.add_column(heading, no_wrap=True)
    for heading in ("values", "missing"):
        table.add_column(heading, justify="right", no_wrap=True)
    for column in summary.columns:
        missing = f"{column.missing:,}" if column.missing else ""
        distinct = "not counted" if column.distinct is None else f"{column.distinct:,}"
        table.add_row(printable(column.name), column.role, column.type or "", distinct, missing)
    return table


def _title(column: ColumnSummary) -> str:
    """A line with the size of the domain, by which loss is measured, and its origin."""
    return (
        f"{printable(column.name)} ({column.role}): D = {column.domain:,}, {printable(column.origin or '')}"
    )


def _levels(column: ColumnSummary) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, width in WIDTHS.items():
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    table.add_column("such as", overflow="fold")
    for level in column.levels:
        table.add_row(*_level(column, level))
    return table


def _level(column: ColumnSummary, level: LevelSummary) -> tuple[str, ...]:
    empty = f" ({level.empty:,} empty)" if level.empty else ""
    hidden = "not shown because sensitive" if column.role == "sensitive" else ""
    return (
        f"{level.level}" if _used(column, level) else f"({level.level})",
        f"{level.groups:,}{empty}",
        _between(level.smallest_rows, level.largest_rows),
        _between(level.smallest_size, level.largest_size),
        ", ".join(map(_short, level.examples)) or hidden,
    )


def _used(column: ColumnSummary, level: LevelSummary) -> bool:
    """Whether the search may use the level; other levels are printed in brackets."""
    return column.lowest is None or column.highest is None or column.lowest <= level.level <= column.highest


def _between(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} … {high:,}"


def _short(label: str) -> str:
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _entry(problem: Problem) -> dict[str, str | None]:
    place, wrong, remedy = problem.phrased(in_shell)
    named = {"field": problem.field, "column": problem.column}
    return {"place": place, "wrong": wrong, "remedy": remedy, **named}
