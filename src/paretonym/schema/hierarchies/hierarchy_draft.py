"""The input and output of every kind of hierarchy: the distinct values of a column, and levels over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import ne
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers
from paretonym.errors import Bug, InputError, Place, shown
from paretonym.schema.hierarchies.hierarchy import Groups
from paretonym.schema.hierarchies.text_matrix import (
    Characters,
    Lengths,
    characters_of,
    picked,
    shared_beginnings,
)
from paretonym.source import ColumnType

NO_PLACE = -1
OCCURRING = "the distinct values that occur"
NOT_LISTED = 'add them, or set unknown = "top"'


def means_missing(text: str, null: tuple[str, ...]) -> bool:
    """Whether a text is blank or one of the null strings, perhaps between blanks."""
    stripped = text.strip()
    return not stripped or stripped in null or text in null


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of a column that a hierarchy is built over, without the missing ones.

    `place` is for messages; no value is shown in them where `secret`. `type` is the table's own. With
    `unknown_to_top`, a value outside the hierarchy is not a mistake. `null` are the texts that mean missing,
    so that no hierarchy lists one of them.
    """

    place: Place
    texts: tuple[str, ...]
    type: ColumnType = "text"
    secret: bool = False
    unknown_to_top: bool = False
    null: tuple[str, ...] = ()

    def named(self, text: str) -> str:
        return "a value" if self.secret else f"'{text}'"

    def require(self, has_place: npt.NDArray[np.bool_], what: str, remedy: str, key: str) -> None:
        """Raise unless every value is in the hierarchy (or the others are shown as the top set); `key` says
        where."""
        if has_place.all() or self.unknown_to_top:
            return
        lacking = [self.texts[index] for index in np.flatnonzero(~has_place)]
        raise InputError.of(self.place, f"{what}: {self.counted(lacking)}", remedy, key)

    def counted(self, texts: Iterable[str]) -> str:
        """Values for a message: how many, and which unless they are secret.

        >>> Values("x.toml", ()).counted(["a", "b"])
        "2 values ('a', 'b')"
        """
        listed = list(texts)
        if self.secret:
            return "1 value" if len(listed) == 1 else f"{len(listed):,} values"
        return (
            f"1 value ({shown(listed)})" if len(listed) == 1 else f"{len(listed):,} values ({shown(listed)})"
        )


@dataclass(frozen=True, eq=False)
class Shown:
    """How one level shows the leaves: the set of each leaf, and the sets' labels."""

    groups: Groups
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Draft:
    """Levels as a kind makes them, before missing values, values outside the hierarchy and the top are added.

    `codes` gives the leaf of each of the values' texts, or -1. `listed`: the schema lists the leaves.
    With `always_top` a set `*` is put on top even if the last level happens to be one set, so that the number
    of levels depends on the schema alone.
    """

    leaves: tuple[str, ...]
    levels: tuple[Shown, ...]
    codes: Codes
    origin: str
    listed: bool = False
    always_top: bool = False


def as_is(leaves: tuple[str, ...]) -> Shown:
    """Level 0: every leaf alone."""
    return Shown(np.arange(len(leaves), dtype=np.int32), leaves)


def runs(changes: npt.NDArray[np.bool_], count: int) -> tuple[Groups, npt.NDArray[np.int64]]:
    """Groups of consecutive leaves, from whether each leaf but the first differs from the one before; and the
    first leaf of each group.

    >>> groups, first = runs(np.array([False, True]), 3)
    >>> groups.tolist(), first.tolist()
    ([0, 0, 1], [0, 2])
    """
    if count == 0:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    starts = np.concatenate([np.ones(1, dtype=np.bool_), changes])
    return np.cumsum(starts, dtype=np.int32) - np.int32(1), np.flatnonzero(starts).astype(np.int64)


def places(texts: tuple[str, ...], leaves: tuple[str, ...]) -> Codes:
    """The leaf of each text, or -1."""
    index = {leaf: position for position, leaf in enumerate(leaves)}
    return np.fromiter(map(index.get, texts, repeat(NO_PLACE)), dtype=np.int32, count=len(texts))


class Labelling(NamedTuple):
    """One level: the labels of texts, all at once (a call for each of a million texts takes longer than its
    label). `kept`, if given, says how many characters of a text of each length its set is known by: two texts
    have the same label exactly if these numbers are equal and so are these characters."""

    labels: Callable[[Sequence[str]], list[str]]
    kept: Callable[[Lengths], Lengths] | None = None


def labelled_draft(texts: tuple[str, ...], order: Integers, labellings: Sequence[Labelling]) -> Draft:
    """Levels that show each leaf by its label, over leaves in an order that keeps equal labels together."""
    leaves = picked(texts, order)
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    rows = characters_of(texts) if any(labelling.kept for labelling in labellings) else None
    made = (
        _labelled(leaves, labellings)
        if rows is None
        else _shortened(leaves, np.take(rows, order, axis=0), labellings)
    )
    return Draft(leaves, tuple(made), codes, OCCURRING)


def _labelled(leaves: tuple[str, ...], labellings: Sequence[Labelling]) -> list[Shown]:
    """One level per labelling. Each is made from the first leaf of each set below, so that the levels
    nest."""
    levels, firsts = [as_is(leaves)], leaves
    for labelling in labellings:
        labels = labelling.labels(firsts)
        differs = np.fromiter(map(ne, labels[1:], labels), dtype=np.bool_, count=max(len(labels) - 1, 0))
        groups, first = runs(differs, len(labels))
        levels.append(Shown(groups[levels[-1].groups], picked(labels, first)))
        firsts = picked(firsts, first)
    return levels


def _shortened(leaves: tuple[str, ...], rows: Characters, labellings: Sequence[Labelling]) -> list[Shown]:
    """As `_labelled`, of labellings that say what they keep: a label is made for each set, not each leaf."""
    shared, lengths = shared_beginnings(rows), (rows > 0).sum(axis=1, dtype=np.int16)
    levels, firsts = [as_is(leaves)], np.arange(len(leaves))
    for labels, shortened in labellings:
        if shortened is None:
            raise Bug("a level does not say which characters its sets are known by")
        lengths_shown = shortened(lengths[firsts])
        # The last leaf of a set stands for all of it: they have in common what is kept, and more.
        groups, first = runs(
            (lengths_shown[1:] != lengths_shown[:-1]) | (shared[firsts[1:] - 1] < lengths_shown[1:]),
            len(firsts),
        )
        firsts = firsts[first]
        levels.append(Shown(groups[levels[-1].groups], tuple(labels(picked(leaves, firsts)))))
    return levels
