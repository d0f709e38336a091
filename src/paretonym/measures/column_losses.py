"""What each column loses in a release: the loss taken apart."""

from __future__ import annotations

import numpy as np

from paretonym.measures.costs import generalization_rule
from paretonym.measures.numbers import rounded
from paretonym.measures.realized import Realized, class_cost


def column_losses(realized: Realized) -> dict[str, float]:
    """The share of its detail that each quasi-identifier loses, 0 … 1.

    (Σ over rows that stay of (shown − 1)/(D − 1) + suppressed rows) / N, for one column. The mean over the
    columns, weighted by importance, is `loss`: a row that is left out is lost in every column. A column of
    one value loses nothing but the rows left out.
    """
    cube = realized.cube
    rule = generalization_rule(cube)
    unit = class_cost(cube, realized.classes, rule)[realized.stays]
    total = float(sum(axis.importance for axis in cube.axes))
    losses = {}
    for j, axis in enumerate(cube.axes):
        # What one row costs at most in this column.
        most = rule.most * float(axis.importance) / total if total else 1.0
        spent = float(unit[:, j] @ realized.sizes) / most if most else 0.0
        share = (spent + realized.suppressed) / cube.rows
        losses[axis.name] = float(rounded(np.array([share]))[0])
    return losses
