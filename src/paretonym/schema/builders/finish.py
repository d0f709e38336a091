"""The last step of every builder: missing values, values without a place, the top, labels, and the check."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Codes
from paretonym.errors import InputError
from paretonym.schema.builders.values import NO_PLACE, Draft, Shown, Values
from paretonym.schema.checking import check_hierarchy
from paretonym.schema.hierarchy import Hierarchy, Level
from paretonym.schema.labels import distinct_labels
from paretonym.schema.missing import means_missing

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
        raise InputError.of(values.place, "no value has a place in the hierarchy", "check hierarchy and type")
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
        raise InputError.of(values.place, wrong, "take it out of the hierarchy, or out of null")


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
