"""One table for each measure, small enough to follow on paper, with its value in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Case:
    """Cells of the columns `letter` (a, b, c, d) and `digit` (1, 2), how each is shown, the rule, the value.

    `letter` has the tree {a, b}, {c, d}: level 1 shows a pair, level 2 everything. `digit` is flat.
    """

    rows: str
    letter: int
    digit: int
    suppress: str
    value: Fraction


CASES: Mapping[str, tuple[Case, ...]] = {
    # a1 a1 b1 c2 c2: the classes are {a1, a1}, {b1}, {c2, c2}.
    "k": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(1)),
        # One row of five may go, and that is the class {b1}.
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(2)),
        # Pairs: {a1, a1, b1}, {c2, c2}.
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(2)),
    ),
    # Before suppression: 4 + 1 + 4 = 9 of 5 rows, suppressed or not.
    "weighted-k": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(9, 5)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(9, 5)),
    ),
    # A pair of letters costs (2 − 1)/(4 − 1) = 1/3, all digits cost 1; two columns.
    "gl": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(1, 6)),
        Case("a1 a1 b1 c2 c2", 1, 1, "0", Fraction(2, 3)),
        # {c2, c2} is gone at a limit of 2 rows; 3 rows of 5 still cost 1/6 each.
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(1, 10)),
    ),
    "sl": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(1, 5)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.19", Fraction(0)),
    ),
    # As for gl, and 2 rows of 5 cost everything.
    "loss": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(1, 2)),
        Case("a1 a1 b1 c2 c2", 2, 1, "0", Fraction(1)),
    ),
    # 4 + 1 + 4; without {b1}: 4 + 4 and 5 for the row that is gone.
    "discernibility": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(9)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(13)),
    ),
}
