"""Sentences of the papers about a table or figure, and checks that they hold of ours.

A sentence is checked against the result of its reproduction: `yes`, `no`, or `differs`, where the numbers are
others because the paper's trees are not printed; in each case with what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, NamedTuple, TypeAlias

from paretonym.research.papers.reproductions.reproduction import Result, Series

Answer: TypeAlias = Literal["yes", "no", "differs"]
# How near a share is to the one that the paper calls "around" it.
AROUND = 0.25
# A flat region: k rises by at least this factor, for at most this share of what such a rise costs on average.
STEP, FLAT = 1.5, 1 / 3


class Verdict(NamedTuple):
    """The answer to a sentence, and the measured numbers that say so."""

    answer: Answer
    measured: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is printed, its section, and its check; `against` is what else the paper says."""

    section: str
    text: str
    check: Callable[[Result], Verdict]
    against: str = ""

    def judged(self, result: Result) -> str:
        """The sentence, whether it holds, and why.

        >>> Sentence("6.1", "All are optimal.", lambda result: Verdict("no", "3 are not")).judged(Result(()))
        'Section 6.1: "All are optimal." no: 3 are not.'
        """
        answer, measured = self.check(result)
        contradiction = f" The paper itself: {self.against}." if self.against else ""
        return f'Section {self.section}: "{self.text}" {answer}: {measured}.{contradiction}'


def holds(true: bool, measured: str, otherwise: Answer = "differs") -> Verdict:
    """Yes, or what is said instead."""
    return Verdict("yes" if true else otherwise, measured)


def column(result: Result, name: str) -> Mapping[str, float]:
    """The measured numbers of a column, by row."""
    return {fact.row: fact.measured for fact in result.facts if fact.column == name}


def all_optimal(result: Result) -> Verdict:
    others = column(result, "found, no optima")
    wrong = others["loss"] + others["classification-error"]
    return Verdict("no" if wrong else "yes", f"{wrong:.0f} solutions with GLM or CE are not")


def one_or_two(result: Result) -> Verdict:
    """The table as it is, k = 1, is never reported: it counts as no missing optimum."""
    row = "discernibility"
    wrong, optima = column(result, "found, no optima")[row], column(result, "true optima")[row]
    missing = optima - 1 - column(result, "found")[row]
    within = wrong + missing in (1, 2)
    return Verdict("yes" if within else "differs", f"{wrong:.0f} sub-optimal and {missing:.0f} missing")


def around_a_fifth(result: Result) -> Verdict:
    shares = list(column(result, "share of nodes").values())
    mean = sum(shares) / len(shares)
    near = abs(mean - 0.2) <= 0.2 * AROUND
    return Verdict("yes" if near else "differs", f"{mean:.1%} on average")


def small_share(result: Result) -> Verdict:
    """All of them, with about as few nodes."""
    shares, ratio = column(result, "share of nodes"), result.measured("k, loss", "ratio")
    near = abs(shares["k, loss"] - 0.05) <= 0.05 * AROUND
    low, high = min(shares.values()), max(shares.values())
    return holds(
        near and ratio == 1,
        f"{ratio:.0%} of them with {shares['k, loss']:.1%} of nodes for k and loss; {low:.1%} to {high:.1%} "
        "for all objectives",
    )


def more_for_three(result: Result) -> Verdict:
    nodes = column(result, "nodes evaluated")
    pairs = [("k, loss", "k, l-distinct, loss"), ("spread-k, loss", "spread-k, spread-l, loss")]
    more = [nodes[three] - nodes[two] for two, three in pairs]
    measured = " and ".join(f"{difference:+.0f} nodes" for difference in more)
    return Verdict("yes" if min(more) > 0 else "differs", measured)


def flat_regions(result: Result) -> Verdict:
    """In each plot a stretch where more k costs far less than over the whole plot."""
    flat = [_is_flat_somewhere(*panel.series) for panel in result.panels]
    stretch = "k rises by half or more for a third of what that costs on average"
    measured = f"in {sum(flat)} of {len(flat)} plots {stretch}"
    return Verdict("yes" if all(flat) else "no", measured)


def _is_flat_somewhere(series: Series) -> bool:
    points = sorted((loss, math.log(k)) for k, loss in zip(series.across, series.up, strict=True))
    if len(points) < 2 or points[-1][1] <= points[0][1]:
        return False
    price = (points[-1][0] - points[0][0]) / (points[-1][1] - points[0][1])
    return any(
        high - low >= math.log(STEP) and dear - cheap <= FLAT * price * (high - low)
        for (cheap, low), (dear, high) in combinations(points, 2)
    )


def around_the_point(result: Result) -> Verdict:
    near = {fact.column: fact for fact in result.facts if fact.row == "nearest to the printed point"}
    k, gl, sl = (near[name].measured for name in ("weighted-k", "gl", "sl"))
    holds = abs(k / 5000 - 1) <= 0.02 and abs(gl - 0.35) <= 0.02 and abs(sl - 0.17) <= 0.02
    return Verdict("yes" if holds else "differs", f"the nearest is ({k:,.0f}, {gl:.1%}, {sl:.1%})")


def below(limit: float, many: bool) -> Callable[[Result], Verdict]:
    def check(result: Result) -> Verdict:
        every = column(result, "utility-loss").items()
        losses = [loss for row, loss in every if "margins known" not in row]
        within, highest = sum(loss < limit for loss in losses), max(losses)
        holds = 3 * within >= len(losses) if many else within == len(losses)
        return Verdict(
            "yes" if holds else "differs",
            f"{within} of {len(losses)} are below {limit:g}, the highest is {highest:.4f}",
        )

    return check


def better_in_buckets(result: Result) -> Verdict:
    losses = column(result, "utility-loss")
    pairs = [
        (losses[row.replace("bucketization", "generalization")], loss)
        for row, loss in losses.items()
        if "bucketization" in row
    ]
    better = sum(mixed < generalized for generalized, mixed in pairs)
    saved = [1 - mixed / generalized for generalized, mixed in pairs]
    measured = f"better in {better} of {len(pairs)} settings, by {min(saved):.0%} to {max(saved):.0%}"
    return Verdict("yes" if better == len(pairs) else "no", measured)


def errors_fall(result: Result) -> Verdict:
    """From one curve to the next, over all settings of both."""
    (panel,) = result.panels
    curves = [series.up for series in panel.series]
    steps = [
        after < before for one, other in pairwise(curves) for before, after in zip(one, other, strict=True)
    ]
    measured = f"in {sum(steps)} of {len(steps)} steps from one curve to the next"
    return Verdict("yes" if all(steps) else "no" if sum(steps) * 2 < len(steps) else "differs", measured)
