"""The input and the one product of every kind of hierarchy: the distinct values of a column, and a table of
labels, leaf × level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import ne
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers, Mask
from paretonym.errors import InputError, Place, shown
from paretonym.schema.hierarchies.text_matrix import Characters, characters_of, picked
from paretonym.schema.hierarchies.value_line import Bands, Line, Points, band_label
from paretonym.source import ColumnType

NO_PLACE = -1
OCCURRING = "the distinct values that occur"
NOT_LISTED = 'add them, or set unknown = "top"'
Order: TypeAlias = Literal["tree", "numbers", "dates", "order"]


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

    def require(self, has_place: Mask, what: str, remedy: str, key: str) -> None:
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
        number = "1 value" if len(listed) == 1 else f"{len(listed):,} values"
        return number if self.secret else f"{number} ({shown(listed)})"


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of one level: the set of each leaf, and the label of each set."""

    groups: Codes
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LevelTable:
    """Leaf × level labels, before missing values, values outside the hierarchy and the top are added.

    `codes` gives the leaf of each of the values' texts, or -1; `origin` says in words where the leaves come
    from, `order` what their order means, and `line` where numbers or dates lie. `listed`: the schema lists
    the leaves. With `always_top` a set `*` is put on top even if the last level happens to be one set, so
    that the number of levels depends on the schema alone.
    """

    leaves: tuple[str, ...]
    levels: tuple[Labels, ...]
    codes: Codes
    origin: str = OCCURRING
    order: Order = "tree"
    line: Line | None = None
    listed: bool = False
    always_top: bool = False


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


def places(texts: tuple[str, ...], leaves: tuple[str, ...]) -> Codes:
    """The leaf of each text, or -1."""
    index = {leaf: position for position, leaf in enumerate(leaves)}
    return np.fromiter(map(index.get, texts, repeat(NO_PLACE)), dtype=np.int32, count=len(texts))


class Labelling(NamedTuple):
    """One level: the labels of texts, all at once. `kept`, if given, says how many characters of a text of
    each length its set is known by, so that a label is made for each set, not for each of a million texts:
    two texts have the same label exactly if these numbers are equal and so are these characters."""

    labels: Callable[[Sequence[str]], list[str]]
    kept: Callable[[Integers], Integers] | None = None


def labelled(texts: tuple[str, ...], order: Integers, labellings: Sequence[Labelling]) -> LevelTable:
    """The table of texts over leaves in an order that keeps equal labels together. A level is made from the
    first leaf of each set below it, so that the levels nest."""
    leaves = picked(texts, order)
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    rows = characters_of(leaves) if any(labelling.kept for labelling in labellings) else None
    shared, lengths = (None, None) if rows is None else _shared_beginnings(rows)
    levels, firsts = [unchanged(leaves)], np.arange(len(leaves))
    for labels_of, kept in labellings:
        if kept is None or shared is None or lengths is None:
            labels = labels_of(picked(leaves, firsts))
            differs = np.fromiter(map(ne, labels[1:], labels), dtype=np.bool_, count=max(len(labels) - 1, 0))
        else:
            known = kept(lengths[firsts])
            differs = (known[1:] != known[:-1]) | (shared[firsts[1:] - 1] < known[1:])
        groups, first = runs(differs, len(firsts))
        firsts = firsts[first]
        levels.append(Labels(groups[levels[-1].groups], tuple(labels_of(picked(leaves, firsts)))))
    return LevelTable(leaves, tuple(levels), codes)


def _shared_beginnings(rows: Characters) -> tuple[Integers, Integers]:
    """The number of characters that each row, except the first, has in common with the row before it, up to
    the first that differs; and the length of each row."""
    differs = np.ones((max(len(rows) - 1, 0), rows.shape[1] + 1), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=differs[:, :-1])
    return differs.argmax(axis=1), (rows > 0).sum(axis=1)


def on_line(line: Line, order: Order, texts: tuple[str, ...], codes: Codes, longest: int = 0) -> LevelTable:
    """The table of numbers or dates: a leaf for each point, and a level for each of the line's bands. A point
    is written as the texts write it; anew where they do so in several ways, in none, or in more than the
    `longest` number of characters, if there is one; what is coded at an end has the label of its set."""
    placed = np.flatnonzero(codes != NO_PLACE)
    written = np.full(len(line), -1, dtype=np.int64)
    written[codes[placed]] = placed
    leaves = list(picked((*texts, ""), written))
    anew = np.bincount(codes[placed], minlength=len(line)) != 1
    if longest:
        lengths = np.fromiter(map(len, leaves), np.int64, len(leaves))
        for leaf in np.flatnonzero(lengths > longest).tolist():
            anew[leaf] |= len(leaves[leaf].strip()) > longest
    for leaf in np.flatnonzero(anew).tolist():
        leaves[leaf] = line.scale.canonical(line.points[leaf])
    coded = line.coded
    for leaf in np.flatnonzero(coded).tolist():
        below = line.bottom is not None and line.points[leaf] < line.bottom
        leaves[leaf] = band_label(line.scale, *((None, line.bottom) if below else (line.top, None)))
    names = tuple(leaves)
    levels = [unchanged(names), *(_bands(line, bands, names, coded) for bands in line.bands)]
    origin = "the distinct dates that occur" if order == "dates" else OCCURRING
    return LevelTable(names, tuple(levels), codes, origin, order, line, always_top=len(levels) > 1)


def _bands(line: Line, bands: Bands, leaves: tuple[str, ...], coded: Mask) -> Labels:
    """One level of a line; what is coded is a set of its own, whatever its band."""
    numbers = bands.numbers(line.values)
    changes = np.asarray(numbers[1:] != numbers[:-1], dtype=np.bool_) | coded[1:] | coded[:-1]
    groups, first = runs(changes, len(line))
    name = bands.label or (lambda number: line.band_label(*bands.edges(number)))
    labels = list(map(name, numbers[first].tolist()))
    for group in np.flatnonzero(coded[first]).tolist():
        labels[group] = leaves[int(first[group])]
    return Labels(groups, tuple(labels))


def placed_points(points: Points, readable: Mask) -> tuple[Points, Codes]:
    """The distinct points in ascending order, and the place of each readable one among them."""
    distinct, inverse = np.unique(points[readable], return_inverse=True)
    codes = np.full(len(points), NO_PLACE, dtype=np.int32)
    codes[readable] = inverse
    return distinct, codes
