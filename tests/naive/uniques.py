"""Minimal sample uniques counted without the kernel, as those of persons are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from paretonym.engine.risk import minimal_uniques


@contextmanager
def plainly_counted() -> Iterator[None]:
    """Every subset by itself in numpy meanwhile."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(minimal_uniques._Level, "count", minimal_uniques._count_plainly)
        yield
