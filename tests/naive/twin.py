"""The frontier by enumeration: every node, every threshold, every pair compared, in exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from tests.naive.levels import Quasi, Rows, Shown

Vector: TypeAlias = tuple[Fraction, ...]
Classes: TypeAlias = Mapping[tuple[Shown, ...], int]


@dataclass(frozen=True)
class Release:
    """A candidate: the classes of a node, and the smallest size with which one stays."""

    rows: int
    classes: Classes
    threshold: int
    costs: Mapping[tuple[Shown, ...], Fraction]
    weight: Fraction

    @property
    def staying(self) -> dict[tuple[Shown, ...], int]:
        return {shown: size for shown, size in self.classes.items() if size >= self.threshold}

    @property
    def gone(self) -> int:
        return self.rows - sum(self.staying.values())


def generalization(release: Release) -> Fraction:
    cost = sum((size * release.costs[shown] for shown, size in release.staying.items()), Fraction(0))
    return cost / (release.rows * release.weight)


def suppression(release: Release) -> Fraction:
    return Fraction(release.gone, release.rows)


def squares(sizes: Sequence[int]) -> int:
    return sum(size * size for size in sizes)


VALUES: Mapping[str, tuple[str, Callable[[Release], Fraction]]] = {
    "k": ("max", lambda release: Fraction(min(release.staying.values()))),
    "weighted-k": ("max", lambda release: Fraction(squares([*release.classes.values()]), release.rows)),
    "gl": ("min", generalization),
    "sl": ("min", suppression),
    "loss": ("min", lambda release: generalization(release) + suppression(release)),
    "discernibility": (
        "min",
        lambda release: Fraction(squares([*release.staying.values()]) + release.gone * release.rows),
    ),
}


def frontier(
    rows: Rows, quasis: Sequence[Quasi], objectives: Sequence[str], rule: str, fraction: Fraction
) -> set[Vector]:
    """The vectors that no other beats. `rule` is "limit" or "any"."""
    found = {
        tuple(VALUES[name][1](release) for name in objectives)
        for release in releases(rows, quasis, rule, fraction)
    }
    return non_dominated(found, [VALUES[name][0] for name in objectives])


def releases(rows: Rows, quasis: Sequence[Quasi], rule: str, fraction: Fraction) -> Iterator[Release]:
    for levels in nodes(quasis):
        yield from candidates(rows, quasis, levels, rule, fraction)


def nodes(quasis: Sequence[Quasi]) -> Iterator[tuple[int, ...]]:
    return product(*(range(quasi.lowest, quasi.highest + 1) for quasi in quasis))


def candidates(
    rows: Rows, quasis: Sequence[Quasi], levels: Sequence[int], rule: str, fraction: Fraction
) -> Iterator[Release]:
    """The releases of one node: one under a limit, under "any" one for each threshold that it allows."""
    classes = grouped(rows, quasis, levels)
    costs = {shown: cell_costs(quasis, shown) for shown in classes}
    weight = sum((quasi.importance for quasi in quasis), Fraction(0))
    limit = fraction * len(rows)
    allowed = [
        size
        for size in sorted(set(classes.values()))
        if sum(other for other in classes.values() if other < size) <= limit
    ]
    for threshold in allowed if rule == "any" else allowed[-1:]:
        yield Release(len(rows), classes, threshold, costs, weight)


def grouped(rows: Rows, quasis: Sequence[Quasi], levels: Sequence[int]) -> Classes:
    classes: dict[tuple[Shown, ...], int] = {}
    for row in rows:
        shown = tuple(
            quasi.levels[level][row[quasi.name]] for quasi, level in zip(quasis, levels, strict=True)
        )
        classes[shown] = classes.get(shown, 0) + 1
    return classes


def cell_costs(quasis: Sequence[Quasi], shown: Sequence[Shown]) -> Fraction:
    """What one row costs: Σ w·(size of the shown set − 1)/(D − 1), nothing where D is 1."""
    costs = (
        quasi.importance * Fraction(len(values) - 1, quasi.domain - 1)
        for quasi, values in zip(quasis, shown, strict=True)
        if quasi.domain > 1
    )
    return sum(costs, Fraction(0))


def non_dominated(vectors: set[Vector], directions: Sequence[str]) -> set[Vector]:
    return {
        vector for vector in vectors if not any(dominates(other, vector, directions) for other in vectors)
    }


def dominates(left: Vector, right: Vector, directions: Sequence[str]) -> bool:
    """Nowhere worse and somewhere better."""
    if left == right:
        return False
    pairs = zip(left, right, directions, strict=True)
    return all(a >= b if direction == "max" else a <= b for a, b, direction in pairs)
