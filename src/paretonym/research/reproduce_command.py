"""`paretonym reproduce`: tables and figures of the papers, measured and printed values side by side."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paretonym.base.extras import installed, remedy
from paretonym.base.files import Kind, Output, check_outputs, new_folder
from paretonym.interfaces.cli.options import Option, command_of
from paretonym.interfaces.cli.screen import PLAIN, Screen, columns, note, output, print_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paretonym.research.papers.reproductions import Fact, Reproduction, Result

EXAMPLES = """Examples:

\b
  paretonym reproduce
  paretonym reproduce poka-table-3
  paretonym reproduce all -o papers
"""


OWN = {
    "name": Option("The one to make, or 'all'; lists them if not given.", "[NAME]", ()),
    "out": Option("Save numbers (JSON) and figures in this new folder.", "FOLDER", ("--out", "-o")),
}


def reproduce(
    name: str | None = None, out: Path | None = None, force: bool = False, screen: Screen = PLAIN
) -> None:
    """Make tables and figures of the papers again, with measured and printed values side by side."""
    if out is not None:
        check_outputs([Output(out, Kind.FOLDER)], force)
    from paretonym.research.papers.reproductions import ALL, chosen, summary

    if name is None:
        _list(chosen(ALL), screen)
        return
    try:
        done = [(reproduction, _run(reproduction, screen)) for reproduction in chosen(name)]
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    if out is not None:
        _keep(done, out, force)
        if not installed("plot") and any(result.panels for _, result in done):
            screen.warn(f"There are no figures because matplotlib is not installed; {remedy('plot')}")
        screen.note(f"Saved in {out}.")
    if screen.as_json:
        print_json({"reproductions": [reproduction.as_json(result) for reproduction, result in done]})
        return
    for reproduction, result in done:
        output().print(fact_view(reproduction, result))
    if len(done) > 1:
        output().print(summary(reproduction.as_json(result) for reproduction, result in done))


REPRODUCE = command_of("reproduce", reproduce, EXAMPLES, "Reproduce tables and figures of the papers.", OWN)


def _run(reproduction: Reproduction, screen: Screen) -> Result:
    screen.note(f"{reproduction.name}: {reproduction.what} …")
    started = time.monotonic()
    result = reproduction.run()
    screen.note(f"  {time.monotonic() - started:.0f} seconds.")
    return result


def _list(entries: tuple[Reproduction, ...], screen: Screen) -> None:
    if screen.as_json:
        listed = [{"name": entry.name, "what": entry.what, "paper": entry.paper} for entry in entries]
        print_json({"reproductions": listed})
    else:
        rows = [(entry.name, entry.what, entry.paper) for entry in entries]
        output().print(columns("name", "table or figure", "paper", rows=rows))


def _keep(done: list[tuple[Reproduction, Result]], out: Path, force: bool) -> None:
    """Write one JSON file for each, and its figure if it has one."""
    from paretonym.research.papers.reproductions import draw

    with new_folder(Output(out, Kind.FOLDER), force) as draft:
        for reproduction, result in done:
            text = json.dumps(reproduction.as_json(result), indent=1, ensure_ascii=False)
            (draft / f"{reproduction.name}.json").write_text(text + "\n", encoding="utf-8")
            if result.panels and installed("plot"):
                pictures = [draft / f"{reproduction.name}.{kind}" for kind in ("png", "svg")]
                draw(result.panels, reproduction.what, pictures)


def fact_view(reproduction: Reproduction, result: Result) -> RenderableType:
    """A table of measured and printed values side by side, with the notes."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=reproduction.what, title_justify="left")
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
    notes = [Text(note) for note in (*reproduction.say(result), *result.notes)]
    return Group(table, *notes, Text(f"{reproduction.paper}.\n", style="dim"))


def _cells(fact: Fact | None, compared: bool) -> list[str]:
    if fact is None:
        return ["", ""] if compared else [""]
    measured = number(fact.column, fact.measured)
    if not compared:
        return [measured]
    return [measured, "" if fact.printed is None else number(fact.column, fact.printed)]


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
