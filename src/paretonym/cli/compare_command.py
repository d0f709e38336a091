"""`paretonym compare`: several runs on the same axes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import Data, Force, Json, Quiet, inputs_of
from paretonym.cli.console import live_progress, note, output, print_json, warn
from paretonym.extras import require
from paretonym.outputs import Inputs, Output, check_outputs, write_output

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from paretonym.report import Comparison, Stretch
    from paretonym.run import Run

Item = TypeVar("Item")
EXAMPLES = """Examples:

\b
  paretonym compare lattice-run mondrian-run
  paretonym compare lattice-run mondrian-run bucket-run --figure methods.svg
  paretonym compare run other-run --measures k,loss,query-error -o comparison.json
"""


def compare(
    runs: Annotated[list[Path], Argument(metavar="RUN…", help="Folders that explore wrote.")],
    measures: Annotated[
        str, Option(metavar="NAMES", help="Compare by two or more measures.")
    ] = "privacy-loss,utility-loss",
    data: Data = None,
    settings: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="MEASURE.PARAMETER=NUMBER",
            help="Set a parameter of a measure: utility-loss.minsup=0.1.",
        ),
    ] = None,
    seed: Annotated[int, Option(min=0, help="Random seed, for measures such as query-error.")] = 0,
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="FILE", help="Write all numbers here (JSON).")
    ] = None,
    figure: Annotated[
        Path | None, Option(metavar="FILE", help="Write a figure here (.svg, .png or .pdf).")
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare the releases of several runs by the same measures: which method is best where, by how much."""
    if figure is not None:
        require("plot", "--figure")
    outputs = [] if out is None else [Output(out)]
    outputs += [] if figure is None else [Output(figure, option="figure")]
    check_outputs(outputs, force, inputs_of(*runs, data))
    from paretonym.budget import usable_cores
    from paretonym.measures import parse_settings, with_seed
    from paretonym.run import compare as compared

    names = [name.strip() for name in measures.split(",") if name.strip()]
    parameters = with_seed(parse_settings(settings or ()), seed)
    fronts = _opened(runs, data)
    read = inputs_of(*runs, data, *(front.record.path for front in fronts.values() if front.record))
    check_outputs(outputs, force, read)
    warn(*dict.fromkeys(text for front in fronts.values() for text in front.warnings))
    note("Measuring …", quiet or as_json)
    with live_progress("Measuring", quiet or as_json) as progress:
        found = compared(fronts, _at_least_two(names), parameters, usable_cores(), progress)
    _write(found, out, figure, force, read)
    if as_json:
        print_json(found.as_json())
        return

    output().print(comparison_view(found))
    for path in (out, figure):
        if path is not None:
            note(f"Wrote {path}.", quiet)


def _write(found: Comparison, out: Path | None, figure: Path | None, force: bool, read: Inputs) -> None:
    if out is not None:
        text = json.dumps(found.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        write_output(Output(out), f"{text}\n".encode(), force, read)
    if figure is not None:
        from paretonym.report.figures import draw_comparison

        draw_comparison(found).save(figure, force, read)


def _opened(folders: list[Path], data: str | None) -> dict[str, Run]:
    from paretonym.errors import InputError
    from paretonym.run import load

    fronts = {}
    for folder in folders:
        if str(folder) in fronts:
            raise InputError.of(str(folder), "this run is given twice", "give each run once")
        fronts[str(folder)] = load(folder, data)
    return fronts


def _at_least_two(names: list[str]) -> list[str]:
    from paretonym.errors import InputError

    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise InputError.of(
            "--measures", "these are not two or more different measures", "use, for example, k,loss"
        )
    return names


MOST_ROWS = 30


def comparison_view(found: Comparison) -> RenderableType:
    """The joint frontier, and which method is best where."""
    from rich.console import Group

    return Group(_joint(found), _methods(found))


def evenly(every: Sequence[Item], most: int) -> list[Item]:
    """At most this many of them, spread evenly, the first and the last among them.

    >>> evenly(range(10), 4), evenly("ab", 4)
    ([0, 3, 6, 9], ['a', 'b'])
    """
    if len(every) <= most:
        return list(every)
    return [every[(2 * i * (len(every) - 1) + most - 1) // (2 * (most - 1))] for i in range(most)]


def _plain(title: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")


def _joint(found: Comparison) -> Table:
    from paretonym.measures import measured

    table = _plain("The joint frontier: no release of any run dominates these")
    for name in found.measures:
        table.add_column(name, justify="right", no_wrap=True)
    for heading in ("method", "id", "recoding"):
        table.add_column(heading, no_wrap=heading != "recoding", overflow="fold")
    points = found.joint
    for point in evenly(points, MOST_ROWS):
        values = (measured(name, value) for name, value in zip(found.measures, point.values, strict=True))
        table.add_row(*values, point.method, point.id, point.recoding)
    if len(points) > MOST_ROWS:
        table.caption = f"{MOST_ROWS} of {len(points):,}, spread evenly over the frontier; --json prints all."
    return table


def _methods(found: Comparison) -> Table:
    from paretonym.measures import measured

    first, second = found.measures[:2]
    table = _plain("Which method is best where, and by how much")
    table.add_column("method", overflow="fold")
    for heading in ("releases", "joint", "covers", "alone", "behind"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(f"best for {first}", overflow="fold")
    for share in sorted(found.shares, key=lambda share: -share.covered):
        own = [stretch for stretch in found.stretches if stretch.method == share.method]
        behind = "" if share.behind is None else measured(second, share.behind)
        table.add_row(
            share.method,
            f"{share.releases:,}",
            f"{share.joint:,}",
            f"{100 * share.covered:.1f} %",
            f"{100 * share.alone:.1f} %",
            behind,
            ", ".join(_ends(first, stretch) for stretch in own),
        )
    table.caption = (
        "joint: releases on the joint frontier; covers: hypervolume (between the releases and the worst "
        "values) as a share of that of all runs together; alone: what only this run covers; behind: how much "
        f"worse its {second} is than the best of all, on average at equal {first}."
    )
    table.caption_justify = "left"
    return table


def _ends(name: str, stretch: Stretch) -> str:
    from paretonym.measures import measured

    start, end = measured(name, stretch.start), measured(name, stretch.end)
    return start if start == end else f"{start} … {end}"
