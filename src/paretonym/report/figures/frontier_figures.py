"""A frontier drawn: its points over two measures, and over every pair of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from paretonym.language import _, ngettext
from paretonym.measures import measured
from paretonym.report.figure_facts import FrontierFigure, PairsFigure, ParallelFigure
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

# Directions in degrees, tried in this order at growing distances (in points of print).
_DIRECTIONS = (160, 20, 200, 340, 110, 70, 250, 290, 180, 0, 90, 270)
_DISTANCES = (10, 18, 28, 42, 60, 85, 115)


class Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def inside(self, other: Box) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


def place_labels(
    axes: Any, texts: Sequence[tuple[float, float, str]], points: Sequence[tuple[float, float]]
) -> None:
    """Write texts beside the points that they belong to. No label covers another one or one of the `points`
    if there is room; a thin line leads from label to point."""
    scale = axes.figure.dpi / 72
    frame = _box(axes.get_window_extent(), -2)
    taken = [_around(axes.transData.transform(point), 3 * scale) for point in points]
    for across, up, text in texts:
        place = axes.transData.transform((across, up))
        offset, box = _free(axes, text, place, frame, taken, scale)
        taken.append(box)
        axes.annotate(
            text, (across, up), xytext=offset, textcoords="offset points", ha="center", va="center",
            fontsize=8, color=INK, zorder=6,
            arrowprops={"arrowstyle": "-", "lw": 0.5, "color": INK, "shrinkA": 1, "shrinkB": 3},
        )  # fmt: skip


def _free(
    axes: Any, text: str, place: Sequence[float], frame: Box, taken: list[Box], scale: float
) -> tuple[tuple[float, float], Box]:
    """The first place where a label meets nothing; the one that meets least if there is none."""
    width, height = _extent(axes, text)
    best: tuple[int, tuple[float, float], Box] | None = None
    for distance in _DISTANCES:
        for degrees in _DIRECTIONS:
            turn = math.radians(degrees)
            across = math.cos(turn) * (distance + width / scale / 2)
            up = math.sin(turn) * (distance + height / scale / 2)
            middle = (place[0] + across * scale, place[1] + up * scale)
            box = Box(
                middle[0] - width / 2, middle[1] - height / 2, middle[0] + width / 2, middle[1] + height / 2
            )
            met = sum(box.meets(other) for other in taken) + (0 if box.inside(frame) else 1000)
            if best is None or met < best[0]:
                best = met, (across, up), box
            if met == 0:
                return (across, up), box
    if best is None:
        return (0.0, 0.0), _around(place, 1)
    return best[1], best[2]


def _extent(axes: Any, text: str) -> tuple[float, float]:
    probe = axes.text(0.5, 0.5, text, transform=axes.transAxes, fontsize=8)
    box = probe.get_window_extent(axes.figure.canvas.get_renderer())
    probe.remove()
    return box.width + 4, box.height + 2


def _box(extent: Any, margin: float) -> Box:
    return Box(extent.x0 - margin, extent.y0 - margin, extent.x1 + margin, extent.y1 + margin)


def _around(place: Sequence[float], reach: float) -> Box:
    return Box(place[0] - reach, place[1] - reach, place[0] + reach, place[1] + reach)


# Beyond this many points a picture contains them as one image: it would be very large otherwise.
MANY, MANY_IN_A_PANEL = 2000, 300
MOST_COLUMNS = 3


def draw_frontier(facts: FrontierFigure) -> Drawing:
    """The gain over the cost; the share of suppressed rows as colour, the shortlist with labels."""
    title = ngettext(
        "{number} release: {up} over {across}",
        "{number} releases: {up} over {across}",
        len(facts.points),
        up=facts.up.name,
        across=facts.across.name,
    )

    def fill(figure: Any) -> Callable[[], None]:
        axes = figure.add_subplot()
        dots = _panel(axes, facts, 22)
        if dots is not None:
            bar = figure.colorbar(dots, ax=axes, pad=0.02, aspect=30)
            bar.set_label(_("suppressed rows (%)"))
            local_numbers(bar.ax.yaxis)
            bar.outline.set_visible(False)
        marks = [(facts.across.shown(m.across), facts.up.shown(m.up), m.text) for m in facts.marks]
        points = [(facts.across.shown(p.across), facts.up.shown(p.up)) for p in facts.points]
        return lambda: place_labels(axes, marks, points if len(points) <= MANY else [])

    return drawn(title, 7.2, 4.4, fill)


def draw_pairs(facts: PairsFigure) -> Drawing:
    """One small picture for every pair of objectives."""
    columns = min(MOST_COLUMNS, len(facts.panels))
    rows = math.ceil(len(facts.panels) / max(columns, 1))
    names = dict.fromkeys(name for panel in facts.panels for name in (panel.up.name, panel.across.name))

    def fill(figure: Any) -> None:
        for place, panel in enumerate(facts.panels):
            _panel(figure.add_subplot(rows, columns, place + 1), panel, 9, shaded=False)

    width = 7.2 if columns > 1 else 4.5
    title = _("Pairs of {objectives}", objectives=", ".join(names))
    return drawn(title, width, 1.0 + 2.4 * rows, fill)


def _panel(axes: Any, facts: FrontierFigure, size: float, shaded: bool = True) -> Any:
    """Points, and steps where there are no others between them. Returns what a legend of colours needs, None
    if all points have the same colour."""
    set_axis(axes, "x", facts.across)
    set_axis(axes, "y", facts.up)
    axes.grid(color=FAINT, lw=0.3)
    across = [facts.across.shown(point.across) for point in facts.points]
    up = [facts.up.shown(point.up) for point in facts.points]
    if facts.stepped:
        # A cost buys this much until the next release.
        rising = facts.across.better == "less"
        axes.step(across, up, where="post" if rising else "pre", color=FAINT, lw=1, zorder=2)
    if facts.floor:
        costs = [facts.across.shown(max(cost, facts.across.low)) for cost, _gain in facts.floor]
        gains = [facts.up.shown(gain) for _cost, gain in facts.floor]
        axes.plot(
            costs, gains, color=GREEN, lw=1, ls="--", zorder=2, label=_("floor: no generalization costs less")
        )
        axes.legend(frameon=False, fontsize=7, loc="lower right")
    dots = _shaded(axes, facts, across, up, size) if shaded else _plain(axes, across, up, size)
    for mark in facts.marks:
        axes.scatter(
            facts.across.shown(mark.across), facts.up.shown(mark.up), s=(5 if mark.chosen else 3) * size,
            facecolors="none" if shaded else RED if mark.chosen else ORANGE,
            edgecolors=RED if mark.chosen and shaded else INK, linewidths=1.6 if mark.chosen else 0.9,
            zorder=4,
        )  # fmt: skip
    return dots


def _shaded(axes: Any, facts: FrontierFigure, across: list[float], up: list[float], size: float) -> Any:
    """Points coloured by the share of suppressed rows; None if that is the same for all."""
    shares = [100 * point.left_out for point in facts.points]
    varied = max(shares, default=0.0) > min(shares, default=0.0)
    dots = axes.scatter(
        across, up, s=size, c=shares if varied else BLUE, cmap=SHADES if varied else None, edgecolors=INK,
        linewidths=0.3, zorder=3, rasterized=len(across) > MANY,
    )  # fmt: skip
    return dots if varied else None


def _plain(axes: Any, across: list[float], up: list[float], size: float) -> Any:
    """All points in one colour, which needs no legend."""
    axes.scatter(
        across, up, s=size / 2, color=BLUE, alpha=0.45, linewidths=0, zorder=3,
        rasterized=len(across) > MANY_IN_A_PANEL,
    )  # fmt: skip
    return None


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
