"""`paretonym release`: write the chosen release."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paretonym.base.errors import InputError
from paretonym.interfaces.cli.command_inputs import RECORDED, RunData, check_address, inputs_of
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, columns, note

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.engine.frontier import Microdata
    from paretonym.study import Solution

EXAMPLES = """Examples:

\b
  paretonym release run --pick 3f9a2c -o patients-public.csv
  paretonym release run --pick 3f9a2c -o patients-public.parquet --data /archive/patients.csv
  paretonym release run --pick 3f9a2c -o patients-public        (a folder of Parquet files)
  paretonym release run --pick 3f9a2c -o patients-public.xlsx
  paretonym release run --pick 3f9a2c --withdraw "a test that nobody got"
  paretonym release run --pick 3f9a2c -o patients-public.csv --separator ";" --decimal ,
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
    run: Path,
    pick: str,
    out: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    source: RunData = RECORDED,
    allow_second_release: bool = False,
    withdraw: str | None = None,
    force: bool = False,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Write a chosen release and its manifest.

    The manifest says what the release claims; anyone can check that with audit. With --withdraw, a release
    that nobody got is taken out of the log instead, so that another one may be made.
    """
    from paretonym.release import CsvForm, check_release, log_of, other_content_warning, publish_release
    from paretonym.tables.schema import spelling_warnings
    from paretonym.tables.source import source_warnings

    if withdraw is not None:
        screen.show(_withdrawn(source.picked(run, pick), withdraw))
        return
    if out is None:
        raise InputError.of("--out", "no file is named", "give -o FILE, or --withdraw REASON")
    check_address(out, source.data)
    target = Path(out)
    form = CsvForm.of(separator, encoding, decimal)
    form.check_kind(target)
    solution, microdata = source.picked(run, pick)
    check_release(target, force, inputs_of(run, source.data, *microdata.inputs))
    screen.note("Reading the data again …")
    try:
        manifest = publish_release(
            microdata, solution.recoding, target, force, allow_second_release, form=form
        )
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    spelling = spelling_warnings(microdata.bound)
    warnings = (*source_warnings(microdata.source), *spelling, *solution.warnings())
    document = {"id": solution.id, "file": str(target), "warnings": list(warnings), "manifest": manifest}
    losses = {name: level.loss for name, level in microdata.bound.published_levels.items()}
    document |= {"coarsened": losses} if losses else {}
    before = other_content_warning(log_of(microdata))
    screen.show(
        View(
            document,
            _lines(solution, microdata, target, manifest),
            (*warnings, *([before] if before is not None else ())),
            f"Next: paretonym audit {out}",
            lambda: [manifest_table(manifest, solution.values), *_remarks(solution, microdata, manifest)],
        )
    )


def _withdrawn(picked: tuple[Solution, Microdata], reason: str) -> View:
    """A release taken out of the log."""
    from paretonym.release import log_of

    solution, data = picked
    files = log_of(data).withdraw(solution.id, reason)
    document = {"id": solution.id, "withdrawn": reason, "files": files}
    line = f"Release {solution.id} ({', '.join(files)}) counts no longer; the reason stays in the log."
    return View(document, [line], hint="Delete its files wherever they are.")


def _lines(solution: Solution, data: Microdata, out: Path, manifest: dict[str, Any]) -> list[str]:
    """Lines that say what was written, the verdict, and the digest."""
    from paretonym.base.sentence_parts import several
    from paretonym.engine.frontier import verdict
    from paretonym.release import manifest_path

    what = "the folder" if out.is_dir() else "the file"
    left_out = f"{solution.suppressed:,} suppressed"
    return [
        f"Wrote {several(manifest['output']['rows'], 'row', 'rows')} to {_files(out, manifest)} ({left_out}) "
        f"and the manifest to {manifest_path(out)}.",
        *verdict(solution, data),
        f"sha256 {manifest['output']['sha256']}",
        f"Keep this digest elsewhere: with it anyone can verify that {what} is the one you wrote.",
    ]


def _remarks(solution: Solution, data: Microdata, manifest: dict[str, Any]) -> list[str]:
    """Remarks that explain the figures of the manifest."""
    from paretonym.base.sentence_parts import percentage
    from paretonym.engine.measures import HOUSEHOLD_SIZE
    from paretonym.tables.schema.hierarchies import level_words

    remarks = []
    if "buckets" in manifest["recoding"]:
        remarks.append(BUCKETS)
    if manifest.get("rows") == "persons":
        remarks.append(OF_ROWS)
    if HOUSEHOLD_SIZE in manifest["statements"]:
        remarks.append(LINKABLE)
    if solution.suppressed:
        remarks.append(IN_BLOCKS)
    for name, level in data.bound.published_levels.items():
        column = data.schema.column(name)
        words = level_words(column, column.published_level or 0)
        remarks.append(
            f"Column '{name}' is published as the schema says ({words}): it loses "
            f"{percentage(level.loss)} of its detail, which no measure of loss counts."
        )
    return remarks


# The two values of one measure: for the values in the file, or for the coarser ones of the measured level.
# Where a person may have several rows: what the file shows, and what it does not.
OF_ROWS_IN_FILE, OF_PEOPLE = "(of rows)", "(of people)"
PUBLISHED, MEASURED = "(values as published)", "(at the measured level)"


def manifest_table(manifest: Mapping[str, Any], values: Mapping[str, float]) -> Table:
    """A table of a release's claims, which the file alone shows, and its statements, which need the input. A
    measure of sensitive values for which the run found another value, at their measured level, has two
    lines."""
    from paretonym.engine.measures import card_of, measured

    rows: list[tuple[str, str, str]] = []
    persons = manifest.get("rows") == "persons"
    in_file, of_input = (OF_ROWS_IN_FILE, OF_PEOPLE) if persons else (PUBLISHED, MEASURED)
    for kind, place in (("claims", "the file alone"), ("statements", "the file and the input")):
        # Claims about single columns are only in the manifest.
        for name, value in manifest[kind].items():
            if "@" in name:
                continue
            card = card_of(name)
            secret = card is not None and card.counted.over is not None
            twice = secret and name in values and not isclose(values[name], float(value))
            marked = twice or (persons and kind == "claims")
            rows.append((f"{name} {in_file}" if marked else name, measured(name, float(value)), place))
            if twice:
                rows.append((f"{name} {of_input}", measured(name, values[name]), "the input and the schema"))
    return columns("measure", ">value", "can be checked with", rows=rows)


def _files(out: Path, manifest: dict[str, Any]) -> str:
    """The files that were written: three for buckets, or those of a folder."""
    if out.is_dir():
        return f"{out}{os.sep}"
    return ", ".join(str(out.with_name(name)) for name in manifest["output"].get("files", {out.name: ""}))
