"""Losses are compared after rounding to 12 significant digits, so that no tie hangs on the order of a sum."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

DIGITS = 12


def rounded(values: Floats) -> Floats:
    """Round to 12 significant digits; whole numbers below 10^12 and infinities stay as they are.

    >>> rounded(np.array([0.1 + 0.2, 5.0, np.inf])).tolist()
    [0.3, 5.0, inf]
    """
    values = np.asarray(values, dtype=np.float64)
    inexact = np.isfinite(values) & (values != np.rint(values))
    result = values.copy()
    part = values[inexact]
    # Powers of ten up to 10^22 are exact, and so is a whole number of 12 digits: only the division rounds.
    scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(np.abs(part))))
    result[inexact] = np.rint(part * scale) / scale
    return result
