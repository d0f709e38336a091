"""Where one column may be cut: a tree over its atoms, the smallest sets that a cut can separate.

A branch covers neighbouring atoms. It is one group, or it is cut: an open branch anywhere between its atoms,
a closed one between all its children, each of which is in turn one group or cut. A tree of the schema has
closed branches only; a column without one is a single open branch, unless some atoms must stay alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Axis

Bits: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Branch:
    """The atoms from `first` up to but excluding `after`. With `whole` they may be one group."""

    first: int
    after: int
    whole: bool
    open: bool
    children: tuple[Branch, ...] = ()

    @property
    def gaps(self) -> slice:
        """The gaps inside: gap i lies behind atom i."""
        return slice(self.first, self.after - 1)

    @property
    def cuts(self) -> tuple[int, ...]:
        """The gaps between the children of a closed branch."""
        return tuple(child.after - 1 for child in self.children[:-1])


def valid(branch: Branch, bits: Bits) -> bool:
    """Whether every group is one that the tree allows.

    >>> pair = Branch(1, 3, True, False, (Branch(1, 2, True, True), Branch(2, 3, True, True)))
    >>> tree = Branch(0, 3, True, False, (Branch(0, 1, True, True), pair))
    >>> [valid(tree, np.array(bits, dtype=bool)) for bits in ([0, 0], [1, 0], [1, 1], [0, 1])]
    [True, True, True, False]
    """
    if not bits[branch.gaps].any():
        return branch.whole
    if branch.open:
        return True
    return all(bits[gap] for gap in branch.cuts) and all(valid(child, bits) for child in branch.children)


def drawn(branch: Branch, bits: Bits, generator: np.random.Generator) -> None:
    """Write a random valid choice into `bits`, from the root down: a coin decides for each closed branch
    whether its parts are distinguished (Section 6.4 of the trade-offs paper), and for each gap of an open
    one."""
    bits[branch.gaps] = False
    if branch.open:
        bits[branch.gaps] = generator.random(branch.after - branch.first - 1) < 0.5
        return
    if branch.whole and generator.random() < 0.5:
        return
    for gap in branch.cuts:
        bits[gap] = True
    for child in branch.children:
        drawn(child, bits, generator)


def coarsest(branch: Branch) -> Bits:
    """The coarsest valid choice, as the bits of the branch's own gaps."""
    bits = np.zeros(branch.after - branch.first - 1, dtype=np.bool_)
    if not branch.whole:
        bits[[gap - branch.first for gap in branch.cuts]] = True
    return bits


def count(branch: Branch) -> int:
    """The number of valid choices."""
    if branch.after - branch.first == 1:
        return 1
    if branch.open:
        return int(2 ** (branch.after - branch.first - 1)) - (not branch.whole)
    ways = 1
    for child in branch.children:
        ways *= count(child)
    return ways + branch.whole


def branches_of(axis: Axis, firsts: Integers) -> Branch:
    """The tree over atoms that begin at these leaves. Levels above the axis's highest are never reached."""
    total = len(firsts)
    levels = [
        axis.hierarchy.levels[level].groups[firsts]
        for level in range(axis.highest, max(axis.lowest - 1, -1), -1)
    ]
    whole = axis.highest == axis.hierarchy.height
    if axis.cutting.order == "tree":
        return _closed(0, total, whole, levels)
    if whole and axis.cutting.alone == 0:
        return Branch(0, total, True, True)
    if whole:
        edges = [0, *range(total - axis.cutting.alone, total + 1)]
    else:
        edges = [0, *(np.flatnonzero(np.diff(levels[0])) + 1).tolist(), total]
    blocks = tuple(Branch(a, b, True, True) for a, b in pairwise(edges) if a < b)
    return Branch(0, total, whole, False, blocks) if len(blocks) > 1 else Branch(0, total, True, True)


def _closed(first: int, after: int, whole: bool, levels: list[npt.NDArray[np.int32]]) -> Branch:
    """A branch whose children are the sets of the first level that divides it."""
    for depth, groups in enumerate(levels):
        edges = [first, *(np.flatnonzero(np.diff(groups[first:after])) + 1 + first).tolist(), after]
        if len(edges) > 2:
            children = tuple(_closed(a, b, True, levels[depth + 1 :]) for a, b in pairwise(edges))
            return Branch(first, after, whole, False, children)
    return Branch(first, after, True, True)
