"""A scatter of two measures in characters, for terminals: facts in, text out."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.engine.frontier import Scale
from paretonym.engine.measures import is_share, measured

# Dots of one braille character, by row and column.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def scatter(
    across: Sequence[float],
    up: Sequence[float],
    measures: tuple[str, str],
    width: int = 60,
    height: int = 14,
) -> str:
    """Draw points with braille dots, axes with their ends, and the names of both measures. Shares have a
    linear scale in percent.

    >>> print(scatter([0.1, 0.2, 0.4], [1, 2, 3], ("loss", "k"), width=14, height=2))
    k
    3 ┤             ⠈
    1 ┤⡀   ⠈
      └──────────────
       10.0 %  40.0 %
      loss
    """
    horizontal, vertical = (
        Scale.of(values, is_share(name)) for values, name in zip((across, up), measures, strict=True)
    )
    cells = [[0] * width for _ in range(height)]
    for x, y in zip(across, up, strict=True):
        column = round(horizontal.place(x) * (2 * width - 1))
        row = round((1 - vertical.place(y)) * (4 * height - 1))
        cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
    drawn = ["".join(chr(0x2800 + cell) if cell else " " for cell in row).rstrip() for row in cells]
    return "\n".join(_framed(drawn, horizontal, vertical, measures, width))


def _framed(
    drawn: list[str], horizontal: Scale, vertical: Scale, measures: tuple[str, str], width: int
) -> list[str]:
    top, bottom = measured(measures[1], vertical.high), measured(measures[1], vertical.low)
    margin = max(len(top), len(bottom))
    left, right = measured(measures[0], horizontal.low), measured(measures[0], horizontal.high)
    lines = [measures[1] + (" (logarithmic)" if vertical.logarithmic else "")]
    for number, row in enumerate(drawn):
        mark = top if number == 0 else bottom if number == len(drawn) - 1 else ""
        lines.append(f"{mark:>{margin}} {'┤' if mark else '│'}{row}".rstrip())
    lines.append(" " * margin + " └" + "─" * width)
    lines.append(" " * (margin + 2) + left + right.rjust(width - len(left)))
    lines.append(" " * (margin + 1) + measures[0] + (" (logarithmic)" if horizontal.logarithmic else ""))
    return lines
