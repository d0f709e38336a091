"""Work on blocks that goes on while the one before is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")

THREADS = 2


def ahead(make: Callable[[int], Made], starts: Sequence[int]) -> Iterator[Made]:
    """What `make` makes, in order; the next ones are made while one is used, and never more than that.

    >>> list(ahead(lambda start: start * 2, range(3)))
    [0, 2, 4]
    """
    with ThreadPoolExecutor(THREADS) as beside:
        waiting = [beside.submit(make, start) for start in starts[:THREADS]]
        for place in range(len(starts)):
            made = waiting.pop(0).result()
            if place + THREADS < len(starts):
                waiting.append(beside.submit(make, starts[place + THREADS]))
            yield made
