"""Labels beside their points, without overlap: each takes the first free place around its point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from paretonym.report.figures.canvas import INK

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
