"""`paretonym measures`: every measure and the question it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paretonym.cli.common_options import Json, Quiet
from paretonym.cli.console import output, print_json

if TYPE_CHECKING:
    from paretonym.measures import Measure

EXAMPLES = """Examples:

\b
  paretonym measures
  paretonym measures --json
"""


def measures(as_json: Json = False, quiet: Quiet = False) -> None:
    """List every measure: name, better direction, range, the question it answers, formula and reference."""
    # Imported here because --help does not need numpy.
    from paretonym.measures import MEASURES

    if as_json:
        print_json({"measures": [_entry(card) for card in MEASURES.values()]})
        return
    from paretonym.cli.frontier_tables import measure_table

    output().print(measure_table(MEASURES.values()))


def _entry(card: Measure) -> dict[str, object]:
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
