"""Which method is best within which bounds: against brute force over all bounds."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.report.attainment import Lead, leads

Methods = dict[str, list[tuple[float, float]]]


def found_in(methods: Methods, first: str = "k", direction: str = "max") -> tuple[Lead, ...]:
    return leads(
        {name: np.array(each) for name, each in methods.items()}, (first, "loss"), (direction, "min")
    )


def said(methods: Methods, first: str = "k", direction: str = "max") -> list[str]:
    return [
        each.sentence((first, "loss"), (direction, "min")) for each in found_in(methods, first, direction)
    ]


def best_at(methods: Methods, bound: float, direction: str) -> dict[str, float]:
    """The lowest loss of the releases of each method that meet a bound, the slow and obvious way."""
    sign = 1 if direction == "max" else -1
    met = {
        name: [loss for value, loss in each if sign * value >= sign * bound] for name, each in methods.items()
    }
    return {name: min(losses) for name, losses in met.items() if losses}


def test_by_hand() -> None:
    """For k from 1 to 20 mondrian loses 10 %, cuts 12.5 % up to 10 and 30 % above; beyond 20 only cuts has
    releases."""
    methods: Methods = {"mondrian": [(20, 0.1)], "cuts": [(10, 0.125), (50, 0.3)]}
    assert said(methods) == [
        "For k up to 20, mondrian has the lowest loss; that of cuts is 2.5 to 20 points higher.",
        "For k from 21 to 50, cuts has the lowest loss; no other method has a release there.",
    ]
    assert said({**methods, "lattice": [(30, 0.3), (50, 0.4)]})[1] == (
        "For k from 21 to 50, cuts has the lowest loss; that of lattice is at most 10 points higher."
    )
    assert said({"a": [(5, 0.1)], "b": [(5, 0.11234)]}) == [
        "For k up to 5, a has the lowest loss; that of b is about 1.2 points higher."
    ]
    assert said({**methods, "lattice": [(30, 0.4)]})[1] == (
        "For k from 21 to 50, cuts has the lowest loss; "
        "where it has a release, that of lattice is 10 points higher."
    )


def test_less_is_better() -> None:
    """A bound below which nothing lies is met by no release: nothing is said of it. 0.123456 is rounded away
    from what others are best at."""
    methods: Methods = {"a": [(0.123456, 0.5)], "b": [(0.5, 0.25), (0.6, 0.5)]}
    assert said(methods, "privacy-loss", "min") == [
        "For privacy-loss from 0.1235 to below 0.5, a has the lowest loss; "
        "no other method has a release there.",
        "For privacy-loss from 0.5 on, b has the lowest loss; that of a is 25 points higher.",
    ]


def test_methods_alike_and_infinite_values() -> None:
    same: Methods = {"a": [(2, 0.5), (5, 1.0)], "b": [(2, 0.5), (5, 1.0)]}
    assert said(same) == ["For k up to 5, a and b have the lowest loss; no other method has a release there."]
    assert said({"a": [(5, 0.5)], "b": [(2, 0.5)]}) == [
        "For k up to 5, a has the lowest loss; where it has a release, that of b is the same."
    ]
    # Infinite delta is met by no bound; an infinite k by every one.
    assert said({"a": [(np.inf, 0.1)], "b": [(1.5, 0.2)]}, "delta", "min") == [
        "For delta from 1.5 on, b has the lowest loss; no other method has a release there."
    ]
    assert said({"a": [(np.inf, 0.3)], "b": [(5, 0.2)]}) == [
        "For k up to 5, b has the lowest loss; that of a is 10 points higher."
    ]


releases = st.lists(
    st.tuples(st.integers(1, 14), st.integers(0, 40)), min_size=1, max_size=6
)  # few values, so that methods tie


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), releases, min_size=1),
    st.sampled_from(["max", "min"]),
    st.booleans(),
)
def test_true_at_every_bound(drawn: dict[str, list[tuple[int, int]]], direction: str, whole: bool) -> None:
    """At every bound there is one stretch; its methods are best there, the others within their range. What
    the sentence says with its rounded numbers is true as well."""
    scale = 1.0 if whole else 1 / 7
    methods = {name: [(k * scale, loss / 37) for k, loss in each] for name, each in drawn.items()}
    first = "k" if whole else "privacy-loss"
    stretches = found_in(methods, first, direction)
    bounds = np.arange(1, 15) if whole else np.arange(2, 29) * scale / 2
    for bound in bounds.tolist():
        best = best_at(methods, bound, direction)
        here = [each for each in stretches if _covers(each, bound)]
        assert len(here) == (1 if best else 0)
        for lead in here:
            _check(lead, best)
            _check_sentence(lead, bound, best, first, direction)
    for one, two in pairwise(stretches):
        assert not set(one.methods) & set(two.methods), "one stretch would have been enough"


def _covers(lead: Lead, bound: float) -> bool:
    after = bound > lead.start if lead.opened == "start" else bound >= lead.start
    return after and (bound < lead.end if lead.opened == "end" else bound <= lead.end)


def _check(lead: Lead, best: dict[str, float]) -> None:
    lowest = min(best.values())
    assert all(best[name] == lowest for name in lead.methods)
    others = {each.method: each for each in lead.others}
    for name, value in best.items():
        if name not in lead.methods:
            assert others[name].least - 1e-12 <= value - lowest <= others[name].most + 1e-12
    assert all(name in best for name, each in others.items() if each.throughout)


def _numbers(text: str) -> list[Fraction]:
    return [Fraction(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\.?\d*(?<!,)", text)]


def _check_sentence(lead: Lead, bound: float, best: dict[str, float], first: str, direction: str) -> None:
    """Read the sentence again: its bounds hold no more than the stretch, its excess no less."""
    text = lead.sentence((first, "loss"), (direction, "min"))
    bounds, _, rest = text.removesuffix(".").partition("; ")
    low, high = _ends(bounds.split(", " if ", up to" not in bounds else " has ")[0])
    assert low >= lead.start
    assert high <= lead.end
    if rest.startswith("no other"):
        assert set(best) <= set(lead.methods)
        return
    other = re.search(r"that of (\w)", rest)
    assert other
    if other[1] in best:
        over = 100 * (best[other[1]] - min(best.values()))
        shown = _numbers(rest) or [Fraction(0)]
        if "about" in rest:
            assert abs(over - shown[0]) <= 0.05 * over
            return
        assert (
            (shown[0] if len(shown) == 2 or "at most" not in rest else 0) - 1e-9 <= over <= shown[-1] + 1e-9
        )


def _ends(words: str) -> tuple[float, float]:
    numbers = [float(each) for each in _numbers(words)]
    if "up to" in words and "above" not in words:
        return -np.inf, numbers[0]
    if words.endswith(" on"):
        return numbers[0], np.inf
    return numbers[0], numbers[-1]
