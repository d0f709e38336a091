"""Measures of how far the sensitive values of a class are from a reference: the whole table's, or in their
`-release` forms the release's own. The farthest class counts, and the worst column.

All of them are the largest of a distance that was counted class by class; the cards say which distance.
"""

from __future__ import annotations

from paretonym.arrays import Floats
from paretonym.measures.candidate_facts import Facts


def farthest(facts: Facts) -> Floats:
    """The largest distance of a class from the reference.

    Misleads where the table's own distribution is a secret already; `-release` forms cannot see what the
    suppressed rows were.

    Reference: Li, Li & Venkatasubramanian 2007 (t-closeness); Brickell & Shmatikov 2008 (δ).
    """
    return facts.most()
