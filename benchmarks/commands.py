"""The commands around a search, and binding many values, warm: CPU seconds, and in N.

    python -m benchmarks.commands [--beside OTHER/src] [--rounds 3]

Each command runs in a process of its own on the built-in example: `ask`, `compare` of three runs (lattice,
cuts, Mondrian), the officer's `report`; and a column of a million distinct values is bound, for several kinds
of hierarchy. With --beside, another version does the same in the same rounds, one after the other.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.one_node import numpy_node
from paretonym.study.study import example

OWN = Path(__file__).parents[1] / "src"
MAIN = ("-m", "paretonym")
TABLE = ("demo/adult.csv", "--schema", "demo/adult.toml", "--quiet")
MADE = (
    ("demo", "-o", "demo", "--quiet"),
    ("explore", *TABLE, "--space", "cuts", "--set", "hybrid.evaluations=2000", "-o", "cuts"),
    ("explore", *TABLE, "--space", "mondrian", "--sweep", "k=5,10,20,50,100", "-o", "mondrian"),
)
COMMANDS = {
    "ask": ("ask", "demo/run", "--at-most", "loss=40%", "--best", "k"),
    "compare three runs": ("compare", "demo/run", "cuts", "mondrian", "--quiet"),
    "report": ("report", "demo/run", "-o", "report.html", "--force", "--quiet"),
}
# Prints the CPU seconds of binding alone.
BIND = """
import sys, time
import numpy as np, pyarrow as pa
from paretonym import Study
drawn = np.random.default_rng(1).permutation(1_000_000)
kind = sys.argv[1]
texts = {
    "date": lambda: (np.datetime64("0900-01-01") + drawn).astype(str).tolist(),
    "intervals of decimals": lambda: [f"{each / 100:.2f}" for each in drawn.tolist()],
    "intervals": lambda: drawn.astype(str).tolist(),
}.get(kind, lambda: [f"{each:07d}" for each in drawn.tolist()])()
hierarchy = {"date": {"date": ["month", "year"]}, "flat": {"flat": True}, "mask": {"mask": 7}}
levels = hierarchy.get(kind, {"intervals": [10, 100, 1000]})
study = Study(pa.table({"x": texts}), schema={"columns": {"x": {"role": "quasi", "hierarchy": levels}}})
start = time.process_time()
study.bound
print(time.process_time() - start)
"""
BOUND = ("flat", "intervals", "intervals of decimals", "mask", "date")


def started(source: Path, folder: Path, *arguments: str) -> tuple[float, str]:
    """The CPU seconds of a process with the package of that source, and what it printed."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [sys.executable, *arguments], env={**inherited, "PYTHONPATH": str(source)}, cwd=folder,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, ended.stdout


def taken(source: Path, folder: Path, name: str) -> float:
    """The CPU seconds of one row of the table."""
    if name in COMMANDS:
        return started(source, folder, *MAIN, *COMMANDS[name])[0]
    return float(started(source, folder, "-c", BIND, name)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the commands around a search.")
    parser.add_argument("--beside", type=Path, help="the src folder of another version")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    sources = [OWN] if given.beside is None else [given.beside.resolve(), OWN]
    unit = numpy_node(example("adult"))
    heads = ("CPU s", "in N", "CPU s now", "in N now")[: 2 * len(sources)]
    print(f"| | {' | '.join(heads)} |\n|{' --- |' * (1 + len(heads))}")
    with tempfile.TemporaryDirectory() as home:
        for arguments in MADE:
            started(OWN, Path(home), *MAIN, *arguments)
        for name in (*COMMANDS, *BOUND):
            # The first time is not counted: Python compiles its files then.
            for source in sources if name in COMMANDS else ():
                taken(source, Path(home), name)
            found: list[list[tuple[float, float]]] = [[] for _ in sources]
            for _ in range(given.rounds):
                for place, source in enumerate(sources):
                    start = time.process_time()
                    for _ in range(15):
                        unit()
                    own = (time.process_time() - start) / 15
                    seconds = taken(source, Path(home), name)
                    found[place].append((seconds, seconds / own))
            cells = [f"{statistics.median(each):.2f}" for rows in found for each in zip(*rows, strict=True)]
            shown = name if name in COMMANDS else f"binding a million values, {name}"
            print(f"| {shown} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
