"""What a manifest of version 2 may state of rows that were left out, computed again: their number counts in
blocks of k."""

from __future__ import annotations

from collections.abc import Mapping


def published(costs: Mapping[str, float], rows: int, released: int, k: int) -> dict[str, float]:
    """`gl`, `sl` and `loss` as they are to be stated. `costs` are those of all `rows` of the original, of
    which `released` stay."""
    gone = (rows - released) // k * k
    spent, seen = costs["gl"] * rows, released + gone
    return {"gl": spent / seen, "sl": gone / seen, "loss": (spent + gone) / seen}
