"""What the README shows first: the picture of a frontier with its floor, and a recording of the terminal.

    .venv/bin/python scripts/make_first_look.py

It writes `frontier-and-floor.svg` and `first-look.cast` into docs/pictures, from the built-in census table
(half a minute). The recording is a text file: `asciinema play` plays it, any editor shows what was printed.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import paretonym as pn

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PICTURE, RECORDING = FOLDER / "frontier-and-floor.svg", FOLDER / "first-look.cast"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 64, 24, 44, 52
# Colours that people with any colour vision tell apart.
COLOURS = {"lattice": "#0072b2", "mondrian": "#cc79a7", "cuts": "#d55e00", "local": "#009e73"}
COLUMNS = 100


def place(k: float, loss: float, most: float) -> tuple[float, float]:
    """Where a release lies in the picture: k on a logarithmic axis, loss upward."""
    across = LEFT + (WIDTH - LEFT - RIGHT) * math.log(k) / math.log(most)
    return round(across, 1), round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * loss, 1)


def axes(most: float) -> Iterator[str]:
    bottom = HEIGHT - BOTTOM
    for power in range(int(math.log10(most)) + 1):
        across, _ = place(10**power, 0, most)
        yield f'<text x="{across}" y="{bottom + 18}" text-anchor="middle">{10**power:,}</text>'
        yield f'<line x1="{across}" y1="{bottom}" x2="{across}" y2="{TOP}" class="grid"/>'
    for share in (0, 25, 50, 75, 100):
        _, up = place(1, share / 100, most)
        yield f'<text x="{LEFT - 8}" y="{up + 4}" text-anchor="end">{share} %</text>'
        yield f'<line x1="{LEFT}" y1="{up}" x2="{WIDTH - RIGHT}" y2="{up}" class="grid"/>'
    across = WIDTH / 2
    yield f'<text x="{across}" y="{HEIGHT - 12}" text-anchor="middle">people in the smallest group (k)</text>'
    yield f'<text x="{LEFT}" y="{TOP - 24}">detail that is lost</text>'


def floor_points(front: pn.Run, most: float) -> list[tuple[float, float]]:
    """The proven floor, in steps: what holds for a k holds for every larger one, up to the next that is
    known."""
    points: list[tuple[float, float]] = []
    for k in sorted({solution.k for solution in front}):
        if (bound := front.floor(k)) is not None:
            across, up = place(k, bound, most)
            points += [(across, points[-1][1]), (across, up)] if points else [(across, up)]
    return points


def picture(front: pn.Run) -> str:
    """The frontier of all methods over its floor; no metadata, so the same run gives the same bytes."""
    most = max(solution.k for solution in front)
    floor = floor_points(front, most)
    (first, _), (last, _) = floor[0], floor[-1]
    low = HEIGHT - BOTTOM
    line = " ".join(f"{across},{up}" for across, up in floor)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{len(front)} releases that no other release beats, over the proven floor</title>",
        "<style>text{font:13px sans-serif;fill:#333}.grid{stroke:#ddd}.floor{fill:#eee}"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.floor{fill:#333}}</style>",
        f'<polygon class="floor" points="{first},{low} {line} {last},{low}"/>',
        *axes(most),
        f'<polyline points="{line}" fill="none" stroke="#888" stroke-dasharray="4 3"/>',
        f'<text x="{last - 8}" y="{low - 9}" text-anchor="end">proven: no generalization is in here</text>',
    ]
    for solution in front:
        across, up = place(solution.k, solution.loss, most)
        parts.append(f'<circle cx="{across}" cy="{up}" r="3.6" fill="{COLOURS[solution.space]}"/>')
    spaces = [space for space in COLOURS if any(solution.space == space for solution in front)]
    words = {solution.space: solution.method for solution in front}
    for number, space in enumerate(spaces):
        up = TOP + 12 + 20 * number
        parts.append(f'<circle cx="{LEFT + 16}" cy="{up - 4}" r="4" fill="{COLOURS[space]}"/>')
        parts.append(f'<text x="{LEFT + 28}" y="{up}">{words[space]}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def recording(commands: Sequence[str]) -> str:
    """What a terminal showed, in asciicast 2: typed at a steady pace, each answer at once."""
    header = {"version": 2, "width": COLUMNS, "height": 30, "env": {"TERM": "xterm-256color"}}
    lines, clock = [json.dumps(header)], 0.0
    with tempfile.TemporaryDirectory() as folder:
        further = {"COLUMNS": str(COLUMNS), "PARETONYM_STATE": f"{folder}/state", "NO_COLOR": "1"}
        for command in commands:
            for text in ("$ ", *f"paretonym {command}", "\r\n"):
                clock += 0.05
                lines.append(json.dumps([round(clock, 2), "o", text]))
            words = [sys.executable, "-m", "paretonym", *command.split()]
            ended = subprocess.run(
                words, cwd=folder, env={**os.environ, **further}, capture_output=True, text=True, check=True
            )
            clock += 1.0
            printed = ended.stdout.replace("\n", "\r\n")
            lines.append(json.dumps([round(clock, 2), "o", printed], ensure_ascii=False))
            clock += 2.0
    return "\n".join(lines) + "\n"


def main() -> None:
    front = pn.example("adult").explore("k", "loss", suppress=0.01)
    PICTURE.write_text(picture(front), encoding="utf-8")
    RECORDING.write_text(recording(("demo",)), encoding="utf-8")
    print(f"{PICTURE.name}: {len(front)} releases; {RECORDING.name}: {len(RECORDING.read_bytes()):,} bytes")


if __name__ == "__main__":
    main()
