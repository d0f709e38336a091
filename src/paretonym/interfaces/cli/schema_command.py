"""`paretonym schema`: review how a schema reads a table."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.base.errors import InputError, Problem, printable
from paretonym.interfaces.cli.command_inputs import SOURCE, Source, check_address, command_data
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, columns, print_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paretonym.tables.schema import ColumnSummary, LevelSummary, SchemaSummary
    from paretonym.tables.schema.draft import Setting

FORMAT = "paretonym.schema-review/1"
EXAMPLES = """Examples:

\b
  paretonym schema patients.toml --data patients.csv
  paretonym schema patients.toml --data patients.csv --details
  paretonym schema survey.toml --set "q*=drop" --set missing=value --set age.top=90
  paretonym schema patients.toml --data sqlite:///clinic.db --table patients
  paretonym schema visits.toml --data "visits/*/*.parquet" --memory 4GB
"""
TOO_MANY = (
    "These are too many for explore: narrow the levels of some quasi-identifiers (levels), generalize fewer "
    "columns, or use --space mondrian."
)


def schema(
    file: Path,
    data: str | None = None,
    changes: list[str] | None = None,
    source: Source = SOURCE,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Show how a schema reads a table, or change it.

    Lists the columns of each role, and with --details levels, groups and counts for review; or everything
    that is wrong, at once. With --set roles and keys are changed in the file first; comments stay.
    """
    done = _changed(file, changes or ())
    if data is None:
        if changes is None:
            raise InputError.of(
                "--data", "no table is given", "give it to review the schema, or --set to change it"
            )
        screen.show(View({"schema": str(file), "set": [one._asdict() for one in done]}, _changes(file, done)))
        return
    for line in _changes(file, done):
        screen.note(line)
    check_address(data)
    try:
        summary = _summary(file, data, source.keywords)
    except InputError as error:
        if screen.as_json:
            print_json({"format": FORMAT, "problems": [_entry(problem) for problem in error.problems]})
        raise
    document = {"format": FORMAT, "problems": [], "lattice": lattice_size(summary), **asdict(summary)}
    place = command_data(data, {**source.keywords, "engine": source.engine})
    hint = f"Next: paretonym explore {place} --schema {shlex.quote(str(file))} -o run"
    screen.show(View(document, list(_lines(summary)), summary.warnings, hint, lambda: _details(summary)))


def _changed(file: Path, changes: Sequence[str]) -> list[Setting]:
    """Set roles and keys in the file; what was set."""
    from paretonym.base.files import check_changed, write_files
    from paretonym.tables.schema.draft import edit_schema

    if not changes:
        return []
    check_changed([file], [])
    content, done = edit_schema(file, changes)
    write_files({file: content})
    return done


def _changes(file: Path, done: Sequence[Setting]) -> list[str]:
    """A line for each thing that was set."""
    lines = []
    for one in done:
        where = ", ".join(one.columns) or "the table"
        value = json.dumps(one.value, default=str, ensure_ascii=False)
        what = (
            f"Removed from {file}: {one.key}" if one.value is None else f"Set in {file}: {one.key} = {value}"
        )
        lines.append(f"{what} for {where}.")
    return lines


def _summary(file: Path, data: str, form: Mapping[str, Any]) -> SchemaSummary:
    from paretonym.tables.schema import bind, read_schema, summarize, wanted_of
    from paretonym.tables.source.engines import open_source

    described = read_schema(file)
    table = open_source(data, wanted_of(described), **form).whole
    return summarize(described, table, bind(described, table))


def lattice_size(summary: SchemaSummary) -> int:
    """The number of nodes in the lattice: ways to choose a level for every quasi-identifier."""
    return prod(
        column.highest - column.lowest + 1
        for column in summary.columns
        if column.lowest is not None and column.highest is not None
    )


def _lines(summary: SchemaSummary) -> Iterator[str]:
    """The rows, the columns of each role, and how many ways there are to generalize."""
    from paretonym.base.sentence_parts import several
    from paretonym.engine.spaces.lattice import MOST_NUMBERED

    dropped = f", {summary.dropped:,} dropped for a missing value" if summary.dropped else ""
    yield (
        f"The schema fits the table: {several(summary.read, 'row', 'rows')} read{dropped}, {summary.rows:,} "
        "remaining."
    )
    for role in dict.fromkeys(column.role for column in summary.columns):
        yield f"  {role}: {', '.join(_column(one) for one in summary.columns if one.role == role)}"
    size = lattice_size(summary)
    number = f"{size:.1e}" if size > MOST_NUMBERED else f"{size:,}"
    ways = "There is 1 way" if size == 1 else f"There are {number} ways"
    remedy = f" {TOO_MANY}" if size > MOST_NUMBERED else ""
    yield f"{ways} to choose a level for every quasi-identifier.{remedy}"


def _column(column: ColumnSummary) -> str:
    from paretonym.base.sentence_parts import several

    if column.role != "quasi":
        return column.name
    levels = several(len(column.levels), "level", "levels")
    values = "values not counted" if column.distinct is None else several(column.distinct, "value", "values")
    return f"{column.name} ({values}, {levels})"


LONGEST_LABEL = 30


def _details(summary: SchemaSummary) -> Iterator[RenderableType]:
    """A table of the columns, then one of the levels of each that has a hierarchy."""
    rows = (
        (
            column.name,
            column.role,
            column.type or "",
            "not counted" if column.distinct is None else f"{column.distinct:,}",
            f"{column.missing:,}" if column.missing else "",
        )
        for column in summary.columns
    )
    yield columns("column", "role", "type", ">values", ">missing", rows=rows)
    for column in summary.columns:
        if column.levels:
            title = f"{column.name} ({column.role}): D = {column.domain:,}, {column.origin or ''}"
            yield columns(
                ">level", ">groups", ">rows each", ">values each", "such as",
                title=printable(title), rows=_levels(column),
            )  # fmt: skip


def _levels(column: ColumnSummary) -> Iterable[tuple[str, ...]]:
    hidden = "not shown because sensitive" if column.role == "sensitive" else ""
    for level in column.levels:
        empty = f" ({level.empty:,} empty)" if level.empty else ""
        yield (
            # Levels that the search may not use are in brackets.
            f"{level.level}" if _used(column, level) else f"({level.level})",
            f"{level.groups:,}{empty}",
            _between(level.smallest_rows, level.largest_rows),
            _between(level.smallest_size, level.largest_size),
            ", ".join(map(_short, level.examples)) or hidden,
        )


def _used(column: ColumnSummary, level: LevelSummary) -> bool:
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
