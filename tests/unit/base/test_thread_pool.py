"""Batches of work on threads: each once, failures reported, nothing left running."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from paretonym.base.arrays import Integers
from paretonym.base.thread_pool import in_parallel, workers


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_in_parallel(threads: int) -> None:
    batches = [np.arange(i, i + 3) for i in range(20)]
    with workers(threads) as pool:
        assert (pool is None) == (threads == 1)
        done = list(in_parallel(lambda batch: int(batch.sum()), batches, pool, threads))
    assert sorted(result for _, result in done) == sorted(int(batch.sum()) for batch in batches)
    assert all(int(batch.sum()) == result for batch, result in done)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failure_in_a_thread_is_told(threads: int) -> None:
    def work(batch: Integers) -> int:
        if batch[0] == 5:
            raise ZeroDivisionError
        return 0

    with pytest.raises(ZeroDivisionError), workers(threads) as pool:
        list(in_parallel(work, [np.array([i]) for i in range(20)], pool, threads))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("paretonym")]


def test_stopping_early_stops_the_threads() -> None:
    begun: list[int] = []

    def work(batch: Integers) -> None:
        begun.append(int(batch[0]))

    with workers(2) as pool:
        next(in_parallel(work, [np.array([i]) for i in range(1000)], pool, 2))
    assert len(begun) < 20
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("paretonym")]
