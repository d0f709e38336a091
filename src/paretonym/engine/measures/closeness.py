"""Closeness: how far the distribution of sensitive values in a class is from a reference, which is that of
the whole table or, in the `-release` forms, that of the release. The value is that of the farthest class and
the worst column.

p is the share of a value in the class, q its share in the reference. Each is the maximum of a distance that
is computed class by class (`engine/counts/kernels/statistics.c`, in numpy
`engine/counts/class_statistics.py`). The `-release` forms do not depend on the suppressed rows.
"""

from __future__ import annotations

from paretonym.base.arrays import Floats
from paretonym.engine.measures.candidate_facts import Facts


def total_variation(facts: Facts) -> Floats:
    """The largest share of a class's distribution that differs from the reference.

    Formula: max over classes of ½ Σ |p(v) − q(v)|.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads if some values are similar or ordered: all are treated as equally different.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness), equal distance.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> total_variation(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.VARIATION)).round(4).tolist()
    [0.25]
    """
    return facts.most()


def ordered_distance(facts: Facts) -> Floats:
    """The largest distance over which the ordered values of a class would have to be moved to match the
    reference.

    Formula: max over classes of Σ_i |Σ_{v ≤ i} (p(v) − q(v))| / (m − 1), m the number of values; 0 if m =
    1.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads if some steps of the order matter more than others: each counts the same.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness), ordered distance.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> ordered_distance(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.ORDERED)).round(4).tolist()
    [0.125]
    """
    return facts.most()


def tree_distance(facts: Facts) -> Floats:
    """The largest distance, up a tree, over which the values of a class would have to be moved to match the
    reference.

    Formula: max over classes of the earth mover's distance, cost = height of the lowest common ancestor /
    height. Without a tree, it is total variation.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads if some levels of the tree matter more than others: each counts the same.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness), hierarchical distance.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> tree_distance(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.TREE)).round(4).tolist()
    [0.25]
    """
    return facts.most()


def jensen_shannon(facts: Facts) -> Floats:
    """The most information that a class gives about its people beyond the reference.

    Formula: max over classes of ½ Σ (p ln(p/m) + q ln(q/m)), m = (p + q)/2, no square root.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads about single values: a rare value that becomes twice as likely hardly changes it.

    Reference: Li & Li 2009, Section 4 (P_loss).

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> jensen_shannon(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.DIVERGENCE)).round(4).tolist()
    [0.0622]
    """
    return facts.most()


def largest_ratio(facts: Facts) -> Floats:
    """The logarithm of the largest factor by which a sensitive value becomes more or less likely.

    Formula: max over classes and the values that occur in the class of |ln(p(v)/q(v))|. With the parameter
    `missing = "infinite"` a value of q that a class lacks makes it infinite.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads about values that a class lacks: that they are impossible there is not counted, unless
    `missing = "infinite"`; then it is infinite nearly always if there are many values and small classes.

    Reference: Li & Li 2009, Section 4.1; Brickell & Shmatikov 2008, semantic privacy (δ).

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> cells = [[2, 1, 1], [1, 3, 0]]
    >>> [largest_ratio(Facts.of_cells(cells, Kind.RATIO, missing)).round(4).tolist() for missing in (0, 1)]
    [[0.6931], [inf]]
    """
    return facts.most()


def basic_likeness(facts: Facts) -> Floats:
    """The largest relative increase in the frequency of a sensitive value.

    Formula: max over classes and values with p(v) > q(v) of (p(v) − q(v))/q(v); 0 if no value is more
    frequent than in q.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads about values that become less likely or are absent from a class: it does not limit learning that
    somebody does not have a value.

    Reference: Cao & Karras 2012, basic β-likeness.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> basic_likeness(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.LIKENESS)).round(4).tolist()
    [1.0]
    """
    return facts.most()
