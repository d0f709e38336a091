"""What every builder gets and gives: the distinct values of a column, and levels over them in the making."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes
from paretonym.errors import InputError, Place, shown
from paretonym.schema.hierarchies.distinct_labels import distinct_labels
from paretonym.schema.hierarchies.hierarchy import Groups, Hierarchy, Level
from paretonym.schema.hierarchies.hierarchy_invariants import check_hierarchy
from paretonym.source import ColumnType

NO_PLACE = -1


def means_missing(text: str, null: tuple[str, ...]) -> bool:
    """Whether a text is blank or one of the null strings, perhaps between blanks."""
    stripped = text.strip()
    return not stripped or stripped in null or text in null


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of a column that a hierarchy is built over, without the missing ones.

    `place` is for messages; no value is shown in them where `secret`. `type` is the table's own. With
    `unknown_to_top` a value without a place in the hierarchy is no mistake. `null` are the texts that mean
    missing, so that no hierarchy lists one of them.
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
        """Raise unless every value has a place (or those without one go to the top); `key` says where."""
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
        number = "1 value" if len(listed) == 1 else f"{len(listed)} values"
        return number if self.secret else f"{number} ({shown(listed)})"


@dataclass(frozen=True, eq=False)
class Shown:
    """How one level shows the leaves: the set of each leaf, and the sets' labels."""

    groups: Groups
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Draft:
    """Levels as a builder made them, before missing values, values without a place and the top are added.

    `codes` gives the leaf of each of the values' texts, or -1. `listed`: the schema lists the leaves.
    With `always_top` a set `*` is put on top even if the last level happens to be one set, so that the number
    of levels hangs on the schema alone.
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
    return (np.cumsum(starts) - 1).astype(np.int32), np.flatnonzero(starts).astype(np.int64)


def places(texts: tuple[str, ...], leaves: tuple[str, ...]) -> Codes:
    """The leaf of each text, or -1."""
    index = {leaf: position for position, leaf in enumerate(leaves)}
    return np.fromiter(map(index.get, texts, repeat(NO_PLACE)), dtype=np.int32, count=len(texts))


TOP_LABEL = "*"
MISSING_LABEL = "(missing)"


@dataclass(frozen=True, eq=False)
class Built:
    """A hierarchy, the leaf of each text that it was built over, and the leaf of what is missing (or -1)."""

    hierarchy: Hierarchy
    codes: Codes
    missing: int


def finish(draft: Draft, values: Values, missing: bool) -> Built:
    """The hierarchy that a draft makes.

    Missing is a leaf of its own, last in order and alone until the top. A value without a place is shown as
    the top set at every level; such values are one leaf, but not a domain value.
    """
    if draft.listed:
        _refuse_listed_missing(draft, values)
    unplaced = draft.codes == NO_PLACE
    extra, stray = int(missing), int(unplaced.any())
    domain = len(draft.leaves) + extra
    if domain == 0:
        raise InputError.of(
            values.place, "no value has a place in the hierarchy", "check hierarchy and type", "hierarchy"
        )
    shown = _with_top(draft, extra, stray)
    labels = distinct_labels([level.groups for level in shown], [level.labels for level in shown])
    levels = tuple(
        _level(level, texts, labels[-1][0], stray and index < len(shown) - 1, domain)
        for index, (level, texts) in enumerate(zip(shown, labels, strict=True))
    )
    if stray:
        levels = (*levels[:-1], _joined(levels[-1]))
    leaves = (*draft.leaves, *levels[0].labels[len(levels[0].labels) - extra - stray :])
    origin = draft.origin + (" and missing" if missing else "")
    listed = len(draft.leaves) if draft.listed else 0
    hierarchy = Hierarchy(leaves, levels, domain, origin, listed)
    check_hierarchy(hierarchy)
    codes = np.where(unplaced, domain, draft.codes).astype(np.int32)
    return Built(hierarchy, codes, len(draft.leaves) if missing else -1)


def _refuse_listed_missing(draft: Draft, values: Values) -> None:
    """A listed leaf that also means missing would stand in two places."""
    found = [leaf for leaf in draft.leaves if means_missing(leaf, values.null)]
    if found:
        wrong = f"listed in the hierarchy or in order, but it means missing: {values.counted(found)}"
        raise InputError.of(values.place, wrong, "take it out of the hierarchy, or out of null", "hierarchy")


def _with_top(draft: Draft, extra: int, stray: int) -> list[Shown]:
    """The draft's levels with missing as a last leaf, up to a single set."""
    last = draft.levels[-1]
    single = len(last.labels) == 1 and not draft.always_top
    domain = len(draft.leaves) + extra
    if single and len(draft.levels) > 1:
        below, top_label = draft.levels[:-1], last.labels[0]
    elif domain == 1 and not stray and not draft.always_top:
        below, top_label = (), (last.labels or (MISSING_LABEL,))[0]
    else:
        below, top_label = draft.levels, TOP_LABEL
    shown = [_with_missing(level) if extra else level for level in below]
    return [*shown, Shown(np.zeros(domain, dtype=np.int32), (top_label,))]


def _with_missing(level: Shown) -> Shown:
    groups = np.append(level.groups, np.int32(len(level.labels))).astype(np.int32)
    return Shown(groups, (*level.labels, MISSING_LABEL))


def _level(shown: Shown, labels: tuple[str, ...], top_label: str, stray: int | bool, domain: int) -> Level:
    """A level with its sizes; a stray leaf gets a set of its own that is shown as the whole domain."""
    sizes = np.bincount(shown.groups, minlength=len(labels)).astype(np.int64)
    if not stray:
        return Level(shown.groups, labels, sizes)
    groups = np.append(shown.groups, np.int32(len(labels))).astype(np.int32)
    return Level(groups, (*labels, top_label), np.append(sizes, domain))


def _joined(top: Level) -> Level:
    """The top level with a stray leaf in its one set, whose size does not change."""
    return Level(np.append(top.groups, np.int32(0)).astype(np.int32), top.labels, top.sizes)
