"""`paretonym measures`: every measure and the question it answers; every search and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from paretonym.cli.command_parameters import Option
from paretonym.cli.common_options import Json, Quiet
from paretonym.cli.console import output, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.measures import Measure

EXAMPLES = """Examples:

\b
  paretonym measures
  paretonym measures --searches
  paretonym measures --json
"""


def measures(
    searches: Annotated[
        bool, Option("--searches", help="List spaces and searches instead, with their parameters.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List every measure: name, better direction, range, the question it answers, formula and reference; or
    every search."""
    # Imported here because --help does not need numpy.
    from paretonym.measures import MEASURES

    if as_json:
        listed: dict[str, Any] = {"spaces": _spaces()} if searches else {"measures": _measures()}
        print_json(listed)
        return
    from paretonym.cli.frontier_tables import measure_table

    output().print(_search_table() if searches else measure_table(MEASURES.values()))


def _spaces() -> list[dict[str, Any]]:
    from paretonym.spaces import SPACES, owned_parameters

    owned = owned_parameters()
    return [
        {
            "name": space.name,
            "parameters": _written(space.name, owned.get(space.name, {})),
            "searches": [
                {"name": name, "parameters": _written(name, search.options)}
                for name, search in space.searches.items()
            ],
        }
        for space in SPACES.values()
    ]


def _written(owner: str, options: Any) -> dict[str, str]:
    """The parameters of a space or search as `--set` takes them, with their meanings."""
    given = {name: meaning for name, meaning in options.items() if name != "seed"}
    return {f"{owner}.{name.replace('_', '-')}": meaning for name, meaning in given.items()}


def _search_table() -> Table:
    from rich.table import Table

    table = Table(box=None, title="The first search of a space is its default", title_justify="left")
    for heading in ("space", "search", "--set", "meaning (default)"):
        table.add_column(heading, overflow="fold")
    for space in _spaces():
        rows = [("", space["parameters"]), *((one["name"], one["parameters"]) for one in space["searches"])]
        for search, parameters in rows:
            if search or parameters:
                table.add_row(space["name"], search, *next(iter(parameters.items()), ("", "")))
            for name, meaning in list(parameters.items())[1:]:
                table.add_row("", "", name, meaning)
    return table


def _measures() -> list[dict[str, object]]:
    from paretonym.measures import MEASURES

    return [_entry(card) for card in MEASURES.values()]


def _entry(card: Measure) -> dict[str, object]:
    return {
        "name": card.name,
        "direction": card.direction,
        "lowest": card.scale.lowest,
        "highest": card.scale.highest,
        "question": card.question,
        "formula": card.formula,
        "reference": card.reference,
        "caution": card.caution or None,
    }
