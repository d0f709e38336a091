"""Persons and households that are suppressed as a whole, found again for an audit or an attack: who stays if
a suppressed row takes all rows of its person or household with it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from paretonym.arrays import Codes, Integers, Mask
from paretonym.audits.schema_adapter import Original, rows_of

PERSON, HOUSEHOLD = "person", "household"


def entries_that_stay(
    original: Original, look: Integers, unit: str | None, keep: Mapping[str, str]
) -> Mask | None:
    """Which entries of the original stay, given a number for what each looks like; None if rows are
    suppressed one by one, or if nothing is."""
    codes = {PERSON: original.persons, HOUSEHOLD: original.households}.get(unit or "")
    said = keep.get("k")
    # A manifest may say anything.
    if codes is None or not isinstance(said, str) or not said.removeprefix(">=").isdigit():
        return None
    least = int(said.removeprefix(">="))
    stay = np.ones(len(codes), dtype=np.bool_)
    while stay.any():
        sizes = _sizes(original, look, codes if unit == PERSON else None, stay)
        small = stay & (sizes[look] < least)
        if not small.any():
            break
        stay &= ~np.isin(codes, codes[small])
    return stay


def _sizes(original: Original, look: Integers, persons: Codes | None, stay: Mask) -> Integers:
    """How many of those that stay look like each: different persons, or rows."""
    length = int(look.max(initial=0)) + 1
    if persons is None:
        return rows_of(look[stay], None if original.weights is None else original.weights[stay], length)
    pairs = np.unique(np.stack([look[stay], persons[stay].astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=length)
