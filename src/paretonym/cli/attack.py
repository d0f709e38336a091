"""`paretonym attack`: can this release be broken, or several of one table together?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paretonym.cli.console import note, output, print_json
from paretonym.cli.options import Encoding, Json, Quiet, Separator
from paretonym.errors import InputError

EXAMPLES = """Examples:

\b
  paretonym attack release.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv third.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv --schema patients.toml
  paretonym attack release.csv --rows 5 --certain 80%
"""


def attack(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="One release, or several of one table.")
    ],
    original: Annotated[
        str | None, typer.Option(metavar="DATA", help="The table that they were made from.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="What the columns mean.")
    ] = None,
    certain: Annotated[
        str,
        typer.Option(metavar="SHARE", help="A value counts as disclosed above this share of the rows left."),
    ] = "90%",
    rows: Annotated[
        int, typer.Option(metavar="N", help="Somebody counts as re-identified with fewer than N rows left.")
    ] = 2,
    estimates: Annotated[
        bool, typer.Option("--estimates/--no-estimates", help="Also report attacks that guess.")
    ] = True,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Try to break a release, or several releases of one table together.

    Looks for everybody of the original by their quasi-identifiers, in all files at once. Without the
    original each file is judged by what it shows, and the rows of several files are matched.
    Verdicts follow absolute rules, not the claims of a manifest. Ends with 1 if an attack succeeds.
    """
    from paretonym.release.attack.attempt import attack as attempt
    from paretonym.release.attack.findings import Rules

    found = attempt(
        *files,
        original=original,
        schema=schema,
        rules=Rules(rows, as_share(certain)),
        estimates=estimates,
        encoding=encoding,
        separator=separator,
    )
    if as_json:
        print_json(found.as_json())
    else:
        from paretonym.cli.attack_words import sentences, table, warnings

        for line in warnings(found):
            note(line)
        output().print(table(found))
        for line in sentences(found):
            note(line, quiet and found.withstood)
    if not found.withstood:
        raise typer.Exit(1)


def as_share(text: str) -> float:
    """A share as it is written on the command line.

    >>> as_share("90%"), as_share("0.9")
    (0.9, 0.9)
    """
    from decimal import Decimal, InvalidOperation

    bare = text.strip().removesuffix("%").strip()
    try:
        number = Decimal(bare)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise InputError.of("--certain", f"'{text}' is no share", "give one such as 90%")
    return float(number / 100 if "%" in text else number)
