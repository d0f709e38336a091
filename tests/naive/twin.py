"""The frontier by enumeration: every node, every threshold, every pair compared, exact wherever it can be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from tests.naive.levels import Quasi, Rows, Shown, Value, kept_rows, quasis, sensitives
from tests.naive.values import (
    DISTANCES,
    Number,
    Sensitive,
    entropy_number,
    recursive,
    shares,
)

Vector: TypeAlias = tuple[Number, ...]
Row: TypeAlias = Mapping[str, Value]
Classes: TypeAlias = Mapping[tuple[Shown, ...], list[Row]]


@dataclass(frozen=True)
class Table:
    """The rows that are left, and what the schema says of their columns."""

    rows: Rows
    quasis: Sequence[Quasi]
    sensitive: Sequence[Sensitive]

    @classmethod
    def of(cls, rows: Rows, schema: Mapping[str, Any]) -> Table:
        left = kept_rows(rows, schema)
        return cls(left, quasis(left, schema), [Sensitive(*entry) for entry in sensitives(left, schema)])

    @property
    def nodes(self) -> Iterator[tuple[int, ...]]:
        return product(*(range(quasi.lowest, quasi.highest + 1) for quasi in self.quasis))


@dataclass(frozen=True)
class Release:
    """A candidate: the classes of a node, and those of them that stay."""

    table: Table
    levels: tuple[int, ...]
    classes: Classes
    kept: frozenset[tuple[Shown, ...]]

    @property
    def rows(self) -> int:
        return len(self.table.rows)

    @cached_property
    def staying(self) -> dict[tuple[Shown, ...], list[Row]]:
        return {shown: rows for shown, rows in self.classes.items() if shown in self.kept}

    @property
    def threshold(self) -> int:
        """The size of the smallest class that stays."""
        return min(self.sizes)

    @cached_property
    def sizes(self) -> list[int]:
        return [len(rows) for rows in self.staying.values()]

    @property
    def gone(self) -> int:
        return self.rows - sum(self.sizes)


def generalization(release: Release) -> Fraction:
    quasis = release.table.quasis
    cost = sum(
        (len(rows) * cell_costs(quasis, shown) for shown, rows in release.staying.items()), Fraction(0)
    )
    return cost / (release.rows * sum((quasi.importance for quasi in quasis), Fraction(0)))


def cell_costs(quasis: Sequence[Quasi], shown: Sequence[Shown]) -> Fraction:
    """What one row costs: Σ w·(size of the shown set − 1)/(D − 1), nothing where D is 1."""
    costs = (
        quasi.importance * Fraction(len(values) - 1, quasi.domain - 1)
        for quasi, values in zip(quasis, shown, strict=True)
        if quasi.domain > 1
    )
    return sum(costs, Fraction(0))


def suppression(release: Release) -> Fraction:
    return Fraction(release.gone, release.rows)


def squares(sizes: Sequence[int]) -> int:
    return sum(size * size for size in sizes)


def precision(release: Release) -> Fraction:
    steps = sum(
        (
            Fraction(level, max(len(quasi.levels) - 1, 1))
            for quasi, level in zip(release.table.quasis, release.levels, strict=True)
            if quasi.domain > 1
        ),
        Fraction(0),
    )
    stays = release.rows - release.gone
    return (steps * stays / len(release.levels) + release.gone) / release.rows


def entropy_loss(release: Release) -> float:
    total = 0.0
    for quasi, level in zip(release.table.quasis, release.levels, strict=True):
        counts = Counter(row[quasi.name] for row in release.table.rows)
        entropy = -sum(n / release.rows * math.log(n / release.rows) for n in counts.values())
        if len(counts) == 1:
            continue
        kept = [row[quasi.name] for rows in release.staying.values() for row in rows]
        gone = counts - Counter(kept)
        for value in kept:
            shown = sum(counts[other] for other in quasi.levels[level][value])
            total += math.log(shown / counts[value]) / (release.rows * entropy)
        for value, number in gone.items():
            total += number * math.log(release.rows / counts[value]) / (release.rows * entropy)
    return total / len(release.table.quasis)


def misclassified(release: Release) -> Fraction:
    wrong = release.gone
    for rows in release.staying.values():
        wrong += len(rows) - max(Counter(row["label"] for row in rows).values())
    return Fraction(wrong, release.rows)


def in_classes(release: Release, column: Sensitive) -> list[list[Value]]:
    return [[row[column.name] for row in rows] for rows in release.staying.values()]


def diverse(number: Callable[[list[Value]], Number]) -> Callable[[Release], Number]:
    """The least over classes and columns."""
    return lambda release: min(
        number(cells) for column in release.table.sensitive for cells in in_classes(release, column)
    )


def distant(name: str, released: bool) -> Callable[[Release], Number]:
    """The farthest class, over all columns, from the input or from the release itself."""

    def value(release: Release) -> Number:
        distances: list[Number] = []
        for column in release.table.sensitive:
            classes = in_classes(release, column)
            whole = [row[column.name] for row in release.table.rows]
            q = shares([cell for cells in classes for cell in cells] if released else whole)
            distances += [DISTANCES[name](column, shares(cells), q) for cells in classes]
        return max(distances)

    return value


def spread_values(release: Release) -> int:
    return min(
        sum(squares([*Counter(cells).values()]) for cells in in_classes(release, column))
        for column in release.table.sensitive
    )


VALUES: Mapping[str, tuple[str, Callable[[Release], Number]]] = {
    "k": ("max", lambda r: min(r.sizes)),
    "weighted-k": ("max", lambda r: Fraction(squares([len(c) for c in r.classes.values()]), r.rows)),
    "l": ("max", diverse(lambda cells: 1 / max(shares(cells).values()))),
    "l-distinct": ("max", diverse(lambda cells: len(set(cells)))),
    "l-entropy": ("max", diverse(entropy_number)),
    "l-recursive": ("max", diverse(lambda cells: recursive(cells, 3))),
    "alpha": ("min", lambda r: 1 / diverse(lambda cells: 1 / max(shares(cells).values()))(r)),
    **{name: ("min", distant(name, released=False)) for name in DISTANCES},
    **{f"{name}-release": ("min", distant(name, released=True)) for name in DISTANCES},
    "privacy-loss": ("min", distant("t-js", released=False)),
    "spread-k": ("max", lambda r: squares(r.sizes)),
    "spread-l": ("max", spread_values),
    "risk-highest": ("min", lambda r: Fraction(1, min(r.sizes))),
    "risk-average": ("min", lambda r: Fraction(len(r.sizes), sum(r.sizes))),
    "uniques": ("min", lambda r: sum(size == 1 for size in r.sizes)),
    "gl": ("min", generalization),
    "sl": ("min", suppression),
    "loss": ("min", lambda r: generalization(r) + suppression(r)),
    "discernibility": ("min", lambda r: squares(r.sizes) + r.gone * r.rows),
    "classification-error": ("min", misclassified),
    "precision-loss": ("min", precision),
    "average-class": ("min", lambda r: Fraction(sum(r.sizes), len(r.sizes))),
    "entropy-loss": ("min", entropy_loss),
}


def frontier(table: Table, objectives: Sequence[str], rule: str, fraction: Fraction) -> set[Vector]:
    """The vectors that no other beats. `rule` is "limit" or "any"."""
    found = {
        tuple(comparable(VALUES[name][1](release)) for name in objectives)
        for levels in table.nodes
        for release in candidates(table, levels, rule, fraction, objectives)
    }
    return non_dominated(found, [VALUES[name][0] for name in objectives])


def comparable(value: Number) -> Number:
    """What is no fraction is compared after rounding to 10 significant digits, and to 12 decimals."""
    return round(float(f"{value:.9e}"), 12) if isinstance(value, float) and math.isfinite(value) else value


def candidates(
    table: Table,
    levels: tuple[int, ...],
    rule: str,
    fraction: Fraction,
    objectives: Sequence[str] = ("k",),
) -> Iterator[Release]:
    """The releases of one node: one under a limit, by class size; under "any" one for each set of classes
    that thresholds on the first one or two class-wise objectives leave."""
    classes = grouped(table, levels)
    limit = fraction * len(table.rows)
    keys = [name for name in objectives if name in CLASSWISE][:2] if rule == "any" else ["k"]
    worth = {shown: [CLASSWISE[key](table, rows) for key in keys] for shown, rows in classes.items()}
    seen: dict[frozenset[tuple[Shown, ...]], Release] = {}
    for thresholds in product(*(sorted({values[i] for values in worth.values()}) for i in range(len(keys)))):
        kept = frozenset(
            shown
            for shown, values in worth.items()
            if all(value >= threshold for value, threshold in zip(values, thresholds, strict=True))
        )
        gone = sum(len(rows) for shown, rows in classes.items() if shown not in kept)
        if kept and gone <= limit:
            seen.setdefault(kept, Release(table, levels, classes, kept))
    yield from seen.values() if rule == "any" else [*seen.values()][-1:]


def near(name: str) -> Callable[[Table, list[Row]], Number]:
    """How near the farthest column of a class is to the input: the distance, negative."""

    def value(table: Table, rows: list[Row]) -> Number:
        return -comparable(
            max(
                DISTANCES[name](
                    column,
                    shares([row[column.name] for row in rows]),
                    shares([row[column.name] for row in table.rows]),
                )
                for column in table.sensitive
            )
        )

    return value


def varied(number: Callable[[list[Value]], Number]) -> Callable[[Table, list[Row]], Number]:
    """How varied the least varied column of a class is."""
    return lambda table, rows: comparable(
        min(number([row[column.name] for row in rows]) for column in table.sensitive)
    )


# What thresholds can be on, more being better.
CLASSWISE: Mapping[str, Callable[[Table, list[Row]], Number]] = {
    "k": lambda table, rows: len(rows),
    "l": varied(lambda cells: 1 / max(shares(cells).values())),
    "l-distinct": varied(lambda cells: len(set(cells))),
    "l-entropy": varied(entropy_number),
    "alpha": varied(lambda cells: -max(shares(cells).values())),
    **{name: near(name) for name in DISTANCES},
    "privacy-loss": near("t-js"),
}


def grouped(table: Table, levels: Sequence[int]) -> Classes:
    classes: dict[tuple[Shown, ...], list[Row]] = {}
    for row in table.rows:
        shown = tuple(
            quasi.levels[level][row[quasi.name]] for quasi, level in zip(table.quasis, levels, strict=True)
        )
        classes.setdefault(shown, []).append(row)
    return classes


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
