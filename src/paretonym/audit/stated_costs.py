"""The costs of a release, beside the original: the losses that it states, and every other by its formula."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from paretonym.audit.checks import Check, same_rounded
from paretonym.audit.manifest import GENERALIZATION, LOSS, STATEMENTS, SUPPRESSION
from paretonym.audit.measurer import Measurer
from paretonym.audit.original_comparison import OriginalComparison
from paretonym.audit.placement import combined
from paretonym.base.arrays import Integers, Mask

# Why a value may differ from a statement that is right.
UNKNOWN_ROWS = "the file does not show which of some rows stay"


def check_statements(comparison: OriginalComparison) -> Iterator[Check]:
    """The costs that a release states, each as it is to be published: by the values of rows that stay,
    suppressed rows in blocks."""
    stays = comparison.placement.stays
    gone = comparison.manifest.published_gone(comparison.whole.rows, comparison.original.most_rows(stays))
    total = comparison.manifest.rows + gone or math.nan
    spent = generalization(comparison, stays)
    values = {GENERALIZATION: spent / total, SUPPRESSION: gone / total, LOSS: (spent + gone) / total}
    for name in STATEMENTS:
        if name in comparison.manifest.statements:
            stated = comparison.manifest.statements[name]
            right = same_rounded(stated, values[name], 1 + (name == LOSS))
            unknown = comparison.guessed and not right
            reason = f"cannot be decided: {UNKNOWN_ROWS}" if unknown else ""
            yield Check("statement", name, stated, values[name], None if unknown else right, reason)


def generalization(comparison: OriginalComparison, stays: Mask) -> float:
    """The cost of generalization to the released rows, in rows: a value that only rows have that are not
    marked counts nowhere."""
    spent, importance = Fraction(0), Fraction(0)
    for column, leaves in zip(comparison.columns, comparison.original.leaves, strict=True):
        occurring = np.bincount(leaves[stays], minlength=len(column.sets.leaves)) > 0
        sizes, domain = column.sets.sizes(column.runs, occurring, comparison.by_granules)
        importance += column.sets.column.importance
        if domain > 1:
            wide = int((comparison.sizes * (sizes - 1)[column.of_class]).sum())
            spent += column.sets.column.importance * Fraction(wide, domain - 1)
    return float(spent / importance)


def costs(comparison: OriginalComparison) -> dict[str, float]:
    """Every loss by its formula, over the whole original, by name."""
    rows, released = comparison.whole.rows, int(comparison.sizes.sum())
    gone, levels = rows - released, comparison.manifest.recoding.levels
    general = generalization(comparison, np.ones(len(comparison.original.counts), dtype=np.bool_)) / rows
    values = {
        "gl": general,
        "sl": gone / rows,
        "loss": general + gone / rows,
        "discernibility": float((comparison.sizes**2).sum() + gone * rows),
        "entropy-loss": _entropy(comparison, gone),
    }
    if levels is not None:
        steps = [
            levels[sets.name] / sets.height if sets.column.hierarchy.domain > 1 else 0
            for sets in comparison.whole.sets
        ]
        values["precision-loss"] = (released * sum(steps) / len(steps) + gone) / rows
        pairs = zip(comparison.whole.sets, comparison.whole.leaves, strict=True)
        looks = combined([sets.groups(levels[sets.name])[leaves] for sets, leaves in pairs])
        values["weighted-k"] = _mean_class(comparison.whole.sizes(looks, np.ones(len(looks), dtype=np.bool_)))
    elif not gone and comparison.whole.persons is None:
        values["weighted-k"] = _mean_class(comparison.sizes)
    elif not gone and comparison.placement.settled:
        stays = comparison.placement.stays
        values["weighted-k"] = _mean_class(comparison.original.sizes(comparison.placement.of_row, stays))
    labels = [
        comparison.table.column(name) for name, role in comparison.whole.roles.items() if role == "class"
    ]
    if len(labels) == 1:
        usual = f"select max(n) as usual from {comparison.rows_counted.cells(labels[0])} group by class"
        right = comparison.table.database.count(f"select sum(usual) from ({usual})")
        values["classification-error"] = (rows - right) / rows
    return values


def _entropy(comparison: OriginalComparison, gone: int) -> float:
    """The mean over columns of Σ ln(f(shown set) / f(value)) / (N·H); all rows for a suppressed cell."""
    rows, total = comparison.whole.rows, 0.0
    for column, leaves in zip(comparison.columns, comparison.whole.leaves, strict=True):
        of_leaf = np.bincount(leaves, comparison.whole.counts, len(column.sets.leaves))
        positive = of_leaf[of_leaf > 0]
        if len(positive) < 2:
            continue
        entropy = -float((positive / rows * np.log(positive / rows)).sum())
        everywhere = np.ones(len(of_leaf), dtype=np.bool_)
        sizes, domain = column.sets.sizes(column.runs, everywhere, comparison.by_granules)
        before = np.concatenate([[0], np.cumsum(of_leaf)])
        inside = before[column.runs[:, 1]] - before[column.runs[:, 0]]
        inside = np.where(sizes == domain, rows, np.maximum(inside, 1))
        spent = float((comparison.sizes * np.log(inside[column.of_class])).sum())
        spent += gone * math.log(rows) - float((positive * np.log(positive)).sum())
        total += spent / (rows * entropy)
    return total / len(comparison.columns)


def measurer_beside(comparison: OriginalComparison, further: Mapping[str, float]) -> Measurer:
    """Everything that the original lets an audit measure."""
    by_rows = Measurer(comparison.rows_counted, comparison.watched)
    values = {**costs(comparison), **further}
    if comparison.original.persons is None:
        return replace(by_rows, further=values, beside=True)
    values["average-class"] = by_rows.value("average-class")
    reason = "classes overlap, so that it is not known whose rows are where"
    unknown = "" if comparison.placement.settled else reason
    return Measurer(comparison.counted, comparison.watched, values, True, unknown=unknown)


def _mean_class(sizes: Integers) -> float:
    """The mean class size of a row, or of a person."""
    return float((sizes**2).sum() / sizes.sum())
