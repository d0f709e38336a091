"""`paretonym schema`: what a schema makes of a table, for a person to review."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paretonym.cli.console import note, output, print_json, warn
from paretonym.cli.options import Encoding, Json, Quiet, Separator
from paretonym.errors import InputError
from paretonym.measures.wording import several

if TYPE_CHECKING:
    from paretonym.schema.summary import SchemaSummary

FORMAT = "paretonym.schema-review/1"
EXAMPLES = """Examples:

\b
  paretonym schema patients.toml --data patients.csv
  paretonym schema patients.toml --data patients.csv --encoding cp1252 --json
"""


def schema(
    file: Annotated[Path, typer.Argument(metavar="SCHEMA", help="What the columns mean (TOML).")],
    data: Annotated[str, typer.Option("--data", metavar="DATA", help="A CSV or Parquet file.")],
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what a schema makes of a table.

    Roles, levels, groups and counts, for a person to review; or everything that is wrong, at once.
    """
    try:
        summary = _summary(file, data, encoding, separator)
    except InputError as error:
        if as_json:
            print_json({"format": FORMAT, "problems": [asdict(problem) for problem in error.problems]})
        raise
    if as_json:
        print_json(_document(summary))
        return
    from paretonym.cli.schema_tables import schema_view

    output().print(schema_view(summary))
    warn(*summary.warnings)
    note(_closing(summary), quiet)


def _summary(file: Path, data: str, encoding: str | None, separator: str | None) -> SchemaSummary:
    from paretonym.schema.binding import bind
    from paretonym.schema.reading import read_schema
    from paretonym.schema.summary import summarize
    from paretonym.source.opening import open_table

    described = read_schema(file)
    table = open_table(data, encoding=encoding, separator=separator)
    return summarize(described, table, bind(described, table))


def _document(summary: SchemaSummary) -> dict[str, Any]:
    return {"format": FORMAT, "problems": [], "lattice": lattice_size(summary), **asdict(summary)}


def lattice_size(summary: SchemaSummary) -> int:
    """How many ways there are to choose a level for every quasi-identifier."""
    size = 1
    for column in summary.columns:
        if column.lowest is not None and column.highest is not None:
            size *= column.highest - column.lowest + 1
    return size


def _closing(summary: SchemaSummary) -> str:
    dropped = f", {summary.dropped:,} dropped for a missing value" if summary.dropped else ""
    return (
        f"{several(summary.read, 'row', 'rows')} read{dropped}, {summary.rows:,} left. "
        f"{lattice_size(summary):,} ways to choose a level for every quasi-identifier. No problem found."
    )
