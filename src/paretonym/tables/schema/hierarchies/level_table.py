"""Leaf × level labels: the leaves of a column in their order, and the sets that show them at each level. They
are made of texts, perhaps a million of them, of a list in the schema, or of the points of a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter, ne
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import InputError, Place, Problem, shown
from paretonym.tables.arrow import pa
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind
from paretonym.tables.schema.hierarchies.value_line import Bands, Line, Points
from paretonym.tables.source import ColumnType

# Fewer texts are read one after the other before Arrow is loaded.
MANY = 10_000
# Longer texts, of more than eight characters each, are compared one by one.
MOST_WORDS = 4


def arrow_texts(texts: Sequence[str]) -> Any | None:
    """The texts as an Arrow array; None if some text is no UTF-8 (half a character)."""
    try:
        return pa.array(texts, pa.string())
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return None


def text_order(texts: Sequence[str]) -> Integers:
    """The places of texts in ascending order, equal ones in the order in which they are given.

    >>> text_order(["b", "ab", "a"]).tolist()
    [2, 1, 0]
    """
    words = _words(texts) if len(texts) >= MANY else None
    if words is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    if words.shape[1] == 1:
        return np.argsort(words[:, 0], kind="stable")
    return np.lexsort(words.T[::-1])


def _words(texts: Sequence[str]) -> npt.NDArray[np.uint64] | None:
    """Eight characters as one number, for each text: the larger the number, the later the text. None if some
    text is long, or has other characters than those of ASCII without the character zero."""
    if "\0" in "".join(texts):
        return None
    try:
        cells = np.array(texts, dtype=np.bytes_)
    except UnicodeEncodeError:
        return None
    width = max(-(-cells.itemsize // 8), 1)
    if width > MOST_WORDS:
        return None
    return cells.astype(f"S{8 * width}").view(">u8").reshape(len(texts), width).astype(np.uint64)


def picked(texts: Sequence[str], places: Integers) -> tuple[str, ...]:
    """The texts at these places, in a third of the time that Python takes for one after the other.

    >>> picked(("a", "b", "c"), np.array([2, 0]))
    ('c', 'a')
    """
    wanted: list[int] = places.tolist()
    # Of a single place, itemgetter gives the text itself.
    return itemgetter(*wanted)(texts) if len(wanted) > 1 else tuple(texts[place] for place in wanted)


NO_PLACE = -1
OCCURRING = "the distinct values that occur"
NOT_LISTED = 'add them, or set unknown = "top"'
Order: TypeAlias = Literal["tree", "numbers", "dates", "order"]


def means_missing(text: str, null: tuple[str, ...]) -> bool:
    """True if a text is blank or one of the null strings, perhaps between blanks."""
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

    def counted(self, texts: Iterable[str]) -> str:
        """Values for a message: how many, and which unless they are secret.

        >>> Values("x.toml", ()).counted(["a", "b"])
        "2 values ('a', 'b')"
        """
        listed = list(texts)
        number = "1 value" if len(listed) == 1 else f"{len(listed):,} values"
        return number if self.secret else f"{number} ({shown(listed)})"

    def where(self, chosen: Mask) -> list[str]:
        return [self.texts[place] for place in np.flatnonzero(chosen)]


class Fault(NamedTuple):
    """Values that have no place in a hierarchy: what is wrong with them, what to do, and the key."""

    values: Mask
    wrong: str
    remedy: str
    key: str


class Labels(NamedTuple):
    """The labels of one level: the set of each leaf, and the label of each set."""

    groups: Codes
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LevelTable:
    """Leaf × level labels, before missing values, values outside the hierarchy and the top are added.

    `codes` gives the leaf of each of the values' texts, or -1, and `faults` which of them are mistakes;
    `origin` says in words where the leaves come from, `order` what their order means, and `line` where
    numbers or dates lie. `listed`: the schema lists the leaves. With `always_top` a set `*` is put on top
    even if the last level happens to be one set, so that the number of levels depends on the schema alone.
    """

    leaves: tuple[str, ...]
    levels: tuple[Labels, ...]
    codes: Codes
    faults: tuple[Fault, ...] = ()
    origin: str = OCCURRING
    order: Order = "tree"
    line: Line | None = None
    listed: bool = False
    always_top: bool = False

    def placed(self) -> Mask:
        """Which values have a place, and are no mistake."""
        placed: Mask = self.codes >= 0
        for fault in self.faults:
            placed &= ~fault.values
        return placed


def unchanged(leaves: tuple[str, ...]) -> Labels:
    """Level 0: every leaf alone."""
    return Labels(np.arange(len(leaves), dtype=np.int32), leaves)


def runs(changes: Mask, count: int) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Groups of consecutive leaves, from whether each leaf but the first differs from the one before; and the
    first leaf of each group.

    >>> groups, first = runs(np.array([False, True]), 3)
    >>> groups.tolist(), first.tolist()
    ([0, 0, 1], [0, 2])
    """
    starts = np.append(np.ones(min(count, 1), dtype=np.bool_), changes[: max(count - 1, 0)])
    return np.cumsum(starts, dtype=np.int32) - np.int32(1), np.flatnonzero(starts).astype(np.int64)


