"""One release drawn: the sizes of its classes, and what each column loses."""

from __future__ import annotations

from typing import Any

from paretonym.language import _, format_number
from paretonym.report.figure_facts import LossesFigure, SizesFigure
from paretonym.report.figures.canvas import BLUE, FAINT, INK, ORANGE, Drawing, drawn, local_numbers, readable
from paretonym.sentence_parts import percentage

# Characters of a column's name, and of the words at its bar; the tables of the report have them whole.
LONGEST_NAME, LONGEST_WORDS = 28, 60


def draw_sizes(facts: SizesFigure) -> Drawing:
    """People by the size of their class, and how many are in classes of at most a size."""
    title = _(
        "Release {id}: {many} by the size of their equivalence class",
        id=facts.id,
        many=_(facts.counted),
    )

    def fill(figure: Any) -> None:
        bars, steps = figure.subplots(1, 2, width_ratios=(1.25, 1))
        _bars(bars, facts)
        _steps(steps, facts)

    return drawn(title, 7.2, 3.2, fill)


def _bars(axes: Any, facts: SizesFigure) -> None:
    places = list(range(len(facts.bins)))
    axes.bar(places, [100 * part.rows / facts.rows for part in facts.bins], color=BLUE, width=0.85)
    texts = [
        readable(b.low) if b.low == b.high else f"{readable(b.low)}–{readable(b.high)}" for b in facts.bins
    ]
    axes.set_xticks(places, texts, rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_xlabel(_("{many} in the class", many=_(facts.counted)))
    axes.set_ylabel(_("share of all {many} shown (%)", many=_(facts.counted)))
    local_numbers(axes.yaxis)
    axes.grid(axis="y", color=FAINT, lw=0.3)
    axes.set_axisbelow(True)


def _steps(axes: Any, facts: SizesFigure) -> None:
    from matplotlib.ticker import FuncFormatter

    sizes = [size for size, _ in facts.cumulative]
    shares = [100 * rows / facts.rows for _, rows in facts.cumulative]
    last = sizes[-1] * 1.15
    axes.step([sizes[0], *sizes, last], [0, *shares, 100], where="post", color=ORANGE, lw=1.5)
    if sizes[-1] >= 20 * sizes[0]:
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: readable(value)))
    axes.axvline(facts.smallest, color=INK, lw=0.8, ls=":")
    axes.set_xlabel(_("at most this many in the class"))
    axes.set_ylabel(_("share of all {many} shown (%)", many=_(facts.counted)))
    axes.set_ylim(0, 103)
    local_numbers(axes.yaxis)
    axes.grid(color=FAINT, lw=0.3)


def span(low: int, high: int) -> str:
    """
    >>> span(3, 3), span(1024, 2047)
    ('3', '1,024–2,047')
    """
    return format_number(f"{low:,}" if low == high else f"{low:,}–{high:,}")


def draw_losses(facts: LossesFigure) -> Drawing:
    """One bar for each column, and how it is shown."""
    title = _("Release {id}: loss per column", id=facts.id)

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        places = list(range(len(facts.columns)))
        shares = [100 * column.loss for column in facts.columns]
        axes.barh(places, shares, color=BLUE, height=0.7)
        names = [_short(column.name, LONGEST_NAME) for column in facts.columns]
        if facts.loss is not None:
            places, names, shares = (
                [*places, len(places)],
                [*names, _("whole release")],
                [*shares, 100 * facts.loss],
            )
            axes.barh(places[-1], shares[-1], color=ORANGE, height=0.7)
            _bar_text(axes, places[-1], shares[-1], percentage(facts.loss))
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel(_("loss of the column (%)"))
        for place, column in enumerate(facts.columns):
            _bar_text(
                axes,
                place,
                100 * column.loss,
                _short(f"{percentage(column.loss)}, {column.words}", LONGEST_WORDS),
            )
        axes.grid(axis="x", color=FAINT, lw=0.3)
        axes.set_axisbelow(True)

    return drawn(title, 7.2, 1.2 + 0.32 * len(facts.columns), fill)


def _bar_text(axes: Any, place: int, share: float, text: str) -> None:
    """Beside a short bar, inside a long one."""
    long = share > 55
    axes.annotate(
        text, (share, place), xytext=(-4 if long else 4, 0), textcoords="offset points", va="center",
        ha="right" if long else "left", fontsize=8, color="white" if long else INK, zorder=5,
    )  # fmt: skip


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
