"""Tables for each measure, small enough to follow on paper, with the value in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log


@dataclass(frozen=True)
class Case:
    """Rows of up to four characters, how letter and digit are shown, the rule of suppression, the value.

    `letter` has the tree {a, b}, {c, d}: level 1 shows a pair, level 2 everything. `digit` is flat. The third
    character is the sensitive value: x, y, z in this order, x where nothing is said, with the tree {x, y},
    {z}. The fourth is the label of a class column. `homes` names the household of each row,
    `wishes` the k that it requires.
    """

    rows: str
    letter: int
    digit: int
    suppress: str
    value: Fraction | float
    homes: str = ""
    wishes: str = ""


# Values by letter: a x y, b x x, c z z; of all x 1/2, y 1/6, z 1/3.
SIX = "a1x+ a1y+ b1x- b1x- c2z+ c2z+"
# Two classes of two, one x, one y.
HALVES = "a1x a1x c2y c2y"
# One row of d goes first; what stays is x 3/5, y 2/5, what was there x 2/3, y 1/3.
LONE = "a1x a1x a1x c2y c2y d2x"

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
    # The population has every letter with every digit: a1 6, a2 4, b1 3, b2 2, c1 6, c2 4 people.
    "k-map": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(3)),
        # b1 goes.
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(4)),
        Case("a1 a1 b1 c2 c2", 2, 0, "0", Fraction(10)),
    ),
    # Households {a1, c2}, {a1, c2}, {b1, c2}; with letters in pairs all three look the same.
    "k-household": (
        Case("a1 c2 a1 c2 b1 c2", 0, 0, "0", Fraction(1), "112233"),
        Case("a1 c2 c2 a1 b1 c2", 1, 0, "0", Fraction(3), "112233"),
    ),
    # {a1, a1} wants 2 and 4: a half; {b1} wants 1, {c2, c2} 1. Then {a1, a1, b1}: three quarters.
    "k-ratio": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(1, 2), wishes="24111"),
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(3, 4), wishes="24111"),
    ),
    # Letters: a 2, b 1, c 2. In pairs, {a, b} is 1½ of each, and {c, d} 1 of each. The top shows nothing.
    "table-error": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(0)),
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(3, 10)),
        Case("a1 a1 b1 c2 c2", 2, 0, "0", Fraction(1)),
    ),
    # Rows with the same letter times rows with the same digit: 6 6 3 4 4, mean 23/5, standard error 3/5.
    # Without b the mean is 5.
    "mean-error": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(0)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(2, 3)),
    ),
    # Rows with the same digit: 3 3 3 2 2, median 3, quartiles 2 and 3. Without b the median is 2.
    "quantile-error": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(0)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(1)),
    ),
    # 6 6 3 4 4 by 3 3 3 2 2. Without b a line meets every point: its interval has no length.
    "ci-overlap": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(1)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(0)),
    ),
    # Nothing is significant in the first. In the others 4 4 1 9 9 9 rises with 2 2 1 3 3 3; without b it
    # rises too, of c alone nothing is known.
    "sign-kept": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(1)),
        Case("a1 a1 b2 c3 c3 c3", 0, 0, "0.2", Fraction(1)),
        Case("a1 a1 b2 c3 c3 c3", 0, 0, "0.5", Fraction(0)),
    ),
    # The table is off by 3/10, which is more than 0.05; without b all four are off by too much.
    "purpose": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(1)),
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(3, 4)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(0)),
    ),
    "presence-max": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(1, 2)),
        Case("a1 a1 b1 c2 c2", 2, 0, "0", Fraction(1, 5)),
    ),
    # Nobody of the sample is a2.
    "presence-min": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(0)),
        Case("a1 a1 b1 c2 c2", 2, 0, "0", Fraction(1, 5)),
    ),
    # A row weighs ½ + 5/4 for each row with its letter: a 3, b 7/4, c 3.
    "k-map-estimated": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(7, 4)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(6)),
        # {a1, a1, b1}, {c2, c2}.
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(6)),
    ),
    # f = 2, F = 6, p = ⅓, c = 2: r = (1 − ln(3)/2)/2, 2·r in each of two classes. For b: −(4/3)·ln(4/7).
    "expected-reidentifications": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", 2 - log(3)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0", 2 - log(3) - 4 / 3 * log(4 / 7)),
    ),
    # 1, 1, 1, 2, 2 vary by 6/5 around 7/5; 3/2 for all is off by 1/4 for each, and a suppressed 1 by 4/25.
    "sse": (
        Case("a1 a1 b1 c2 c2", 2, 0, "0", Fraction(0)),
        Case("a1 a1 b1 c2 c2", 0, 1, "0", Fraction(25, 24)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(2, 15)),
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
    # The largest share of everybody is 1/2; of {a, b} it is x with 3/4, of {c} z with 1.
    "l": (Case(SIX, 2, 1, "0", Fraction(2)), Case(SIX, 1, 0, "0", Fraction(1))),
    "alpha": (Case(SIX, 2, 1, "0", Fraction(1, 2)), Case(SIX, 1, 0, "0", Fraction(1))),
    "l-distinct": (Case(SIX, 2, 1, "0", Fraction(3)), Case(SIX, 0, 0, "0", Fraction(1))),
    # Three equally frequent values; and exp(½ ln 2 + ⅙ ln 6 + ⅓ ln 3).
    "l-entropy": (
        Case("a1x b1y c2z", 2, 1, "0", Fraction(3)),
        Case(SIX, 2, 1, "0", 2 ** (1 / 2) * 6 ** (1 / 6) * 3 ** (1 / 3)),
    ),
    # Counts 3, 2, 1 and c = 3: 3 < 3·6 and 3 < 3·3, but not 3 < 3·1. With one value alone, 2 < 3·2.
    "l-recursive": (Case(SIX, 2, 1, "0", Fraction(2)), Case(SIX, 0, 0, "0", Fraction(1))),
    # {c}: ½ (1/2 + 1/6 + 2/3).
    "t": (
        Case(SIX, 1, 0, "0", Fraction(2, 3)),
        Case(SIX, 2, 1, "0", Fraction(0)),
        Case(LONE, 0, 0, "0.2", Fraction(2, 3)),
    ),
    # {c}: (|−1/2| + |−2/3|) / 2.
    "t-ordered": (Case(SIX, 1, 0, "0", Fraction(7, 12)),),
    # Half of the mass moves from x to y, which meet half way up.
    "t-tree": (Case(HALVES, 1, 0, "0", Fraction(1, 4)), Case(SIX, 1, 0, "0", Fraction(2, 3))),
    # p = (1, 0), q = (½, ½): ½ (ln 4/3 + ½ ln 2/3 + ½ ln 2).
    "t-js": (Case(HALVES, 1, 0, "0", 0.75 * log(4 / 3)),),
    "privacy-loss": (Case(HALVES, 1, 0, "0", 0.75 * log(4 / 3)),),
    # Shares 2/3 and 1/3 instead of 1/2 each.
    "delta": (
        Case("a1x a1x a1y c2x c2y c2y", 0, 0, "0", log(3 / 2)),
        # 1 instead of 1/2; what a class lacks does not count.
        Case(HALVES, 0, 0, "0", log(2)),
        # Of b all are y, of which there are 9 of 19; of a and b together only one of ten is x.
        Case(
            "a1x a1y b1y b1y b1y b1y b1y b1y b1y b1y c2x c2x c2x c2x c2x c2x c2x c2x c2x",
            0,
            0,
            "0",
            log(19 / 9),
        ),
        Case(
            "a1x a1y b1y b1y b1y b1y b1y b1y b1y b1y c2x c2x c2x c2x c2x c2x c2x c2x c2x",
            1,
            0,
            "0",
            log(100 / 19),
        ),
    ),
    # x has 2/3 instead of 1/2: a third more. {c} is all z, of which there is 1/3: twice as much more.
    "beta": (
        Case("a1x a1x a1y c2x c2y c2y", 0, 0, "0", Fraction(1, 3)),
        Case(SIX, 1, 0, "0", Fraction(2)),
        Case(SIX, 2, 1, "0", Fraction(0)),
    ),
    "t-release": (Case(LONE, 0, 0, "0.2", Fraction(3, 5)),),
    "t-ordered-release": (Case(LONE, 0, 0, "0.2", Fraction(3, 10)),),
    "t-tree-release": (Case(LONE, 0, 0, "0.2", Fraction(3, 10)),),
    # {c}: p = (0, 1), q = (3/5, 2/5).
    "t-js-release": (Case(LONE, 0, 0, "0.2", (log(10 / 7) + 3 / 5 * log(2) + 2 / 5 * log(4 / 7)) / 2),),
    "delta-release": (Case("a1x a1x a1y c2x c2y c2y d2x", 0, 0, "0.2", log(3 / 2)),),
    # {c}: all y, of which there are 2/5 in the release.
    "beta-release": (Case(LONE, 0, 0, "0.2", Fraction(3, 2)),),
    "spread-k": (Case(SIX, 0, 0, "0", Fraction(12)), Case(LONE, 0, 0, "0.2", Fraction(13))),
    # {a}: 1 + 1, {b}: 4, {c}: 4.
    "spread-l": (Case(SIX, 0, 0, "0", Fraction(10)),),
    "risk-highest": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(1)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(1, 2)),
    ),
    "risk-average": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(3, 5)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(1, 2)),
    ),
    "uniques": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(1)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(0)),
    ),
    # {a, b}: two of four are in the minority; a row that is gone counts too.
    "classification-error": (
        Case(SIX, 1, 0, "0", Fraction(1, 3)),
        Case("a1x+ a1x- b1x+", 0, 0, "0.4", Fraction(2, 3)),
    ),
    # Letters half way up, digits as they are; two rows of five gone.
    "precision-loss": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(1, 4)),
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(11, 20)),
    ),
    "average-class": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0", Fraction(5, 3)),
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(2)),
    ),
    # Four letters, ln 2 of ln 4 lost in each; the digits say nothing and lose nothing.
    "entropy-loss": (Case("a1 b1 c1 d1", 1, 0, "0", Fraction(1, 4)),),
    # Every population has one value alone, of which everybody shown as one class says one half.
    "utility-loss": (
        Case(HALVES, 2, 1, "0", 0.75 * log(4 / 3)),
        Case(HALVES, 1, 0, "0", Fraction(0)),
        # Of twelve populations nothing is left of {d} and {d, 2}; {c, d}, {2} and {c, d, 2} have lost one x
        # of three rows.
        Case(LONE, 0, 0, "0.2", (2 * log(2) + 1.5 * (log(2) / 3 + 2 / 3 * log(4 / 5) + log(6 / 5))) / 12),
    ),
    # Queries about two of four letters count only if a and x are among what they select: all four rows, of
    # which half are expected there.
    "query-error": (Case("a1x a1x a1x a1x", 2, 0, "0", Fraction(1, 2)), Case(SIX, 0, 0, "0", Fraction(0))),
    # Shown as pairs, b and d take half of the rows of a and c; digits and values are as they are.
    "marginal-error": (
        Case(HALVES, 1, 0, "0", Fraction(1, 2) / 3),
        Case(HALVES, 0, 0, "0", Fraction(0)),
    ),
    # Letter, digit and value determine one another; shown together they are independent. In pairs the letter
    # still determines the others.
    "association-error": (
        Case(HALVES, 2, 1, "0", Fraction(1)),
        Case(HALVES, 1, 0, "0", Fraction(0)),
    ),
    # Two of three pairs of columns have the letter: ½, ½ in the original, and ¼, ¼, ¼, ¼ for a reader.
    "pmse": (Case(HALVES, 1, 0, "0", Fraction(2, 3) * Fraction(1, 12)),),
}

# With the parameter `weights = 1`.
WEIGHTED: Mapping[str, tuple[Case, ...]] = {
    # Of 55/4 in all, c weighs 6 and b 7/4.
    "sl": (
        Case("a1 a1 b1 c2 c2", 0, 0, "0.2", Fraction(7, 55)),
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(24, 55)),
    ),
    # Every row that stays costs 1/6, and c goes.
    "gl": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(1, 6)),
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(31, 330)),
    ),
    "loss": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(31 + 144, 330)),
        Case("a1 a1 b1 c2 c2", 2, 1, "0", Fraction(1)),
    ),
    # Level 1 of 2 and level 0 of 1: ¼ for each row that stays.
    "precision-loss": (
        Case("a1 a1 b1 c2 c2", 1, 0, "0", Fraction(1, 4)),
        Case("a1 a1 b1 c2 c2", 1, 0, "0.4", Fraction(31 + 96, 220)),
    ),
}
