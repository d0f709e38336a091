"""Pictures of facts: the only place that knows matplotlib. Nothing here computes what it draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
from paretonym.report.figures.tables_figure import draw_tables

__all__ = ["Drawing", "draw", "draw_comparison", "draw_tables"]


# What draws each kind of facts.
DRAWINGS: Mapping[type[Any], Callable[[Any], Drawing]] = {
    FrontierFigure: draw_frontier,
    PairsFigure: draw_pairs,
    ParallelFigure: draw_parallel,
    SizesFigure: draw_sizes,
    LossesFigure: draw_losses,
}


def draw(facts: Figure) -> Drawing:
    """The picture of a figure's facts."""
    return DRAWINGS[type(facts)](facts)
