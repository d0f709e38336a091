"""Declared analyses of a released file, row by row: every label becomes the values that it may mean, each
with an equal part of the row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

# A row of values by column, and its weight.
Rows = list[tuple[dict[str, str], float]]


def meanings(study: Any) -> dict[str, dict[str, list[str]]]:
    """By quasi-identifier, the values that each label of any level may mean; without missing ones."""
    result: dict[str, dict[str, list[str]]] = {}
    for axis in study.cube.axes:
        labels: dict[str, list[str]] = {}
        for level in axis.hierarchy.levels:
            for leaf, group in zip(axis.hierarchy.leaves, level.groups.tolist(), strict=True):
                if leaf != "(missing)":
                    known = labels.setdefault(level.labels[group], [])
                    if leaf not in known:
                        known.append(leaf)
        result[axis.name] = labels
    return result


def expanded(rows: Sequence[Mapping[str, str]], columns: Sequence[str], labels: Any) -> Rows:
    """Every row of a file as rows of values."""
    result: Rows = []
    for row in rows:
        choices = [
            labels.get(name, {}).get(row[name], [] if name in labels else [row[name]]) for name in columns
        ]
        every = list(product(*choices))
        result += [(dict(zip(columns, cells, strict=True)), 1.0 / len(every)) for cells in every]
    return result


def number(text: str) -> float:
    return float(text.removeprefix("<").removesuffix("+"))


def design(rows: Rows, terms: Sequence[Sequence[str]], categories: Mapping[str, Sequence[str]]) -> np.ndarray:
    """The design with a constant; `categories` lists the values of each column that is no number, of which
    the first has no indicator."""
    lines = []
    for row, _ in rows:
        line = [1.0]
        for term in terms:
            factors = [
                [float(row[name] == value) for value in categories[name][1:]]
                if name in categories
                else [number(row[name])]
                for name in term
            ]
            line += [float(np.prod(choice)) for choice in product(*factors)]
        lines.append(line)
    return np.array(lines)


def table_error(before: Rows, after: Rows) -> float:
    tables = []
    for rows in (before, after):
        counts: Counter[tuple[str, ...]] = Counter()
        for row, weight in rows:
            counts[tuple(row.values())] += weight  # type: ignore[assignment]
        total = sum(counts.values())
        tables.append({cell: count / total for cell, count in counts.items()})
    first, second = tables
    return sum(abs(first.get(cell, 0) - second.get(cell, 0)) for cell in {*first, *second}) / 2


def by_group(rows: Rows, outcome: str, by: Sequence[str]) -> dict[tuple[str, ...], list[tuple[float, float]]]:
    groups: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
    for row, weight in rows:
        groups[tuple(row[name] for name in by)].append((number(row[outcome]), weight))
    return groups


def mean_error(before: Rows, after: Rows, outcome: str, by: Sequence[str]) -> float:
    worst, others = 0.0, by_group(after, outcome, by)
    for group, values in by_group(before, outcome, by).items():
        own = np.array([value for value, _ in values])
        error = own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else 0.0
        if group not in others:
            return float("inf")
        mean = sum(value * weight for value, weight in others[group]) / sum(w for _, w in others[group])
        gap = abs(own.mean() - mean)
        worst = max(worst, gap / error if error else 0.0 if gap < 1e-9 else float("inf"))
    return worst


def quantile(values: list[tuple[float, float]], share: float) -> float:
    total, running = sum(weight for _, weight in values), 0.0
    for value, weight in sorted(values):
        running += weight
        if running >= (share - 1e-9) * total:
            return value
    raise AssertionError


def quantile_error(before: Rows, after: Rows, outcome: str, by: Sequence[str], share: float) -> float:
    worst, others = 0.0, by_group(after, outcome, by)
    for group, values in by_group(before, outcome, by).items():
        spread = quantile(values, 0.75) - quantile(values, 0.25)
        if group not in others:
            return float("inf")
        gap = abs(quantile(values, share) - quantile(others[group], share))
        worst = max(worst, gap / spread if spread else 0.0 if gap < 1e-9 else float("inf"))
    return worst
