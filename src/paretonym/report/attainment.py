"""What each method attains: the best second measure within every bound on the first, and the stretches of
bounds in which one method is best throughout."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrays import Floats
from paretonym.frontier import as_costs
from paretonym.measures import card_of, is_share
from paretonym.number_text import number_to_json
from paretonym.rounding import rounded
from paretonym.sentence_parts import listed

EXACT = 17


class Excess(NamedTuple):
    """How much worse another method is in the second measure: the least and the most over the bounds of a
    stretch at which it has a release. `throughout`: it has one at all of them."""

    method: str
    least: float
    most: float
    throughout: bool

    def words(self, name: str, worse: str) -> str:
        if not self.most:
            return f"that of {self.method} is the same"
        factor, unit = (100, " points") if is_share(name) else (1, "")
        size = _range(factor * Decimal(repr(self.least)), factor * Decimal(repr(self.most)))
        return f"that of {self.method} is {size}{unit} {worse}"


def _range(least: Decimal, most: Decimal) -> str:
    """Numbers of two digits: rounded outward where they are two, to the nearest where they are one."""
    low, high = _cut(least, 2, ROUND_FLOOR), _cut(most, 2, ROUND_CEILING)
    near = _cut(most, 2, ROUND_HALF_EVEN)
    if near == _cut(least, 2, ROUND_HALF_EVEN):
        return f"{'' if least == near == most else 'about '}{_plain(near)}"
    return f"at most {_plain(high)}" if 100 * low < high else f"{_plain(low)} to {_plain(high)}"


class Lead(NamedTuple):
    """Bounds on the first measure, from `start` to `end`, within which these methods are best in the second
    at every bound. An infinite end: every looser bound. `opened` names the end that is left out. `others` are
    the other methods, the next best first."""

    methods: tuple[str, ...]
    start: float
    end: float
    opened: str | None
    others: tuple[Excess, ...]

    def sentence(self, measures: Sequence[str], directions: Sequence[str]) -> str:
        first, second = measures[:2]
        best, worse = ("highest", "lower") if directions[1] == "max" else ("lowest", "higher")
        have = "has" if len(self.methods) == 1 else "have"
        text = f"For {self._bounds(first)}, {listed(list(self.methods))} {have} the {best} {second}"
        whole = [each for each in self.others if each.throughout]
        if whole:
            return f"{text}; {whole[0].words(second, worse)}."
        if self.others:
            return f"{text}; where it has a release, {self.others[0].words(second, worse)}."
        return f"{text}; no other method has a release there."

    def _bounds(self, name: str) -> str:
        if math.isinf(self.start):
            return f"{name} up to {_inside(name, self.end, upward=False)}"
        if math.isinf(self.end):
            return f"{name} from {_inside(name, self.start, upward=True)} on"
        start, end = _ends_inside(name, self.start, self.end, self.opened is not None)
        if start == end:
            return f"{name} = {start}"
        if self.opened == "start":
            return f"{name} above {start}, up to {end}"
        return f"{name} from {start} to {'below ' if self.opened == 'end' else ''}{end}"

    def as_json(self, measures: Sequence[str], directions: Sequence[str]) -> dict[str, Any]:
        """With None for an end that is infinite."""
        return {
            "methods": list(self.methods),
            "start": None if math.isinf(self.start) else number_to_json(self.start),
            "end": None if math.isinf(self.end) else number_to_json(self.end),
            "open": self.opened,
            "others": [each._asdict() for each in self.others],
            "sentence": self.sentence(measures, directions),
        }


def leads(
    methods: Mapping[str, Floats], measures: Sequence[str], directions: Sequence[str]
) -> tuple[Lead, ...]:
    """As few stretches as cover every bound that a release of some method meets, lower values first.

    At a bound a method has its best release among those that meet it; within a stretch at least one method is
    best at all bounds. `methods` are the values of their releases in two measures.
    """
    costs = {name: _usable(as_costs(values, directions)) for name, values in methods.items()}
    edges = np.unique(np.concatenate([each[:, 0] for each in costs.values()]))
    edges = edges[np.isfinite(edges)]
    attained = {name: _attained(each, edges) for name, each in costs.items()}
    if not len(edges) or not all((each > -np.inf).all() for each in attained.values()):
        return ()
    whole = _counts(measures[0], edges)
    found = []
    for first, after in _runs(attained, len(edges)):
        strict, loose = edges[first], edges[after] if after < len(edges) else np.inf
        found.append(_lead(attained, slice(first, after), _bounds(strict, loose, directions[0], whole)))
    return tuple(reversed(found) if directions[0] == "max" else found)


def _usable(costs: Floats) -> Floats:
    """The releases that some bound admits, and that have a finite second measure or the best of all."""
    return costs[(costs < np.inf).all(axis=1)]


def _attained(costs: Floats, edges: Floats) -> Floats:
    """The lowest second cost of the releases within each bound; infinite if there is none."""
    order = np.argsort(costs[:, 0], kind="stable")
    lowest = np.concatenate([[np.inf], np.minimum.accumulate(costs[order, 1])])
    found: Floats = lowest[np.searchsorted(costs[order, 0], edges, side="right")]
    return found


def _counts(name: str, edges: Floats) -> bool:
    """Whether bounds on a measure are whole numbers."""
    card = card_of(name)
    return card is not None and card.unit == "count" and bool((edges == np.rint(edges)).all())


def _runs(attained: Mapping[str, Floats], number: int) -> list[tuple[int, int]]:
    """Each stretch goes on as long as one of its methods is best at all its edges."""
    best = np.min(list(attained.values()), axis=0)
    ties = [{name for name, each in attained.items() if each[i] == best[i]} for i in range(number)]
    found, start, alike = [], 0, ties[0]
    for i, tied in enumerate(ties):
        if not alike & tied:
            found.append((start, i))
            start, alike = i, tied
        alike = alike & tied
    return [*found, (start, number)]


def _bounds(strict: float, loose: float, direction: str, whole: bool) -> tuple[float, float, str | None]:
    """From the strictest bound up to, but without, a looser one; as values, not costs."""
    closed = whole or math.isinf(loose)
    loose = loose - 1 if whole else loose
    if direction == "max":
        return -float(loose), -float(strict), None if closed else "start"
    return float(strict), float(loose), None if closed else "end"


def _lead(attained: Mapping[str, Floats], here: slice, bounds: tuple[float, float, str | None]) -> Lead:
    lowest = np.min([each[here] for each in attained.values()], axis=0)
    named, others = [], []
    for name, each in attained.items():
        over = each[here] - lowest
        some = np.isfinite(over)
        if not over.any():
            named.append(name)
        elif some.any():
            least, most = rounded(np.array([over[some].min(), over[some].max()])).tolist()
            others.append(Excess(name, least, most, bool(some.all())))
    others.sort(key=lambda each: (not each.throughout, each.most, each.least, each.method))
    return Lead(tuple(sorted(named)), *bounds, tuple(others))


def _ends_inside(name: str, start: float, end: float, opened: bool) -> tuple[str, str]:
    """Both ends, rounded inward with as few digits as leave something between them: what is said of the
    stretch is then true of everything between the numbers shown."""
    for digits in range(4, EXACT + 1):
        low, high = _towards(name, start, digits, True), _towards(name, end, digits, False)
        if low < high or (low == high and not opened):
            break
    return _text(name, low), _text(name, high)


def _inside(name: str, value: float, upward: bool) -> str:
    return _text(name, _towards(name, value, 4, upward))


def _towards(name: str, value: float, digits: int, upward: bool) -> Decimal:
    """A number of this many digits, or a whole one, that is not below `value`, or not above it."""
    exact = Decimal(repr(value)) * (100 if is_share(name) else 1)
    return _cut(exact, digits, ROUND_CEILING if upward else ROUND_FLOOR)


def _cut(number: Decimal, digits: int, rounding: str) -> Decimal:
    """A number with this many significant digits; whole numbers stay as they are."""
    if number == number.to_integral_value():
        return number
    return number.quantize(Decimal(1).scaleb(min(0, number.adjusted() - digits + 1)), rounding)


def _text(name: str, number: Decimal) -> str:
    return f"{_plain(number)} %" if is_share(name) else _plain(number)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():,f}"