def _levels(leaves: tuple[str, ...], kind: HierarchyKind) -> tuple[Labels, ...]:
    """The levels over leaves in an order that keeps equal labels together. A level is made from the first
    leaf of each set below it, so that the levels nest."""
    levels, firsts = [unchanged(leaves)], np.arange(len(leaves))
    for number in range(1, kind.height + 1):
        labels = kind.labels(picked(leaves, firsts), number)
        differs = np.fromiter(map(ne, labels[1:], labels), dtype=np.bool_, count=max(len(labels) - 1, 0))
        groups, first = runs(differs, len(labels))
        levels.append(Labels(groups[levels[-1].groups], picked(labels, first)))
        firsts = firsts[first]
    return tuple(levels)


def text_table(kind: HierarchyKind, values: Values) -> LevelTable:
    """The table of texts that nobody lists: the values that occur, in ascending order."""
    texts, order = values.texts, text_order(values.texts)
    if kind.shorter_first:
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        order = order[np.argsort(lengths[order], kind="stable")]
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    leaves = picked(texts, order)
    strange = ~np.array(kind.accepts(texts), dtype=np.bool_)
    faults = (Fault(strange, kind.lacking, "correct it", "hierarchy"),)
    return LevelTable(leaves, _levels(leaves, kind), codes, faults)


def listed_table(kind: HierarchyKind, order: tuple[str, ...] | None, values: Values) -> LevelTable:
    """The table of leaves that the schema lists. Sets are ordered by their first leaf, the outermost first,
    or as `order` says, which may list the leaves alone."""
    leaves = kind.leaves
    if leaves is not None and order is None:
        levels = [kind.labels(leaves, number) for number in range(1, kind.height + 1)]
        ranks = np.lexsort([_numbered(leaves), *map(_numbered, levels)])
        ordered = picked(leaves, ranks)
    else:
        ordered = order or ()
        if leaves is not None:
            _check_order(kind, leaves, ordered, values)
    index = {leaf: position for position, leaf in enumerate(ordered)}
    texts = values.texts
    codes = np.fromiter(map(index.get, texts, repeat(NO_PLACE)), dtype=np.int32, count=len(texts))
    lacking, key = (kind.lacking, "hierarchy") if leaves is not None else ("not in order", "order")
    origin = kind.leaves_are if leaves is not None else "the values listed in order"
    return LevelTable(
        ordered,
        _levels(ordered, kind),
        codes,
        (Fault(codes == NO_PLACE, lacking, NOT_LISTED, key),),
        origin,
        "tree" if leaves is not None else "order",
        listed=True,
    )


