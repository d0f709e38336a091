"""Information loss: what generalization and suppression cost."""

from __future__ import annotations

from paretonym.base.arrays import Floats
from paretonym.engine.measures.candidate_facts import Facts


def generalization_loss(facts: Facts) -> Floats:
    """The share of detail that the rows that stay lose.

    Formula: Σ over cells of w·(size of the shown set − 1)/(D − 1), over N·Σw; D the size of the domain, w
    the importance of the column.

    Cost: none beyond totals of columns, and the cells of suppressed classes.

    Misleads on its own: it decreases when rows are suppressed. `loss` counts those too.

    Reference: Iyengar 2002.

    >>> facts = Facts.of_cost("generalization", staying=3, most=2, whole=12, sizes=[1, 2, 3], stays=[2, 3])
    >>> generalization_loss(facts).round(4).tolist()
    [0.25]
    """
    return facts.costs["generalization"].share()


def loss(facts: Facts) -> Floats:
    """The total share of detail lost: generalization loss, and a full loss for every suppressed row. Both
    parts are summed before the division, so that equal losses are equal numbers.

    Formula: gl + sl, from 0 to 1.

    Cost: none beyond totals of columns, and the cells of suppressed classes.

    Misleads about usefulness: every value of a domain counts the same, whether or not anybody needs it.

    Reference: Iyengar 2002 (general loss metric, GLM).

    >>> facts = Facts.of_cost("generalization", staying=3, most=2, whole=12, sizes=[1, 2, 3], stays=[2, 3])
    >>> loss(facts).round(4).tolist()
    [0.4167]
    """
    return facts.costs["generalization"].share_with(facts.gone)


def precision_loss(facts: Facts) -> Floats:
    """The average height to which cells are generalized in their hierarchies.

    Formula: mean over cells of level / height, 1 for a suppressed cell.

    Cost: none beyond totals of columns, and the cells of suppressed classes.

    Misleads across hierarchies: one level may hide little or nearly everything.

    Reference: Sweeney 2002 (Prec).

    >>> facts = Facts.of_cost("precision", staying=3, most=2, whole=12, sizes=[1, 2, 3], stays=[2, 3])
    >>> precision_loss(facts).round(4).tolist()
    [0.4167]
    """
    return facts.costs["precision"].share_with(facts.gone)


def entropy_loss(facts: Facts) -> Floats:
    """The share of each column's information that is lost: the entropy of the values given what is shown
    instead, divided by their entropy.

    Formula: (1/s)·Σ_j Σ_rows ln(f_j(shown set)/f_j(value)) / (N·H_j), f_j counts in the input and H_j the
    entropy of column j; a suppressed cell costs ln(N/f_j(value)).

    Cost: none beyond totals of columns, and the cells of suppressed classes.

    Misleads about rare values: they have little weight.

    Reference: Gionis & Tassa 2009 (non-uniform entropy).

    >>> facts = Facts.of_cost("entropy", staying=3, most=2, whole=12, sizes=[1, 2, 3], stays=[2, 3])
    >>> entropy_loss(facts).round(4).tolist()
    [0.4167]
    """
    return facts.costs["entropy"].share_with(facts.gone)


def from_classes(facts: Facts) -> Floats:
    """Values that were measured from the classes themselves."""
    return facts.seen[facts.asked]


def classification_error(facts: Facts) -> Floats:
    """The smallest share of rows that a classifier must get wrong if it sees only the classes.

    Formula: (suppressed rows + rows without the most frequent label of their class) / N.

    Cost: counts of every label in every class: classes × labels.

    Misleads if labels are uneven: predicting the most frequent label for everybody may already look good.

    Reference: Iyengar 2002 (classification metric, CM).

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> classification_error(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.MAJORITY)).round(4).tolist()
    [0.375]
    """
    return (facts.rows - facts.least()) / facts.rows


def least_error_of_suppressed_row(rows: int, most: int, values: int) -> float:
    """The least that a suppressed row adds to the classification error, on average over its class of at most
    so many rows: the most frequent of so many labels has at least one row of it, and at least this share."""
    return 1.0 / (max(min(values, most), 1) * rows)
