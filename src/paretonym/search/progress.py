"""How a search tells how far it is, and how it is told to stop."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

# Called with how many nodes are done and how many there are.
Progress: TypeAlias = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """No progress wanted."""


def usable_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
