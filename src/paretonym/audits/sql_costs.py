"""The costs of a release compared with its original: each loss by its formula, from counts of labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from paretonym.arrays import Mask
from paretonym.audits.original_rows import Original, rows_of
from paretonym.audits.shown_sets import ShownColumn
from paretonym.audits.sql_classes import Counted
from paretonym.audits.sql_measures import NotMeasurable

COSTS = ("gl", "sl", "loss", "discernibility", "precision-loss", "entropy-loss")
# How many rows of the release show each label of a column.
Shown = Mapping[str, int]


def costs(
    counted: Counted, places: Mapping[str, str], original: Original, columns: Sequence[ShownColumn]
) -> dict[str, float]:
    """Every loss that follows from labels, by name. `places` are the quasi-identifiers' columns. Without
    levels there is no precision."""
    shown = {name: _label_rows(counted, place) for name, place in places.items()}
    size, squares = counted.engine.row(f"select sum(size), sum(size * size) from {counted.name}")
    rows, released = original.rows, int(size or 0)
    gone = rows - released
    weights = sum((column.importance for column in original.quasi), Fraction(0))
    general = sum(
        (
            column.meaning.importance * _widths(_sizes(column), column.domain, shown[column.name])
            for column in columns
        ),
        Fraction(0),
    ) / (rows * weights)
    found = {
        "gl": float(general),
        "sl": gone / rows,
        "loss": float(general + Fraction(gone, rows)),
        "discernibility": float(int(squares or 0) + gone * rows),
        "entropy-loss": _entropy(original, columns, shown, gone),
    }
    steps = [column.step for column in columns if column.step is not None]
    if len(steps) == len(columns):
        found["precision-loss"] = _precision(original, steps, released)
    return found


def staying_generalization(
    counted: Counted, places: Mapping[str, str], columns: Sequence[ShownColumn], stays: Mask
) -> float:
    """What generalization costs, in rows, by the values of the original rows that stay: a value that only
    rows have that were left out counts nowhere."""
    spent = Fraction(0)
    for column in columns:
        sizes, domain = column.staying_sizes(stays)
        shown = _label_rows(counted, places[column.name])
        spent += column.meaning.importance * _widths(sizes, domain, shown)
    return float(spent / sum((column.meaning.importance for column in columns), Fraction(0)))


def classification_error(counted: Counted, label: str, original: Original) -> float:
    """Rows that are suppressed or do not have the most frequent label of their class, divided by all rows."""
    usual = f"select max(n) as usual from {counted.cells(label)} group by class"
    right = counted.engine.count(f"select sum(usual) from ({usual})")
    return (original.rows - right) / original.rows


def _label_rows(counted: Counted, place: str) -> dict[str, int]:
    query = f"select {place}, sum(size)::bigint from {counted.name} group by 1"
    return dict(counted.engine.rows(query))


def _sizes(column: ShownColumn) -> dict[str, int]:
    return dict(zip(column.labels, column.sizes, strict=True))


def _widths(sizes: Mapping[str, int], domain: int, shown: Shown) -> Fraction:
    """Σ over rows of (values in the shown set − 1) / (values of the domain − 1)."""
    if domain <= 1:
        return Fraction(0)
    total = sum(rows * (_known(sizes, label) - 1) for label, rows in shown.items())
    return Fraction(total, domain - 1)


def _known(found: Mapping[str, int], label: str) -> int:
    if label not in found:
        raise NotMeasurable("a label has no place at its level")
    return found[label]


def _precision(original: Original, steps: Sequence[Fraction], released: int) -> float:
    """The mean over cells of level / height; a suppressed cell counts 1."""
    gone = original.rows - released
    return float((released * sum(steps, Fraction(0)) + gone * len(steps)) / (original.rows * len(steps)))


def _entropy(
    original: Original, columns: Sequence[ShownColumn], shown: Mapping[str, Shown], gone: int
) -> float:
    """The mean over columns of Σ ln(f(shown set) / f(value)) / (N·H); all rows for a suppressed cell."""
    total = 0.0
    for column in columns:
        leaf_rows = rows_of(column.meaning.leaves, column.meaning.weights).tolist()
        entropy = -sum(f / original.rows * math.log(f / original.rows) for f in leaf_rows if f)
        if sum(f > 0 for f in leaf_rows) < 2:
            continue
        set_rows = _set_rows(column, original.rows)
        spent = sum(rows * math.log(_known(set_rows, label)) for label, rows in shown[column.name].items())
        spent += gone * math.log(original.rows) - sum(f * math.log(f) for f in leaf_rows if f)
        total += spent / (original.rows * entropy)
    return total / len(columns)


def _set_rows(column: ShownColumn, rows: int) -> dict[str, int]:
    """How many original rows each label stands for; a set of all values stands for all rows."""
    return {
        label: rows if size == column.domain else count
        for label, size, count in zip(column.labels, column.sizes, column.rows, strict=True)
    }
