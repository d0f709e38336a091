"""Whether what a search found is what the twin found: the same vectors, whatever their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tests.naive.twin import Vector


def same_vectors(found: Iterable[Sequence[float]], exact: Iterable[Vector]) -> bool:
    """Sorted and paired, every number within a relative 1e-9."""
    left = sorted(tuple(vector) for vector in found)
    right = sorted(tuple(float(value) for value in vector) for vector in exact)
    return len(left) == len(right) and all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        for one, other in zip(left, right, strict=True)
        for a, b in zip(one, other, strict=True)
    )
