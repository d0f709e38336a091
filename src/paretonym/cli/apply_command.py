"""`paretonym apply`: new rows with a solution that was chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paretonym.cli.common_options import (
    Data,
    Encoding,
    Engine,
    Force,
    Json,
    NewFile,
    Pick,
    Quiet,
    Run,
    Separator,
    inputs_of,
)
from paretonym.cli.console import note, output, print_json, warn
from paretonym.cli.release_command import picked

if TYPE_CHECKING:
    from paretonym.release.append import Union

EXAMPLES = """Examples:

\b
  paretonym apply run --pick 3f9a2c patients-of-may.csv -o patients-of-may-public.csv
"""


def apply(
    run: Run,
    new_data: Annotated[str, typer.Argument(metavar="NEWDATA", help="The new rows: a CSV or Parquet file.")],
    pick: Pick,
    out: NewFile,
    data: Data = None,
    encoding: Encoding = None,
    separator: Separator = None,
    engine: Engine = None,
    also: Annotated[
        bool,
        typer.Option("--also", help="Write them even if the new rows were released in another way before."),
    ] = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Recode new rows as a release shows the old ones.

    Leaves out what must be left out, so that both files together keep what was promised, and says what
    they give together.
    """
    from paretonym.release import append_to_file, appended_before, check_release, open_rows

    solution, old = picked(run, pick, data, engine)
    check_release(out, force, inputs_of(run, data, new_data, *old.inputs))
    warn(*old.unit.warnings)
    note("Reading old and new data …", quiet or as_json)
    try:
        new = open_rows(old, new_data, encoding, separator)
        before = appended_before(old, out)
        _, union, manifest = append_to_file(old, solution.recoding, new, out, force, also)
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise typer.Exit(130) from None
    if as_json:
        document = {"id": solution.id, "file": str(out), "union": asdict(union), "manifest": manifest}
        print_json(document)
        return
    output().print(told(union, out, before), soft_wrap=True)
    note(f"sha256 {manifest['output']['sha256']}  {out}", quiet)


def told(union: Union, out: Path, before: Sequence[str] = ()) -> str:
    """What was written, and what joining the two files gives."""
    from paretonym.sentence_parts import several

    dropped = f", {union.dropped:,} of them dropped for a missing value" if union.dropped else ""
    lines = [
        f"{several(union.read, 'new row', 'new rows')} read{dropped}. {union.stay:,} written to {out}; "
        f"{_left_out(union)}.",
        f"Old release and new rows together: {several(union.old + union.stay, 'row', 'rows')}, "
        f"k = {union.k:,} "
        f"(with all new rows it would be {union.k_of_all:,}).",
    ]
    if union.nowhere:
        lie = several(union.nowhere, "of those rows lies", "of those rows lie")
        lines.append(f"{lie} in no region of the release: none of the old rows was there.")
    if not union.holds:
        lines.append(
            "Warning: not every class of the union has what the solution asks of a class. The old release is "
            "as it is; the new rows have moved the distribution that its classes are measured against."
        )
    if union.k_of_new < union.k:
        lines.append(
            f"In the new file by itself the smallest class has {union.k_of_new:,}: whoever knows that a "
            "person is among the new rows looks there alone. If that matters, publish both as one table, "
            "without saying which rows are new."
        )
    if before:
        lines.append(
            f"Warning: new rows went into {', '.join(before)} before, and are not counted here. Give all new "
            "rows since the release at once."
        )
    return "\n".join(lines)


def _left_out(union: Union) -> str:
    from paretonym.sentence_parts import several

    rows = several(union.left_out, "row", "rows")
    classes = several(union.classes_left_out, "class", "classes")
    if not union.classes_left_out:
        return f"{rows} left out"
    if not union.nowhere:
        return f"{rows} of {classes} left out"
    return f"{rows} left out, {union.left_out - union.nowhere:,} of them of {classes}"
