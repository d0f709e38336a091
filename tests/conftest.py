"""What holds for all tests: no release log of whoever runs them, the same cases every time, and no waiting
for the disk."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from paretonym.base.state import VARIABLE

pytest_plugins = ["tests.sampling"]

# How long a case takes depends on who else works on the machine. The same cases are tried every time;
# `make nightly` tries new ones.
_EVERYWHERE = settings(
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("repeatable", _EVERYWHERE, derandomize=True)
settings.register_profile("fresh", _EVERYWHERE, print_blob=True)
settings.load_profile(os.environ.get("PARETONYM_CASES") or "repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """A state folder for what fixtures of modules and of the session do; it goes when the process ends.
    Bytecode is kept: to compile all modules again takes a process that a test starts half a second, and the
    next run of all tests six seconds."""
    sys.dont_write_bytecode = False
    folder = tempfile.TemporaryDirectory(prefix="paretonym-state-")
    config.add_cleanup(folder.cleanup)
    patch = pytest.MonkeyPatch()
    patch.setenv(VARIABLE, str(Path(folder.name) / "session"))
    patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    patch.setattr(os, "fsync", _accepted)
    # Each core has its tests; threads of the linear algebra that wait for each other only keep them busy.
    patch.setenv("OPENBLAS_NUM_THREADS", "1")
    config.add_cleanup(patch.undo)


def _accepted(file: int) -> None:
    """Instead of `os.fsync`: refuses what it refuses, but waits for no disk, some thousand times. What is
    flushed, and when, is recorded in `test_atomic_files_flushed.py`; processes of their own do wait."""
    os.fstat(file)


@pytest.fixture(autouse=True)
def _signals() -> None:
    """Ctrl-C as Python handles it: Spark or a server in an earlier test may have changed that."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _begun_early(items: Sequence[pytest.Item]) -> tuple[bool, bool, bool, int]:
    """Where the tests of a module stand in a run on several cores: what takes long is not left for the end,
    when the others have nothing to do. Groups come first (Spark, a server, clean installations), then what
    is slow, then the browser, then many tests; one that tries many examples counts as ten."""
    grouped = any(item.get_closest_marker("xdist_group") for item in items)
    slow = any(item.get_closest_marker("slow") for item in items)
    browser = any("chromium" in getattr(item, "fixturenames", ()) for item in items)
    tests = sum(10 if item.get_closest_marker("hypothesis") else 1 for item in items)
    return not grouped, not slow, not browser, -tests


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(config, "workerinput"):
        return
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path, []).append(item)
    items[:] = [item for each in sorted(modules.values(), key=_begun_early) for item in each]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With --dist loadgroup a group, or else a module, is run by one process: its fixtures are made once."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    config.option.loadscopereorder = False  # it would begin with modules of many tests, however short
    scheduler = LoadGroupScheduling(config, log)
    grouped = scheduler._split_scope
    scheduler._split_scope = lambda test: grouped(test).partition("::")[0]
    return scheduler


def pytest_collection_finish() -> None:
    """Keep what was collected, some hundred thousand objects, out of every later garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()


@pytest.fixture(scope="session")
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders in a folder of their own: `mktemp` reads all that it has made before for each new one."""
    folder = tmp_path_factory.mktemp("states")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def state(states: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of each test's own: its releases stand in no other test's way."""
    own = next(states)
    own.mkdir()
    folder = own / "paretonym"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder
