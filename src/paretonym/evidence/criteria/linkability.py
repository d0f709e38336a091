"""Linkability: two halves of what is known about a target are linked by one row of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.evidence.criteria.compared_rows import TIE, ComparedRows, chosen
from paretonym.evidence.criteria.success_rate import Criterion, SuccessRate


def linkability(rows: ComparedRows, neighbours: Sequence[int], targets: int, seed: int) -> list[Criterion]:
    """Measure how often a row is among the nearest for both halves of a target's columns, for each of some
    numbers of nearest rows.

    The halves are every other column of the table. Of rows that are equally near, as many as are needed are
    drawn, for each half anew: an attacker cannot tell rows that look the same apart.
    """
    generator = np.random.default_rng(seed)
    every, most = range(len(rows.columns)), max(neighbours)
    halves = (list(every[::2]), list(every[1::2]))
    nearest = []
    for table in (rows.original, rows.control):
        people = chosen(table, targets, generator)
        nearest.append([_nearest(rows, people, half, most, generator) for half in halves])
    attacks, total = len(nearest[0][0]), int(rows.weights.sum())
    nearest.append([generator.integers(0, total, (attacks, most)) for _ in halves])
    criteria = []
    for number in neighbours:
        original, control, naive = (_linked(one[:, :number], other[:, :number]) for one, other in nearest)
        criteria.append(Criterion("linkability", f"{number} nearest", original, control, naive))
    return criteria


def _linked(one: Integers, other: Integers) -> SuccessRate:
    """The rate of targets with a row among the nearest of both halves."""
    linked = (one[:, :, None] == other[:, None, :]).any(axis=(1, 2))
    return SuccessRate(int(linked.sum()), len(linked))


def _nearest(
    rows: ComparedRows, people: Integers, places: list[int], number: int, generator: np.random.Generator
) -> Integers:
    """The rows of the table that are nearest to each target in some columns, ties drawn by chance; equal rows
    are told apart by consecutive numbers."""
    projection = rows.projected(places)
    of_row = np.repeat(projection.of_row, rows.weights)
    members = np.argsort(of_row, kind="stable")
    sizes = np.bincount(of_row, minlength=len(projection.cells))
    begins = np.cumsum(sizes) - sizes
    number = min(number, len(members))
    nearest = np.empty((len(people), number), dtype=np.int64)
    for target, nearness in enumerate(projection.nearness(people)):
        nearest[target] = members[_drawn(nearness, sizes, begins, number, generator)]
    return nearest


def _drawn(
    nearness: np.ndarray, sizes: Integers, begins: Integers, number: int, generator: np.random.Generator
) -> Integers:
    """The places of that many rows among those of all combinations in order, the nearest first."""
    drawn: list[int] = []
    some = min(number, len(nearness))
    last = np.partition(nearness, len(nearness) - some)[len(nearness) - some]
    candidates = np.flatnonzero(nearness >= last - TIE)
    while len(drawn) < number:
        values = nearness[candidates]
        tied = values >= values.max() - TIE
        ends = np.cumsum(sizes[candidates[tied]])
        places = generator.choice(ends[-1], min(number - len(drawn), int(ends[-1])), replace=False)
        combination = np.searchsorted(ends, places, side="right")
        before = ends - sizes[candidates[tied]]
        drawn += (begins[candidates[tied]][combination] + places - before[combination]).tolist()
        candidates = candidates[~tied]
    return np.array(drawn, dtype=np.int64)
