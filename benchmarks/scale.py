"""Counting, exploring, releasing and auditing 10⁵ … 10⁸ rows in every engine, beside the engine's own GROUP
BY: `make scale`.

The table is Adult, drawn again with noise, so that distinct tuples grow with the rows: eight
quasi-identifiers, the occupation, and a serial number that the schema drops. It is written as Parquet in
pieces, to a temporary folder, which is removed. Each task is a process of its own, so that its peak of memory
is its own (what Linux says of it); libraries, and Spark, are loaded before its clock starts, databases are
filled before. The ratio compares with the engine's plain GROUP BY of the same nine columns, brought back, in
the same run, that of a release with DuckDB copying the file sorted by these columns. Where a ratio has a
target, both are measured in turn several times, and the medians are shown. On a machine that others use too,
compare CPU seconds.

`python -m benchmarks.scale --rows 1e5,1e8 --engines duckdb,polars --memory 2GB` chooses.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks import process_tree
from benchmarks.scale_engines import ENGINES
from benchmarks.scale_setting import Setting, Took
from benchmarks.scale_tasks import TASKS

ROWS = "1e5,1e6,1e7"
# From so many rows on a ratio has a target: below, what starting takes decides.
MEASURED_FROM = 10_000_000
MOST_OF_CUBE, MOST_OF_RELEASE = 1.5, 2.0
# Megabytes: of the commands up to ten million rows, of the cube of a hundred.
COMMAND_LIMIT, CUBE_LIMIT = 1000, 3000


class Target(NamedTuple):
    """What a line promises: at most this ratio, and this memory, which ends it if it is exceeded."""

    ratio: float | None = None
    megabytes: float | None = None


def main() -> None:
    given = arguments()
    print("Adult drawn again with noise, 8 quasi-identifiers and the occupation, from Parquet")
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"DuckDB's memory limit {given.memory}; {os.cpu_count()} cores, of which others used: load {load}")
    print(f"hard limits of memory are kept by {process_tree.limited_by()}\n")
    with ExitStack() as stack:
        # The release log of whoever measures stays as it is.
        folder = stack.enter_context(_folder(given.folder))
        os.environ["PARETONYM_STATE"] = f"{folder}/state"
        server = stack.enter_context(_postgresql()) if "postgresql" in given.engines else None
        lines = Lines(Setting(folder, given.memory), server, given.rounds)
        for rows in given.rows:
            lines.measure(rows, given.engines)
    if lines.missed:
        sys.exit(f"missed: {'; '.join(lines.missed)}")


@contextmanager
def _folder(parent: str | None) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="paretonym-scale-", dir=parent) as name:
        yield name


@contextmanager
def _postgresql() -> Iterator[tuple[str, int] | None]:
    """The address of a server on loopback, and its process; none where it is not installed."""
    from tests.postgresql_server import programs, running_server

    if programs() is None:
        yield None
        return
    with running_server() as server:
        process = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
        yield server.address(), process


def arguments() -> argparse.Namespace:
    found = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.splitlines()[0])
    found.add_argument("--rows", default=ROWS, type=_rows, help=f"sizes, separated by commas ({ROWS})")
    found.add_argument("--engines", default=",".join(ENGINES), type=_engines, help=", ".join(ENGINES))
    found.add_argument("--memory", default="500MB", help="DuckDB's limit")
    found.add_argument("--rounds", default=3, type=int, help="how often what has a target is measured")
    found.add_argument("--folder", help="where the temporary folder is made")
    return found.parse_args()


def _rows(text: str) -> list[int]:
    return [int(float(each)) for each in text.split(",")]


def _engines(text: str) -> list[str]:
    named = text.split(",")
    if unknown := set(named) - set(ENGINES):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}; known are {', '.join(ENGINES)}")
    return named


HEADINGS = (
    f"{'':<28}{'s':>9}{'M rows/s':>10}{'CPU s':>9}{'times':>8}{'(CPU)':>8}{'peak MB':>10}{'beside':>9}"
    f"{'tuples':>12}{'MB back':>9}  target"
)


class Lines:
    """The table, line by line, and what has missed its target."""

    def __init__(self, setting: Setting, server: tuple[str, int] | None, rounds: int) -> None:
        self.setting, self.server, self.rounds = setting, server, rounds
        self.missed: list[str] = []
        self.rows = 0

    def measure(self, rows: int, engines: Sequence[str]) -> None:
        self.rows = rows
        _prepare("make_table", self.setting, str(rows))
        size = self.setting.data.stat().st_size / 1e6
        print(f"{rows:,} rows, {size:,.0f} MB\n{HEADINGS}", flush=True)
        for engine in engines:
            self._engine(engine)
        if "duckdb" in engines:
            self._commands()
            self._spaces()
        print(flush=True)
        for each in Path(self.setting.folder).iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()

    def _engine(self, name: str) -> None:
        engine, setting = ENGINES[name], self.setting
        if not find_spec(engine.needs) or (name == "spark" and shutil.which("java") is None):
            print(f"{name:<28}skipped: it is not installed", flush=True)
            return
        if name == "postgresql":
            if self.server is None:
                print(f"{name:<28}skipped: there is no server of PostgreSQL to start", flush=True)
                return
            setting = setting._replace(server=self.server[0], engine=self.server[1])
        if engine.fill is not None:
            _prepare(engine.fill.__name__, setting, engine.needs)
        ours = name == "duckdb" and self.rows >= MEASURED_FROM
        target = Target(MOST_OF_CUBE, CUBE_LIMIT) if ours else Target()
        titles = f"{name}: plain GROUP BY", f"{name}: cube"
        self._compare(titles, (engine.plain, engine.cube), target, engine.needs, setting)

    def _commands(self) -> None:
        limit = Target(megabytes=COMMAND_LIMIT if self.rows <= MEASURED_FROM else None)
        base = _measured("duckdb_group_by", self.setting)
        self._alone("explore (k, loss)", "explore", base, limit)
        copied = Target(MOST_OF_RELEASE if self.rows >= MEASURED_FROM else None, limit.megabytes)
        titles = "DuckDB sorts and copies", "release"
        self._compare(titles, (TASKS["sort_and_copy"], TASKS["release"]), copied, "duckdb", self.setting, 1)
        self._alone("audit", "audit", base, limit)
        self._alone("audit with the original", "audit_with_original", base, limit)
        self._alone("attack with the original", "attack", base, limit)

    def _spaces(self) -> None:
        base = _measured("duckdb_group_by", self.setting)
        self._alone("mondrian and its release", "mondrian", base, Target())
        if self.rows <= MEASURED_FROM:
            # Beyond, the rows that a permutation needs do not fit, and it is refused.
            self._alone("buckets and their release", "buckets", base, Target())

    def _alone(self, title: str, task: str, base: Took | str, target: Target) -> None:
        self._show(title, [_measured(task, self.setting, target.megabytes)], [base], target)

    def _compare(
        self,
        titles: tuple[str, str],
        tasks: tuple[Callable[..., object], Callable[..., object]],
        target: Target,
        needs: str,
        setting: Setting,
        rounds: int | None = None,
    ) -> None:
        """Two tasks in turn, so that both find the machine in the same state."""
        plain: list[Took | str] = []
        ours: list[Took | str] = []
        for _ in range(rounds or (self.rounds if target.ratio else 1)):
            plain.append(_measured(tasks[0].__name__, setting, needs=needs))
            ours.append(_measured(tasks[1].__name__, setting, target.megabytes, needs))
        self._show(titles[0], plain, plain, Target())
        self._show(titles[1], ours, plain, target)

    def _show(
        self, title: str, found: Sequence[Took | str], bases: Sequence[Took | str], target: Target
    ) -> None:
        if failure := next((each for each in (*found, *bases) if isinstance(each, str)), ""):
            self.missed.append(f"{title} at {self.rows:,} rows")
            print(f"{title:<28}FAILED: {failure}", flush=True)
            return
        pairs = [
            (a, b) for a, b in zip(found, bases, strict=True) if isinstance(a, Took) and isinstance(b, Took)
        ]
        took = Took(*(statistics.median(values) for values in zip(*(a for a, _ in pairs), strict=True)))
        ratio = statistics.median(a.seconds / b.seconds for a, b in pairs)
        of_cpu = statistics.median(a.cpu / b.cpu for a, b in pairs)
        speed = self.rows / took.seconds / 1e6
        times = f"{took.seconds:>9.2f}{speed:>10.3f}{took.cpu:>9.2f}{ratio:>8.2f}{of_cpu:>8.2f}"
        peak = f"{took.megabytes:>10,.0f}"
        beside = f"{took.beside:>9,.0f}" if took.beside > 1 else f"{'':>9}"
        brought = f"{took.bytes / 1e6:>9,.1f}" if took.bytes else f"{'':>9}"
        back = f"{took.tuples:>12,.0f}{brought}" if took.tuples else f"{'':>21}"
        verdict = self._verdict(title, ratio, took.megabytes, target)
        print(f"{title:<28}{times}{peak}{beside}{back}  {verdict}".rstrip(), flush=True)

    def _verdict(self, title: str, ratio: float, megabytes: float, target: Target) -> str:
        checks = [(ratio, target.ratio, "times"), (megabytes, target.megabytes, "MB")]
        promised = [(value, most, unit) for value, most, unit in checks if most is not None]
        failed = any(value > most for value, most, _ in promised)
        if failed:
            self.missed.append(f"{title} at {self.rows:,} rows")
        words = ", ".join(f"at most {most:,g} {unit}" for _, most, unit in promised)
        return f"{words}: {'FAILED' if failed else 'holds'}" if promised else ""


def _run(task: str, setting: Setting, further: str, limit: float | None = None) -> process_tree.Ended:
    command = [sys.executable, "-m", "benchmarks.scale_tasks", task, json.dumps(setting._asdict()), further]
    return process_tree.run(command, limit, setting.engine or None)


def _prepare(task: str, setting: Setting, further: str) -> None:
    """Make or fill a table; without it, there is nothing to measure."""
    if failure := _run(task, setting, further).failure:
        sys.exit(f"{task}: {failure}")


def _measured(task: str, setting: Setting, limit: float | None = None, needs: str = "duckdb") -> Took | str:
    """What a task took, or why it failed."""
    ended = _run(task, setting, needs, limit)
    if ended.failure:
        return ended.failure
    return Took(*json.loads(ended.output.splitlines()[-1]))._replace(beside=ended.beside)


if __name__ == "__main__":
    main()
