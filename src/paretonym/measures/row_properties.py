"""Properties: what a release means for every single row, and how two releases compare row by row.

A property vector holds one number for each row of the table; a quality index makes one number of it, or of
two. Dewri et al., "On the identification of property based generalizations in microdata anonymization"
(2010), Section 4. Rows come in the same order for every recoding of one cube; a row that is left out has 0.
"""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Margin, cells_at
from paretonym.errors import Bug, InputError, did_you_mean
from paretonym.measures.recoded_counts import Realized


def class_sizes(realized: Realized) -> Integers:
    """For each row the size of its class. Its worst case is `k`, its sum `spread-k`."""
    classes = realized.classes
    sizes = np.where(realized.stays, classes.rows, 0)
    return np.repeat(sizes[classes.of_tuple], realized.cube.counts)


def value_counts(realized: Realized, column: str | None = None) -> Integers:
    """For each row how often its sensitive value occurs in its class. Its sum is `spread-l`."""
    margin, classes = _margin(realized, column), realized.classes
    cells = cells_at(margin, classes.of_tuple, len(classes)) * realized.stays[:, None]
    return np.repeat(cells[classes.of_tuple[margin.tuples], margin.values], margin.counts)


def _margin(realized: Realized, column: str | None) -> Margin:
    margins = {margin.name: margin for margin in realized.cube.sensitive}
    name = column if column is not None else next(iter(margins), "")
    if name not in margins:
        raise InputError.of("column", f"'{name}' is no sensitive column", did_you_mean(name, margins))
    return margins[name]


def worst_case(vector: Integers) -> int:
    """The least value of a row that stays: the index of k-anonymity and its kin.

    >>> worst_case(np.array([3, 3, 3, 0, 2, 2]))
    2
    """
    return int(vector[vector > 0].min())


def total(vector: Integers) -> int:
    """The sum over all rows; it orders releases as `spread` does."""
    return int(vector.sum())


def spread(left: Integers, right: Integers) -> int:
    """By how much the rows are better off on the left than on the right, those that are, summed.

    Σ max(left − right, 0). spread(a, b) > spread(b, a) exactly if total(a) > total(b): the two differ by the
    difference of the sums (the paper's Observation). It hides who pays for whose gain.

    >>> one, other = np.array([3, 3, 3, 1]), np.array([2, 2, 2, 4])
    >>> spread(one, other), spread(other, one)
    (3, 3)
    """
    if len(left) != len(right):
        raise Bug("property vectors of different tables")
    return int(np.maximum(left - right, 0).sum())
