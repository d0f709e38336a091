"""Measures of how varied the sensitive values of a class are. The worst class and the worst column count."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def diversity(facts: Facts) -> Floats:
    """Among how many sensitive values, at least, a person's could hide if all were equally likely: the least
    1/p of a class's most frequent value. A real number.

    Misleads where some values mean nearly the same, or where everybody has the most frequent one anyway.

    Reference: Dewri et al., trade-offs, Definition 4; Wong et al. 2006 (α = 1/ℓ).
    """
    result: Floats = 1.0 / facts.most()
    return result


def distinct_diversity(facts: Facts) -> Floats:
    """How many different sensitive values each class has at least.

    Misleads where one value makes up nearly the whole class.

    Reference: Machanavajjhala et al. 2007.
    """
    return facts.least()


def entropy_diversity(facts: Facts) -> Floats:
    """The least exp(entropy) of a class: how many equally frequent values would be as uncertain.

    Reference: Machanavajjhala et al. 2007.
    """
    return np.exp(facts.least())


def recursive_diversity(facts: Facts) -> Floats:
    """The largest ℓ with r_1 < c·(r_ℓ + … + r_m) in every class: the most frequent value is not too frequent
    beside the rarer ones. 0 if not even ℓ = 1 holds.

    Reference: Machanavajjhala et al. 2007, recursive (c, ℓ)-diversity.
    """
    return facts.least()


def confidence(facts: Facts) -> Floats:
    """How sure somebody can be, at most, who guesses the most frequent sensitive value of a class.

    Reference: Wong et al. 2006, (α, k)-anonymity.
    """
    return facts.most()


def spread_diversity(facts: Facts) -> Floats:
    """Over all rows that stay: how many rows of my class share my sensitive value, summed.

    Misleads by its direction: it rewards classes of one value, which protect nobody's secret.

    Reference: Dewri et al., property-based generalizations, Section 4.
    """
    return facts.least()
