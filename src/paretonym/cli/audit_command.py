"""`paretonym audit`: is this table what it claims to be?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import Json, Quiet, check_address
from paretonym.cli.console import live_progress, note, output, print_json, warn
from paretonym.cli.option_flags import in_shell
from paretonym.errors import phrased, printable

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.audit import Audit, Check

EXAMPLES = """Examples:

\b
  paretonym audit release.csv
  paretonym audit release.csv --details
  paretonym audit release-in-parts/ --memory 4GB
  paretonym audit release.csv --schema patients.toml --original patients.csv
  paretonym audit release.csv --schema patients.toml --original sqlite:///clinic.db --table patients
  paretonym audit may.csv --schema patients.toml --original new.csv --old patients.csv
  paretonym audit release.csv --schema survey.toml --population-file register.csv --require "k-map>=20"
  paretonym audit release.csv --require "k>=5" --require "t-release<=0.3"
  paretonym audit foreign.csv --quasi age,zip --sensitive diagnosis --require "l-distinct@diagnosis>=2"
"""
CANNOT_SEE = (
    "An audit compares a file with what is claimed about it. Somebody who can change both can make them "
    "agree: keep the sha256 where only you can write, and compare."
)


def audit(
    file: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="The finished table: CSV or Parquet, a folder of parts, or whatever else explore reads.",
        ),
    ],
    schema: Annotated[
        Path | None,
        Option("--schema", metavar="FILE", help="Read roles and hierarchies from here (TOML)."),
    ] = None,
    require: Annotated[
        list[str] | None,
        Option(
            metavar="REQUIREMENT",
            help='Check a requirement such as "k>=5" or "alpha<=50%"; may be repeated.',
        ),
    ] = None,
    original: Annotated[
        str | None,
        Option(
            metavar="DATA",
            help="Also compare with the table that it was made from: a file, a folder, a pattern or a "
            "database.",
        ),
    ] = None,
    old: Annotated[
        str | None,
        Option(metavar="DATA", help="For a file that 'apply' wrote: give the table of the old rows."),
    ] = None,
    population_file: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Measure k-map and presence in this table of the population; needs --schema.",
        ),
    ] = None,
    table: Annotated[
        str | None,
        Option(
            "--table",
            "--sheet",
            metavar="NAME",
            help="Read this table of whatever is a database, or sheet of a workbook.",
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        Option("--manifest", metavar="FILE", help="Read the manifest from here if it is elsewhere."),
    ] = None,
    quasi: Annotated[
        str,
        Option(metavar="NAMES", help="Name the quasi-identifiers, instead of a manifest and schema."),
    ] = "",
    sensitive: Annotated[
        str,
        Option(metavar="NAMES", help="Name the sensitive columns, instead of a manifest and schema."),
    ] = "",
    memory: Annotated[
        str | None,
        Option(
            "--memory",
            metavar="SIZE",
            help="Limit the memory of DuckDB; 1200MB unless given, and half of the machine's while "
            "--original is counted.",
        ),
    ] = None,
    details: Annotated[
        bool, Option("--details", help="Print every check, not only those that fail.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure a finished table again, with formulas that nothing else uses.

    Checks every claim of the manifest beside it, and every requirement. Exits with 1 if anything does not
    hold. Shares the readers of tables and schemas with the search, and no other code.
    """
    from paretonym.audit import audit as measure

    check_address(file, original, old, population_file)
    with live_progress("Measuring", quiet or as_json):
        result = measure(
            file,
            schema=schema,
            require=require or (),
            original=original,
            old=old,
            quasi=_names(quasi),
            sensitive=_names(sensitive),
            memory=memory,
            table=table,
            manifest=manifest,
            population_file=population_file,
        )
    if as_json:
        print_json({**result.to_dict(in_shell), "cannot_see": CANNOT_SEE})
    else:
        _show(result, details, quiet)
    if not result:
        raise click.exceptions.Exit(1)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _show(result: Audit, details: bool, quiet: bool) -> None:
    """Print the verdict, then why it is not better; every check if somebody asks for details."""
    lines = [f"{printable(str(result))}.", *_reasons(result)]
    judged = any(check.holds is not None for check in result.checks)
    output().print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
    if details or not judged:
        output().print(checks_table(result))
    note(f"sha256 of the file      {result.sha256}", quiet)
    if result.manifest_sha256 is not None:
        note(f"sha256 of the manifest  {result.manifest_sha256}", quiet)
    note(CANNOT_SEE, quiet)
    warn(*(f"{warning}." for warning in result.warnings))


def _reasons(result: Audit) -> Iterator[str]:
    """A line for each check that fails or cannot be decided."""
    for check in (*result.failed, *result.undecided):
        values = [f"stated {_cell(check.said)}" if check.said is not None else ""]
        values.append(f"measured {_cell(check.found)}" if check.found is not None else "")
        known = ", ".join(value for value in values if value)
        words = ": ".join(part for part in (known, phrased(check.reason, in_shell)) if part)
        verdict = "FAILS" if check.holds is False else "not decided"
        yield printable(f"  {verdict}  {check.name}{f': {words}' if words else ''}")


LONGEST = 16
VERDICTS = {True: "holds", False: "FAILS", None: ""}


def checks_table(result: Audit) -> Table:
    """A table of the checks: what was stated, what was measured, whether they agree."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("kind", no_wrap=True)
    table.add_column("check", overflow="fold")
    table.add_column("stated", justify="right", overflow="fold")
    table.add_column("found", justify="right", overflow="fold")
    table.add_column("verdict", overflow="fold")
    for check in result.checks:
        words = ": ".join(part for part in (VERDICTS[check.holds], phrased(check.reason, in_shell)) if part)
        table.add_row(*_row(check), printable(words))
    return table


def _row(check: Check) -> tuple[str, str, str, str]:
    return check.kind, printable(check.name), _cell(check.said), _cell(check.found)


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = printable(value)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if value == value // 1 else f"{value:.6g}"
