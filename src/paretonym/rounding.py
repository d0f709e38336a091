"""Rounding: values and bounds are compared after rounding to 12 significant digits.

Rounding preserves order. So a value that is known to be at least x is, once rounded, at least x rounded; and
a bound on rounded values corresponds to one bound on values before rounding.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats

Sense: TypeAlias = Literal["at-least", "at-most"]

DIGITS = 12
# Smaller values have no power of ten for rounding.
_LEAST = 1e-290


def rounded(values: Floats) -> Floats:
    """Round to 12 significant digits; whole numbers and infinities stay as they are.

    >>> rounded(np.array([0.1 + 0.2, 5.0, np.inf])).tolist()
    [0.3, 5.0, inf]
    """
    values = np.asarray(values, dtype=np.float64)
    inexact = np.isfinite(values) & (values != np.rint(values)) & (np.abs(values) > _LEAST)
    result = values.copy()
    part = values[inexact]
    # Powers of ten up to 10^22 are exact, and so is a whole number of 12 digits: only the division rounds.
    scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(np.abs(part))))
    result[inexact] = np.rint(part * scale) / scale
    return result


def round_one(value: float) -> float:
    """Round one value in the same way."""
    return float(rounded(np.array([value]))[0])


def meets(values: Floats, sense: Sense, bound: float) -> npt.NDArray[np.bool_]:
    """Which rounded values meet a bound; the bound itself is included.

    >>> meets(np.array([0.666666666667, 0.7]), "at-most", 2 / 3).tolist()
    [True, False]
    """
    edge = round_one(bound)
    return np.asarray(values >= edge if sense == "at-least" else values <= edge)


def farthest(sense: Sense, bound: float) -> float:
    """The last unrounded value that meets a bound once it is rounded; no value beyond it does.

    >>> edge = farthest("at-most", 0.176470588235)
    >>> edge > 3 / 17, round_one(edge), round_one(np.nextafter(edge, 1))
    (True, 0.176470588235, 0.176470588236)
    """
    inside = round_one(bound)
    if not np.isfinite(inside):
        return inside
    outside = inside + (abs(inside) if sense == "at-most" else -abs(inside)) * 10.0 ** (1 - DIGITS)
    while (middle := (inside + outside) / 2) not in (inside, outside):
        if meets(rounded(np.array([middle])), sense, bound)[0]:
            inside = middle
        else:
            outside = middle
    return inside
