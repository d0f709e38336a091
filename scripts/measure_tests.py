"""Measure how long the tests take, and keep it in tests/durations.toml, by which `make test` chooses:

    python -m scripts.measure_tests [arguments of pytest]

Seconds are those of processors, of a test and of the processes that it started: what else the machine does
makes no difference. Families of tests that take less than a second are left out. With arguments, what they do
not run stays as it was. Needs Linux.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import DURATIONS, Family, family_of, stored

LEAST = 1.0
PROPERTY = "processor"
_begun = pytest.StashKey[float]()
_found: dict[str, list[float]] = defaultdict(list)


def _descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            yield int(child)
            yield from _descendants(int(child))


def _spent() -> float:
    """Seconds of processors that this process, its descendants, and those of them that ended have used."""
    ticks = 0
    for pid in (os.getpid(), *_descendants(os.getpid())):
        try:
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
        except OSError:
            continue  # its parent has what it took
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    item.session.stash[_begun] = _spent()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> Any:
    """What several tests share is not on the bill of the first."""
    stash, before = request.session.stash, _spent() - request.session.stash[_begun]
    made = yield
    if fixturedef.scope != "function":
        stash[_begun] = _spent() - before
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if call.when == "call":
        report.user_properties.append((PROPERTY, _spent() - item.session.stash[_begun]))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds = dict(report.user_properties).get(PROPERTY)
    if report.when == "call" and isinstance(seconds, float):
        _found[family_of(report.nodeid)].append(max(0.0, seconds))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    measured = {name: Family(len(cases), round(sum(cases), 1)) for name, cases in _found.items()}
    kept = {name: family for name, family in stored().items() if name not in measured}
    lines = (
        f'"{name}" = [{family.cases}, {family.seconds}]\n'
        for name, family in sorted({**kept, **measured}.items())
        if family.seconds >= LEAST
    )
    DURATIONS.write_text(
        "# Cases, and seconds of all: scripts/measure_tests.py\n" + "".join(lines), encoding="utf-8"
    )


if __name__ == "__main__":
    if not sys.argv[1:]:
        DURATIONS.write_text("", encoding="utf-8")
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.sampling",
        "-p",
        "scripts.measure_tests",
        "-n",
        "auto",
        "--dist",
        "loadgroup",
    )
    raise SystemExit(
        subprocess.run([*command, *sys.argv[1:]], cwd=DURATIONS.parents[1], check=False).returncode
    )
