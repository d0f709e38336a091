"""What each column loses in a release: the loss taken apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from paretonym.measures.cell_costs import generalization_rule
from paretonym.measures.recoded_counts import Realized, class_cost
from paretonym.measures.whole_number_costs import Numerators
from paretonym.rounding import rounded


def column_losses(realized: Realized) -> dict[str, float]:
    """The share of its detail that each quasi-identifier loses, 0 … 1.

    (Σ over rows that stay of (shown − 1)/(D − 1) + suppressed rows) / N, for one column. The mean over the
    columns, weighted by importance, is `loss`: a row that is left out is lost in every column. A column of
    one value loses nothing but the rows left out.
    """
    cube = realized.cube
    rule = generalization_rule(cube)
    unit = class_cost(cube, realized.classes, rule)[:, realized.stays]
    total = sum((axis.importance for axis in cube.axes), Fraction(0))
    losses = {}
    for j, axis in enumerate(cube.axes):
        # What all rows cost at most in this column.
        whole = rule.whole * float(axis.importance / total) if total else 0.0
        spent = Numerators((unit[:, :, j] @ realized.sizes)[:, None], rule.radix)
        share = (spent.over(whole) if whole else 0.0) + realized.suppressed / cube.rows
        losses[axis.name] = float(rounded(np.ravel(share))[0])
    return losses
