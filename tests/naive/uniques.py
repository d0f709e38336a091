"""Minimal sample uniques counted without the kernel, as those of persons are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from paretonym.risk import minimal_uniques


@contextmanager
def plainly_counted() -> Iterator[None]:
    """Every subset by itself in numpy meanwhile."""

    def count(level: minimal_uniques._Level, batch: slice) -> object:
        members = np.array(level.subsets[batch], dtype=np.int64)
        return minimal_uniques._count_plainly(level, members, level.parents[batch])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(minimal_uniques._Level, "count", count)
        yield
