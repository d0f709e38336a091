"""Speed and memory on Adult, as ratios within one run: `make bench`.

Machines differ and are noisy. The column "in N" depends on that less: how many evaluations of one node by
numpy would take as many CPU seconds, each timed beside the question in the same round. The column "stored" is
what it was when `ratios.json` was written; the command fails where a ratio is 1.5 times worse. `python -m
benchmarks.run --renew` writes the file again.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.one_node import beside, duckdb_node, numpy_node, polars_node
from benchmarks.second_table import MIDDLE as SECOND_MIDDLE
from benchmarks.second_table import second_table
from benchmarks.stored_ratios import WORST, Ratios
from benchmarks.topdown import walk
from paretonym.base.budget import Limits, usable_cores
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.problem import Problem
from paretonym.study import SearchName
from paretonym.study.explored_run import Run
from paretonym.study.study import Study, example

RATIOS = Ratios()


def main() -> int:
    study = example("adult")
    unit = numpy_node(study)
    cube = study.cube
    print(f"UCI Adult, {cube.rows:,} rows, {cube.tuples:,} distinct tuples, {usable_cores()} cores\n")
    print(f"{'one node':<44}{'ms':>10}{'in N':>10}{'stored':>10}")
    others = (
        ("numpy, unique with key building = N", numpy_node),
        ("polars", polars_node),
        ("duckdb", duckdb_node),
    )
    for name, node in others:
        row(name, *beside(unit, node(study)))
    columns = f"{'ms':>10}{'in N':>10}{'evaluated':>12}{'nodes/s':>12}{'found':>8}{'stored':>10}"
    print(f"\n{'whole frontier, warm':<44}{columns}")
    for name, objectives, suppress in QUESTIONS:
        for search in ("exhaustive", "exact"):
            whole_frontier(study, name, objectives, suppress, search, unit)
    other = second_table()
    own = numpy_node(other, SECOND_MIDDLE)
    row(f"another table, {other.cube.tuples:,} tuples: its own N", *beside(own, own))
    whole_frontier(other, "(k, loss) at 1 %, another table", ("k", "loss"), "1%", "exact", own)
    heading = "nodes evaluated for (k, loss)"
    columns = f"{'plain walk':>12}{'exact':>10}{'exact / plain':>15}{'in part':>10}{'found':>8}"
    print(f"\n{heading:<44}{columns}")
    for limit in LIMITS:
        evaluations(study, limit)
    evaluations(other, "1%")
    print(f"\n{'from the shell':<44}{'s':>10}")
    for name, command in SHELL:
        print(f"{name:<44}{from_shell(command):>10.2f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"\npeak memory: {peak:.0f} MB here (with polars and duckdb), {children:.0f} MB the largest command"
    )
    if "--renew" in sys.argv[1:]:
        RATIOS.renew()
    for name in RATIOS.worse:
        print(f"more than {WORST} times worse than stored: {name}")
    return 1 if RATIOS.worse and "--renew" not in sys.argv[1:] else 0


QUESTIONS = (
    ("(k, loss) at 0", ("k", "loss"), "0"),
    ("(k, loss) at 1 %", ("k", "loss"), "1%"),
    ("(k, loss) at 10 %", ("k", "loss"), "10%"),
    ("(k, loss) with any:0.1", ("k", "loss"), "any:0.1"),
    ("(k, gl, sl, discernibility) at 1 %", ("k", "gl", "sl", "discernibility"), "1%"),
    ("(k, l, loss) at 1 %", ("k", "l", "loss"), "1%"),
    ("(k, t, loss) at 1 %", ("k", "t", "loss"), "1%"),
    ("(k, l, t, loss) at 1 %", ("k", "l", "t", "loss"), "1%"),
    ("(k, l, t, loss, sl) at 1 %", ("k", "l", "t", "loss", "sl"), "1%"),
    ("(k, l, discernibility) at 1 %", ("k", "l", "discernibility"), "1%"),
)
LIMITS = ("0", "1%", "10%")
SHELL = (
    ("python -c 'import paretonym'", ["-c", "import paretonym"]),
    ("paretonym --help", ["-c", "from paretonym.interfaces.cli.main import main; main()", "--help"]),
    ("paretonym demo", ["-c", "from paretonym.interfaces.cli.main import main; main()", "demo"]),
)


def row(name: str, seconds: float, ratio: float, extra: str = "") -> None:
    print(f"{name:<44}{seconds * 1000:>10.2f}{ratio:>10.1f}{extra}{RATIOS.beside_stored(name, ratio)}")


def whole_frontier(
    study: Study,
    name: str,
    objectives: tuple[str, ...],
    suppress: str,
    search: SearchName,
    unit: Callable[[], Any],
) -> None:
    work: Callable[[], Run] = lambda: study.explore(*objectives, suppress=suppress, search=search)  # noqa: E731
    found = work()
    seconds, ratio = beside(unit, work)
    nodes = evaluated(found)
    row(f"{name}, {search}", seconds, ratio, f"{nodes:>12,}{nodes / seconds:>12,.0f}{len(found):>8,}")


def evaluations(study: Study, limit: str) -> None:
    """How many nodes exact search spares beside the plain walk from the top; of how many more it counts some
    rows."""
    plain, problem = walk(study, limit), Problem.of(study.cube, ("k", "loss"), parse_suppression(limit))
    exact = search_exact(problem, Limits())
    found = len(exact.best.values)
    if plain.found != found:
        raise AssertionError(f"the plain walk found {plain.found} vectors, exact search {found}")
    counts = f"{plain.evaluated:>12,}{exact.evaluated:>10,}{exact.evaluated / plain.evaluated:>15.0%}"
    print(f"at most {limit:<36}{counts}{exact.in_part:>10,}{found:>8,}")


def evaluated(frontier: Run) -> int:
    return frontier.record.evaluated if frontier.record else 0


def from_shell(arguments: list[str]) -> float:
    command = [sys.executable, *arguments]
    subprocess.run(command, capture_output=True, check=True)
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
