"""`paretonym measures`: every measure and the question it answers; every search and its parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from paretonym.interfaces.cli.screen import PLAIN, Screen, output, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.engine.measures import Measure

EXAMPLES = """Examples:

\b
  paretonym measures
  paretonym measures --searches
  paretonym measures --json
"""


def measures(searches: bool = False, screen: Screen = PLAIN) -> None:
    """List every measure: name, better direction, range, the question it answers, formula and reference; or
    every search."""
    # Imported here because --help does not need numpy.
    from paretonym.engine.measures import MEASURES

    if screen.as_json:
        entries = [_entry(card) for card in MEASURES.values()]
        print_json({"spaces": _spaces()} if searches else {"measures": entries})
    else:
        output().print(_search_table() if searches else _measure_table(MEASURES.values()))


def _measure_table(cards: Iterable[Measure]) -> Table:
    """A table of measures: the question first, then the formula and the reference."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("measure", "better", "range"):
        table.add_column(heading, no_wrap=True)
    table.add_column("question, value, reference", overflow="fold")
    for card in cards:
        words = Text(card.question)
        words.append(f"\n{card.formula} · {card.reference}", style="dim")
        if card.caution:
            words.append(f"\nCaution: {card.caution}.")
        low = "" if card.scale.lowest is None else f"{card.scale.lowest:g}"
        high = "" if card.scale.highest is None else f"{card.scale.highest:g}"
        table.add_row(card.name, card.better, f"{low} … {high}".strip(), words)
    return table


def _spaces() -> list[dict[str, Any]]:
    from paretonym.engine.spaces import SPACES, owned_parameters

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
    return {f"{owner}.{name.replace('_', '-')}": text for name, text in options.items() if name != "seed"}


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
