"""Frontiers and solutions as notebooks show them."""

from __future__ import annotations

from paretonym.extras import installed
from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.solution import Solution
from paretonym.measures.formatting import measured
from paretonym.measures.registry import SUPPRESSION
from paretonym.report.figures import draw
from paretonym.report.pages.html import Html, escaped, joined, paragraphs, table, tag
from paretonym.report.pages.report_sections import columns_table, warned
from paretonym.report.report_facts import figure_of

MOST_ROWS = 20


def shown_in_notebook(shown: Frontier | Solution) -> str:
    """A short piece of HTML; everything that comes from the data is escaped."""
    return escaped(_frontier(shown) if isinstance(shown, Frontier) else _solution(shown))


def _frontier(frontier: Frontier) -> Html:
    names = list(dict.fromkeys([*(objective.name for objective in frontier.objectives), SUPPRESSION]))
    rows = [
        [s.id, *(measured(name, s.values[name]) for name in names), f"{s.suppressed:,}"]
        for s in frontier[:MOST_ROWS]
    ]
    more = f"{len(frontier) - MOST_ROWS:,} more." if len(frontier) > MOST_ROWS else ""
    picture = Html("")
    if len(frontier.objectives) > 1 and len(frontier) > 1 and installed("plot"):
        kind = "frontier" if len(frontier.objectives) == 2 else "parallel"
        picture = tag("div", Html(draw(figure_of(frontier, kind)).svg()))
    listed = table(["id", *names, "suppressed"], rows, numbers=range(1, len(names) + 2))
    return joined(
        [warned(frontier.unit.warnings), paragraphs(f"{frontier}."), picture, listed, paragraphs(more)]
    )


def _solution(solution: Solution) -> Html:
    described = solution.describe()
    values = ", ".join(f"{name} {measured(name, value)}" for name, value in solution.values.items())
    parts = [paragraphs(f"Release {solution.id}: {values}. {described.left_out}"), columns_table(described)]
    return joined([warned(solution.warnings()), *parts, paragraphs(described.note)])
