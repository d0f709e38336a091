"""Measures of what generalization and suppression cost."""

from __future__ import annotations

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def generalization_loss(facts: Facts) -> Floats:
    """How much detail the rows that stay lose: Σ over cells w·(size of the shown set − 1)/(D − 1), over N·Σw.

    Misleads alone: it falls when rows are suppressed. `loss` counts those too.

    Reference: Iyengar 2002.
    """
    return facts.costs["generalization"].share()


def loss(facts: Facts) -> Floats:
    """How much detail is lost in all: generalization loss, and everything for a suppressed row. 0 … 1.

    Both parts are summed before dividing, so that equal losses are equal numbers.

    Reference: Iyengar 2002 (general loss metric, GLM).
    """
    return facts.costs["generalization"].share_with(facts.gone)


def precision_loss(facts: Facts) -> Floats:
    """How far up their hierarchies cells were moved on average: level / height, 1 for a suppressed cell.

    Misleads across hierarchies: one step may hide little or nearly everything.

    Reference: Sweeney 2002 (Prec).
    """
    return facts.costs["precision"].share_with(facts.gone)


def entropy_loss(facts: Facts) -> Floats:
    """Which share of the information in each column is lost: how surprising the values are, given what is
    shown instead, over how surprising they were.

    Reference: Gionis & Tassa 2009 (non-uniform entropy).
    """
    return facts.costs["entropy"].share_with(facts.gone)


def from_classes(facts: Facts) -> Floats:
    """What was measured from the classes themselves."""
    return facts.seen[facts.asked]


def classification_error(facts: Facts) -> Floats:
    """Which share of the rows a classifier that only sees classes gets wrong at least: rows suppressed or
    without the most frequent label of their class, over N.

    Reference: Iyengar 2002 (classification metric, CM).
    """
    return (facts.rows - facts.least()) / facts.rows
