"""The registry of printed sentences: what each paper says in words of its tables and figures, and our checks.

Sentences about methods, or about what nobody can measure ("of interest to a publisher"), are not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from paretonym.research.papers.reproductions.printed_numbers import PBG_TABLE_1B, TRADEOFFS_K, TRADEOFFS_SAFE
from paretonym.research.papers.reproductions.printed_sentences import (
    Sentence,
    Verdict,
    all_optimal,
    around_a_fifth,
    around_the_point,
    below,
    better_in_buckets,
    column,
    errors_fall,
    flat_regions,
    holds,
    more_for_three,
    one_or_two,
    small_share,
)
from paretonym.research.papers.reproductions.reproduction import Result, Series

CLOSENESS = "t-closeness (JS)"


def _optima(result: Result) -> list[float]:
    """The true optima that POkA finds at depths 1 to 6."""
    return [result.measured(f"depth {depth}", "true optima") for depth in range(1, 7)]


def all_at_three(result: Result) -> Verdict:
    optima, every = _optima(result)[2], result.measured("exact", "true optima")
    return holds(optima == every - 1, f"{optima:.0f} of {every:.0f}, all but the table as it is")


def no_advantage(result: Result) -> Verdict:
    _, _, *deeper = _optima(result)
    return holds(len(set(deeper)) == 1, f"depths 3 to 6 find {', '.join(f'{n:.0f}' for n in deeper)}")


def more_than_sixty(result: Result) -> Verdict:
    share = result.measured("depth 6", "share of nodes")
    return holds(share > 0.6, f"{share:.1%} at depth 6")


def all_with_a_fifth(result: Result) -> Verdict:
    share, exact = (result.measured(row, "share of nodes") for row in ("depth 3", "exact"))
    return holds(share <= 0.2, f"{share:.1%} at depth 3; exact search proves all with {exact:.1%}")


def shallow_depths(result: Result) -> Verdict:
    wrong = result.measured("depth 2", "found, no optima")
    few, all_three = (result.measured(f"depth {depth}", "true optima") for depth in (1, 3))
    measured = f"{wrong:.0f} sub-optimal at depth 2, {few:.0f} of {all_three:.0f} optima at depth 1"
    return holds(wrong > 0 and few < all_three, measured)


def dense_at_low_k(result: Result) -> Verdict:
    """On the logarithmic axes of the figure, where the median node lies."""
    places = []
    for series in (panel.series[0] for panel in result.panels if panel.series[0].label == "all nodes"):
        k = np.log(np.array(series.across))
        places.append(float(np.median(k) / k.max()))
    measured = f"the median node lies at {', '.join(f'{place:.0%}' for place in places)} of the axis"
    return holds(bool(places) and max(places) < 0.5, measured)


def share_falls(result: Result) -> Verdict:
    shares, nodes = (list(column(result, name).values()) for name in ("share of nodes", "nodes evaluated"))
    falls = sum(after < before for before, after in pairwise(shares))
    measured = (
        f"the share falls in {falls} of {len(shares) - 1} steps to {shares[-1]:.1%}; the number grows from "
        f"{nodes[0]:,.0f} to {nodes[-1]:,.0f}"
    )
    return Verdict("differs" if falls == len(shares) - 1 else "no", measured)


def _ratios(result: Result) -> list[float]:
    return [result.measured(", ".join(names), "ratio") for names in PBG_TABLE_1B]


def most_discovered(result: Result) -> Verdict:
    ratio = _ratios(result)[0]
    return holds(abs(ratio - 0.94) <= 0.02, f"{ratio:.1%}")


def lower_for_spread(result: Result) -> Verdict:
    two, three, spread_two, spread_three = _ratios(result)
    measured = (
        f"{two:.2f} and {three:.2f} for the worst case, {spread_two:.2f} and {spread_three:.2f} for spread"
    )
    return holds(spread_two < two and spread_three < three, measured)


def little_influence(result: Result) -> Verdict:
    two, three, spread_two, spread_three = _ratios(result)
    most = max(abs(three - two), abs(spread_three - spread_two))
    return holds(most <= 0.03, f"the ratio changes by at most {most:.2f}")


def larger_boxes(result: Result) -> Verdict:
    ratios = [ratio for row, ratio in column(result, "ratio").items() if "l-distinct" not in row]
    measured = f"the ratio is {', '.join(f'{ratio:.2f}' for ratio in ratios)} as boxes grow"
    return holds(ratios == sorted(ratios) and ratios[-1] > ratios[0], measured)


def more_minimal(rows: tuple[tuple[str, str], ...]) -> Callable[[Result], Verdict]:
    """Each second set of objectives has more minimal solutions than the first."""

    def check(result: Result) -> Verdict:
        solutions = column(result, "minimal solutions")
        pairs = [(solutions[few], solutions[many]) for few, many in rows]
        measured = ", ".join(f"{many:.0f} beside {few:.0f}" for few, many in pairs)
        return holds(all(many > few for few, many in pairs), measured)

    return check


def far_below_the_budget(result: Result) -> Verdict:
    most = max(column(result, "nodes evaluated").values())
    return holds(most < 2500 / 2, f"at most {most:,.0f} on average")


def between_the_extremes(result: Result) -> Verdict:
    rows = [f"privacy-loss, {name} value revealed" for name in ("most frequent", "least frequent")]
    low, high = (result.measured(row, "value") for row in rows)
    return holds((round(low, 3), round(high, 3)) == (0.488, 0.692), f"{low:.4f} and {high:.4f}")


def without_quasi(result: Result) -> Verdict:
    loss = result.measured("utility-loss, no quasi-identifiers", "value")
    return holds(round(loss, 2) == 0.05, f"{loss:.4f}")


def eight_workclasses(result: Result) -> Verdict:
    number = result.measured("workclass, values that occur", "value")
    return holds(number == 8, f"the 45,222 complete rows have {number:.0f}")


def closeness_is_best(result: Result) -> Verdict:
    """It beats releases of the others in both losses, and is not beaten."""
    curves = {series.label: series for series in result.panels[0].series if "margins" not in series.label}
    best = curves.pop(CLOSENESS)
    behind = {label: sum(_beaten(point, best) for point in _points(other)) for label, other in curves.items()}
    ahead = sum(_beaten(point, other) for other in curves.values() for point in _points(best))
    measured = "; ".join(
        f"beats {number} of {len(curves[label].up)} of {label}" for label, number in behind.items()
    )
    return holds(ahead == 0 and min(behind.values()) > 0, f"{measured}; {ahead} of its own are beaten")


def _points(series: Series) -> list[tuple[float, float]]:
    return list(zip(series.across, series.up, strict=True))


def _beaten(point: tuple[float, float], by: Series) -> bool:
    return any(x <= point[0] and y <= point[1] and (x, y) != point for x, y in _points(by))


def span_of_privacy(result: Result) -> Verdict:
    across = [x for series in result.panels[0].series for x in series.across]
    measured = f"from {min(across):.2f} to {max(across):.2f}"
    return holds(min(across) < 0.1 and 0.5 < max(across) <= 0.6, measured)


def beyond_revealing(result: Result) -> Verdict:
    losses = [column(result, "privacy-loss")[f"ℓ-diversity: l={bound}"] for bound in ("3", "3.5")]
    measured = " and ".join(f"{loss:.3f}" for loss in losses)
    return holds(min(losses) > 0.488, measured)


def one_class(result: Result) -> Verdict:
    classes = result.measured("semantic privacy: delta=0.99", "classes")
    return holds(classes == 1, f"{classes:.0f} classes at 0.99, counting the values that occur in a class")


def few_classes(result: Result) -> Verdict:
    classes = column(result, "classes")
    semantic, others = (
        max(number for row, number in classes.items() if row.startswith("semantic") is wanted)
        for wanted in (True, False)
    )
    return holds(semantic < others, f"at most {semantic:,.0f}, at most {others:,.0f} for the others")


def below_the_line(result: Result) -> Verdict:
    curves = {series.label: series for series in result.panels[0].series}
    line, better = curves[CLOSENESS], curves[f"{CLOSENESS}, margins known"]
    lower = sum(low < high for low, high in zip(better.up, line.up, strict=True))
    measured = f"{lower} of {len(line.up)} of its releases lose less to a reader who knows the margins"
    return holds(lower == len(line.up), measured)


def least_frequent(result: Result) -> Verdict:
    """A class may lack a value: ℓ bounds the most frequent one."""
    share = min(value for row, value in column(result, "value").items() if row.startswith("Q, "))
    return Verdict("no", f"Definition: at most 1/ℓ; the least frequent value has {share:.4f} of all rows")


def reached(printed: float, row: str, name: str) -> Callable[[Result], Verdict]:
    """Check that what is found here is at least what is printed."""

    def check(result: Result) -> Verdict:
        value = result.measured(row, name)
        return holds(value >= printed, f"{value:,.0f} was found here")

    return check


def ranks_agree(one: str, other: str, sign: int) -> Callable[[Result], Verdict]:
    """Check that two measures of the same solutions rise together (1) or against each other (−1)."""

    def check(result: Result) -> Verdict:
        (panel,) = (panel for panel in result.panels if panel.labels == (one, other))
        (series,) = panel.series
        ranks = [np.argsort(np.argsort(np.array(axis), kind="stable")) for axis in (series.across, series.up)]
        correlation = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
        return holds(sign * correlation > 0, f"rank correlation {correlation:+.2f}")

    return check


def more_choices(place: int, wanted: int) -> Callable[[Result], Verdict]:
    """Check that a panel has more different values of k (0) or of ℓ (1)."""

    def check(result: Result) -> Verdict:
        (series,) = result.panels[place].series
        numbers = len(set(series.across)), len(set(series.up))
        measured = f"{numbers[0]} values of k, {numbers[1]} of ℓ"
        return holds(numbers[wanted] > numbers[1 - wanted], measured)

    return check


def better_for_one_percent(result: Result) -> Verdict:
    before = result.measured("loss 20%, 4 values", "k, nominal")
    after = result.measured("loss 21%, 5 values", "k, nominal")
    return holds(after >= before, f"k {before:.0f} with 4 values at 20 %, {after:.0f} with 5 at 21 %")


def safe_as_printed(result: Result) -> Verdict:
    nominal, true = column(result, "k, nominal"), column(result, "k, true")
    different = [row for row in nominal if nominal[row] != true[row]]
    measured = f"of {len(TRADEOFFS_SAFE) - 1} pairs {len(different)} are not what stays has"
    return holds(not different, measured, "no")


SENTENCES: Mapping[str, tuple[Sentence, ...]] = {
    "poka-table-3": (
        Sentence("6.2", "All Pareto-optimal nodes have been identified by using a depth of d_avg",
                 all_at_three,
                 "POkA ends at k ≤ 2 (Section 5.2), so that the table as it is cannot be among them"),
        Sentence("6.2", "Using a depth higher than 3 did not prove to be of any advantage", no_advantage),
        Sentence("6.2", "results in the evaluation of more than 60% of the nodes", more_than_sixty),
        Sentence("0", "identifying all Pareto-optimal nodes by evaluating only 20% of nodes",
                 all_with_a_fifth, "22.5 % (Table 3), and 'one or two cases of sub-optimal or no "
                 "identification' (Section 6.1)"),
    ),
    "poka-figure-4": (
        Sentence("6.1", "all solutions identified with GLM and CE are true Pareto-optimal", all_optimal),
        Sentence("6.1", "one or two cases of sub-optimal or no identification … for DCN", one_or_two,
                 "'assuring that all Pareto-optimal nodes are identified' (Section 1)"),
        Sentence("6.1", "the search space is more dense towards lower values of k", dense_at_low_k),
        Sentence("6.3", "On an average, node evaluations are observed to be around 20%", around_a_fifth),
    ),
    "poka-figure-5": (
        Sentence("6.2", "a depth of 2 resulted in some misidentification while a depth of 1 missed a number",
                 shallow_depths),
    ),
    "poka-figure-6": (
        Sentence("6.3", "the number of nodes evaluated dropped exponentially with increasing lattice size",
                 share_falls, "Figure 6 shows percentages, not numbers"),
    ),
    "pbg-table-1b": (
        Sentence("7", "94% of all minimal PBGs are discovered by the algorithm", most_discovered),
        Sentence("7", "The RR is slightly lower in this case [spread]", lower_for_spread),
        Sentence("7", "increasing the number of properties … has very little influence on the RR",
                 little_influence),
    ),
    "pbg-table-2a": (
        Sentence("7", "as higher ε values are used … the efficiency of PBG-EA improves in terms of RR",
                 larger_boxes),
    ),
    "pbg-table-2b": (
        Sentence("7", "the entire set of minimal PBGs … is found by exploring a small 5% of nodes",
                 small_share,
                 "0.94 of it, 0.83 with spread (Table 1(b)), and up to 11.9 % of nodes (Table 2(b))"),
        Sentence("7", "The nodes evaluated is slightly higher for three property problems", more_for_three),
        Sentence("7", "the number of minimal PBGs is also comparatively higher in such cases", more_minimal(
            (("k, loss", "k, l-distinct, loss"), ("spread-k, loss", "spread-k, spread-l, loss")))),
        Sentence("7", "Using the spread function induces a higher number of minimal PBGs", more_minimal(
            (("k, loss", "spread-k, loss"), ("k, l-distinct, loss", "spread-k, spread-l, loss")))),
        Sentence("7", "can potentially explore 2500 distinct nodes …, a much smaller number is evaluated",
                 far_below_the_budget),
    ),
    "li-li-constants": (
        Sentence("5.1", "the privacy loss is in between of 0.488 and 0.692", between_the_extremes),
        Sentence("5.1", "when all quasi-identifiers are removed, the utility loss is 0.05", without_quasi),
        Sentence("4.3", "Workclass … 8 [values]", eight_workclasses),
        Sentence("5.1", "ℓ-diversity requires that even the least-frequent … value must occur with a "
                 "probability of at least 1/ℓ", least_frequent,
                 "its smallest share is 0.0003, so that no table could have ℓ = 3 then"),
    ),
    "li-li-figure-2a": (
        Sentence("5.1", "utility loss is lower than 0.04 in all cases", below(0.04, many=False)),
        Sentence("5.1", "and is lower than 0.02 in many cases", below(0.02, many=True)),
        Sentence("5.1", "t-closeness performs better than other privacy requirements", closeness_is_best),
        Sentence("5.1", "they span a similar range on the x-axis, from 0 to 0.6", span_of_privacy),
        Sentence("5.1", "larger than 0.488 … the rightmost two points on the ℓ-diversity curve",
                 beyond_revealing),
        Sentence("5.1", "Mondrian … returns one single equivalence class when δ < 1", one_class),
        Sentence("5.1", "the number of equivalence classes … is small [under semantic privacy]", few_classes),
        Sentence("5.1", "the efficient frontier should be somewhere below the t-closeness line",
                 below_the_line),
    ),
    "li-li-figure-2b": (
        Sentence("5.1", "bucketization provides substantially better data utility than generalization",
                 better_in_buckets),
    ),
    "li-li-figure-3a": (
        Sentence("5.2", "the figure shows a similar pattern as that in Figure 2(a)", closeness_is_best),
    ),
    "li-li-figure-3b": (
        Sentence("5.2", "the average relative error is smaller when sel is larger", errors_fall),
    ),
    "li-li-figure-3c": (
        Sentence("5.2", "answer queries more accurately as qd increases", errors_fall),
    ),
    "tradeoffs-figure-6": (
        Sentence("7.5", "results in 22% loss and attains a weighted average k value of 2528",
                 reached(2528, "loss at most 22 %", "weighted-k")),
    ),
    "tradeoffs-figure-7": (
        Sentence("7.2", "Each plot shows the presence of locally flat regions", flat_regions),
        *(
            Sentence("7.5", f"a solution with k = {k} is known [at {loss:.0%} loss]",
                     reached(k, "suppress 10%", f"k at loss {loss:.0%}"))
            for loss, k in TRADEOFFS_K.items()
        ),
    ),
    "tradeoffs-figure-8": (
        Sentence("7.3", "an increase in generalization loss results in a decrease in the suppression loss",
                 ranks_agree("gl", "sl", -1)),
        Sentence("7.3", "A similar trend is observed when the k value increases",
                 ranks_agree("weighted-k", "sl", -1)),
    ),
    "tradeoffs-figure-9": (
        Sentence("7.3", "three solutions around the point (k = 5000, GL = 35%, SL = 17%) are available",
                 around_the_point),
    ),
    "tradeoffs-figure-10": (
        Sentence("7.4", "towards the k-anonymity property, … more choices for the parameter k than ℓ",
                 more_choices(0, 0)),
        Sentence("7.4", "[ℓ preferred] more choices are available for the ℓ parameter", more_choices(1, 1)),
    ),
    "tradeoffs-figure-11": (
        Sentence("7.4", "(20, 5)-safe … the same value of k as in the old choice, but … a higher value of ℓ",
                 better_for_one_percent),
        Sentence("7", "a solution always gives a generalization resulting in … d1-anonymous and d2-diverse",
                 safe_as_printed, "Table 2's T1 is called (2, 2)-safe, but its first group has one value"),
    ),
}  # fmt: skip
