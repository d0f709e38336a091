"""What each space loses at equal k: the lattice, local recoding, cuts with what is proven about them,
Mondrian and improved Mondrian, and the floor. `python -m benchmarks.spaces TABLE [FIGURE.svg]`, where TABLE
is adult, survey (a wide one), a table in examples/tables by its name, or the folder of
benchmarks.credit_cards.

Prints the least loss at some k, the share of the joint hypervolume (of log k and loss) and the time; with a
name, draws all of them on one pair of axes."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import paretonym as pn
from benchmarks import credit_cards, wide_survey
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.frontier.dominance import hypervolume
from paretonym.engine.frontier.proven_bound import ProvenBound
from paretonym.engine.search import floors
from paretonym.report.figure_facts import Axis
from paretonym.report.figures.canvas import BLUE, FAINT, GREEN, ORANGE, RED, Drawing, drawn, set_axis

SIZES = (2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
SHOWN = (5, 15, 50, 200)
SWEEP = "k=" + ",".join(map(str, SIZES))
SPACES: Mapping[str, dict[str, Any]] = {
    "lattice": {"space": "lattice", "suppress": 0.01, "time": 60},
    "local": {"space": "local", "suppress": 0.01},
    "cuts": {"space": "cuts", "suppress": 0.01, "time": 60},
    "mondrian": {"space": "mondrian", "sweep": SWEEP},
    "mondrian, improved": {"space": "mondrian", "search": "improve", "sweep": SWEEP},
}
COLOURS = dict(zip(SPACES, ("#666666", GREEN, ORANGE, BLUE, RED), strict=True))
TITLES = {
    "adult": "Adult: 30,162 people, eight quasi-identifiers",
    "survey": "Survey: 12,000 made-up people, ten quasi-identifiers",
}
EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "tables"


class Found(NamedTuple):
    """The releases of a space by k and loss, what is proven, and the seconds that it took."""

    points: tuple[tuple[float, float], ...]
    bound: ProvenBound | None
    wall: float
    processor: float

    def least(self, k: float) -> float:
        """The least loss of a release with at least this k."""
        return min((loss for reached, loss in self.points if reached >= k), default=math.nan)

    def volume(self, rows: int) -> float:
        """The hypervolume of log k and loss, as a share of all that is possible."""
        values = np.array([(math.log(k), loss) for k, loss in self.points])
        return float(hypervolume(values, ("max", "min"), (0.0, 1.0))) / math.log(rows)


def study_of(table: str) -> pn.Study:
    """A built-in table, an example, or a folder with the credit cards."""
    if table in TITLES:
        return pn.example("adult") if table == "adult" else wide_survey.study()
    if (example := EXAMPLES / f"{table}.csv").exists():
        return pn.Study(example, example.with_suffix(".toml"))
    return credit_cards.study_of(Path(table).resolve())


def explored(study: pn.Study, options: Mapping[str, Any]) -> Found:
    """The frontier of a space in k and loss."""
    wall, processor = time.perf_counter(), time.process_time()
    front = study.explore("k", "loss", **options)
    points = tuple((each["k"], each["loss"]) for each in front)
    return Found(points, front.search.bound, time.perf_counter() - wall, time.process_time() - processor)


def draw(title: str, found: Mapping[str, Found]) -> Drawing:
    """Loss over k: a step holds from its k down to the next."""
    across = Axis("k", "more", False, True, SIZES[0], SIZES[-1])
    up = Axis("loss", "less", True, False, 0.0, 1.0)

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        for name, own in found.items():
            steps = [k for k in range(SIZES[0], SIZES[-1] + 1) if not math.isnan(own.least(k))]
            axes.plot(steps, [100 * own.least(k) for k in steps], color=COLOURS[name], lw=1.4, label=name)
            if own.bound is not None:
                least = [100 * own.bound.at(k) for k in steps]
                axes.plot(steps, least, color=COLOURS[name], lw=1.0, ls=":", label=f"no {name} are below")
        set_axis(axes, "x", across)
        set_axis(axes, "y", up)
        axes.grid(color=FAINT, lw=0.3)
        axes.set_title(title, fontsize=9, loc="left")
        axes.legend(frameon=False, fontsize=8)

    return drawn(title, 7.2, 4.4, fill)


def main() -> None:
    table, *figure = sys.argv[1:]
    study = study_of(table)
    rows, found = study.cube.rows, {}
    print(
        "| space | "
        + " | ".join(f"loss at k = {k}" for k in SHOWN)
        + " | hypervolume | seconds | processor |"
    )
    print("| --- |" + " --- |" * (len(SHOWN) + 3))
    for name, options in SPACES.items():
        try:
            own = found[name] = explored(study, options)
        except (InputError, NoSolution) as refusal:
            print(f"| {name} | left out: {refusal} |")
            continue
        losses = " | ".join(f"{100 * own.least(k):.1f} %" for k in SHOWN)
        volume = f"{100 * own.volume(rows):.1f} %"
        print(f"| {name} | {losses} | {volume} | {own.wall:.1f} | {own.processor:.1f} |", flush=True)
        if own.bound is not None:
            print(
                f"| {name}, bound | "
                + " | ".join(f"{100 * own.bound.at(k):.1f} %" for k in SHOWN)
                + " | | | |"
            )
    least = " | ".join(f"{100 * loss:.1f} %" for loss in floors(study.cube, SHOWN).tolist())
    print(f"| floor, by the hierarchies | {least} | | | |")
    for path in figure:
        draw(TITLES.get(table, table), found).save(path, force=True)


if __name__ == "__main__":
    main()
