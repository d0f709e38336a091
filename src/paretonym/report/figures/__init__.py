"""Pictures of facts: the only place that knows matplotlib. Nothing here computes what it draws."""

from __future__ import annotations

from paretonym.report.figure_facts import CoefficientsFigure, Figure, FrontierFigure
from paretonym.report.figures.canvas import Drawing
from paretonym.report.figures.comparison_figure import draw_comparison
from paretonym.report.figures.frontier_figures import draw_frontier, draw_parallel
from paretonym.report.figures.purpose_figure import draw_coefficients
from paretonym.report.figures.tables_figure import draw_tables

__all__ = ["Drawing", "draw", "draw_comparison", "draw_tables"]


def draw(facts: Figure) -> Drawing:
    """The picture of a figure's facts."""
    if isinstance(facts, CoefficientsFigure):
        return draw_coefficients(facts)
    return draw_frontier(facts) if isinstance(facts, FrontierFigure) else draw_parallel(facts)
