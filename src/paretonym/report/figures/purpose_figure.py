"""A declared regression drawn: the interval of each coefficient in the original and in a release."""

from __future__ import annotations

from typing import Any

from paretonym.base.language import _, format_number
from paretonym.engine.measures.estimates import Interval
from paretonym.report.figure_facts import Coefficient, CoefficientsFigure
from paretonym.report.figures.canvas import BLUE, FAINT, INK, ORANGE, Drawing, drawn

# More coefficients are in the table below the figure alone.
MOST_ROWS = 40
LONGEST = 34
# Zero is drawn where it is at most so many widths of a row away.
NEAR = 1.0
APART = 0.17


def draw_coefficients(facts: CoefficientsFigure) -> Drawing:
    """Two intervals for each coefficient, original above release, each row on a scale of its own."""
    title = _("{analysis}: 95 % intervals before and after", analysis=facts.analysis)
    rows = facts.coefficients[:MOST_ROWS]

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, row in enumerate(rows):
            _draw_row(axes, place, row)
        names = [row.name if len(row.name) <= LONGEST else f"{row.name[: LONGEST - 1]}…" for row in rows]
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(-0.03, 1.03)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.plot([], [], color=BLUE, lw=3, label=_("original"))
        axes.plot([], [], color=ORANGE, lw=3, label=_("release"))
        axes.plot([], [], color=INK, lw=0.8, ls=":", label=_("zero"))
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False, fontsize=8)

    return drawn(title, 7.2, 0.9 + 0.42 * len(rows), fill)


def _draw_row(axes: Any, place: int, row: Coefficient) -> None:
    both = [one for one in (row.before, row.after) if one is not None]
    low, high = min(one.low for one in both), max(one.high for one in both)
    width = (high - low) or abs(high) or 1.0
    if low > 0 and low <= NEAR * width:
        low = 0.0
    if high < 0 and -high <= NEAR * width:
        high = 0.0
    width = (high - low) or width
    axes.axhline(place + 0.5, color=FAINT, lw=0.3)

    def across(value: float) -> float:
        return (value - low) / width

    if low <= 0 <= high:
        axes.plot([across(0)] * 2, [place - 0.4, place + 0.4], color=INK, lw=0.8, ls=":")
    _draw_interval(axes, place - APART, row.before, BLUE, across)
    if row.after is None:
        axes.text(0.0, place + APART, _("not shown"), va="center", fontsize=8, color=ORANGE)
    else:
        _draw_interval(axes, place + APART, row.after, ORANGE, across)


def _draw_interval(axes: Any, height: float, interval: Interval, color: str, across: Any) -> None:
    axes.plot([across(interval.low), across(interval.high)], [height, height], color=color, lw=2.5)
    axes.plot([across(interval.estimate)], [height], "o", color=color, ms=4)
    text = format_number(f"{interval.estimate:,.3g}")
    axes.annotate(
        text, (1.03, height), xytext=(4, 0), textcoords="offset points", va="center", fontsize=7, color=INK,
        annotation_clip=False,
    )  # fmt: skip
