"""`paretonym release`: write the chosen release."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paretonym.cli.common_options import (
    Data,
    Engine,
    Force,
    Json,
    Memory,
    NewFile,
    Pick,
    Quiet,
    Run,
    inputs_of,
)
from paretonym.cli.console import note, output, print_json, warn

if TYPE_CHECKING:
    from paretonym.frontier import Microdata
    from paretonym.run import Solution

EXAMPLES = """Examples:

\b
  paretonym release run --pick 3f9a2c -o patients-public.csv
  paretonym release run --pick 3f9a2c -o patients-public.parquet --data /archive/patients.csv
  paretonym release run --pick 3f9a2c -o patients-public        (a folder of Parquet files)
"""

BUCKETS = (
    "Buckets hide which sensitive value belongs to whom, not who is in the table: the quasi-identifiers are "
    "published unchanged."
)

OF_ROWS = (
    "The file does not say whose a row is, so what can be checked with it alone counts rows. k-persons is the "
    "smallest number of different people in an equivalence class."
)

IN_BLOCKS = (
    "In the manifest, loss, gl and sl may differ from those of the frontier: suppressed rows are counted in "
    "blocks of k, so that fewer than k look like none, and only values of released rows count."
)


def release(
    run: Run,
    pick: Pick,
    out: NewFile,
    data: Data = None,
    also: Annotated[
        bool, typer.Option("--also", help="Allow a second, different release of the same table.")
    ] = False,
    engine: Engine = None,
    memory: Memory = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a chosen release and its manifest.

    The manifest says what the release claims; anyone can check that with audit.
    """
    from paretonym.release import check_release, log_of, other_content_warning, publish_release
    from paretonym.source import header_warning

    solution, microdata = picked(run, pick, data, engine, memory)
    check_release(out, force, inputs_of(run, data, *microdata.inputs))
    note("Reading the data again …", quiet or as_json)
    try:
        manifest = publish_release(microdata, solution.recoding, out, force, also)
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise typer.Exit(130) from None
    header = header_warning(microdata.source)
    warnings = (*([f"{header}."] if header else ()), *solution.warnings())
    warn(*warnings)
    if as_json:
        print_json({"id": solution.id, "file": str(out), "warnings": list(warnings), "manifest": manifest})
    else:
        _show(solution, out, manifest, quiet)
    if (before := other_content_warning(log_of(microdata))) is not None:
        warn(before)


def picked(
    run: Path, pick: str, data: str | None, engine: str | None = None, memory: str | None = None
) -> tuple[Solution, Microdata]:
    """The solution that was picked, and the data of its run."""
    from paretonym.run import load

    solution = load(run, data, engine=engine, memory=memory).pick(pick)
    return solution, solution.known_data


def _show(solution: Solution, out: Path, manifest: dict[str, Any], quiet: bool) -> None:
    from paretonym.cli.frontier_tables import manifest_table
    from paretonym.release import manifest_path
    from paretonym.sentence_parts import several

    output().print(manifest_table(manifest, solution.values))
    if "buckets" in manifest["recoding"]:
        note(BUCKETS, quiet)
    if manifest.get("rows") == "persons":
        note(OF_ROWS, quiet)
    if solution.suppressed:
        note(IN_BLOCKS, quiet)
    what = "the folder" if out.is_dir() else "the file"
    note(
        f"Wrote {several(manifest['output']['rows'], 'row', 'rows')} to {_files(out, manifest)} "
        f"({solution.suppressed:,} suppressed) and the manifest to {manifest_path(out)}.\n"
        f"Store this digest separately; with it anyone can verify that {what} is the one you wrote:\n"
        f"  sha256 {manifest['output']['sha256']}",
        quiet,
    )


def _files(out: Path, manifest: dict[str, Any]) -> str:
    """The files that were written: three for buckets, or those of a folder."""
    if out.is_dir():
        return f"{out}{os.sep}"
    return ", ".join(str(out.with_name(name)) for name in manifest["output"].get("files", {out.name: ""}))
