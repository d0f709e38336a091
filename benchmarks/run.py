"""Speed and memory on Adult, as ratios within one run: `make bench`.

Machines differ and are noisy; the last column does not depend on that as much: how many evaluations of one
node by numpy (N) would take as long.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from one_node import duckdb_node, numpy_node, polars_node, timed

from paretonym.search.progress import usable_cores
from paretonym.study import Study, example


def main() -> None:
    study = example("adult")
    unit = timed(numpy_node(study))
    print(f"UCI Adult, {study.cube.rows:,} rows, {study.cube.tuples:,} distinct tuples, {usable_cores()} cores\n")
    print(f"{'one node':<44}{'ms':>10}{'in N':>10}")
    others = (("numpy, unique with key building = N", numpy_node), ("polars", polars_node), ("duckdb", duckdb_node))
    for name, node in others:
        row(name, timed(node(study)), unit)
    print(f"\n{'whole frontier, warm':<44}{'ms':>10}{'in N':>10}{'nodes/s':>12}{'found':>8}")
    for name, objectives, suppress, search in QUESTIONS:
        whole_frontier(study, name, objectives, suppress, search, unit)
    print(f"\n{'from the shell, compiled before':<44}{'s':>10}")
    for name, command in SHELL:
        print(f"{name:<44}{from_shell(command):>10.2f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\npeak memory: {peak:.0f} MB here (with polars and duckdb), {children:.0f} MB for the largest command")


QUESTIONS = (
    ("(k, loss) at 0", ("k", "loss"), "0", "exhaustive"),
    ("(k, loss) at 1 %", ("k", "loss"), "0.01", "exhaustive"),
    ("(k, loss) at 10 %", ("k", "loss"), "0.1", "exhaustive"),
    ("(k, loss) with any:0.1", ("k", "loss"), "any:0.1", "exhaustive"),
    ("(k, gl, sl, discernibility) at 1 %", ("k", "gl", "sl", "discernibility"), "0.01", "exhaustive"),
)
SHELL = (
    ("python -c 'import paretonym'", ["-c", "import paretonym"]),
    ("paretonym --help", ["-c", "from paretonym.cli.main import main; main()", "--help"]),
    ("paretonym demo", ["-c", "from paretonym.cli.main import main; main()", "demo"]),
)


def row(name: str, seconds: float, unit: float, extra: str = "") -> None:
    print(f"{name:<44}{seconds * 1000:>10.2f}{seconds / unit:>10.1f}{extra}")


def whole_frontier(
    study: Study, name: str, objectives: tuple[str, ...], suppress: str, search: str, unit: float
) -> None:
    found = study.explore(*objectives, suppress=suppress, search=search)
    work: Callable[[], object] = lambda: study.explore(*objectives, suppress=suppress, search=search)  # noqa: E731
    seconds = timed(work, repeats=5)
    evaluated = found.record.evaluated if found.record else 0
    row(f"{name}, {search}", seconds, unit, f"{evaluated / seconds:>12,.0f}{len(found):>8,}")


def from_shell(arguments: list[str]) -> float:
    command = [sys.executable, *arguments]
    subprocess.run(command, capture_output=True, check=True)
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
