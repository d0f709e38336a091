"""`paretonym measures`: every measure and what it answers."""

from __future__ import annotations

from paretonym.cli.console import output, print_json
from paretonym.cli.options import Json, Quiet
from paretonym.measures.registry import MEASURES

EXAMPLES = """Examples:

\b
  paretonym measures
  paretonym measures --json
"""


def measures(as_json: Json = False, quiet: Quiet = False) -> None:
    """List every measure: name, direction, range, the question it answers, reference."""
    if as_json:
        print_json({"measures": [_entry(name) for name in MEASURES]})
        return
    from paretonym.cli.tables import measure_table

    output().print(measure_table(MEASURES.values()))


def _entry(name: str) -> dict[str, object]:
    card = MEASURES[name]
    return {
        "name": card.name,
        "direction": card.direction,
        "lowest": card.lowest,
        "highest": card.highest,
        "question": card.question,
        "formula": card.formula,
        "reference": card.reference,
        "caution": card.caution or None,
    }
