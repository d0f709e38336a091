"""`paretonym attack`: can this release be broken, or several of one table together?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import (
    DatabaseQuery,
    DatabaseTable,
    Encoding,
    Json,
    Memory,
    Quiet,
    Separator,
    check_address,
)
from paretonym.cli.console import live_progress, note, output, print_json
from paretonym.errors import printable
from paretonym.sentence_parts import several

if TYPE_CHECKING:
    from paretonym.attacks import Attack

EXAMPLES = """Examples:

\b
  paretonym attack release.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv third.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv --original sqlite:///clinic.db --table patients --schema patients.toml
"""


def attack(
    files: Annotated[
        list[str],
        Argument(
            metavar="FILE…", help="One release, or several made from one table: files or folders of parts."
        ),
    ],
    original: Annotated[
        str,
        Option(metavar="DATA", help="Search for everybody in this table, from which the files were made."),
    ],
    schema: Annotated[Path, Option("--schema", metavar="FILE", help="Read roles and hierarchies from here.")],
    table: DatabaseTable = None,
    query: DatabaseQuery = None,
    manifest: Annotated[
        list[Path] | None,
        Option(
            "--manifest",
            metavar="FILE",
            help="Read the manifest from here if it is elsewhere; one for each FILE.",
        ),
    ] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Try to break a release, or several releases of one table together.

    Searches for everybody of the original by their quasi-identifiers, in all files at once. Says which
    attacks were tried and what each found: for how many people a row or a sensitive value is certain, or
    narrowed to a few. The answer names sensitive values: it is for the publisher. Exits with 1 if an attack
    succeeds.
    """
    from paretonym.attacks import attack as attempt

    check_address(*files, original)
    with live_progress("Searching", quiet or as_json):
        result = attempt(
            *files,
            original=original,
            schema=schema,
            table=table,
            query=query,
            encoding=encoding,
            separator=separator,
            memory=memory,
            manifest=manifest or (),
        )
    if as_json:
        print_json(result.as_json())
    else:
        for line in warnings(result):
            note(line)
        if not quiet:
            for line in lines(result):
                output().print(printable(line), markup=False, highlight=False)
        output().print(printable(result.conclusion), markup=False, highlight=False)
    if not result:
        raise click.exceptions.Exit(1)


EVENTS = (
    "Warning: the rows of this table are events, and several may belong to one person. All figures here "
    "count rows; people may be easier to find than the figures say."
)


def warnings(result: Attack) -> Iterator[str]:
    """Warnings that come before the figures."""
    if result.unit == "rows":
        yield EVENTS
    yield from (f"Warning: {sentence}" for sentence in result.exposed)
    if result.strangers:
        nobody = "no row of" if result.unit == "rows" else "nobody in"
        rows = several(result.strangers, "released row matches", "released rows match")
        yield f"Warning: {rows} {nobody} this original. Is it the right one?"
    elif not result.consistent:
        yield "Warning: these files cannot all come from this original. Is it the right one?"


def lines(result: Attack) -> Iterator[str]:
    """Whom the files contain, and what each attack found."""
    unit = result.unit
    where = "all files" if len(result.files) > 1 else "the file"
    yield f"{result.people:,} {unit} of the original were searched for: {result.everywhere:,} fit {where}."
    if result.partly:
        yield f"{result.partly:,} {unit} are in some files and known to be absent from others."
    if result.absent:
        yield f"{result.absent:,} {unit} fit no released row: they are known to be absent."
    if result.alone:
        yield (
            f"{result.alone:,} {unit} are unique by quasi-identifiers that a release in buckets shows "
            "unchanged: buckets hide values, not people."
        )
    yield from (finding.sentence(unit) for finding in result.findings)
    yield result.tried
