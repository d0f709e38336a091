"""MDAV point by point, with fractions and lists: the readable twin of `microaggregation/mdav.py`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Point: TypeAlias = tuple[Fraction, ...]


def distance(one: Point, other: Point) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def mean(points: Sequence[Point], counts: Sequence[int], places: Sequence[int]) -> Point:
    rows = sum(counts[place] for place in places)
    return tuple(
        sum((points[place][j] * counts[place] for place in places), Fraction(0)) / rows
        for j in range(len(points[0]))
    )


def taken(points: Sequence[Point], counts: Sequence[int], left: list[int], center: int, k: int) -> list[int]:
    """The nearest points to one, itself first, until they have k rows; they are left no longer."""
    members: list[int] = []
    for place in sorted(left, key=lambda place: (distance(points[place], points[center]), place)):
        if sum(counts[member] for member in members) < k:
            members.append(place)
    for member in members:
        left.remove(member)
    return members


def mdav(points: Sequence[Point], counts: Sequence[int], k: int) -> list[list[int]]:
    """The clusters, each a list of places."""
    left, clusters = list(range(len(points))), []

    def rows() -> int:
        return sum(counts[place] for place in left)

    def farthest(center: Point) -> int:
        return max(left, key=lambda place: (distance(points[place], center), -place))

    while rows() >= 2 * k:
        both = rows() >= 3 * k
        first = farthest(mean(points, counts, left))
        clusters.append(taken(points, counts, left, first, k))
        if both and rows() >= k:
            clusters.append(taken(points, counts, left, farthest(points[first]), k))
    if rows() >= k:
        return [*clusters, left]
    means = [mean(points, counts, members) for members in clusters]
    for place, cluster in [(place, nearest(points[place], means)) for place in left]:
        clusters[cluster].append(place)
    return clusters


def nearest(point: Point, means: Sequence[Point]) -> int:
    return min(range(len(means)), key=lambda cluster: (distance(means[cluster], point), cluster))
