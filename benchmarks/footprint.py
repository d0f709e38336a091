"""What a new user waits for and gives away: seconds, memory, megabytes.

    python -m benchmarks.footprint [--sizes]

Prints the first and the second time of eight kinds of question, each in a process of its own with an empty
home folder (seconds on the clock / of the processor), the most memory that a process held, the time that
`import paretonym` takes, and with --sizes the size of fresh installations with and without extras.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
ADULT = "import paretonym; study = paretonym.example('adult')\n"
QUESTIONS = {
    "k, loss at 1 %": "study.explore('k', 'loss', suppress='1%')",
    "k, loss, nothing left out": "study.explore('k', 'loss')",
    "k, l, t, loss at 1 %": "study.explore('k', 'l', 't', 'loss', suppress='1%')",
    "k, loss, any": "study.explore('k', 'loss', suppress='any:1%')",
    "exhaustive": "study.explore('k', 'loss', suppress='1%', search='exhaustive')",
    "cuts": "study.explore('k', 'loss', space='cuts', suppress='1%', evaluations=500)",
    "Mondrian": "study.explore('k', 'loss', space='mondrian', sweep=['k=5,10,50'])",
    "estimates": "study.explore('k', 'utility-loss', space='mondrian', sweep=['k=5,50'])",
}
# The most that a process held, and its time, reported by a parent that has no other children.
WATCH = """
import resource, subprocess, sys, time
started = time.monotonic()
ended = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if ended.returncode: sys.exit(ended.stderr.decode()[-800:])
print(time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def watched(home: Path, *command: str) -> tuple[float, float, float]:
    """Seconds on the clock and of the processor, and MB at most, of a command in a home folder."""
    folders = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    ended = subprocess.run(
        [sys.executable, "-c", WATCH, *command],
        env=os.environ | folders,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        sys.exit(ended.stderr)
    clock, processor, memory = (float(part) for part in ended.stdout.split())
    return clock, processor, memory


def questions() -> None:
    print("| question about Adult | first: clock / CPU s | second: clock / CPU s | MB at most |")
    print("| --- | --- | --- | --- |")
    for name, asked in QUESTIONS.items():
        with tempfile.TemporaryDirectory() as home:
            times = [watched(Path(home), sys.executable, "-c", ADULT + asked) for _ in range(2)]
        cells = [f"{clock:.2f} / {processor:.2f}" for clock, processor, _ in times]
        print(f"| {name} | {cells[0]} | {cells[1]} | {max(each[2] for each in times):.0f} |", flush=True)


def commands() -> None:
    program = "from paretonym.interfaces.cli.main import main; main()"
    explored = ["demo/adult.csv", "--schema", "demo/adult.toml", "-o", "run"]
    with tempfile.TemporaryDirectory() as home:
        for arguments in (["demo", "-o", "demo"], ["explore", *explored, "--suppress", "1%"]):
            clock, processor, memory = watched(Path(home), sys.executable, "-c", program, *arguments)
            figures = f"{clock:.2f} s, {processor:.2f} CPU s, {memory:.0f} MB at most"
            print(f"paretonym {arguments[0]}: {figures}", flush=True)
    program = "import time; t = time.process_time(); import paretonym; print(time.process_time() - t)"
    command = [sys.executable, "-c", program]
    times = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(5)]
    print(f"import paretonym: {min(float(each) for each in times):.3f} CPU s, the best of five")


def sizes() -> None:
    """Without compiled Python files, pip and setuptools."""
    for extras in ("", "[all]"):
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = Path(folder) / "bin" / "python"
            started = time.monotonic()
            command = [str(python), "-m", "pip", "install", "--quiet", "--no-compile", f"{ROOT}{extras}"]
            subprocess.run([*command, "--disable-pip-version-check"], check=True)
            total = sum(
                path.stat().st_size
                for path in Path(folder).rglob("*")
                if path.is_file() and not {"pip", "setuptools", "__pycache__"} & set(path.parts)
            )
            took = time.monotonic() - started
            print(f"installed, paretonym{extras}: {total / 1e6:.0f} MB, {took:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a new user waits for.")
    parser.add_argument("--sizes", action="store_true", help="also install into fresh environments")
    given = parser.parse_args()
    questions()
    commands()
    if given.sizes:
        sizes()


if __name__ == "__main__":
    main()
