"""`paretonym release`: write the chosen release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paretonym.cli.common_options import Data, Force, Json, NewFile, Pick, Quiet, Run, inputs_of
from paretonym.cli.console import note, output, print_json, warn
from paretonym.measures.formatting import several

if TYPE_CHECKING:
    from paretonym.frontier.solution import Solution
    from paretonym.run.saved_run import Reopened

EXAMPLES = """Examples:

\b
  paretonym release run --pick 3f9a2c -o patients-public.csv
  paretonym release run --pick 3f9a2c -o patients-public.parquet --data /archive/patients.csv
"""

BUCKETS = (
    "Buckets hide which sensitive value belongs to whom, not who is in the table: the quasi-identifiers are "
    "published as they are."
)

IN_BLOCKS = (
    "loss, gl and sl of the manifest count the rows left out in blocks of k, so that nobody can tell fewer "
    "than k from none, and no values but those of rows that stay: they may differ from the frontier's."
)


def release(
    run: Run,
    pick: Pick,
    out: NewFile,
    data: Data = None,
    also: Annotated[
        bool, typer.Option("--also", help="Make a second, different release of one table all the same.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a chosen release and its manifest.

    The manifest says what the release claims; anyone can measure that again.
    """
    from paretonym.release.release_files import check_release
    from paretonym.source.column_names import header_warning

    solution, origin = reopened(run, pick, data)
    check_release(out, force, inputs_of(run, data, *origin.inputs))
    note("Reading the data again …", quiet or as_json)
    try:
        manifest = origin.publish(solution, out, force, also)
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise typer.Exit(130) from None
    header = header_warning(origin.study.table)
    warnings = (*([f"{header}."] if header else ()), *solution.warnings())
    warn(*warnings)
    if as_json:
        print_json({"id": solution.id, "file": str(out), "warnings": list(warnings), "manifest": manifest})
    else:
        _show(solution, out, manifest, quiet)
    if (before := origin.history()) is not None:
        warn(before)


def reopened(run: Path, pick: str, data: str | None) -> tuple[Solution, Reopened]:
    """The solution that was picked, and the table of its run."""
    from paretonym.errors import Bug
    from paretonym.run.run_folder import load_run
    from paretonym.run.saved_run import Reopened

    frontier = load_run(run)
    if frontier.record is None:
        raise Bug("a run that was loaded has no record")
    origin = Reopened(frontier.record, data, run)
    return replace(frontier.pick(pick), origin=origin), origin


def _show(solution: Solution, out: Path, manifest: dict[str, Any], quiet: bool) -> None:
    from paretonym.cli.frontier_tables import manifest_table
    from paretonym.release.release_manifest import manifest_path

    output().print(manifest_table(manifest, solution.values))
    if "files" in manifest["output"]:
        note(BUCKETS, quiet)
    if solution.suppressed:
        note(IN_BLOCKS, quiet)
    note(
        f"Wrote {several(manifest['output']['rows'], 'row', 'rows')} to {_files(out, manifest)} "
        f"({solution.suppressed:,} left out) and their manifest to {manifest_path(out)}.\n"
        "Keep this digest apart from both; with it anyone can tell that the file is the one you made:\n"
        f"  sha256 {manifest['output']['sha256']}",
        quiet,
    )


def _files(out: Path, manifest: dict[str, Any]) -> str:
    """What was written: of buckets three files."""
    return ", ".join(str(out.with_name(name)) for name in manifest["output"].get("files", {out.name: ""}))
