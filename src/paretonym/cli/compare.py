"""`paretonym compare`: several runs on the same axes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paretonym.authorship import COMPARISON, FIGURE
from paretonym.cli.console import live_progress, note, output, print_json, warn
from paretonym.cli.options import Data, Force, Json, Quiet, Threads, inputs_of
from paretonym.extras import require
from paretonym.outputs import Inputs, Output, check_outputs, write_output

if TYPE_CHECKING:
    from paretonym.frontier.frontier import Frontier
    from paretonym.report.comparing import Comparison

EXAMPLES = """Examples:

\b
  paretonym compare lattice-run mondrian-run
  paretonym compare lattice-run mondrian-run bucket-run --figure methods.svg
  paretonym compare run other-run --measures k,loss,query-error -o comparison.json
"""


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders that explore has made.")],
    measures: Annotated[
        str, typer.Option(metavar="NAMES", help="Two or more measures to compare in.")
    ] = "privacy-loss,utility-loss",
    data: Data = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="MEASURE.PARAMETER=NUMBER", help="Such as utility-loss.minsup=0.1."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random, such as query-error.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="All numbers as JSON.")
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A picture: the name ends with .svg, .png or .pdf.")
    ] = None,
    threads: Threads = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure the releases of several runs anew, on the same measures: who is best where, and by how much?"""
    if figure is not None:
        require("plot", "--figure")
    outputs = [] if out is None else [Output(out, COMPARISON)]
    outputs += [] if figure is None else [Output(figure, FIGURE, "--figure")]
    check_outputs(outputs, force, inputs_of(*runs, data))
    from paretonym.measures.objective import parse_settings, with_seed
    from paretonym.report.comparing import compare as compared
    from paretonym.search.progress import usable_cores

    names = [name.strip() for name in measures.split(",") if name.strip()]
    parameters = with_seed(parse_settings(settings or ()), seed)
    fronts = _opened(runs, data)
    read = inputs_of(*runs, data, *(front.record.path for front in fronts.values() if front.record))
    check_outputs(outputs, force, read)
    warn(*dict.fromkeys(text for front in fronts.values() for text in front.unit.warnings))
    note("Measuring …", quiet or as_json)
    with live_progress("Measuring", quiet or as_json) as progress:
        found = compared(fronts, _at_least_two(names), parameters, threads or usable_cores(), progress)
    _write(found, out, figure, force, read)
    if as_json:
        print_json(found.as_json())
        return
    from paretonym.cli.comparison_tables import comparison_view

    output().print(comparison_view(found))
    for path in (out, figure):
        if path is not None:
            note(f"Written: {path}.", quiet)


def _write(found: Comparison, out: Path | None, figure: Path | None, force: bool, read: Inputs) -> None:
    if out is not None:
        text = json.dumps(found.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        write_output(Output(out, COMPARISON), f"{text}\n".encode(), force, read)
    if figure is not None:
        from paretonym.report.drawing.comparisons import draw_comparison

        draw_comparison(found).save(figure, force, read)


def _opened(folders: list[Path], data: str | None) -> dict[str, Frontier]:
    from paretonym.errors import InputError
    from paretonym.reopened import Reopened, load

    fronts = {}
    for folder in folders:
        if str(folder) in fronts:
            raise InputError.of(str(folder), "this run is named twice", "name each run once")
        front = load(folder)
        if data is not None and front.record is not None:
            front = front.with_origin(Reopened(front.record, data))
        fronts[str(folder)] = front
    return fronts


def _at_least_two(names: list[str]) -> list[str]:
    from paretonym.errors import InputError

    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise InputError.of(
            "--measures", "that is not two or more different measures", "give for example k,loss"
        )
    return names
