"""The budget of a search: how long it may take, how many cores and how much memory there are, and whom it
informs."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from paretonym.base.errors import Field, InputError

# Called with the number of nodes done and the total.
Progress: TypeAlias = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Report no progress."""


def usable_cores() -> int:
    """The number of cores that this process may use: all, or as many as PARETONYM_THREADS says."""
    threads = os.environ.get("PARETONYM_THREADS", "")
    if threads:
        if not threads.isdecimal() or int(threads) < 1:
            raise InputError.of(
                "PARETONYM_THREADS", f"'{threads}' is not a number of cores", "set it to 1 or more"
            )
        return int(threads)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine_memory() -> int:
    """The machine's memory in bytes; 4 GiB where it is not known."""
    has_sysconf = hasattr(os, "sysconf")
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) if has_sysconf else 2**32


# An estimate is given once this much time has passed, if at least this much more may be needed.
_SOON = 0.5
SHORT = 10.0
_ALL_NODES = (
    "{total:,} nodes; evaluating all of them takes about {time}. "
    f"{Field('time', '60s')} stops after a minute with what was found."
)
_SOME_NODES = (
    "{total:,} nodes; about {evaluations:,} of them must be evaluated for a proof, which takes about {time}. "
    f"{Field('time', '60s')} stops after a minute with what was found and proven."
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def quiet(text: str) -> None:
    """Report no remark."""


class Forecast(str):
    """A remark that limits no answer: how long a search will take."""


# The state of a search: a `kind`, and what it needs to go on.
SearchState: TypeAlias = Mapping[str, Any]


class Checkpoint(Protocol):
    """Where a long search keeps its state, and the state from which it goes on."""

    def resumed(self, kind: str) -> SearchState | None:
        """The state of this kind that was kept before, if there is one."""
        ...

    def offer(self, state: Callable[[], SearchState]) -> None:
        """Keep the state if it is time to."""
        ...


class NoCheckpoint:
    """Nothing is kept."""

    def resumed(self, kind: str) -> None:
        return None

    def offer(self, state: Callable[[], SearchState]) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` is None for "until it is proven"; the clock starts when this is made. Of a large lattice no
    more nodes than `evaluations` are evaluated, if that is given."""

    threads: int = field(default_factory=usable_cores)
    seconds: float | None = None
    evaluations: int | None = None
    progress: Progress = silent
    remark: Callable[[str], None] = quiet
    checkpoint: Checkpoint = field(default_factory=NoCheckpoint)
    started: float = field(default_factory=time.monotonic)
    _first: list[tuple[float, int]] = field(default_factory=list)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def over(self) -> bool:
        return self.seconds is not None and self.elapsed > self.seconds

    def left(self, evaluated: int) -> int:
        """Number of further evaluations that there may be after so many."""
        return sys.maxsize if self.evaluations is None else max(self.evaluations - evaluated, 0)

    def estimate(self, evaluated: int, total: int) -> None:
        """Say once, before a long search, how many nodes there are and how long all of them would take.

        The rate is measured from the second call on, because much is prepared before the first.
        """
        now = time.monotonic()
        if not self._first:
            self._first.append((now, evaluated))
        passed, done = now - self._first[0][0], evaluated - self._first[0][1]
        if len(self._first) > 1 or passed < _SOON or done <= 0:
            return
        self._first.append((now, evaluated))
        seconds = passed * (total - evaluated) / done
        if seconds > SHORT:
            self.remark(Forecast(_ALL_NODES.format(total=total, time=duration(seconds))))

    def foretell(self, total: int, evaluations: int, seconds: float) -> None:
        """Say before a long search how many nodes will be evaluated, and how long that takes."""
        if seconds > SHORT:
            forecast = _SOME_NODES.format(total=total, evaluations=evaluations, time=duration(seconds))
            self.remark(Forecast(forecast))


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(42.3), duration(600), duration(9000)
    ('42 seconds', '10 minutes', '2.5 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def parse_time(text: str | float | None) -> float | None:
    """Seconds from `60s`, `5m`, `1.5h` or a plain number.

    >>> parse_time("90s"), parse_time("2m"), parse_time(None)
    (90.0, 120.0, None)
    """
    if text is None:
        return None
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", str(text))
    unit = _UNITS.get(match[2] or "s") if match else None
    if not match or unit is None or float(match[1]) == 0:
        raise InputError.of(
            Field("time"),
            f"'{text}' is not a length of time",
            "use, for example, 60s, 5m or 1h",
        )
    return float(match[1]) * unit
