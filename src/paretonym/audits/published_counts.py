"""What a manifest of version 2 may state of rows that were left out, computed again: their number counts in
blocks of k."""

from __future__ import annotations


def published(spent: float, rows: int, released: int, k: int) -> dict[str, float]:
    """`gl`, `sl` and `loss` as they are to be stated. Of the `rows` of the original `released` stay;
    generalization costs these `spent`, in rows."""
    gone = (rows - released) // k * k
    seen = released + gone
    return {"gl": spent / seen, "sl": gone / seen, "loss": (spent + gone) / seen}
