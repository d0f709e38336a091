"""`paretonym attack`: can anybody be found in this release, or in two of them together?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paretonym.cli.console import note, output, print_json
from paretonym.cli.options import Encoding, Json, Quiet, Separator
from paretonym.errors import InputError

if TYPE_CHECKING:
    from paretonym.release.attack.findings import Linkage, PairLinkage, RowLinkage

EXAMPLES = """Examples:

\b
  paretonym attack release.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv --schema patients.toml
"""


def attack(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A release, its manifest beside it.")],
    second: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A second release of the same table.")
    ] = None,
    original: Annotated[
        str | None, typer.Option(metavar="DATA", help="The table that it was made from.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="What the columns mean; required.")
    ] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for everybody of the original in a release, or in two releases of one table at once.

    Two releases can also be matched row by row without the original, as an outsider would.
    Ends with 1 if anybody is narrowed to fewer rows than k.
    """
    if schema is None or (original is None and second is None):
        raise InputError.of(
            "--schema" if schema is None else "--original",
            "an attack looks for the people of the original, by what the schema says their values look like",
            "give both: --original DATA --schema SCHEMA; for two releases the schema is enough",
        )
    from paretonym.release.attack.attacking import attack as attack_one
    from paretonym.release.attack.attacking import attack_pair, match_rows

    found: Linkage | PairLinkage | RowLinkage
    if second is not None and original is None:
        found = match_rows(file, second, schema=schema)
    elif second is None:
        found = attack_one(file, original=original, schema=schema, encoding=encoding, separator=separator)
    else:
        found = attack_pair(
            file, second, original=original, schema=schema, encoding=encoding, separator=separator
        )
    if as_json:
        print_json(found.as_json())
    else:
        from paretonym.cli.attack_words import told, verdict

        output().print(told(found))
        note(verdict(found), quiet and found.withstood)
    if not found.withstood:
        raise typer.Exit(1)
