"""The picture of a comparison: every release, a line for each method, the joint frontier as steps."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, cast

from paretonym.errors import InputError
from paretonym.report.comparing import Comparison, Measured

FORMATS = (".svg", ".png", ".pdf")
# Okabe & Ito's colours can be told apart by people with any kind of colour vision; so can the shapes.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = "os^Dv<>P*X"


def check_format(path: Path) -> None:
    """Refuse a name that does not say a known format, before any work is done for it."""
    if path.suffix.lower() not in FORMATS:
        wrong = f"'{path.suffix}' is no format for figures"
        raise InputError.of("--figure", wrong, f"give a name that ends with {', '.join(FORMATS)}")


def comparison_figure(found: Comparison, suffix: str) -> bytes:
    """The first two measures of all releases, as a file of that format."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    style: dict[str, Any] = {
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": "paretonym",
    }
    form = suffix.lower().removeprefix(".")
    no_date = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
    stream = io.BytesIO()
    with matplotlib.rc_context(cast(Any, style)):
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        _fill(figure.add_subplot(), found)
        figure.savefig(stream, format=form, dpi=150, metadata=no_date.get(form, {"CreationDate": None}))
    return stream.getvalue()


def _fill(axes: Any, found: Comparison) -> None:
    names = list(dict.fromkeys(point.method for point in found.points))
    for number, name in enumerate(names):
        own = sorted(point.values[:2] for point in found.points if point.method == name)
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(
            [values[0] for values in own], [values[1] for values in own], color=colour, lw=0.8, ms=4,
            marker=SHAPES[number % len(SHAPES)], label=name, alpha=0.85, zorder=3,
        )  # fmt: skip
    joint = found.joint if len(found.measures) == 2 else ()
    if joint:
        _steps(axes, joint, found.directions[0])
    for which, place in (("x", 0), ("y", 1)):
        better = "more" if found.directions[place] == "max" else "less"
        (axes.set_xlabel if which == "x" else axes.set_ylabel)(
            f"{found.measures[place]} ({better} is better)"
        )
    axes.grid(color="#b8b8b8", lw=0.3)
    axes.legend(frameon=False, fontsize=8)


def _steps(axes: Any, joint: tuple[Measured, ...], direction: str) -> None:
    """What a value of the first measure buys until the next release."""
    across = [point.values[0] for point in joint]
    up = [point.values[1] for point in joint]
    where = "post" if direction == "min" else "pre"
    if direction == "max":
        across, up = across[::-1], up[::-1]
    axes.step(across, up, where=where, color="#888888", lw=2.5, alpha=0.5, zorder=1, label="joint frontier")
