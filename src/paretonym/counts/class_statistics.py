"""Which statistics of classes are wanted, and what the compiled code must know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts.cube import Cube, Margin
from paretonym.counts.kernel_interface import Requests


class Kind(IntEnum):
    """A number that belongs to one class, made from the counts of a column's values in it."""

    SHARE = 0  # of the most frequent value
    DISTINCT = 1  # values
    ENTROPY = 2  # of the values
    RECURSIVE = 3  # largest ℓ of recursive (c, ℓ)-diversity
    VARIATION = 4  # total variation from the reference
    ORDERED = 5  # earth mover's distance from the reference over an order
    TREE = 6  # the same over a tree
    DIVERGENCE = 7  # Jensen–Shannon divergence from the reference
    RATIO = 8  # largest |ln(p/q)|
    MAJORITY = 9  # rows with the most frequent value
    PAIRS = 10  # Σ of squared counts
    LIKENESS = 11  # largest (p − q)/q


class Combine(IntEnum):
    """How the numbers of all classes that stay become one."""

    LEAST = 0
    MOST = 1
    SUM = 2


class Link(IntEnum):
    """How the statistic of one class becomes the value of a measure for this class."""

    IDENTITY = 0
    RECIPROCAL = 1
    EXPONENTIAL = 2


COMBINED: dict[Kind, Combine] = {
    Kind.SHARE: Combine.MOST,
    Kind.DISTINCT: Combine.LEAST,
    Kind.ENTROPY: Combine.LEAST,
    Kind.RECURSIVE: Combine.LEAST,
    Kind.VARIATION: Combine.MOST,
    Kind.ORDERED: Combine.MOST,
    Kind.TREE: Combine.MOST,
    Kind.DIVERGENCE: Combine.MOST,
    Kind.RATIO: Combine.MOST,
    Kind.MAJORITY: Combine.SUM,
    Kind.PAIRS: Combine.SUM,
    Kind.LIKENESS: Combine.MOST,
}


@dataclass(frozen=True, slots=True)
class Statistic:
    """One statistic of one column. `released`: against the release's own distribution, not the input's."""

    kind: Kind
    column: str
    released: bool = False
    parameter: float = 0.0


def margins_for(cube: Cube, statistics: Sequence[Statistic]) -> tuple[Margin, ...]:
    """The columns whose values have to be counted."""
    wanted = {statistic.column for statistic in statistics}
    return tuple(margin for margin in (*cube.sensitive, *cube.classes) if margin.name in wanted)


def requests_for(margins: Sequence[Margin], statistics: Sequence[Statistic]) -> Requests:
    """Statistics as the compiled code takes them: the values of all columns side by side, the levels of all
    trees behind one another."""
    names = [margin.name for margin in margins]
    widths = [len(margin.labels) for margin in margins]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    places = [names.index(statistic.column) for statistic in statistics]
    trees = [_tree_groups(margin) for margin in margins]
    tree_starts = np.concatenate([[0], np.cumsum([tree.size for tree in trees])]).astype(np.int64)
    totals = np.concatenate([np.empty(0, dtype=np.int64), *(margin.totals for margin in margins)])
    whole = int(max((margin.totals.sum() for margin in margins), default=1)) or 1
    return Requests.made(
        whole=whole,
        kinds=np.array([statistic.kind for statistic in statistics], dtype=np.int64),
        combines=np.array([COMBINED[statistic.kind] for statistic in statistics], dtype=np.int64),
        starts=np.array([starts[p] for p in places], dtype=np.int64),
        widths=np.array([widths[p] for p in places], dtype=np.int64),
        released=np.array([statistic.released for statistic in statistics], dtype=np.int64),
        tree_starts=np.array([tree_starts[p] for p in places], dtype=np.int64),
        tree_levels=np.array([len(trees[p]) for p in places], dtype=np.int64),
        totals=totals,
        tree=np.concatenate([np.empty(0, dtype=np.int64), *(tree.ravel() for tree in trees)]),
        parameters=np.array([statistic.parameter for statistic in statistics], dtype=np.float64),
        shares=totals / whole,
    )


def _tree_groups(margin: Margin) -> Integers:
    """The groups of every level below the top, one row each; without a tree only the values themselves."""
    own = np.arange(len(margin.labels), dtype=np.int64)[None, :]
    if margin.tree is None or margin.tree.height == 0:
        return own
    levels = [level.groups.astype(np.int64) for level in margin.tree.levels[: margin.tree.height]]
    return np.stack(levels)
