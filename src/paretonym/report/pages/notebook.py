"""Frontiers and solutions as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from paretonym.base.extras import installed
from paretonym.base.notebook_view import MOST_ROWS, evenly
from paretonym.engine.frontier import Frontier, Microdata, Solution, cautions, describe
from paretonym.engine.measures import SUPPRESSION, measured
from paretonym.report.figure_facts import figure_of
from paretonym.report.figures import draw
from paretonym.report.pages.html import Html, escaped, joined, paragraphs, table, tag
from paretonym.report.pages.report_sections import columns_table, warned


def frontier_in_notebook(frontier: Frontier) -> str:
    """A short piece of HTML; everything that comes from the data is escaped."""
    names = list(dict.fromkeys([*(objective.name for objective in frontier.objectives), SUPPRESSION]))
    rows = [
        [s.id, *(measured(name, s.values[name]) for name in names), f"{s.suppressed:,}"]
        for s in evenly(frontier.solutions, MOST_ROWS)
    ]
    more = f"{MOST_ROWS} of {len(frontier):,}, evenly chosen." if len(frontier) > MOST_ROWS else ""
    picture = Html("")
    if len(frontier.objectives) > 1 and len(frontier) > 1 and installed("plot"):
        kind = "frontier" if len(frontier.objectives) <= 3 else "parallel"
        picture = tag("div", Html(draw(figure_of(frontier, kind)).svg()))
    listed = table(["id", *names, "suppressed"], rows, numbers=range(1, len(names) + 2))
    return escaped(
        joined([warned(frontier.warnings), paragraphs(f"{frontier}."), picture, listed, paragraphs(more)])
    )


def table_in_notebook(
    heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str], warnings: Sequence[str]
) -> str:
    """A table with warnings above and notes below it; everything is escaped."""
    return escaped(joined([warned(tuple(warnings)), table(heads, rows), paragraphs(*notes)]))


def page_in_notebook(page: str) -> str:
    """A whole page in a frame of its own, so that its styles are not the notebook's. It runs no scripts."""
    content = html.escape(page, quote=True)
    return f'<iframe sandbox srcdoc="{content}" style="width: 100%; height: 60em; border: 0"></iframe>'


def solution_in_notebook(solution: Solution, data: Microdata | None) -> str:
    """A short piece of HTML about one release."""
    described = describe(solution, data)
    values = ", ".join(f"{name} {measured(name, value)}" for name, value in solution.values.items())
    parts = [paragraphs(f"Release {solution.id}: {values}. {described.left_out}"), columns_table(described)]
    return escaped(joined([warned(cautions(solution, data)), *parts, paragraphs(described.note)]))
