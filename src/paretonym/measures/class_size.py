"""Measures of class sizes alone."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def k(facts: Facts) -> Floats:
    """How many people at least share everything that is shown about a person: the smallest class.

    Formula: min |C| over the classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads where a class shares its sensitive value too: a large class of one diagnosis hides nobody's.

    Reference: Samarati & Sweeney 1998.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> k(facts).tolist()
    [2.0]
    """
    return facts.smallest.astype(np.float64)


def weighted_k(facts: Facts) -> Floats:
    """How large the class of an average row is.

    Formula: Σ |C|² / N over all classes, before any suppression.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about the worst case: one huge class makes up for many unique rows.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Equation 6.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> weighted_k(facts).tolist()
    [2.3333333333333335]
    """
    return facts.all_squares / facts.rows


def suppressed_share(facts: Facts) -> Floats:
    """Which share of the rows is missing from the release.

    Formula: suppressed rows / N.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads alone: what is suppressed may be exactly the rare people that a study is about.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Section 4.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> suppressed_share(facts).tolist()
    [0.16666666666666666]
    """
    return facts.gone / facts.rows


def discernibility(facts: Facts) -> Floats:
    """The number of pairs of rows that cannot be distinguished.

    Formula: Σ |C|² over the classes that stay + N for each suppressed row.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads across tables: it grows with the square of N. It does not look at what is shown.

    Reference: Bayardo & Agrawal 2005.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> discernibility(facts).tolist()
    [19.0]
    """
    return (facts.squares + facts.gone * facts.rows).astype(np.float64)


def spread_k(facts: Facts) -> Floats:
    """Over all rows that stay: how many rows look like me, summed.

    Formula: Σ |C|² over the classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about the worst case, as every sum does; and it falls when rows are suppressed.

    Reference: Dewri et al., property-based generalizations, Section 4.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> spread_k(facts).tolist()
    [14.0]
    """
    return facts.squares.astype(np.float64)


def average_class(facts: Facts) -> Floats:
    """How many rows an equivalence class has on average.

    Formula: rows that stay / classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads as a measure of cost: it does not look at how coarse the classes are shown.

    Reference: LeFevre et al. 2006 (C_avg, not normalized).

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> average_class(facts).tolist()
    [2.5]
    """
    return facts.staying / facts.classes


def highest_risk(facts: Facts) -> Floats:
    """The chance of picking the right row for a person who is known to be in the table, at worst.

    Formula: 1 / min |C| over the classes that stay (prosecutor risk).

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads where rows are not people, and where attackers know less than all quasi-identifiers or more.

    Reference: El Emam 2013, prosecutor risk.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> highest_risk(facts).tolist()
    [0.5]
    """
    result: Floats = 1.0 / facts.smallest
    return result


def average_risk(facts: Facts) -> Floats:
    """Which share of all people would be found if everybody were looked for.

    Formula: classes that stay / rows that stay (marketer risk).

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about single people: a low average hides classes of one.

    Reference: El Emam 2013, marketer risk.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> average_risk(facts).tolist()
    [0.5]
    """
    return facts.classes / facts.staying


def unique_rows(facts: Facts) -> Floats:
    """How many rows that stay are alone in their class.

    Formula: number of classes with |C| = 1 that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads as a risk: a sample unique need not be unique in the population, and a class of two is hardly
    safer.

    Reference: Skinner & Elliot 2002.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> unique_rows(facts).tolist()
    [1.0]
    """
    return facts.unique.astype(np.float64)
