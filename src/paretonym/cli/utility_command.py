"""`paretonym utility`: what analysts can still do with a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from paretonym.cli.command_parameters import Option
from paretonym.cli.common_options import Json, Pick, Quiet, Run
from paretonym.cli.console import live_progress, note, output, print_json
from paretonym.cli.risk_command import CONFIDENTIAL, titled
from paretonym.cli.saved_run import RECORDED, RunData
from paretonym.errors import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from paretonym.utility import AnalystUtility

EXAMPLES = """Examples:

\b
  paretonym utility run --pick 3f9a2c
  paretonym utility run --pick 3f9a2c --target diagnosis
  paretonym utility run --pick 3f9a2c --regression "income ~ age + sex"
"""
MOST_PAIRS = 10
ESTIMATED = (
    "These estimates assume that a reader spreads every row evenly over what it shows. Nothing is proven."
)


def utility(
    run: Run,
    pick: Pick,
    target: Annotated[
        str | None,
        Option(
            metavar="COLUMN",
            help="Train a model of this sensitive or class column on the release, and test it on the "
            "original rows.",
        ),
    ] = None,
    regression: Annotated[
        str | None,
        Option(
            metavar="FORMULA",
            help="Compare the confidence intervals of this regression, such as 'income ~ age + sex'.",
        ),
    ] = None,
    table: RunData = RECORDED,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what analysts can still do with a release: tables, associations, a prediction, a regression.

    Compares what a reader of the release would estimate with the original. The output is as confidential as
    the table.
    """
    frontier = table.opened(run)
    with live_progress("Comparing", quiet or as_json):
        found = frontier.pick(pick).utility(target, regression)
    if as_json:
        print_json(found.as_json())
        return
    output().print(utility_view(found))
    note(ESTIMATED, quiet)
    note(CONFIDENTIAL, quiet)


def utility_view(found: AnalystUtility) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(found.summary), _columns(found)]
    if found.pairs:
        parts.append(_pairs(found))
    if found.prediction is not None:
        parts.append(Text(str(found.prediction)))
    if found.regression is not None:
        parts.append(_regression(found))
    return Group(*parts)


def _columns(found: AnalystUtility) -> Table:
    from paretonym.sentence_parts import percentage

    headings = ("shares off by", "most off", "before", "after")
    table = titled("Shares of values", *headings, first="column")
    for each in found.columns:
        most = each.most_off
        shown = () if most is None else (printable(most[0]), percentage(most[1]), percentage(most[2]))
        table.add_row(printable(each.name), percentage(each.error), *shown)
    return table


def _pairs(found: AnalystUtility) -> Table:
    shown = found.pairs[:MOST_PAIRS]
    more = f" ({len(shown)} of {len(found.pairs)})" if len(shown) < len(found.pairs) else ""
    title = f"Associations of two columns (Cramér's V), those that change most first{more}"
    table = titled(title, "before", "after", first="columns")
    for each in shown:
        table.add_row(", ".join(map(printable, each.columns)), f"{each.before:.2f}", f"{each.after:.2f}")
    return table


def _regression(found: AnalystUtility) -> Table:
    regression = found.regression
    title = "" if regression is None else f"{printable(regression.formula)}: 95 % confidence intervals"
    table = titled(title, "before", "after", "overlap", first="coefficient")
    for each in () if regression is None else regression.coefficients:
        after = "not shown by the release" if each.after is None else str(each.after)
        overlap = "" if each.overlap is None else f"{each.overlap:.2f}"
        table.add_row(printable(each.name), str(each.before), after, overlap)
    return table
