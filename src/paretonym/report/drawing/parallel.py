"""All objectives side by side: one line for each solution."""

from __future__ import annotations

from typing import Any

from paretonym.measures.wording import measured, several
from paretonym.report.drawing.canvas import BLUE, FAINT, GREEN, INK, ORANGE, RED, Drawing, drawn
from paretonym.report.figures import ParallelFigure

_COLOURS = (BLUE, RED, GREEN, ORANGE, "#56B4E9", "#CC79A7", "#000000")
_STROKES = ("-", "--", "-.", ":")
# More lines than this are a grey cloud: every so many of them is enough to see it.
MOST_LINES = 600
# Beyond so many the cloud is held as one image, so that the picture stays small.
MANY_LINES = 150


def draw_parallel(facts: ParallelFigure) -> Drawing:
    """Axes from the worst value, below, to the best, above; the shortlist in colours, with a legend."""
    releases = several(len(facts.lines), "release", "releases")
    title = f"{releases} over {', '.join(axis.name for axis in facts.axes)}"

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        places = list(range(len(facts.axes)))
        step, many = max(1, len(facts.lines) // MOST_LINES), len(facts.lines) > MANY_LINES
        for line in facts.lines[::step]:
            axes.plot(places, line.places, color=FAINT, lw=0.5, alpha=0.6, zorder=1, rasterized=many)
        for number, line in enumerate(line for line in facts.lines if line.text):
            axes.plot(
                places, line.places, color=_COLOURS[number % len(_COLOURS)], lw=1.8, zorder=3,
                linestyle=_STROKES[number % len(_STROKES)], marker="o", ms=3, label=line.text,
            )  # fmt: skip
        _ends(axes, facts)
        if any(line.text for line in facts.lines):
            figure.legend(loc="outside lower center", ncols=4, frameon=False, title="shortlist")

    return drawn(title, 7.2, 4.6, fill)


def _ends(axes: Any, facts: ParallelFigure) -> None:
    """Each axis with its name, and its best and worst value."""
    places = list(range(len(facts.axes)))
    names = [f"{a.name}\n({'logarithmic' if a.logarithmic else 'linear'})" for a in facts.axes]
    axes.set_xticks(places, names)
    axes.tick_params(length=0)
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_ylim(-0.12, 1.12)
    axes.set_xlim(-0.35, len(places) - 0.65)
    for place, axis in zip(places, facts.axes, strict=True):
        axes.axvline(place, 0.097, 0.903, color=INK, lw=0.8, zorder=2)
        best, worst = (axis.high, axis.low) if axis.better == "more" else (axis.low, axis.high)
        for height, value, side in ((1.02, best, "bottom"), (-0.02, worst, "top")):
            axes.text(place, height, measured(axis.name, value), ha="center", va=side, fontsize=8, color=INK)
    axes.set_ylabel("worse  →  better")
