"""`paretonym reproduce`: tables and figures of the papers, measured and printed values side by side."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import click

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import Force, Json, Quiet
from paretonym.cli.console import note, output, print_json, warn
from paretonym.extras import installed, remedy
from paretonym.outputs import Kind, Output, check_outputs, new_folder

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from paretonym.papers.reproductions import Fact, Reproduction, Result

EXAMPLES = """Examples:

\b
  paretonym reproduce
  paretonym reproduce poka-table-3
  paretonym reproduce all -o papers
"""


Name: TypeAlias = Annotated[
    str | None, Argument(metavar="[NAME]", help="The one to make, or 'all'; lists them if not given.")
]
Out: TypeAlias = Annotated[
    Path | None,
    Option("--out", "-o", metavar="FOLDER", help="Save numbers (JSON) and figures in this new folder."),
]


def reproduce(
    name: Name = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make tables and figures of the papers again, with measured and printed values side by side."""
    if out is not None:
        check_outputs([Output(out, Kind.FOLDER)], force)
    from paretonym.papers.reproductions import ALL, chosen

    if name is None:
        _list(chosen(ALL), as_json)
        return
    try:
        done = [(each, _run(each, quiet or as_json)) for each in chosen(name)]
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    if out is not None:
        _keep(done, out, force)
        if not installed("plot") and any(result.panels for _, result in done):
            warn(f"There are no figures because matplotlib is not installed; {remedy('plot')}")
        note(f"Saved in {out}.", quiet or as_json)
    if as_json:
        print_json({"reproductions": [each.as_json(result) for each, result in done]})
        return
    _show(done)


def _run(each: Reproduction, hushed: bool) -> Result:
    note(f"{each.name}: {each.what} …", hushed)
    started = time.monotonic()
    result = each.run()
    note(f"  {time.monotonic() - started:.0f} seconds.", hushed)
    return result


def _list(entries: tuple[Reproduction, ...], as_json: bool) -> None:
    if as_json:
        listed = [{"name": each.name, "what": each.what, "paper": each.paper} for each in entries]
        print_json({"reproductions": listed})
        return

    output().print(listing(entries))


def _show(done: list[tuple[Reproduction, Result]]) -> None:

    console = output()
    for each, result in done:
        console.print(fact_view(each, result))


def _keep(done: list[tuple[Reproduction, Result]], out: Path, force: bool) -> None:
    """Write one JSON file for each, and its figure if it has one."""
    from paretonym.papers.reproductions import draw

    with new_folder(Output(out, Kind.FOLDER), force) as draft:
        for each, result in done:
            text = json.dumps(each.as_json(result), indent=1, ensure_ascii=False)
            (draft / f"{each.name}.json").write_text(text + "\n", encoding="utf-8")
            if result.panels and installed("plot"):
                draw(result.panels, each.what, [draft / f"{each.name}.{kind}" for kind in ("png", "svg")])


def listing(entries: Iterable[Reproduction]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("table or figure", overflow="fold")
    papers: list[str] = []
    for each in entries:
        if each.paper not in papers[-1:]:
            papers.append(each.paper)
            table.add_row("", Text(each.paper, style="dim"))
        table.add_row(each.name, each.what)
    return table


def fact_view(each: Reproduction, result: Result) -> RenderableType:
    """A table of measured and printed values side by side, with the notes."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=each.what, title_justify="left")
    columns = list(dict.fromkeys(fact.column for fact in result.facts))
    compared = {fact.column for fact in result.facts if fact.printed is not None}
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right")
        if name in compared:
            table.add_column("printed", justify="right", style="dim")
    for row in dict.fromkeys(fact.row for fact in result.facts):
        facts = {fact.column: fact for fact in result.facts if fact.row == row}
        table.add_row(row, *(cell for name in columns for cell in _cells(facts.get(name), name in compared)))
    notes = [Text(f"{note}") for note in result.notes]
    return Group(table, *notes, Text(f"{each.paper}.\n", style="dim"))


def _cells(fact: Fact | None, compared: bool) -> list[str]:
    if fact is None:
        return ["", ""] if compared else [""]
    own = number(fact.column, fact.measured)
    if not compared:
        return [own]
    return [own, "" if fact.printed is None else number(fact.column, fact.printed)]


def number(column: str, value: float) -> str:
    """The number as people write it: shares in percent, counts with thousands, others with two digits.

    >>> number("share of nodes", 0.2251), number("nodes", 17920), number("error", 0.00037)
    ('22.5 %', '17,920', '0.00037')
    """
    if column.startswith("share"):
        return f"{100 * value:.1f} %"
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
