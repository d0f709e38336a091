"""Diversity: how varied the sensitive values of a class are. The value is that of the worst class and the
worst column."""

from __future__ import annotations

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.engine.measures.candidate_facts import Facts


def diversity(facts: Facts) -> Floats:
    """One divided by the share of the most frequent sensitive value of a class, at least. A real number.

    Formula: min over classes of 1 / max_v p(v), p the shares of values in the class.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads if some values mean nearly the same, or if most people have the most frequent one anyway.

    Reference: Dewri et al., trade-offs, Definition 4; Wong et al. 2006 (α = 1/ℓ).

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> diversity(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.SHARE)).round(4).tolist()
    [1.3333]
    """
    result: Floats = 1.0 / facts.most()
    return result


def distinct_diversity(facts: Facts) -> Floats:
    """The smallest number of distinct sensitive values in a class.

    Formula: min over classes of the number of values v with p(v) > 0.

    Cost: counts of every value in every class: classes × values of the column.

    Misleads if one value makes up nearly the whole class.

    Reference: Machanavajjhala et al. 2007.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> distinct_diversity(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.DISTINCT)).round(4).tolist()
    [2.0]
    """
    return facts.least()


def entropy_diversity(facts: Facts) -> Floats:
    """The number of equally frequent values that have the same entropy as the values of the worst class.

    Formula: min over classes of exp(−Σ p(v) ln p(v)).

    Cost: counts of every value in every class: classes × values of the column.

    Misleads because it is an average: one value may still be very frequent.

    Reference: Machanavajjhala et al. 2007.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> entropy_diversity(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.ENTROPY)).round(4).tolist()
    [1.7548]
    """
    return np.exp(facts.least())


def recursive_diversity(facts: Facts) -> Floats:
    """The largest ℓ for which the most frequent value is not too frequent compared with the rarer ones.

    Formula: the largest ℓ with r_1 < c·(r_ℓ + … + r_m) in every class, counts r falling; 0 if not even ℓ
    = 1 holds.

    Cost: counts of every value in every class: classes × values of the column. Counts of each class are
    sorted.

    Misleads by its steps: it jumps between few values, and depends on the choice of c.

    Reference: Machanavajjhala et al. 2007, recursive (c, ℓ)-diversity.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> recursive_diversity(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.RECURSIVE, 3.0)).round(4).tolist()
    [1.0]
    """
    return facts.least()


def confidence(facts: Facts) -> Floats:
    """The highest probability with which a guess of the most frequent sensitive value of a class is right.

    Formula: max over classes of max_v p(v).

    Cost: counts of every value in every class: classes × values of the column.

    Misleads if a value is frequent in the whole table: then the class discloses little.

    Reference: Wong et al. 2006, (α, k)-anonymity.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> confidence(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.SHARE)).round(4).tolist()
    [0.75]
    """
    return facts.most()


def spread_diversity(facts: Facts) -> Floats:
    """The sum, over the rows that stay, of the number of rows in their class with the same sensitive value.

    Formula: Σ over classes and values of (count of v in C)².

    Cost: counts of every value in every class: classes × values of the column.

    Misleads by its direction: it rewards classes with one value, which disclose it.

    Reference: Dewri et al., property-based generalizations, Section 4.

    >>> from paretonym.engine.counts.class_statistics import Kind
    >>> spread_diversity(Facts.of_cells([[2, 1, 1], [1, 3, 0]], Kind.PAIRS)).round(4).tolist()
    [16.0]
    """
    return facts.least()
