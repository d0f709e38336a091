"""`paretonym reproduce`: tables and figures of the papers, measured beside printed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from paretonym.authorship import REPRODUCTIONS
from paretonym.cli.console import note, output, print_json, warn
from paretonym.cli.options import Force, Json, Quiet
from paretonym.extras import installed, remedy
from paretonym.outputs import Output, check_outputs, new_folder

if TYPE_CHECKING:
    from paretonym.reproduce.entry import Reproduction, Result

EXAMPLES = """Examples:

\b
  paretonym reproduce
  paretonym reproduce poka-table-3
  paretonym reproduce all -o papers
"""


Name: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="Which one, or all; without it they are listed.")
]
Out: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FOLDER", help="New folder for numbers (JSON) and pictures."),
]


def reproduce(
    name: Name = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make tables and figures of the papers again: measured beside printed."""
    if out is not None:
        check_outputs([Output(out, REPRODUCTIONS)], force)
    from paretonym.reproduce.registry import REPRODUCTIONS as KNOWN
    from paretonym.reproduce.registry import chosen

    if name is None:
        _list(tuple(KNOWN.values()), as_json)
        return
    try:
        done = [(each, _run(each, quiet or as_json)) for each in chosen(name)]
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise typer.Exit(130) from None
    if out is not None:
        _keep(done, out, force)
        if not installed("plot") and any(result.panels for _, result in done):
            warn(f"There are no pictures, as matplotlib is not installed; {remedy('plot')}")
        note(f"Kept in {out}.", quiet or as_json)
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
    from paretonym.cli.reproduction_tables import listing

    output().print(listing(entries))


def _show(done: list[tuple[Reproduction, Result]]) -> None:
    from paretonym.cli.reproduction_tables import fact_view

    console = output()
    for each, result in done:
        console.print(fact_view(each, result))


def _keep(done: list[tuple[Reproduction, Result]], out: Path, force: bool) -> None:
    """One JSON file for each, and its picture where it has one."""
    from paretonym.reproduce.drawing import draw

    with new_folder(Output(out, REPRODUCTIONS), force) as draft:
        for each, result in done:
            text = json.dumps(each.as_json(result), indent=1, ensure_ascii=False)
            (draft / f"{each.name}.json").write_text(text + "\n", encoding="utf-8")
            if result.panels and installed("plot"):
                draw(result.panels, each.what, [draft / f"{each.name}.{kind}" for kind in ("png", "svg")])
