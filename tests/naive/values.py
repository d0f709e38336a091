"""What a class shows of sensitive values and labels, counted row by row. Fractions where that is possible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from tests.naive.levels import Level, Value

Number: TypeAlias = Fraction | float
Shares: TypeAlias = Mapping[Value, Fraction]


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column: its values in order, and the sets of its tree, level by level, the top last."""

    name: str
    values: tuple[Value, ...]
    levels: tuple[Level, ...]


def shares(cells: Sequence[Value]) -> Shares:
    return {value: Fraction(count, len(cells)) for value, count in Counter(cells).items()}


def recursive(cells: Sequence[Value], constant: int) -> int:
    """The largest ℓ with r_1 < c·(r_ℓ + … + r_m)."""
    counts = sorted(Counter(cells).values(), reverse=True)
    fitting = [l for l in range(1, len(counts) + 1) if counts[0] < constant * sum(counts[l - 1 :])]
    return max(fitting, default=0)


def entropy_number(cells: Sequence[Value]) -> float:
    """How many equally frequent values would be as uncertain."""
    return math.exp(-sum(float(p) * math.log(p) for p in shares(cells).values()))


def variation(column: Sensitive, p: Shares, q: Shares) -> Fraction:
    return sum((abs(p.get(v, Fraction(0)) - q.get(v, Fraction(0))) for v in column.values), Fraction(0)) / 2


def over_order(column: Sensitive, p: Shares, q: Shares) -> Fraction:
    total, gap = Fraction(0), Fraction(0)
    for value in column.values:
        gap += p.get(value, Fraction(0)) - q.get(value, Fraction(0))
        total += abs(gap)
    return total / (len(column.values) - 1) if len(column.values) > 1 else Fraction(0)


def over_tree(column: Sensitive, p: Shares, q: Shares) -> Fraction:
    """What must be moved out of the sets of a level goes one level further up, for 1/height."""
    height = len(column.levels) - 1
    if height == 0:
        return Fraction(0)
    moved = Fraction(0)
    for level in column.levels[:-1]:
        for group in set(level.values()):
            gap = sum((p.get(v, Fraction(0)) - q.get(v, Fraction(0)) for v in group), Fraction(0))
            moved += abs(gap) / 2
    return moved / height


def divergence(column: Sensitive, p: Shares, q: Shares) -> float:
    """Jensen–Shannon, no square root."""
    middle = {v: (p.get(v, Fraction(0)) + q.get(v, Fraction(0))) / 2 for v in column.values}

    def relative(left: Shares) -> float:
        return sum(float(share) * math.log(share / middle[v]) for v, share in left.items() if share)

    return (relative(p) + relative(q)) / 2


def ratio(column: Sensitive, p: Shares, q: Shares) -> float:
    """Over the values that occur."""
    return max(abs(math.log(p[v] / q[v])) for v in column.values if p.get(v) and q.get(v))


def likeness(column: Sensitive, p: Shares, q: Shares) -> Fraction:
    """By which part of its share a value is more frequent, at most."""
    return max((Fraction((p[v] - q[v]) / q[v]) for v in column.values if p.get(v)), default=Fraction(0))


DISTANCES: Mapping[str, Callable[[Sensitive, Shares, Shares], Number]] = {
    "t": variation,
    "t-ordered": over_order,
    "t-tree": over_tree,
    "t-js": divergence,
    "delta": ratio,
    "beta": likeness,
}
