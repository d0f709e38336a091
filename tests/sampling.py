"""Which tests `make test` runs: all, but of what takes long a few cases only, others with each commit.

All cases of a test function are a family. How long each takes is in durations.toml, which `python -m
scripts.measure_tests` keeps. A family gets as many cases as take two seconds, and at least two: those of the
next commit are others. A test without cases that takes more than five seconds is run for every fourth commit.
`--part sample` runs what `make test` runs, and `--part rest` what that leaves out: together they are
everything, once. The choice depends on the commit alone: a repeated run is the same. Tests whose cases take
more than a second are marked slow.
"""

from __future__ import annotations

import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

DURATIONS = Path(__file__).with_name("durations.toml")
SHARE, FEWEST, LONG, TURNS, SLOW = 2.0, 2, 5.0, 4, 1.0
# Whatever they take: what a release shows, what the audit and the attacks see, and runs that end badly.
ALWAYS = (
    "test_suppressed_worlds", "test_moved_values", "test_audit_twin", "test_attack_twin",
    "test_release_audit", "test_groups_audit", "test_applied_audit", "test_full_disk", "test_interrupts",
    "test_run_folder_killed", "test_golden_files",
)  # fmt: skip


class Family(NamedTuple):
    """The cases of a test function, and the seconds of processors that they take together."""

    cases: int
    seconds: float

    @property
    def each(self) -> float:
        return self.seconds / self.cases


def family_of(test: str) -> str:
    """The name of a test without its parameters.

    >>> family_of("tests/test_a.py::test_b[1-x[2]]")
    'tests/test_a.py::test_b'
    """
    return test.partition("[")[0].partition("@")[0]


def stored(path: Path = DURATIONS) -> dict[str, Family]:
    """The families of the file; those that take less than a second together are not in it."""
    return {name: Family(*both) for name, both in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def commit() -> str:
    """The commit of the tree; an empty text where there is none, as in an unpacked archive."""
    command = ("git", "-C", str(DURATIONS.parent), "rev-parse", "HEAD")
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def sample(tests: Sequence[str], durations: Mapping[str, Family], turn: str) -> set[str]:
    """The tests that stand for all of them; `turn` chooses among the cases of long families.

    >>> durations = {"a.py::t": Family(4, 60.0)}
    >>> sorted(sample(["a.py::t[1]", "a.py::t[2]", "a.py::t[3]", "a.py::t[4]", "a.py::u"], durations, "7f3"))
    ['a.py::t[2]', 'a.py::t[4]', 'a.py::u']
    """
    families: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        families[family_of(test)].append(test)
    return {
        test
        for name, cases in families.items()
        for test in (_some(name, cases, durations[name].each, turn) if name in durations else cases)
    }


def _some(name: str, cases: Sequence[str], seconds: float, turn: str) -> Sequence[str]:
    """As many as fit, as far from each other as they can be."""
    number = max(FEWEST, int(SHARE / seconds))
    first = int.from_bytes(sha256(f"{turn} {name}".encode()).digest()[:8])
    if Path(name.partition("::")[0]).stem in ALWAYS:
        return cases
    if len(cases) == 1 and seconds > LONG:
        return [] if first % TURNS else cases
    if number >= len(cases):
        return cases
    return [cases[(first + n * len(cases) // number) % len(cases)] for n in range(number)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("sample", "rest"), help="the tests of `make test`, or all others")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    durations, part = stored(), config.getoption("--part")
    for item in items:
        if (family := durations.get(family_of(item.nodeid))) and family.each > SLOW:
            item.add_marker("slow")
    if part is None:
        return
    chosen = sample([item.nodeid for item in items], durations, commit())
    config.hook.pytest_deselected(
        items=[item for item in items if (item.nodeid in chosen) != (part == "sample")]
    )
    items[:] = [item for item in items if (item.nodeid in chosen) == (part == "sample")]
