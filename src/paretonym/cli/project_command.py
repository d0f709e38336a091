"""`paretonym project`: a schema and a run in one file, to hand to a colleague; and back."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import Force, Json, Quiet
from paretonym.cli.console import note, print_json

EXAMPLES = """Examples:

\b
  paretonym project run -o clinic.paretonym
  paretonym project patients.toml -o clinic.paretonym
  paretonym project clinic.paretonym -o clinic
"""


def project(
    source: Annotated[
        Path, Argument(metavar="SOURCE", help="A run or a schema to pack, or a project to unpack.")
    ],
    out: Annotated[
        Path,
        Option("--out", "-o", metavar="PATH", help="Where the project, or the unpacked folder, goes."),
    ],
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Pack a schema and a run into one file for a colleague, or unpack such a file.

    The file never contains rows, the place of the data, the key or the release log. It is as confidential as
    the run.
    """
    from paretonym.run import Project
    from paretonym.schema import read_schema

    if source.suffix == out.suffix or source.suffix != ".paretonym":
        found = Project.of_run(source) if source.is_dir() else Project.of_schema(read_schema(source))
        found.save(out, force, (source,))
    else:
        found = Project.opened(source)
        found.unpack(out, force, (source,))
    if as_json:
        print_json({"out": str(out), "files": sorted(found.schema), "run": found.run is not None})
        return
    note(_closing(out, found.run is not None), quiet)


def _closing(out: Path, has_run: bool) -> str:
    if out.suffix == ".paretonym":
        return f"Wrote {out}. Keep it private: it describes the table. The data are not in it."
    if not has_run:
        schema = shlex.quote(str(out / "schema.toml"))
        return f"Wrote {out}. Then run: paretonym explore DATA --schema {schema} -o RUN"
    return f"Wrote {out}. Then run, for example: paretonym ask {shlex.quote(str(out / 'run'))} --data DATA"
