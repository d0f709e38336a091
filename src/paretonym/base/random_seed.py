"""Seeds of random draws: whole numbers of 32 bits, which files, kernels and numpy hold exactly."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

from paretonym.base.errors import Field, InputError

LARGEST_SEED = 2**32 - 1


def checked_seed(seed: SupportsIndex | str | float, place: Field | None = None) -> int:
    """A seed as a number; anything else is refused before any work is done.

    >>> checked_seed("7"), checked_seed(7.0)
    (7, 7)
    """
    try:
        whole = isinstance(seed, str) or (isinstance(seed, float) and seed.is_integer())
        number = int(seed) if whole else index(seed)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 <= number <= LARGEST_SEED:
        wrong = f"{str(seed)[:40]} is not a seed"
        raise InputError.of(place or Field("seed"), wrong, f"give a whole number from 0 to {LARGEST_SEED}")
    return number
