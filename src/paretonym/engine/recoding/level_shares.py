"""The levels that a release shows of each quasi-identifier, measured from what its staying classes show: a
level that a recoding could use, but that only suppressed rows would have, is none of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Integers, Mask
from paretonym.engine.counts import Axis
from paretonym.engine.recoding.equivalence_classes import ShownSets
from paretonym.tables.schema.hierarchies import Hierarchy


class LevelShare(NamedTuple):
    """The released rows that show a column at one level of its hierarchy, and the labels that they show."""

    level: int
    rows: int
    labels: tuple[str, ...]


def shown_labels(sets: ShownSets, shown: Integers) -> tuple[str, ...]:
    """The distinct labels of the sets that classes show, in the order of the sets."""
    return tuple(dict.fromkeys(sets.labels[place] for place in np.unique(shown).tolist()))


def level_shares(axis: Axis, sets: ShownSets, shown: Integers, rows: Integers) -> tuple[LevelShare, ...]:
    """The levels of a hierarchy that released rows show, the finest first, and how many rows show each.
    `shown[c]` is the set of released class c, `rows[c]` how many rows it has. Only for sets of the hierarchy.

    Labels alone decide, so that equal files have equal levels: a label that stands at several levels, such as
    that of a missing value, belongs to the finest one of them that other labels show.
    """
    places, of_class = np.unique(shown, return_inverse=True)
    often = np.bincount(of_class.reshape(-1), weights=rows).astype(np.int64)
    at = _standing(axis.hierarchy, sets, places)
    alone = at[:, at.sum(axis=0) == 1]
    certain = at & np.any(alone, axis=1, keepdims=True)
    levels = np.where(certain.any(axis=0), certain.argmax(axis=0), at.argmax(axis=0))
    return tuple(
        LevelShare(level, int(often[levels == level].sum()), shown_labels(sets, places[levels == level]))
        for level in np.unique(levels).tolist()
    )


def _standing(hierarchy: Hierarchy, sets: ShownSets, places: Integers) -> Mask:
    """True where the label of a set stands at a level: one row for each level. That of the top set stands
    at the top alone, where values outside the hierarchy are shown."""
    labels = [sets.labels[place] for place in places.tolist()]
    first, top = sets.first[places], hierarchy.levels[-1].labels[0]
    at = np.zeros((len(hierarchy.levels), len(places)), dtype=np.bool_)
    for number, level in enumerate(hierarchy.levels[:-1]):
        names = [level.labels[group] for group in level.groups[first].tolist()]
        at[number] = [name == label != top for name, label in zip(names, labels, strict=True)]
    at[-1] = ~at[:-1].any(axis=0)
    return at
