"""Measures of class sizes alone."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def k(facts: Facts) -> Floats:
    """How many people at least share everything that is shown about a person: the smallest class.

    Misleads where a class shares its sensitive value too: a large class of one diagnosis hides nobody's.

    Reference: Samarati & Sweeney 1998.
    """
    return facts.smallest.astype(np.float64)


def weighted_k(facts: Facts) -> Floats:
    """How large the class of an average row is: Σ |C|² / N, before any suppression.

    Misleads about the worst case: one huge class makes up for many unique rows.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Equation 6.
    """
    return facts.all_squares / facts.rows


def suppressed_share(facts: Facts) -> Floats:
    """Which share of the rows is missing from the release: suppressed / N."""
    return facts.gone / facts.rows


def discernibility(facts: Facts) -> Floats:
    """How many pairs of rows cannot be told apart: Σ |C|² over classes that stay, and N for each row that
    does not.

    Misleads across tables: it grows with the square of N.

    Reference: Bayardo & Agrawal 2005.
    """
    return (facts.squares + facts.gone * facts.rows).astype(np.float64)


def spread_k(facts: Facts) -> Floats:
    """Over all rows that stay: how many rows look like me, summed.

    Reference: Dewri et al., property-based generalizations, Section 4.
    """
    return facts.squares.astype(np.float64)


def average_class(facts: Facts) -> Floats:
    """How many rows a class has on average: rows that stay / classes.

    Reference: LeFevre et al. 2006 (C_avg, not normalized).
    """
    return facts.staying / facts.classes


def highest_risk(facts: Facts) -> Floats:
    """The chance of picking the right row for a person who is known to be in the table, at worst: 1/k."""
    result: Floats = 1.0 / facts.smallest
    return result


def average_risk(facts: Facts) -> Floats:
    """Which share of all people would be found if everybody were looked for: classes / rows that stay."""
    return facts.classes / facts.staying


def unique_rows(facts: Facts) -> Floats:
    """How many rows that stay are alone in their class."""
    return facts.unique.astype(np.float64)
