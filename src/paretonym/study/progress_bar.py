"""A progress bar for long searches in a notebook; scripts and terminals see nothing.

No library is loaded for it: a notebook has loaded IPython, whose display shows and replaces the bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from paretonym.base.budget import Progress, silent

# A search that ends sooner needs no bar; a notebook keeps up with this many bars a second.
SOON = 0.5
PAUSE = 0.2


class Display(Protocol):
    """A place in the output of a notebook, as IPython's `display` returns it."""

    def update(self, shown: object) -> None:
        """Replace what is shown there."""
        ...


class ProgressBar:
    """Shows how many nodes are done, at most a few times a second, and is gone when the search ends."""

    def __init__(self) -> None:
        self.done, self.total = 0, 0
        self._started = self._last = time.monotonic()
        self._display: Display | None = None

    def __call__(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        now = time.monotonic()
        if now - self._started < SOON or now - self._last < PAUSE:
            return
        self._last = now
        if self._display is None:
            self._display = sys.modules["IPython.display"].display(self, display_id=True)
        else:
            self._display.update(self)

    def close(self) -> None:
        """Remove the bar."""
        if self._display is not None:
            self._display.update(sys.modules["IPython.display"].HTML(""))

    @property
    def share(self) -> float:
        """The share of the nodes that is done."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def __repr__(self) -> str:
        return f"{self.done:,} of {self.total:,} ({self.share:.0%})"

    def _repr_html_(self) -> str:
        return f'<progress value="{self.share:.3f}" max="1" aria-label="progress"></progress> {self!r}'


@contextmanager
def shown_progress(given: Progress | None) -> Iterator[Progress]:
    """The progress that somebody has given; otherwise a bar in a notebook, and nothing elsewhere."""
    if given is not None or not in_notebook():
        yield given or silent
        return
    bar = ProgressBar()
    try:
        yield bar
    finally:
        bar.close()


def in_notebook() -> bool:
    """True if a kernel runs this: IPython is loaded, and shows its outputs in a page."""
    loaded = sys.modules.get("IPython")
    shell = None if loaded is None or "IPython.display" not in sys.modules else loaded.get_ipython()
    return getattr(shell, "kernel", None) is not None
