"""Work on all cores: threads for a whole search, and batches of work that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


@contextmanager
def workers(threads: int) -> Iterator[Executor | None]:
    """Threads for a whole search; None if one is enough."""
    if threads == 1:
        yield None
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="paretonym")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_parallel(
    work: Callable[[Task], Result], batches: Iterable[Task], pool: Executor | None, threads: int
) -> Iterator[tuple[Task, Result]]:
    """Each batch with its result, in the order of completion; only a few run at a time, so that an interrupt
    takes effect soon."""
    if pool is None:
        yield from ((batch, work(batch)) for batch in batches)
        return
    waiting = iter(batches)
    running: dict[Future[Result], Task] = {}
    while True:
        for batch in islice(waiting, 2 * threads - len(running)):
            running[pool.submit(work, batch)] = batch
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.result()
