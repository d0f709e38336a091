"""What may be published about rows that a release leaves out, in its manifest and in the public report.

Counts are published in blocks of k: of n rows, that they are from k·⌊n/k⌋ to k·⌊n/k⌋ + k − 1. So 0, 1, …
k − 1 are published alike, and a larger count only up to k − 1 more. Costs are computed as if the first number
of its block were the count. Whoever has the file knows the R rows that stay and can know what their
generalization costs, G in rows: a gl of G/N with enough digits gives N = R + S and so the suppressed rows S.
As published, with S' = k·⌊S/k⌋,

    gl = G/(R + S')   sl = S'/(R + S')   loss = gl + sl

all three are functions of R, G and S' alone: every S of the block fits them, however many digits they have.
"""

from __future__ import annotations

from typing import NamedTuple

from paretonym.measures.registry import GENERALIZATION, LOSS, SUPPRESSION

# Statements need the input, and say no more of it than people need.
DECIMALS = 3


class CountBlock(NamedTuple):
    """A number of rows as far as it is published: from `low` to `high`."""

    low: int
    high: int

    def __str__(self) -> str:
        """
        >>> print(block(3, k=5), "/", block(12, k=5), "/", block(0, k=2), "/", block(7, k=1))
        fewer than 5 rows, perhaps none / 10 to 14 rows / at most one row, perhaps none / 7 rows
        """
        if self.low == self.high:
            return {0: "no row", 1: "one row"}.get(self.low, f"{self.low:,} rows")
        if self.low == 0:
            few = "at most one row" if self.high == 1 else f"fewer than {self.high + 1:,} rows"
            return f"{few}, perhaps none"
        return f"{self.low:,} to {self.high:,} rows"


class Cost(NamedTuple):
    """What a release costs beside its input: rows suppressed, and what the rows that stay lose, in rows; None
    where that was not measured."""

    suppressed: int
    generalization: float | None


def block(count: int, k: int) -> CountBlock:
    """The block of a count; k is the smallest class of the release.

    >>> block(0, 5) == block(4, 5), block(5, 5)
    (True, CountBlock(low=5, high=9))
    """
    low = count - count % k
    return CountBlock(low, low + k - 1)


def published_costs(cost: Cost, stay: int, k: int) -> dict[str, float]:
    """`loss`, `gl` and `sl` as they are published, `sl` = `loss` − `gl` in their last digit too; only `sl`
    where generalization was not measured. `stay` rows are in the release.

    >>> published_costs(Cost(7, 20.0), stay=95, k=5)
    {'loss': 0.25, 'gl': 0.2, 'sl': 0.05}
    """
    gone = block(cost.suppressed, k).low
    sl = round(gone / (stay + gone), DECIMALS)
    if cost.generalization is None:
        return {SUPPRESSION: sl}
    gl = round(cost.generalization / (stay + gone), DECIMALS)
    return {LOSS: round(gl + sl, DECIMALS), GENERALIZATION: gl, SUPPRESSION: sl}
