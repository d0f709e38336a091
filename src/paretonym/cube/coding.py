"""Compiled: numbers for what a packed tuple becomes at other levels, one digit after the other."""

from __future__ import annotations

import numpy as np

from paretonym.cube.compiling import compiled


@compiled
def write_codes(layout, levels, other, codes_of):
    """What each group of each digit adds to the code of a tuple: digits whose level differs from the other.
    Returns these digits, as a set of bits, and how many codes there are."""
    digits, codes, place = np.int64(0), np.int64(1), np.int64(0)
    for position in range(len(levels)):
        groups = layout.groups[position, levels[position]]
        if groups > 1 and levels[position] != other[position]:
            start = layout.starts[position, 0, levels[position]]
            for group in range(layout.groups[position, 0]):
                codes_of[place + group] = layout.mappings[start + group] * codes
            digits |= np.int64(1) << position
            codes *= groups
        place += np.int64(1) << layout.bits[position]
    return digits, codes


@compiled
def code_of(layout, key, digits, codes_of):
    code, place = np.int64(0), np.int64(0)
    for position in range(len(layout.bits)):
        width = np.int64(1) << layout.bits[position]
        if digits >> position & 1:
            code += codes_of[np.uint64(place + ((key >> layout.shifts[position]) & (width - 1)))]
        place += width
    return code
