"""Compiled: numbers for what tuples become at other levels, made of what each of their digits adds."""

from __future__ import annotations

import numpy as np

from paretonym.cube.compiling import compiled
from paretonym.cube.layout import MASK, PLACE, POSITION, SHIFT

MOST_CODES = 1 << 62


@compiled
def write_codes(layout, levels, other, codes_of, digits):
    """What each group of each digit adds to the code of a tuple: digits whose level differs from the other.
    Returns how many these are, listed in `digits`, and how many codes there are: more than MOST_CODES if one
    word cannot tell all of them apart."""
    found, codes, end = write_some_codes(layout, levels, other, codes_of, digits, 0, np.int64(1))
    return found, codes if end == len(levels) else np.int64(MOST_CODES + 1)


@compiled
def write_some_codes(layout, levels, other, codes_of, digits, first, codes):
    """The same from a position on, where so many codes are there already, as far as one word can tell all
    of them apart. Returns also the position where that ends."""
    found, place = 0, np.int64(0)
    for position in range(len(levels)):
        groups = layout.groups[position, levels[position]]
        if position >= first and groups > 1 and levels[position] != other[position]:
            if codes > MOST_CODES // groups:
                return found, codes, position
            start = layout.starts[position, 0, levels[position]]
            for group in range(layout.groups[position, 0]):
                codes_of[place + group] = layout.mappings[start + group] * codes
            digits[found, POSITION] = position
            digits[found, SHIFT] = layout.shifts[position]
            digits[found, MASK] = (np.int64(1) << layout.bits[position]) - 1
            digits[found, PLACE] = place
            found += 1
            codes *= groups
        place += np.int64(1) << layout.bits[position]
    return found, codes, len(levels)


@compiled
def add_codes(layout, keys, digits, found, codes_of, codes):
    """Add to the codes of tuples what their digits add: one digit after the other, since short loops over
    all tuples are several times as fast as a short one for each. Where keys would not fit into a word, they
    are places among the tuples."""
    for i in range(found):
        place = digits[i, PLACE]
        if layout.columns.size:
            column = layout.columns[:, digits[i, POSITION]]
            for t in range(len(keys)):
                codes[t] += codes_of[np.uint64(place + column[keys[t]])]
        else:
            shift, mask = digits[i, SHIFT], digits[i, MASK]
            for t in range(len(keys)):
                codes[t] += codes_of[np.uint64(place + ((keys[t] >> shift) & mask))]
