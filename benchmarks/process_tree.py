"""What processes take, as Linux counts it: their memory, their CPU seconds, and a limit that ends them.

A hard limit is one of a cgroup, where systemd can make one (`systemd-run --scope`); elsewhere a watchdog
kills a process that holds more. Either way the verdict is that of the kernel's own record of the most memory
that was resident (VmHWM), which misses no short peak; mapped libraries are included.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
# Seconds between two looks.
PERIOD = 0.02


def descendants(roots: Iterable[int]) -> set[int]:
    """The processes that were started by these and still run, without themselves."""
    parents = {int(each.name): _parent(each) for each in PROC.glob("[0-9]*")}
    found, fresh = set(roots), set(roots)
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found - set(roots)


def _parent(folder: Path) -> int:
    fields = _stat(folder)
    return int(fields[1]) if fields else 0


def _stat(folder: Path) -> Sequence[str]:
    """The fields behind a process's name, from its state on."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ()


def cpu_seconds(pids: Iterable[int]) -> float:
    """The CPU seconds of processes and of those of their children that have ended."""
    ticks = os.sysconf("SC_CLK_TCK")
    return sum(sum(map(int, _stat(PROC / str(pid))[11:15])) / ticks for pid in pids)


def megabytes(pid: int, field: str = "VmRSS") -> float:
    """The memory of a process: resident now (VmRSS), or at most (VmHWM)."""
    try:
        lines = (PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(field)), 0.0)


@cache
def limited_by() -> str:
    """How a limit of memory is kept here."""
    if sys.platform != "linux":
        return "nothing"
    if shutil.which("systemd-run"):
        tried = subprocess.run(_scope(1000, ["true"]), capture_output=True, timeout=30, check=False)
        if tried.returncode == 0:
            return "a cgroup"
    return "a watchdog on the resident memory"


def _scope(limit: float, command: Sequence[str]) -> list[str]:
    user = [] if os.getuid() == 0 else ["--user"]
    most = ["-p", f"MemoryMax={int(limit)}M", "-p", "MemorySwapMax=0"]
    return ["systemd-run", "--scope", "--quiet", "--collect", *user, *most, "--", *command]


class Ended(NamedTuple):
    """How a process ended: what it wrote, and the most memory of the processes that it and an engine ran."""

    output: str
    failure: str
    beside: float


def run(command: Sequence[str], limit: float | None = None, engine: int | None = None) -> Ended:
    """Run a command, with at most `limit` megabytes; `engine` is a process that works for it elsewhere."""
    whole = _scope(limit, command) if limit and limited_by() == "a cgroup" else list(command)
    with subprocess.Popen(whole, stdout=subprocess.PIPE, text=True) as process:
        watch = _Watch(process.pid, limit, engine)
        watch.start()
        output, _ = process.communicate()
        watch.stop()
    failure = watch.failure or (f"ended with {process.returncode}" if process.returncode else "")
    if process.returncode == -signal.SIGKILL and limit and not watch.failure:
        failure = f"killed at its limit of {limit:,.0f} MB"
    return Ended(output, failure, watch.beside)


class _Watch(threading.Thread):
    """Looks at a process and those beside it, and ends it if it holds too much."""

    def __init__(self, pid: int, limit: float | None, engine: int | None) -> None:
        super().__init__(daemon=True)
        self.pid, self.limit, self.engine = pid, limit, engine
        self.beside, self.failure = 0.0, ""
        self._over = threading.Event()

    def run(self) -> None:
        looks = 0
        while not self._over.wait(PERIOD):
            held = megabytes(self.pid)
            if self.limit and held > self.limit:
                self.failure = f"killed at {held:,.0f} MB"
                os.kill(self.pid, signal.SIGKILL)
                return
            # All processes of the machine are read, so not each time.
            if looks % 10 == 0:
                others = descendants([self.pid] if self.engine is None else [self.pid, self.engine])
                self.beside = max(self.beside, sum(map(megabytes, others)))
            looks += 1

    def stop(self) -> None:
        self._over.set()
        self.join()
