"""Measures of how far the sensitive values of a class are from a reference: the whole table's, or in their
`-release` forms the release's own. The farthest class counts, and the worst column.

p is the share of a value in the class, q its share in the reference. All of them are the largest of a
distance that is counted class by class (`counts/kernels/statistics.c`, in numpy
`counts/class_statistics.py`). The `-release` forms cannot see what the suppressed rows were.
"""

from __future__ import annotations

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def total_variation(facts: Facts) -> Floats:
    """How much of a class's distribution differs from the reference, at worst.

    Formula: max over classes of ½ Σ |p(v) − q(v)|.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads where values are alike or ordered: all are taken to be equally different.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness), equal distance.

    >>> from paretonym.counts.class_statistics import Kind
    >>> total_variation(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.VARIATION)).round(4).tolist()
    [0.25]
    """
    return facts.most()


def ordered_distance(facts: Facts) -> Floats:
    """How far the ordered values of a class would have to be moved to be distributed like the reference,
    at worst.

    Formula: max over classes of Σ_i |Σ_{v ≤ i} (p(v) − q(v))| / (m − 1), m the number of values; 0 if m =
    1.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads where steps of the order differ in weight: each counts the same.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness), ordered distance.

    >>> from paretonym.counts.class_statistics import Kind
    >>> ordered_distance(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.ORDERED)).round(4).tolist()
    [0.125]
    """
    return facts.most()


def tree_distance(facts: Facts) -> Floats:
    """How far up a tree the values of a class would have to be moved to be distributed like the
    reference, at worst.

    Formula: max over classes of the earth mover's distance, cost = height of the lowest common ancestor /
    height; without a tree total variation.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads where the levels of the tree differ in weight: each counts the same.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness), hierarchical distance.

    >>> from paretonym.counts.class_statistics import Kind
    >>> tree_distance(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.TREE)).round(4).tolist()
    [0.25]
    """
    return facts.most()


def jensen_shannon(facts: Facts) -> Floats:
    """How much a class tells about its people beyond the reference, as information, at worst.

    Formula: max over classes of ½ Σ (p ln(p/m) + q ln(q/m)), m = (p + q)/2, no square root.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads about single values: a rare value that becomes twice as likely hardly counts.

    Reference: Li & Li 2009, Section 4 (P_loss).

    >>> from paretonym.counts.class_statistics import Kind
    >>> jensen_shannon(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.DIVERGENCE)).round(4).tolist()
    [0.0622]
    """
    return facts.most()


def largest_ratio(facts: Facts) -> Floats:
    """By which factor, as a logarithm, any sensitive value can get more or less likely, at worst.

    Formula: max over classes and values of |ln(p(v)/q(v))|; infinite where a class lacks a value of q.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads by being infinite: with many values and small classes it nearly always is.

    Reference: Brickell & Shmatikov 2008, semantic privacy (δ).

    >>> from paretonym.counts.class_statistics import Kind
    >>> largest_ratio(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.RATIO)).round(4).tolist()
    [inf]
    """
    return facts.most()


def basic_likeness(facts: Facts) -> Floats:
    """By which part of its frequency a sensitive value can become more likely, at worst.

    Formula: max over classes and values with p(v) > q(v) of (p(v) − q(v))/q(v); 0 if no value is more
    frequent than in q.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads about values that become less likely, or that a class lacks: that somebody does not have a
    value is not limited.

    Reference: Cao & Karras 2012, basic β-likeness.

    >>> from paretonym.counts.class_statistics import Kind
    >>> basic_likeness(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.LIKENESS)).round(4).tolist()
    [1.0]
    """
    return facts.most()
