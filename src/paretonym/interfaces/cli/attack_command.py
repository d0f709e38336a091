"""`paretonym attack`: can this release be broken, or several of one table together?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paretonym.base.errors import Field, InputError
from paretonym.base.sentence_parts import several
from paretonym.interfaces.cli.command_inputs import check_address, run_table
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View

if TYPE_CHECKING:
    from paretonym.evidence.attacks import Attack

EXAMPLES = """Examples:

\b
  paretonym attack release.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv third.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv --original sqlite:///clinic.db --table patients --schema patients.toml
  paretonym attack synthetic.csv --original train.csv --control holdout.csv --schema patients.toml
  paretonym attack release.csv --original run
"""


def attack(
    files: list[str],
    original: str,
    schema: Path | None = None,
    table: str | None = None,
    query: str | None = None,
    manifest: list[Path] | None = None,
    control: str | None = None,
    memory: str | None = None,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Try to break a release, several releases of one table together, or any table about the same people.

    Searches for everybody of the original by their quasi-identifiers, in all files at once. Says which
    attacks were tried and what each found: for how many people a row or a sensitive value is certain, or
    narrowed to a few. With --control, singling out, linkability and inference are measured too, with their
    intervals. The answer names sensitive values: it is for the publisher. Exits with 1 if an attack succeeds,
    or if the whole interval of a measured risk lies above 50 %.
    """
    from paretonym.evidence.attacks import attack as attempt

    check_address(*files, original, *([control] if control else []))
    of_run = run_table(original)
    described = of_run.schema if schema is None and of_run else schema
    if described is None:
        raise InputError.of(Field("original"), "nothing says what its columns mean", "give --schema FILE")
    with screen.progress("Searching"):
        result = attempt(
            *files,
            original=of_run.source if of_run else original,
            schema=described,
            table=table,
            query=query,
            memory=memory,
            manifest=manifest or (),
            control=of_run.source.control if of_run and control is None else control,
        )
    found = [result.conclusion, *lines(result)]
    screen.show(
        View(
            result.as_json(), found[:MOST_LINES], tuple(warnings(result)), details=lambda: found[MOST_LINES:]
        )
    )
    if not result:
        raise click.exceptions.Exit(1)


MOST_LINES = 10
EVENTS = (
    "the rows of this table are events, and several may belong to one person. All figures here "
    "count rows; people may be easier to find than the figures say."
)


def warnings(result: Attack) -> Iterator[str]:
    """Warnings that come before the figures."""
    if result.unit == "rows":
        yield EVENTS
    yield from result.exposed
    for measured in result.criteria:
        yield from measured.remarks
    if result.strangers:
        nobody = "no row of" if result.unit == "rows" else "nobody in"
        rows = several(result.strangers, "released row matches", "released rows match")
        yield f"{rows} {nobody} this original. Is it the right one?"
    elif not result.consistent:
        yield "These files cannot all come from this original. Is it the right one?"


def lines(result: Attack) -> Iterator[str]:
    """Whom the files contain, and what each attack found."""
    unit = result.unit
    for measured in result.criteria:
        if len(result.criteria) > 1:
            yield f"{measured.place}:"
        yield from map(str, measured.criteria)
    if result.untried:
        yield result.tried
        return
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
