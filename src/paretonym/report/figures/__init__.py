"""Pictures of facts: the only place that knows matplotlib. Nothing here computes what it draws."""

from __future__ import annotations

from paretonym.report.figure_facts import (
    Figure,
    FrontierFigure,
    LossesFigure,
    PairsFigure,
    ParallelFigure,
    SizesFigure,
)
from paretonym.report.figures.canvas import Drawing
from paretonym.report.figures.comparison_figure import draw_comparison
from paretonym.report.figures.frontier_figures import draw_frontier, draw_pairs, draw_parallel
from paretonym.report.figures.release_figures import draw_losses, draw_sizes

__all__ = ["Drawing", "draw", "draw_comparison"]


def draw(facts: Figure) -> Drawing:
    """The picture of a figure's facts."""
    match facts:
        case FrontierFigure():
            return draw_frontier(facts)
        case PairsFigure():
            return draw_pairs(facts)
        case ParallelFigure():
            return draw_parallel(facts)
        case SizesFigure():
            return draw_sizes(facts)
        case LossesFigure():
            return draw_losses(facts)
