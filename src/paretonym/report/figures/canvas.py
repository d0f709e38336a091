"""Figures with matplotlib: our style, and how a figure becomes a file or a part of a page."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.extras import require
from paretonym.base.files import Inputs, Output, write_output
from paretonym.base.language import format_number
from paretonym.base.number_text import significant
from paretonym.report.figure_facts import Axis

# Okabe & Ito's colours can be distinguished by people with any kind of colour vision.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
INK, FAINT = "#222222", "#b8b8b8"
SHADES = "cividis"

# A text in a picture stays text: it can be searched, read aloud, and is small.
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,
}
FORMATS = (".svg", ".png", ".pdf")
DOTS_PER_INCH = 150


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture: shown by notebooks, saved as SVG, PNG or PDF. `figure` is matplotlib's own."""

    figure: Any
    title: str

    def svg(self) -> str:
        """The picture as a part of a page: the same for the same facts, with its title for readers who cannot
        see it."""
        text = self._bytes("svg").decode("utf-8")
        # Names of groups are not needed, and would be there twice on a page with two pictures.
        inner = re.sub(r'<g id="[^"]*">', "<g>", text[text.index("<svg") :])
        named = re.sub(r"<metadata>.*?</metadata>\s*", "", inner, flags=re.DOTALL)
        return named.replace("<svg ", f'<svg role="img" aria-label="{_attribute(self.title)}" ', 1)

    def png(self) -> bytes:
        return self._bytes("png")

    def save(self, path: str | Path, force: bool = False, inputs: Inputs = ()) -> None:
        """Write a file; its name says the format. With `force`, an existing file is replaced, but
        never one of the `inputs`."""
        path = Path(path)
        if path.suffix.lower() not in FORMATS:
            wrong = f"'{path.suffix}' is not a format for figures"
            raise InputError.of(str(path), wrong, f"give a name that ends with {', '.join(FORMATS)}")
        form = path.suffix.lower().removeprefix(".")
        write_output(Output(path, option="figure"), self._bytes(form), force, inputs)

    def _repr_html_(self) -> str:
        return f'<div style="max-width:60em">{self.svg()}</div>'

    def _bytes(self, form: str) -> bytes:
        import matplotlib

        stream = io.BytesIO()
        salt = hashlib.sha256(self.title.encode()).hexdigest()
        metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}.get(
            form, {"CreationDate": None, "Creator": None, "Producer": None}
        )
        with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
            self.figure.savefig(stream, format=form, dpi=DOTS_PER_INCH, metadata=metadata)
        return stream.getvalue()


def drawn(title: str, width: float, height: float, fill: Callable[[Any], None]) -> Drawing:
    """A figure of this size in inches, drawn in our style."""
    require("plot", "figure")
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        fill(figure)
        figure.draw_without_rendering()
        # Without an engine, even one that does nothing, a picture is not drawn twice when it is saved.
        figure.set_layout_engine(None)
    return Drawing(figure, title)


def set_axis(axes: Any, which: str, axis: Axis) -> None:
    """Name, unit, scale and readable numbers of one axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    side = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xlabel if which == "x" else axes.set_ylabel)(axis.label)
    if axis.logarithmic:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        wide = axis.high / axis.low > 5000
        side.set_major_locator(LogLocator(10, subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
        side.set_minor_locator(LogLocator(10, subs=range(1, 10)) if wide else NullLocator())
        side.set_minor_formatter(NullFormatter())
    side.set_major_formatter(FuncFormatter(lambda value, _: readable(value)))


def local_numbers(axis: Any) -> None:
    """Let an axis write its numbers as the current language does."""
    from matplotlib.ticker import ScalarFormatter

    class Local(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return format_number(super().__call__(x, pos))

    axis.set_major_formatter(Local())


def readable(value: float) -> str:
    """
    >>> readable(12345), readable(0.25)
    ('12,345', '0.25')
    """
    return format_number(significant(value))


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
