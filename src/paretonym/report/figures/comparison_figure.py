"""A comparison drawn: every release, a line for each method, the joint frontier as steps."""

from __future__ import annotations

from typing import Any

from paretonym.report.comparison import Comparison
from paretonym.report.figures.canvas import BLUE, FAINT, GREEN, ORANGE, RED, Drawing, drawn
from paretonym.sentence_parts import several

COLOURS = (BLUE, RED, GREEN, "#CC79A7", ORANGE, "#56B4E9", "#000000")
SHAPES = "os^Dv<>P*X"


def draw_comparison(found: Comparison) -> Drawing:
    """The first two measures of all releases; beyond two there is no joint frontier in a plane."""
    title = (
        f"{several(len(found.points), 'release', 'releases')}: {found.measures[1]} over {found.measures[0]}"
    )

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        _methods(axes, found)
        if len(found.measures) == 2:
            _steps(axes, found)
        axes.set_xlabel(_named(found, 0))
        axes.set_ylabel(_named(found, 1))
        axes.grid(color=FAINT, lw=0.3)
        axes.legend(frameon=False, fontsize=8)

    return drawn(title, 7.2, 4.6, fill)


def _named(found: Comparison, place: int) -> str:
    better = "more" if found.directions[place] == "max" else "less"
    return f"{found.measures[place]} ({better} is better)"


def _methods(axes: Any, found: Comparison) -> None:
    for number, name in enumerate(dict.fromkeys(point.method for point in found.points)):
        own = sorted(point.values[:2] for point in found.points if point.method == name)
        axes.plot(
            [values[0] for values in own], [values[1] for values in own], lw=0.8, ms=4, alpha=0.85, zorder=3,
            color=COLOURS[number % len(COLOURS)], marker=SHAPES[number % len(SHAPES)], label=name,
        )  # fmt: skip


def _steps(axes: Any, found: Comparison) -> None:
    """The steps between releases: what a value of the first measure buys until the next release."""
    joint = found.joint
    across = [point.values[0] for point in joint]
    up = [point.values[1] for point in joint]
    where = "post" if found.directions[0] == "min" else "pre"
    axes.step(across, up, where=where, color="#888888", lw=2.5, alpha=0.5, zorder=1, label="joint frontier")
