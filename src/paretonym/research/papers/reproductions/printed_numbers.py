"""Numbers as the papers print them, with their places. Nothing here is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

POKA = (
    "R. Dewri, I. Ray, I. Ray, D. Whitley: POkA: identifying Pareto-optimal k-anonymous nodes in a domain "
    "hierarchy lattice. CIKM 2009"
)
PBG = (
    "R. Dewri, I. Ray, I. Ray, D. Whitley: On the identification of property based generalizations in "
    "microdata anonymization. DBSec 2010"
)
LI_LI = "T. Li, N. Li: On the tradeoff between privacy and utility in data publishing. KDD 2009"
OTHER_HIERARCHIES = (
    "The paper prints the heights of its hierarchies, not the hierarchies. Ours have the same heights, so "
    "the lattice has the same size, but the sets are our own: numbers can be alike, not equal."
)


class Depth(NamedTuple):
    """A line of POkA, Table 3."""

    evaluated: int
    optima: int


POKA_TABLE_3: Mapping[int, Depth] = {
    1: Depth(502, 22),
    2: Depth(1945, 41),
    3: Depth(4033, 45),
    4: Depth(6544, 45),
    5: Depth(9205, 45),
    6: Depth(11751, 45),
}
POKA_TRUE_OPTIMA = 45  # Table 3, caption
POKA_SHARE_EVALUATED = 0.20  # Section 6.3: "around 20% across the three metrics", all attributes


class Runs(NamedTuple):
    """Mean and variance over 20 runs; None where our copy of the paper is illegible."""

    error: float
    error_variance: float
    ratio: float | None
    ratio_variance: float


# PBG, Table 1(b), by our names of the objectives.
PBG_TABLE_1B: Mapping[tuple[str, ...], Runs] = {
    ("k", "loss"): Runs(3.7e-4, 6.5e-9, 0.94, 8e-4),
    ("k", "l-distinct", "loss"): Runs(3.3e-4, 1.1e-7, 0.93, 1.1e-3),
    ("spread-k", "loss"): Runs(5.7e-4, 2.5e-7, 0.84, 1.7e-3),
    ("spread-k", "spread-l", "loss"): Runs(6.6e-4, 2.0e-7, 0.83, 1.4e-3),
}
# PBG, Table 2(a): sides of boxes for k, ℓ and GLM (the raw sum over all cells).
PBG_TABLE_2A: Mapping[tuple[float, ...], Runs] = {
    (5, 100): Runs(4.3e-4, 2.6e-7, 0.95, 1.6e-3),
    (10, 1000): Runs(1.6e-4, 8.0e-8, 0.98, 8.2e-4),
    (50, 10000): Runs(1.7e-4, 1.1e-8, 1.0, 0.0),
    (5, 2, 100): Runs(4.9e-3, 2.5e-7, None, 1.2e-3),
    (10, 4, 1000): Runs(7.4e-3, 9.3e-7, 0.92, 7.0e-4),
    (50, 6, 10000): Runs(1.8e-2, 8.2e-6, 0.88, 1.7e-3),
}
# PBG, Table 2(b): nodes evaluated on average.
PBG_TABLE_2B: Mapping[tuple[str, ...], int] = {
    ("k", "loss"): 916,
    ("k", "l-distinct", "loss"): 946,
    ("spread-k", "loss"): 1136,
    ("spread-k", "spread-l", "loss"): 1197,
    ("k", "loss", "classification-error"): 1073,
}


# Li & Li, Section 5.1: the shares of the 14 occupations. They are printed without names, in the order in
# which the data's own description (adult.names) lists the occupations.
LI_LI_OCCUPATIONS: Mapping[str, float] = {
    "Tech-support": 0.0314,
    "Craft-repair": 0.1331,
    "Other-service": 0.1063,
    "Sales": 0.1196,
    "Exec-managerial": 0.1323,
    "Prof-specialty": 0.1329,
    "Handlers-cleaners": 0.0452,
    "Machine-op-inspct": 0.0657,
    "Adm-clerical": 0.1225,
    "Farming-fishing": 0.0327,
    "Transport-moving": 0.0512,
    "Priv-house-serv": 0.0052,
    "Protective-serv": 0.0216,
    "Armed-Forces": 0.0003,
}
LI_LI_REVEALED = {"most frequent": 0.488, "least frequent": 0.692}
LI_LI_VALUES = {"age": 74, "workclass": 8}  # Table 1
LI_LI_WITHOUT_QUASI = 0.05
LI_LI_AT_5000 = (0.086, 0.0288)  # privacy loss and utility loss at k = 5000
# Section 5.1: the parameters of Figure 2.
LI_LI_PARAMETERS: Mapping[str, tuple[float, ...]] = {
    "k": (10, 50, 100, 200, 500, 1000, 2000, 5000),
    "l": (3.0, 3.5, 4.0, 4.25, 4.5, 4.75, 5.0, 5.5),
    "t-js": (0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    "delta": (1.0, 1.2, 1.4, 1.5, 1.7, 1.9, 2.0, 2.1),
}

# The trade-offs paper, Section 7.5 unless said otherwise.
TRADEOFFS = (
    "R. Dewri, I. Ray, I. Ray, D. Whitley: Exploring privacy versus data quality trade-offs in anonymization "
    "techniques using multi-objective optimization. Journal of Computer Security 19 (2011)"
)
TRADEOFFS_WEIGHTED_K = 2528  # at 22 % loss, nothing suppressed (Figure 6)
TRADEOFFS_K: Mapping[float, int] = {0.25: 14, 0.26: 36}  # by loss, at most 10 % suppressed (Figure 7)
TRADEOFFS_ANY = (5000, 0.35, 0.17)  # k, GL and SL around which three solutions lie (Section 7.3)
# Problem 4, ℓ desired more: k by loss and ℓ (Figures 10 and 11, Section 7.4).
TRADEOFFS_SAFE: Mapping[tuple[float, int], int] = {
    (0.20, 4): 20,
    (0.21, 5): 20,
    (0.21, 3): 22,
    (0.21, 6): 18,
    (0.30, 7): 15,
}
OTHER_TREES = (
    "The paper prints its marital tree alone; the other trees here are our own, and with other trees other "
    "losses can be reached: numbers can be alike, not equal. Ours are the hybrid search's, which gets "
    "farther than NSGA-II with as many evaluations."
)