def _numbered(keys: Sequence[Hashable]) -> Integers:
    """Each key's number, by first appearance."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.fromiter(map(numbers.__getitem__, keys), dtype=np.int64, count=len(keys))


def _check_order(
    kind: HierarchyKind, leaves: tuple[str, ...], order: tuple[str, ...], values: Values
) -> None:
    """Raise unless the order holds exactly the leaves, and keeps every set together."""
    problems = [
        Problem(
            values.place, f"{wrong}: {values.counted(extra)}", "list exactly the leaves in order", "order"
        )
        for some, others, wrong in (
            (order, leaves, "in order, but not in the hierarchy"),
            (leaves, order, "in the hierarchy, but not in order"),
        )
        if (extra := _without(some, others))
    ]
    if problems:
        raise InputError(problems)
    torn = [label for level in range(kind.height, 0, -1) for label in _in_pieces(kind.labels(order, level))]
    if torn:
        distinct = list(dict.fromkeys(torn))
        named = f"{len(distinct)} sets" if values.secret else f"the sets {shown(distinct)}"
        wrong = f"the values of {named} are not adjacent in order"
        raise InputError.of(values.place, wrong, "list the values of a set next to each other", "order")


def _without(some: Iterable[str], others: Iterable[str]) -> list[str]:
    listed = set(others)
    return [text for text in some if text not in listed]


def _in_pieces(labels: Sequence[str]) -> list[str]:
    """The labels that return after another one, by first appearance."""
    pieces = Counter(label for label, before in zip(labels, [None, *labels], strict=False) if label != before)
    return [label for label, number in pieces.items() if number > 1]


def line_table(line: Line, order: Order, values: Values, codes: Codes, faults: tuple[Fault, ...],
               rewritten: Mask | None = None) -> LevelTable:  # fmt: skip
    """The table of numbers or dates: a leaf for each point, and a level for each of the line's bands. A point
    is written as the texts write it; anew where they do so in several ways or in none, or are to be
    `rewritten`; what is coded at an end has the label of its set."""
    placed, coded = np.flatnonzero(codes != NO_PLACE), line.coded
    written = np.full(len(line), -1, dtype=np.int64)
    written[codes[placed]] = placed
    anew = np.bincount(codes[placed], minlength=len(line)) != 1
    if rewritten is not None:
        anew[codes[placed[rewritten[placed]]]] = True
    leaves = list(picked((*values.texts, ""), written))
    for leaf in np.flatnonzero(anew | coded).tolist():
        point = line.points[leaf]
        leaves[leaf] = line.coded_label(point) if coded[leaf] else line.scale.canonical(point)
    names = tuple(leaves)
    levels = (unchanged(names), *(_band_labels(line, bands, names, coded) for bands in line.bands))
    origin = "the distinct dates that occur" if order == "dates" else OCCURRING
    return LevelTable(names, levels, codes, faults, origin, order, line, always_top=len(levels) > 1)


def _band_labels(line: Line, bands: Bands, leaves: tuple[str, ...], coded: Mask) -> Labels:
    """One level of a line; what is coded is a set of its own, whatever its band."""
    numbers = bands.numbers(line.values)
    changes = np.asarray(numbers[1:] != numbers[:-1], dtype=np.bool_) | coded[1:] | coded[:-1]
    groups, first = runs(changes, len(line))
    labels = [line.band_label(bands, number) for number in numbers[first].tolist()]
    for group in np.flatnonzero(coded[first]).tolist():
        labels[group] = leaves[int(first[group])]
    return Labels(groups, tuple(labels))


def placed_points(points: Points, readable: Mask) -> tuple[Points, Codes]:
    """The distinct points in ascending order, and the place of each readable one among them."""
    distinct, inverse = np.unique(points[readable], return_inverse=True)
    codes = np.full(len(points), NO_PLACE, dtype=np.int32)
    codes[readable] = inverse
    return distinct, codes
