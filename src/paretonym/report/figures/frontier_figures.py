"""A frontier drawn: its points over two measures, and over every pair of them."""

from __future__ import annotations

from typing import Any

from paretonym.base.language import _, ngettext
from paretonym.engine.measures import SUPPRESSION, measured
from paretonym.report.figure_facts import FrontierFigure, ParallelFigure
from paretonym.report.figures.canvas import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    RED,
    SHADES,
    Drawing,
    drawn,
    local_numbers,
    set_axis,
)

# Beyond this many points a picture contains them as one image: it would be very large otherwise.
MANY = 2000


def draw_frontier(facts: FrontierFigure) -> Drawing:
    """The gain over the cost; a third measure as colour, the shortlist with numbers."""
    title = ngettext(
        "{number} release: {up} over {across}",
        "{number} releases: {up} over {across}",
        len(facts.points),
        up=facts.up.name,
        across=facts.across.name,
    )

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        set_axis(axes, "x", facts.across)
        set_axis(axes, "y", facts.up)
        axes.grid(color=FAINT, lw=0.3)
        _lines(axes, facts)
        dots = _dots(axes, facts)
        if dots is not None:
            bar = figure.colorbar(dots, ax=axes, pad=0.02, aspect=30)
            suppressed = facts.shade.name == SUPPRESSION
            bar.set_label(_("suppressed rows (%)") if suppressed else facts.shade.label)
            local_numbers(bar.ax.yaxis)
            bar.outline.set_visible(False)
        _marks(axes, facts)
        if facts.marks:
            figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)

    return drawn(title, 7.2, 4.4 + 0.12 * len(facts.marks), fill)


def _lines(axes: Any, facts: FrontierFigure) -> None:
    """The steps where nothing lies between the points, and the floor."""
    if facts.stepped:
        # A cost buys this much until the next release.
        rising = facts.across.better == "less"
        across = [facts.across.shown(point.across) for point in facts.points]
        up = [facts.up.shown(point.up) for point in facts.points]
        axes.step(across, up, where="post" if rising else "pre", color=FAINT, lw=1, zorder=2)
    if facts.floor:
        costs = [facts.across.shown(max(cost, facts.across.low)) for cost, _gain in facts.floor]
        gains = [facts.up.shown(gain) for _cost, gain in facts.floor]
        label = _("floor: no generalization costs less")
        axes.plot(costs, gains, color=GREEN, lw=1, ls="--", zorder=2, label=label)


def _dots(axes: Any, facts: FrontierFigure) -> Any:
    """Points with their shades; returns what a legend of colours needs, None if all have the same one."""
    shades = [facts.shade.shown(point.shade) for point in facts.points]
    varied = max(shades, default=0.0) > min(shades, default=0.0)
    dots = axes.scatter(
        [facts.across.shown(point.across) for point in facts.points],
        [facts.up.shown(point.up) for point in facts.points],
        s=22, c=shades if varied else BLUE, cmap=SHADES if varied else None, edgecolors=INK,
        linewidths=0.3, zorder=3, rasterized=len(facts.points) > MANY,
    )  # fmt: skip
    return dots if varied else None


def _marks(axes: Any, facts: FrontierFigure) -> None:
    """Numbers beside the shortlist, and a ring around the release that is chosen."""
    for number, mark in enumerate(facts.marks, 1):
        place = (facts.across.shown(mark.across), facts.up.shown(mark.up))
        colour, size = (RED, 110) if mark.chosen else (INK, 66)
        axes.scatter(
            *place, s=size, facecolors="none", edgecolors=colour, linewidths=1.6 if mark.chosen else 0.9,
            zorder=4, label=f"{number}  {mark.text}",
        )  # fmt: skip
        axes.annotate(
            str(number), place, xytext=(-7, 7) if number % 2 else (7, -12), textcoords="offset points",
            ha="center", fontsize=8, color=colour, zorder=6,
        )  # fmt: skip


_COLOURS = (BLUE, RED, GREEN, ORANGE, "#56B4E9", "#CC79A7", "#000000")
_STROKES = ("-", "--", "-.", ":")
# More lines than this are a grey cloud: a regular selection is enough to show it.
MOST_LINES = 600
# Beyond this many lines the cloud is one image, so that the picture stays small.
MANY_LINES = 150


def draw_parallel(facts: ParallelFigure) -> Drawing:
    """Axes from the worst value, below, to the best, above; the shortlist in colours, with a legend."""
    title = ngettext(
        "{number} release over {objectives}",
        "{number} releases over {objectives}",
        len(facts.lines),
        objectives=", ".join(axis.name for axis in facts.axes),
    )

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
            figure.legend(loc="outside lower center", ncols=4, frameon=False, title=_("shortlist"))

    return drawn(title, 7.2, 4.6, fill)


def _ends(axes: Any, facts: ParallelFigure) -> None:
    """Each axis with its name, and its best and worst value."""
    places = list(range(len(facts.axes)))
    names = [f"{a.name}\n({_('logarithmic') if a.logarithmic else _('linear')})" for a in facts.axes]
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
    axes.set_ylabel(_("worse  →  better"))
