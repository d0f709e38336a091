"""What may be told of the rows that a release leaves out, in its manifest as in the report for everybody."""

from __future__ import annotations

from collections.abc import Mapping

from paretonym.release.claims import OF_SIZES, OF_VALUES

# Measures of the rows that stay, and of nothing else.
OF_WHAT_STAYS = (*OF_SIZES, *OF_VALUES, "l-recursive")


def few(count: int, k: int) -> bool:
    """Whether a number of people is too small to be told.

    >>> few(0, 2), few(1, 2), few(2, 2)
    (False, True, False)
    """
    return 0 < count < k


def tellable(values: Mapping[str, float], left_out: int, k: int) -> dict[str, float]:
    """The values that may be told. Beside the released file, whatever counts rows that were left out tells
    their number: where that is too small, only measures of the rows that stay are told.

    >>> tellable({"l": 3, "loss": 0.4, "sl": 0.01}, left_out=1, k=2)
    {'l': 3}
    """
    hidden = few(left_out, k)
    return {n: v for n, v in values.items() if not hidden or n.partition("@")[0] in OF_WHAT_STAYS}
