"""Panels as a picture: this file only draws. The one place where matplotlib is used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.research.papers.reproductions.reproduction import Panel, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACROSS = 3
_MARKS: dict[str, dict[str, Any]] = {
    "dots": {"marker": ".", "markersize": 4, "linestyle": "", "color": "#4477aa"},
    "rings": {
        "marker": "o", "markersize": 6, "linestyle": "", "color": "#cc3311", "markerfacecolor": "none",
        "markeredgewidth": 0.9,
    },
    "crosses": {"marker": "x", "markersize": 5, "linestyle": "", "color": "#228833"},
    "line": {"marker": "o", "markersize": 4, "linestyle": "-", "color": "#4477aa"},
}  # fmt: skip

# Several lines in one panel are distinguished by colour and by shape.
_LINES: tuple[dict[str, Any], ...] = tuple(
    {"color": colour, "marker": shape}
    for colour, shape in zip(("#4477aa", "#cc3311", "#228833", "#aa3377", "#ccbb44"), "os^Dv", strict=True)
)


def draw(panels: Sequence[Panel], title: str, files: Sequence[Path]) -> None:
    """Draw all panels into one picture and write it to each of the files, by their endings."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = min(len(panels), ACROSS)
    down = -(-len(panels) // across)
    figure = Figure(figsize=(4.4 * across, 3.6 * down + 0.4), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=11)
    for place, panel in enumerate(panels):
        _draw_panel(figure.add_subplot(down, across, place + 1), panel)
    for file in files:
        # No date inside, so that the same facts give the same picture.
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    several = sum(series.mark == "line" for series in panel.series) > 1
    for place, series in enumerate(panel.series):
        _draw_series(axes, series, _LINES[place % len(_LINES)] if several else {})
    axes.set_title(panel.title, fontsize=9)
    axes.set_xlabel(panel.labels[0])
    axes.set_ylabel(panel.labels[1])
    if panel.logarithmic[0]:
        axes.set_xscale("log")
    if panel.logarithmic[1]:
        axes.set_yscale("log")
    axes.legend(fontsize=7)


def _draw_series(axes: Axes, series: Series, line: dict[str, Any]) -> None:
    # Thousands of points are drawn paler than highlighted ones, and as pixels even in an SVG.
    crowd = {"alpha": 0.25, "markersize": 2, "rasterized": True} if len(series.across) > 1000 else {}
    axes.plot(series.across, series.up, label=series.label, **{**_MARKS[series.mark], **line, **crowd})
