"""What a task of `benchmarks.scale` is given, and what it says that it took."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.process_tree import cpu_seconds, descendants, megabytes


class Setting(NamedTuple):
    """What every task is given: where the files are, the limit that an engine is given, and the server of
    PostgreSQL with its process."""

    folder: str
    memory: str
    server: str = ""
    engine: int = 0

    @property
    def data(self) -> Path:
        return Path(self.folder) / "data.parquet"

    def at(self, name: str) -> Path:
        return Path(self.folder) / name


class Took(NamedTuple):
    """What a task took; `bytes` were brought back from the engine, in `tuples` distinct rows; `beside` is the
    memory of an engine in processes of its own."""

    seconds: float
    cpu: float
    megabytes: float
    bytes: int = 0
    tuples: int = 0
    beside: float = 0


class Clock:
    """Seconds on the wall, and CPU seconds of this process and of an engine beside it, since it was made."""

    def __init__(self, setting: Setting) -> None:
        self._roots = [os.getpid(), *([setting.engine] if setting.engine else [])]
        self.start, self.cpu = time.perf_counter(), self._spent()

    def _spent(self) -> float:
        beside = descendants(self._roots) | set(self._roots[1:])
        return time.process_time() + cpu_seconds(beside)

    def took(self, size: int = 0, tuples: int = 0) -> Took:
        seconds = time.perf_counter() - self.start
        return Took(seconds, self._spent() - self.cpu, megabytes(os.getpid(), "VmHWM"), size, tuples)
