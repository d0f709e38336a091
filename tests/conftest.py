"""What holds for all tests: no release log of whoever runs them, and the same cases every time."""

from __future__ import annotations

import gc
import signal
import tempfile
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from paretonym.state import VARIABLE

# The same cases every time and on every machine; how long one takes depends on who else works there.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """A state folder for what fixtures of modules and of the session do; it goes when the process ends.
    Processes that tests start keep their bytecode: to compile all modules again takes each half a second."""
    folder = tempfile.TemporaryDirectory(prefix="paretonym-state-")
    config.add_cleanup(folder.cleanup)
    patch = pytest.MonkeyPatch()
    patch.setenv(VARIABLE, str(Path(folder.name) / "session"))
    patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    config.add_cleanup(patch.undo)


@pytest.fixture(autouse=True)
def _signals() -> None:
    """Ctrl-C as Python handles it: Spark or a server in an earlier test may have changed that."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
