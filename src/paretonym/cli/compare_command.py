"""`paretonym compare`: several runs on the same axes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.cli.command_inputs import inputs_of, names_in
from paretonym.cli.screen import DETAILED, DetailedScreen, View, columns
from paretonym.extras import require
from paretonym.files import Inputs, Output, check_outputs, write_output
from paretonym.notebook_view import evenly

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paretonym.report import Comparison, Stretch
    from paretonym.run import Run

EXAMPLES = """Examples:

\b
  paretonym compare lattice-run mondrian-run
  paretonym compare lattice-run mondrian-run bucket-run --figure methods.svg
  paretonym compare run other-run --measures k,loss,query-error -o comparison.json
"""


def compare(
    runs: list[Path],
    measures: str = "privacy-loss,utility-loss",
    data: str | None = None,
    settings: list[str] | None = None,
    seed: int = 0,
    out: Path | None = None,
    figure: Path | None = None,
    force: bool = False,
    screen: DetailedScreen = DETAILED,
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

    names = names_in(measures)
    parameters = with_seed(parse_settings(settings or ()), seed)
    fronts = _opened(runs, data)
    read = inputs_of(*runs, data, *(front.record.path for front in fronts.values() if front.record))
    check_outputs(outputs, force, read)
    screen.note("Measuring …")
    with screen.progress("Measuring") as progress:
        comparison = compared(fronts, _at_least_two(names), parameters, usable_cores(), progress)
    _write(comparison, out, figure, force, read)
    written = [f"Wrote {path}." for path in (out, figure) if path is not None]
    warnings = tuple(dict.fromkeys(text for front in fronts.values() for text in front.warnings))
    screen.show(
        View(
            comparison.as_json(),
            list(_lines(comparison)),
            warnings,
            "\n".join(written),
            lambda: _details(comparison),
        )
    )


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


MOST_ROWS, MOST_METHODS = 30, 6


def _lines(comparison: Comparison) -> Iterator[str]:
    """Which method is best where, the one that covers most first."""
    from paretonym.frontier import term
    from paretonym.sentence_parts import several

    first, second = comparison.measures[:2]
    shares = sorted(comparison.shares, key=lambda share: -share.covered)
    best = several(len(comparison.joint), "release", "releases")
    yield f"{best} that no other beats in {term(first)} and {term(second)}:"
    for share in shares[:MOST_METHODS]:
        spans = [_ends(first, one) for one in comparison.stretches if one.method == share.method]
        where = f"; best for {first} {', '.join(spans)}" if spans else ""
        yield f"  {share.method}: {share.joint:,} of its {share.releases:,}{where}"
    if len(shares) > MOST_METHODS:
        yield f"  and {len(shares) - MOST_METHODS} more methods"


def _details(comparison: Comparison) -> Iterator[RenderableType]:
    """The joint frontier, and how much of it each method covers."""
    from paretonym.measures import measured

    points = comparison.joint
    rows = [
        (
            *map(measured, comparison.measures, point.values),
            point.method,
            point.id,
            point.recoding,
        )
        for point in evenly(points, MOST_ROWS)
    ]
    headings = (*(f">{name}" for name in comparison.measures), "method", "id", "recoding")
    yield columns(*headings, title="The joint frontier: no release of any run dominates these", rows=rows)
    if len(points) > MOST_ROWS:
        yield f"{MOST_ROWS} of {len(points):,}, spread evenly over the frontier; --json prints all."
    second = comparison.measures[1]
    shares = [
        (
            share.method,
            f"{share.releases:,}",
            f"{share.joint:,}",
            f"{100 * share.covered:.1f} %",
            f"{100 * share.alone:.1f} %",
            "" if share.behind is None else measured(second, share.behind),
        )
        for share in sorted(comparison.shares, key=lambda share: -share.covered)
    ]
    yield columns("method", ">releases", ">joint", ">covers", ">alone", ">behind", rows=shares)
    yield (
        "joint: releases on the joint frontier; covers: hypervolume (between the releases and the worst "
        "values) as a share of that of all runs together; alone: what only this run covers; behind: how much "
        f"worse its {second} is than the best of all, on average at equal {comparison.measures[0]}."
    )
    spreads = [
        (spread.first, spread.second, *(f"{100 * part:.1f} %" for part in (spread.better, spread.worse)),
         f"{spread.gain:,.0f}", f"{spread.loss:,.0f}")
        for spread in comparison.spreads
    ]  # fmt: skip
    if spreads:
        title = "From one release to the next, person by person: whose group is larger, whose is smaller"
        headings = ("from", "to", ">larger", ">smaller", ">by in total", ">by in total ")
        yield columns(*headings, title=title, rows=spreads)


def _ends(name: str, stretch: Stretch) -> str:
    from paretonym.measures import measured

    start, end = measured(name, stretch.start), measured(name, stretch.end)
    return start if start == end else f"{start} … {end}"
