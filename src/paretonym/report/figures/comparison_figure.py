"""A comparison drawn: every release, a line for each method, the joint frontier as steps."""

from __future__ import annotations

from typing import Any

from paretonym.base.sentence_parts import several
from paretonym.engine.frontier import Scale
from paretonym.engine.measures import card_of, is_share
from paretonym.report.comparison import Comparison
from paretonym.report.figure_facts import Axis
from paretonym.report.figures.canvas import BLUE, FAINT, GREEN, ORANGE, RED, Drawing, drawn, set_axis

COLOURS = (BLUE, RED, GREEN, "#CC79A7", ORANGE, "#56B4E9", "#000000")
SHAPES = "os^Dv<>P*X"


def draw_comparison(comparison: Comparison) -> Drawing:
    """The first two measures of all releases; beyond two there is no joint frontier in a plane."""
    first, second = comparison.measures[:2]
    title = f"{several(len(comparison.points), 'release', 'releases')}: {second} over {first}"
    across, up = _axis(comparison, 0), _axis(comparison, 1)

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        _methods(axes, comparison, across, up)
        if len(comparison.measures) == 2:
            _steps(axes, comparison, across, up)
        if comparison.floor:
            places = [(across.shown(first), up.shown(second)) for first, second in comparison.floor]
            label = "floor: no generalization by the hierarchies is better"
            # What is lost at least for a k holds up to the next one.
            drawn_as = "steps-post" if comparison.directions[0] == "max" else "steps-pre"
            axes.plot(
                *zip(*places, strict=True), color=GREEN, lw=1, ls="--", ds=drawn_as, zorder=2, label=label
            )
        set_axis(axes, "x", across)
        set_axis(axes, "y", up)
        axes.grid(color=FAINT, lw=0.3)
        axes.legend(frameon=False, fontsize=8)

    return drawn(title, 7.2, 4.6, fill)


def _axis(comparison: Comparison, place: int) -> Axis:
    """Counts by their logarithm where they span a factor of ten, other measures where it is a hundred."""
    name, better = comparison.measures[place], "more" if comparison.directions[place] == "max" else "less"
    scale = Scale.of([point.values[place] for point in comparison.points])
    card = card_of(name)
    counted = card is not None and card.scale.unit == "count" and 0 < 10 * scale.low <= scale.high
    return Axis(name, better, is_share(name), scale.logarithmic or counted, scale.low, scale.high)


def _methods(axes: Any, comparison: Comparison, across: Axis, up: Axis) -> None:
    for number, name in enumerate(dict.fromkeys(point.method for point in comparison.points)):
        vectors = sorted(point.values[:2] for point in comparison.points if point.method == name)
        axes.plot(
            [across.shown(values[0]) for values in vectors], [up.shown(values[1]) for values in vectors],
            lw=0.8, ms=4, alpha=0.85, zorder=3,
            color=COLOURS[number % len(COLOURS)], marker=SHAPES[number % len(SHAPES)], label=name,
        )  # fmt: skip


def _steps(axes: Any, comparison: Comparison, across: Axis, up: Axis) -> None:
    """The steps between releases, the best in the first measure first: what a release buys until the next."""
    joint = comparison.joint
    axes.step(
        [across.shown(point.values[0]) for point in joint], [up.shown(point.values[1]) for point in joint],
        where="post", color="#888888", lw=2.5, alpha=0.5, zorder=1, label="joint frontier",
    )  # fmt: skip
