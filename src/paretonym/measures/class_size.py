"""Measures of class sizes alone."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def k(facts: Facts) -> Floats:
    """The size of the smallest equivalence class: how many people look the same, at least.

    Formula: min |C| over the classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads if a class also shares its sensitive value: a large class with one diagnosis discloses
    everybody's.

    Reference: Samarati & Sweeney 1998.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> k(facts).tolist()
    [2.0]
    """
    return facts.smallest.astype(np.float64)


def weighted_k(facts: Facts) -> Floats:
    """The average, over rows, of the size of a row's equivalence class.

    Formula: Σ |C|² / N over all classes, before any suppression.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about the worst case: one huge class compensates for many unique rows.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Equation 6.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> weighted_k(facts).tolist()
    [2.3333333333333335]
    """
    return facts.all_squares / facts.all_sizes


def suppressed_share(facts: Facts) -> Floats:
    """The share of the rows that is suppressed.

    Formula: suppressed rows / N.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads on its own: the suppressed rows may be exactly the rare people that a study is about.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Section 4.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> suppressed_share(facts).tolist()
    [0.16666666666666666]
    """
    return facts.gone / facts.rows


def discernibility(facts: Facts) -> Floats:
    """The number of pairs of rows that cannot be distinguished (discernibility metric).

    Formula: Σ |C|² over the classes that stay + N for each suppressed row.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads across tables, since it grows with the square of N; and it ignores how coarsely the classes are
    shown.

    Reference: Bayardo & Agrawal 2005.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> discernibility(facts).tolist()
    [19.0]
    """
    return (facts.row_squares + facts.gone * facts.rows).astype(np.float64)


def least_pairs_of_suppressed_row(rows: int, suppressible: int, values: int) -> float:
    """What a suppressed row adds to the discernibility metric at least: N instead of the size of its class,
    which has no more rows than may be suppressed."""
    return float(max(rows - suppressible, 0))


def spread_k(facts: Facts) -> Floats:
    """The sum, over the rows that stay, of the size of each row's equivalence class.

    Formula: Σ |C|² over the classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about the worst case, as every sum does; and it decreases when rows are suppressed.

    Reference: Dewri et al., property-based generalizations, Section 4.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> spread_k(facts).tolist()
    [14.0]
    """
    return facts.squares.astype(np.float64)


def average_class(facts: Facts) -> Floats:
    """The average size of an equivalence class.

    Formula: rows that stay / classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads as a measure of cost: it ignores how coarsely the classes are shown.

    Reference: LeFevre et al. 2006 (C_avg, not normalized).

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> average_class(facts).tolist()
    [2.5]
    """
    return facts.staying / facts.classes


def highest_risk(facts: Facts) -> Floats:
    """The highest probability of picking the right row of a person who is known to be in the table.

    Formula: 1 / min |C| over the classes that stay (prosecutor risk).

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads if rows are not people, and if attackers know fewer columns than the quasi-identifiers, or more.

    Reference: El Emam 2013, prosecutor risk.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> highest_risk(facts).tolist()
    [0.5]
    """
    result: Floats = 1.0 / facts.smallest
    return result


def average_risk(facts: Facts) -> Floats:
    """The expected share of people who are re-identified if everybody is searched for.

    Formula: classes that stay / rows that stay (marketer risk).

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about individuals: a low average can hide unique rows.

    Reference: El Emam 2013, marketer risk.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> average_risk(facts).tolist()
    [0.5]
    """
    return facts.classes / facts.sizes


def unique_rows(facts: Facts) -> Floats:
    """The number of released rows that are unique: alone in their equivalence class.

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
