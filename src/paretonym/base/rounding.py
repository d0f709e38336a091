"""Rounding: every value and every limit is rounded once, to 10 significant digits but not finer than 10⁻¹².

Rounding preserves order. So a value that is known to be at least x is, once rounded, at least x rounded; and
a bound on rounded values corresponds to one bound on values before rounding.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats

Sense: TypeAlias = Literal["at-least", "at-most"]

DIGITS = 10
FINEST = 1e-12
# From each edge on a value has one digit less behind the point.
_EDGES = np.array([1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9])
_SCALES = np.array([1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0])
# Halves, such as 205 / 2048, go up even if a sum of floats is a little less.
_HALF = 0.50001


def rounded(values: Floats) -> Floats:
    """Round to 10 significant digits; whole numbers and infinities stay as they are.

    >>> rounded(np.array([0.1 + 0.2, 5.0, 2 / 3, 1 / 30000, np.inf])).tolist()
    [0.3, 5.0, 0.6666666667, 3.3333333e-05, inf]
    """
    values = np.asarray(values, dtype=np.float64)
    inexact = np.isfinite(values) & (values != np.rint(values))
    result = values.copy()
    size = np.abs(values[inexact])
    # Powers of ten are exact, and so is a whole number of 12 digits: only the division rounds.
    scale = _SCALES[np.searchsorted(_EDGES, size, side="right")]
    result[inexact] = np.copysign(np.floor(size * scale + _HALF) / scale, values[inexact])
    return result


def round_one(value: float) -> float:
    """Round one value in the same way."""
    return float(rounded(np.array([value]))[0])


def meets(values: Floats, sense: Sense, bound: float) -> npt.NDArray[np.bool_]:
    """Which rounded values meet a bound; the bound itself is included.

    >>> meets(np.array([0.6666666667, 0.7]), "at-most", 2 / 3).tolist()
    [True, False]
    """
    edge = round_one(bound)
    return np.asarray(values >= edge if sense == "at-least" else values <= edge)


def farthest(sense: Sense, bound: float) -> float:
    """The last unrounded value that meets a bound once it is rounded; no value beyond it does.

    >>> edge = farthest("at-most", 0.1764705882)
    >>> edge > 3 / 17, round_one(edge), round_one(np.nextafter(edge, 1))
    (True, 0.1764705882, 0.1764705883)
    """
    inside = round_one(bound)
    if not np.isfinite(inside):
        return inside
    step = max(abs(inside) * 10.0 ** (1 - DIGITS), FINEST)
    outside = inside + (step if sense == "at-most" else -step)
    while (middle := (inside + outside) / 2) not in (inside, outside):
        if meets(rounded(np.array([middle])), sense, bound)[0]:
            inside = middle
        else:
            outside = middle
    return inside
