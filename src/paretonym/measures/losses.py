"""Measures of what generalization and suppression cost."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.measures.facts import Facts

Floats: TypeAlias = npt.NDArray[np.float64]


def generalization_loss(facts: Facts) -> Floats:
    """How much detail the rows that stay lose: Σ over cells w·(size of the shown set − 1)/(D − 1), over N·Σw.

    Misleads alone: it falls when rows are suppressed. `loss` counts those too.

    Reference: Iyengar 2002.
    """
    cost = facts.costs["generalization"]
    return cost.staying / (facts.rows * cost.most)


def loss(facts: Facts) -> Floats:
    """How much detail is lost in all: generalization loss, and everything for a suppressed row. 0 … 1.

    Both parts are summed before dividing, so that equal losses are equal numbers.

    Reference: Iyengar 2002 (general loss metric, GLM).
    """
    cost = facts.costs["generalization"]
    return (cost.staying + facts.gone * cost.most) / (facts.rows * cost.most)
