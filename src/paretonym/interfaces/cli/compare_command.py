"""`paretonym compare`: several runs, and anybody's tables, on the same axes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.base.extras import require
from paretonym.base.files import Output, check_outputs, write_output
from paretonym.base.notebook_view import evenly
from paretonym.interfaces.cli.command_inputs import check_address, inputs_of, names_in
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, columns

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paretonym.report import Comparison
    from paretonym.study import Run, TableComparison
    from paretonym.tables.data_kinds import Data

EXAMPLES = """Examples:

\b
  paretonym compare lattice-run mondrian-run
  paretonym compare lattice-run bucket-run --measures k,loss --figure methods.svg
  paretonym compare run arx.csv synthetic.parquet --control holdout.csv -o comparison.html
  paretonym compare arx.csv mst.csv --original people.csv --control holdout.csv --schema people.toml
"""
MOST_ROWS, MOST_METHODS = 30, 6


def compare(
    tables: list[str],
    measures: str | None = None,
    original: str | None = None,
    control: str | None = None,
    schema: Path | None = None,
    stated: list[str] | None = None,
    data: str | None = None,
    settings: list[str] | None = None,
    seed: int = 0,
    out: Path | None = None,
    figure: Path | None = None,
    force: bool = False,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Compare runs, or runs and any tables about the same people, by the same measures.

    Runs alone: which method is best where, by privacy-loss and utility-loss or the measures named. With files
    or a control group: releases of the runs and files by measured risk (inference, unless another of the
    criteria is named) with its interval, beside what each loses (pmse) and what it guarantees. The control
    group is that of the first run (explore --control 10%), unless one is given.
    """
    if figure is not None:
        require("plot", "--figure")
    outputs = [] if out is None else [Output(out)]
    outputs += [] if figure is None else [Output(figure, option="figure")]
    places = (*tables, data, original, control, schema)
    check_outputs(outputs, force, inputs_of(*places))
    check_address(*tables, original, control)
    from paretonym.base.budget import usable_cores
    from paretonym.engine.measures import parse_settings, with_seed
    from paretonym.study import Run, TableComparison
    from paretonym.study import compare as compared

    opened = _opened(tables, data)
    runs = [table for table in opened.values() if isinstance(table, Run)]
    read = inputs_of(*places, *(run.record.path for run in runs if run.record))
    check_outputs(outputs, force, read)
    screen.note("Measuring …")
    with screen.progress("Measuring") as progress:
        comparison = compared(
            opened,
            measures=() if measures is None else _two(names_in(measures)),
            settings=with_seed(parse_settings(settings or ()), seed),
            original=original,
            control=control,
            schema=schema,
            stated=_stated(stated or ()),
            seed=seed,
            threads=usable_cores(),
            progress=progress,
        )
    if out is not None and isinstance(comparison, TableComparison):
        comparison.save(out, force, read)
    elif out is not None:
        text = json.dumps(comparison.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        write_output(Output(out), f"{text}\n".encode(), force, read)
    if figure is not None:
        from paretonym.report.figures import draw_comparison

        if isinstance(comparison, TableComparison):
            comparison.plot().save(figure, force, read)
        else:
            draw_comparison(comparison).save(figure, force, read)
    written = "\n".join(f"Wrote {path}." for path in (out, figure) if path is not None)
    warnings = tuple(dict.fromkeys(text for run in runs for text in run.warnings))
    if isinstance(comparison, TableComparison):
        screen.show(_of_tables(comparison, warnings, written))
        return
    lines = list(_lines(comparison))
    screen.show(View(comparison.as_json(), lines, warnings, written, lambda: _details(comparison)))


def _opened(places: list[str], data: str | None) -> dict[str, Run | Data]:
    """The runs, and the paths of the other tables, by the names that are shown: those of files without their
    folders, if no other is called so."""
    from paretonym.base.errors import InputError
    from paretonym.study import load

    opened: dict[str, Run | Data] = {}
    for place in places:
        path = Path(place)
        is_table = path.is_file() or (path.is_dir() and not (path / "run.json").exists()) or "://" in place
        several = [other for other in places if Path(other).name == path.name]
        if places.count(place) > 1:
            raise InputError.of(place, "this is given twice", "give each run and each table once")
        name = path.name if is_table and len(several) == 1 else place
        opened[name] = place if is_table else load(path, data)
    return opened


def _stated(entries: list[str] | tuple[()]) -> dict[str, str]:
    """Read `synthetic.csv: ε = 1`."""
    from paretonym.base.errors import Field, InputError

    stated = {}
    for entry in entries:
        name, colon, text = entry.partition(":")
        if not colon or not text.strip():
            wrong = f"'{entry}' is not of the form FILE:TEXT"
            raise InputError.of(Field("stated"), wrong, 'write, for example, "mst.csv: ε = 1"')
        stated[name.strip()] = text.strip()
    return stated


def _two(names: list[str]) -> list[str]:
    from paretonym.base.errors import Field, InputError

    if len(set(names)) < 2 or len(set(names)) < len(names):
        wrong = "these are not two or more different measures"
        raise InputError.of(Field("measures"), wrong, "use, for example, k,loss")
    return names


def _of_tables(comparison: TableComparison, warnings: tuple[str, ...], written: str) -> View:
    """The verdicts and the figures of the two axes; every figure in the details."""
    lines = [
        f"{one.name}: {comparison.risk} {comparison.risk_of(one).interval}"
        f"{'' if comparison.risk_of(one).beats_guessing else ' (no better than guessing)'}, "
        f"{comparison.cost} {comparison.cost_of(one):.3g}; {one.guaranteed}"
        for one in comparison.tables
    ]

    def details() -> Iterator[RenderableType]:
        yield columns(*comparison.head, rows=list(comparison.rows()))
        if analyses := list(comparison.analyses()):
            yield columns("declared analysis", "beside the original", "outcome", rows=analyses)
        for one in comparison.tables:
            yield f"{one.name}:"
            yield from (f"  {criterion}" for criterion in one.criteria.criteria)

    notes = (*warnings, *comparison.remarks)
    return View(comparison.as_json(), [*comparison.words, *lines], notes, written, details)


def _lines(comparison: Comparison) -> Iterator[str]:
    """Lines with the number of each method's releases that no other beats, the one that covers most first."""
    from paretonym.base.sentence_parts import several
    from paretonym.engine.frontier import term

    shares = sorted(comparison.shares, key=lambda share: -share.covered)
    best = several(len(comparison.joint), "release", "releases")
    yield f"{best} that no other beats in {' and '.join(map(term, comparison.measures[:2]))}:"
    for share in shares[:MOST_METHODS]:
        yield f"  {share.method}: {share.joint:,} of its {share.releases:,}"
    if len(shares) > MOST_METHODS:
        yield f"  and {len(shares) - MOST_METHODS} more methods"


def _details(comparison: Comparison) -> Iterator[RenderableType]:
    """The joint frontier, and how much of it each method covers."""
    from paretonym.engine.measures import measured

    points = comparison.joint
    rows = [
        (*map(measured, comparison.measures, point.values), point.method, point.id, point.recoding)
        for point in evenly(points, MOST_ROWS)
    ]
    headings = (*(f">{name}" for name in comparison.measures), "method", "id", "recoding")
    yield columns(*headings, title="The joint frontier: no release of any run dominates these", rows=rows)
    if len(points) > MOST_ROWS:
        yield f"{MOST_ROWS} of {len(points):,}, spread evenly over the frontier; --json prints all."
    shares = [
        (
            share.method,
            f"{share.releases:,}",
            f"{share.joint:,}",
            f"{100 * share.covered:.1f} %",
            f"{100 * share.alone:.1f} %",
        )
        for share in sorted(comparison.shares, key=lambda share: -share.covered)
    ]
    yield columns("method", ">releases", ">joint", ">covers", ">alone", rows=shares)
    yield (
        "joint: releases on the joint frontier; covers: hypervolume (between the releases and the worst "
        "values) as a share of that of all runs together; alone: what only this run covers."
    )
