"""A scatter of two measures in characters, for terminals: facts in, text out."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.frontier import Scale

# Dots of one braille character, by row and column.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def scatter(
    across: Sequence[float],
    up: Sequence[float],
    labels: tuple[str, str],
    width: int = 60,
    height: int = 14,
) -> str:
    """Draw points with braille dots, axes with their ends, and the names of both measures.

    >>> print(scatter([1, 2, 3], [0.1, 0.2, 0.4], ("loss", "k"), width=8, height=2))
    k
    0.4 ┤       ⠈
    0.1 ┤⡀   ⠂
        └────────
         1      3
        loss
    """
    horizontal, vertical = Scale.of(across), Scale.of(up)
    cells = [[0] * width for _ in range(height)]
    for x, y in zip(across, up, strict=True):
        column = round(horizontal.place(x) * (2 * width - 1))
        row = round((1 - vertical.place(y)) * (4 * height - 1))
        cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
    drawn = ["".join(chr(0x2800 + cell) if cell else " " for cell in row).rstrip() for row in cells]
    return "\n".join(_framed(drawn, horizontal, vertical, labels, width))


def _framed(
    drawn: list[str], horizontal: Scale, vertical: Scale, labels: tuple[str, str], width: int
) -> list[str]:
    top, bottom = short(vertical.high), short(vertical.low)
    margin = max(len(top), len(bottom))
    left, right = short(horizontal.low), short(horizontal.high)
    lines = [labels[1] + (" (logarithmic)" if vertical.logarithmic else "")]
    for number, row in enumerate(drawn):
        mark = top if number == 0 else bottom if number == len(drawn) - 1 else ""
        lines.append(f"{mark:>{margin}} {'┤' if mark else '│'}{row}".rstrip())
    lines.append(" " * margin + " └" + "─" * width)
    lines.append(" " * (margin + 2) + left + right.rjust(width - len(left)))
    lines.append(" " * (margin + 1) + labels[0] + (" (logarithmic)" if horizontal.logarithmic else ""))
    return lines


def short(value: float) -> str:
    """A number that people can read: 12,345 or 0.289."""
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"
