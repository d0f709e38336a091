"""`paretonym release`: write the chosen release."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from paretonym.cli.command_parameters import Option
from paretonym.cli.common_options import (
    Data,
    Engine,
    Force,
    Json,
    Memory,
    NewRelease,
    Pick,
    Quiet,
    RunFolder,
    check_address,
    inputs_of,
)
from paretonym.cli.console import note, output, print_json, warn
from paretonym.cli.saved_run import picked

if TYPE_CHECKING:
    from paretonym.frontier import Microdata
    from paretonym.run import Solution

EXAMPLES = """Examples:

\b
  paretonym release run --pick 3f9a2c -o patients-public.csv
  paretonym release run --pick 3f9a2c -o patients-public.parquet --data /archive/patients.csv
  paretonym release run --pick 3f9a2c -o patients-public        (a folder of Parquet files)
  paretonym release run --pick 3f9a2c -o excel.csv --separator ";" --decimal ,
"""

BUCKETS = (
    "Buckets hide which sensitive value belongs to whom, not who is in the table: the quasi-identifiers are "
    "published unchanged."
)

OF_ROWS = (
    "The file does not say which person a row belongs to, so what can be checked with it alone counts rows. "
    "k-persons is the smallest number of different people in an equivalence class."
)

LINKABLE = (
    "How many households look alike matters only where members of a household stay linkable in the release. "
    "The file does not say which rows belong together, unless a column that is kept links them, such as a "
    "household income."
)
IN_BLOCKS = (
    "In the manifest, loss, gl and sl may differ from those of the frontier: suppressed rows are counted in "
    "blocks of k, so that fewer than k look like none, and only values of released rows count."
)


def release(
    run: RunFolder,
    pick: Pick,
    out: NewRelease,
    separator: Annotated[
        str | None,
        Option("--separator", metavar="MARK", help="Separate the cells of CSV by this: , ; | or tab."),
    ] = None,
    encoding: Annotated[
        str | None,
        Option("--encoding", metavar="NAME", help="Write CSV in utf-8, utf-8-sig or cp1252."),
    ] = None,
    decimal: Annotated[
        str | None, Option("--decimal", metavar="MARK", help="Write numbers in CSV with . or ,")
    ] = None,
    data: Data = None,
    allow_second_release: Annotated[
        bool, Option("--allow-second-release", help="Allow a second, different release of the same table.")
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
    from paretonym.release import (
        CsvForm,
        check_release,
        log_of,
        other_content_warning,
        publish_release,
    )
    from paretonym.schema import spelling_warnings
    from paretonym.source import header_warning

    check_address(out, data)
    target = Path(out)
    form = CsvForm.of(separator, encoding, decimal)
    form.check_kind(target)
    solution, microdata = picked(run, pick, data, engine, memory)
    check_release(target, force, inputs_of(run, data, *microdata.inputs))
    note("Reading the data again …", quiet or as_json)
    try:
        manifest = publish_release(
            microdata, solution.recoding, target, force, allow_second_release, form=form
        )
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    header = header_warning(microdata.source)
    spelling = spelling_warnings(microdata.source, microdata.bound)
    warnings = (*([f"{header}."] if header else ()), *spelling, *solution.warnings())
    warn(*warnings)
    if as_json:
        document = {"id": solution.id, "file": str(target), "warnings": list(warnings), "manifest": manifest}
        print_json({**document, **_coarsened(microdata)})
    else:
        _show(solution, target, manifest, quiet)
        _say_coarsened(microdata, quiet)
    if (before := other_content_warning(log_of(microdata))) is not None:
        warn(before)


def _coarsened(data: Microdata) -> dict[str, Any]:
    """What columns other than quasi-identifiers lose because the schema publishes them at a level."""
    losses = {name: level.loss for name, level in data.bound.published_levels.items()}
    return {"coarsened": losses} if losses else {}


def _say_coarsened(data: Microdata, quiet: bool) -> None:
    from paretonym.schema.hierarchies import level_words
    from paretonym.sentence_parts import percentage

    for name, level in data.bound.published_levels.items():
        column = data.schema.column(name)
        words = level_words(column, column.published_level or 0)
        note(
            f"Column '{name}' is published as the schema says ({words}): it loses "
            f"{percentage(level.loss)} of its detail, which no measure of loss counts.",
            quiet,
        )


def _show(solution: Solution, out: Path, manifest: dict[str, Any], quiet: bool) -> None:
    from paretonym.cli.frontier_tables import manifest_table
    from paretonym.measures import HOUSEHOLD_SIZE
    from paretonym.release import manifest_path
    from paretonym.sentence_parts import several

    output().print(manifest_table(manifest, solution.values))
    if "buckets" in manifest["recoding"]:
        note(BUCKETS, quiet)
    if manifest.get("rows") == "persons":
        note(OF_ROWS, quiet)
    if HOUSEHOLD_SIZE in manifest["statements"]:
        note(LINKABLE, quiet)
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
