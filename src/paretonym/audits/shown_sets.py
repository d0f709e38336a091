"""Shown sets: how a release shows every original row, by levels, by a chain of levels, by the groups of each
column, or by boxes.

Levels are named in the manifest. Otherwise the labels in the file say which sets there are, and a row is
shown by the labels whose sets hold its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers
from paretonym.audits.chain_of_nodes import mixed_labels, nodes_of_entries, smallest_class
from paretonym.audits.label_semantics import LabelReader, Run
from paretonym.audits.original_rows import Original, QuasiMeaning, rows_of
from paretonym.audits.sql_engine import listed
from paretonym.audits.sql_measures import NotMeasurable
from paretonym.audits.stated_recoding import StatedRecoding
from paretonym.audits.table_file import TableFile

Pairs: TypeAlias = tuple[Integers, Integers]

# The most pairs of points and boxes that are examined at once.
AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Boxes:
    """Box i holds the points p with `low[i] <= p < high[i]` in every column."""

    low: Integers
    high: Integers

    def holding(self, points: Integers) -> Pairs:
        """Every pair of a point and a box that holds it.

        >>> boxes = Boxes(np.array([[0], [2]]), np.array([[2], [5]]))
        >>> [places.tolist() for places in boxes.holding(np.array([[1], [4], [9]]))]
        [[0, 1], [0, 1]]
        """
        todo = [(np.arange(len(points)), np.arange(len(self.low)))]
        found = [(np.empty(0, dtype=np.int64),) * 2]
        while todo:
            here, boxes = todo.pop()
            if len(here) * len(boxes) > AT_ONCE:
                todo += self._divided(points, here, boxes)
            elif len(here):
                found.append(self._tried(points, here, boxes))
        return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])

    def _tried(self, points: Integers, here: Integers, boxes: Integers) -> Pairs:
        """Every point with every box."""
        inside = np.ones((len(here), len(boxes)), dtype=np.bool_)
        for j in range(points.shape[1]):
            column = points[here, j][:, None]
            inside &= (self.low[boxes, j] <= column) & (column < self.high[boxes, j])
        which, box = np.nonzero(inside)
        return here[which], boxes[box]

    def _divided(self, points: Integers, here: Integers, boxes: Integers) -> list[Pairs]:
        """Points and boxes on both sides of the cut that the fewest boxes lie across; the points in two
        halves where no cut parts the boxes."""
        sides = []
        for j in range(points.shape[1]):
            cut = np.median(self.low[boxes, j]) + 0.5
            left, right = self.low[boxes, j] < cut, self.high[boxes, j] - 1 >= cut
            if not left.all() and not right.all():
                sides.append((int(left.sum() + right.sum()), j, float(cut)))
        if not sides:
            half = len(here) // 2
            parts = (here[:half], here[half:]) if half else ()
            return [(part, boxes) for part in parts] or self._halves(here, boxes)
        _, j, cut = min(sides)
        left, right = self.low[boxes, j] < cut, self.high[boxes, j] - 1 >= cut
        below = points[here, j] < cut
        return [(here[below], boxes[left]), (here[~below], boxes[right])]

    def _halves(self, here: Integers, boxes: Integers) -> list[Pairs]:
        half = len(boxes) // 2
        return [(here, boxes[:half]), (here, boxes[half:])]


# The text of a row that no label of the release covers; no label has this character.
NOWHERE = "\x1f"


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """One quasi-identifier as the release shows it: the label of every entry of the original, by its number,
    the last one where none does; of each label how many domain values and original rows lie in its set; the
    number of domain values; the leaves of each set, and the unit, one value of the domain, that each leaf is
    in; and, for levels, level / height."""

    meaning: QuasiMeaning
    codes: Codes
    labels: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: tuple[int, ...]
    domain: int
    runs: tuple[Run, ...]
    units: Integers
    step: Fraction | None = None

    @property
    def name(self) -> str:
        return self.meaning.name

    def staying_sizes(self, stays: npt.NDArray[np.bool_]) -> tuple[dict[str, int], int]:
        """How many domain values lie in the set of each label, and in all, if only those count that the
        schema lists or that an original row has that stays."""
        occurs = np.bincount(self.meaning.leaves[stays], minlength=len(self.units)) > 0
        occurs[: self.meaning.listed] = True
        occurs[self.meaning.domain :] = False
        values = np.flatnonzero(occurs)
        ones = values[np.unique(self.units[values], return_index=True)[1]]
        before = np.searchsorted(ones, np.arange(len(self.units) + 1))
        # A set without a value represents all of them.
        sizes = [int(before[after] - before[first]) or len(ones) for first, after in self.runs]
        return dict(zip(self.labels, sizes, strict=True)), len(ones)


@dataclass(frozen=True, eq=False)
class Several:
    """Entries of the original that fit more than one class of the release: each pair of an entry and a class,
    the class as the number of its label in every column; `number` is how many rows they stand for."""

    entries: Integers
    labels: Integers
    number: int


@dataclass(frozen=True, eq=False)
class Shown:
    """The quasi-identifiers as a release shows them. `hidden` counts original rows with a value that no label
    stands for: what they would look like is not known, but `alike` of them (persons, if these are known) look
    the same whatever the sets are. `several`: rows whose class cannot be determined."""

    columns: tuple[ShownColumn, ...]
    hidden: int = 0
    several: Several | None = None
    alike: int = 0

    @classmethod
    def by(cls, recoding: StatedRecoding, file: TableFile, original: Original) -> Shown:
        """How a release shows the original, by what its manifest says of the recoding."""
        if recoding.levels is not None:
            levels = levels_of(recoding, original)
            return cls(tuple(at_level(column, levels[column.name]) for column in original.quasi))
        if recoding.in_regions:
            return _by_boxes(file, original, recoding.chain)
        if recoding.chain:
            return _by_chain(recoding, file, original)
        if recoding.in_groups:
            return _by_groups(file, original)
        raise NotMeasurable(
            "the manifest names no levels and no space, so the original cannot be recoded again"
        )

    @classmethod
    def unchanged(cls, original: Original) -> Shown:
        """Every column at its lowest level, as buckets show it."""
        return cls(tuple(at_level(column, column.row.lowest) for column in original.quasi))

    @property
    def unsettled(self) -> int:
        return 0 if self.several is None else self.several.number

    def staying(self, file: TableFile) -> npt.NDArray[np.bool_]:
        """Which entries of the original stay: those that look like a row of the release, or whose class
        cannot be determined."""
        texts = np.stack([np.append(_numbered(each.labels), -1)[each.codes] for each in self.columns], axis=1)
        looks, of_row = np.unique(texts, axis=0, return_inverse=True)
        places = [{text: number for number, text in enumerate(each.labels)} for each in self.columns]
        released = {
            tuple(place.get(cell, -1) for place, cell in zip(places, cells, strict=True))
            for cells in _different(file, [each.meaning for each in self.columns])
        }
        stays = np.array([look in released and -1 not in look for look in map(tuple, looks.tolist())])
        found: npt.NDArray[np.bool_] = stays[of_row.reshape(-1)]
        if self.several is not None:
            found[self.several.entries] = True
        return found


def _numbered(labels: Sequence[str]) -> Integers:
    """A number for each label, the same for equal ones."""
    numbers = {text: number for number, text in enumerate(labels)}
    return np.array([numbers[text] for text in labels], dtype=np.int64)


def _by_chain(recoding: StatedRecoding, file: TableFile, original: Original) -> Shown:
    """Each row at the first node where its class, among the rows that are left, is large enough."""
    chain = [_known_levels(node, original) for node in recoding.chain]
    node = nodes_of_entries(file.engine, original, chain, smallest_class(recoding))
    columns = []
    for column in original.quasi:
        levels = np.array([each[column.name] for each in chain], dtype=np.int64)[node]
        mixed = mixed_labels(column, sorted({each[column.name] for each in chain}))
        codes = np.zeros(original.entries, dtype=np.int32)
        for number, places in mixed.places.items():
            here = levels == number
            codes[here] = places[column.levels[number].sets[column.leaves[here]]]
        columns.append(_shown(column, codes, tuple(mixed.runs), list(mixed.runs.values()), None))
    return Shown(tuple(columns))


def levels_of(recoding: StatedRecoding, original: Original) -> dict[str, int]:
    """The level of every quasi-identifier."""
    if recoding.levels is None:
        raise NotMeasurable("the manifest names no levels, so the original cannot be recoded again")
    return _known_levels(recoding.levels, original)


def _known_levels(levels: Mapping[str, int], original: Original) -> dict[str, int]:
    for column in original.quasi:
        level = levels.get(column.name)
        if not isinstance(level, int) or not 0 <= level < len(column.levels):
            raise NotMeasurable(f"the manifest names no level of '{column.name}' that the schema has")
    return dict(levels)


def at_level(column: QuasiMeaning, number: int) -> ShownColumn:
    level, height = column.levels[number], len(column.levels) - 1
    codes = level.sets[column.leaves]
    rows = rows_of(codes, column.weights, len(level.labels)).tolist()
    step = Fraction(number, height) if height and column.domain > 1 else Fraction(0)
    ends = np.searchsorted(level.sets, np.arange(len(level.labels) + 1)).tolist()
    units = np.arange(len(level.sets))
    return ShownColumn(
        column,
        codes,
        level.labels,
        level.sizes,
        tuple(rows),
        column.domain,
        tuple(pairwise(ends)),
        units,
        step,
    )


def _by_groups(file: TableFile, original: Original) -> Shown:
    """Each column alone: its sets do not overlap, so that a value has one label or none."""
    columns = tuple(_grouped(file, column) for column in original.quasi)
    hidden = np.zeros(original.entries, dtype=np.bool_)
    for column in columns:
        hidden |= column.codes == len(column.labels)
    return Shown(columns, original.rows_in(hidden), alike=_alike(original, columns, hidden))


def _alike(original: Original, columns: Sequence[ShownColumn], hidden: npt.NDArray[np.bool_]) -> int:
    """The most hidden rows that no cut can tell apart: equal labels, and equal atoms where there is none. In
    persons, if the original says whose a row is."""
    if not hidden.any():
        return 0
    parts = []
    for column in columns:
        codes, atoms = column.codes[hidden].astype(np.int64), _atoms(column.meaning)
        nowhere = len(column.labels)
        parts.append(np.where(codes < nowhere, codes, nowhere + atoms[column.meaning.leaves[hidden]]))
    looks, of_entry = np.unique(np.stack(parts, axis=1), axis=0, return_inverse=True)
    if original.persons is not None:
        pairs = np.unique(np.stack([of_entry.reshape(-1), original.persons[hidden]]), axis=1)
        return int(np.bincount(pairs[0]).max())
    weights = None if original.weights is None else original.weights[hidden]
    return int(rows_of(of_entry.reshape(-1), weights, len(looks)).max())


def _grouped(file: TableFile, column: QuasiMeaning) -> ShownColumn:
    labels = tuple(text for (text,) in _different(file, [column]))
    runs = _runs(column, labels, everything=len(labels) == 1, units=_atoms(column))
    ordered = sorted(runs)
    if any(one[1] > other[0] for one, other in pairwise(ordered)):
        raise NotMeasurable(f"labels of column '{column.name}' mean sets that overlap")
    of_leaf = np.full(len(column.row.leaves), len(labels), dtype=np.int32)
    for number, (first, after) in enumerate(runs):
        of_leaf[first:after] = number
    return _shown(column, of_leaf[column.leaves], labels, runs, _atoms(column))


def _by_boxes(file: TableFile, original: Original, chain: Sequence[Mapping[str, int]] = ()) -> Shown:
    """All columns together: a class is a box of sets, and a row lies in one, in none, or in several. Of a
    `chain`, labels mean sets of its levels."""
    nodes = [_known_levels(node, original) for node in chain]
    tuples = _different(file, original.quasi)
    columns, numbers = [], np.zeros((len(tuples), len(original.quasi)), dtype=np.int64)
    for j, column in enumerate(original.quasi):
        labels = tuple(sorted({cells[j] for cells in tuples}))
        place = {label: number for number, label in enumerate(labels)}
        numbers[:, j] = [place[cells[j]] for cells in tuples]
        known = mixed_labels(column, sorted({node[column.name] for node in nodes})).runs
        runs = _runs(column, labels, everything=True, units=_units(column), known=known)
        columns.append((column, labels, runs))
    ends = [np.array(runs, dtype=np.int64).reshape(-1, 2) for _, _, runs in columns]
    low = np.stack([ends[j][numbers[:, j], 0] for j in range(len(ends))], axis=1)
    high = np.stack([ends[j][numbers[:, j], 1] for j in range(len(ends))], axis=1)
    box, several, hidden = _placed(original, Boxes(low, high), numbers)
    shown = []
    for j, (column, labels, runs) in enumerate(columns):
        codes = np.append(numbers[:, j], len(labels))[box].astype(np.int32)
        shown.append(_shown(column, codes, labels, runs, None))
    return Shown(tuple(shown), hidden, several)


def _placed(original: Original, boxes: Boxes, labels: Integers) -> tuple[Integers, Several | None, int]:
    """The box of every entry, -1 where it is none or several; those with several; how many rows have none."""
    leaves = np.stack([column.leaves for column in original.quasi], axis=1)
    points, of_row = np.unique(leaves, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)
    which, found = boxes.holding(points.astype(np.int64))
    fitting = np.bincount(which, minlength=len(points))
    box = np.full(len(points), -1, dtype=np.int64)
    box[which] = found
    box[fitting != 1] = -1
    many, hidden = fitting[which] > 1, original.rows_in(fitting[of_row] == 0)
    if not many.any():
        return box[of_row], None, hidden
    order = np.argsort(which[many], kind="stable")
    firsts = np.searchsorted(which[many][order], np.arange(len(points) + 1))
    rows = np.flatnonzero(fitting[of_row] > 1)
    counts = fitting[of_row[rows]]
    inner = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    pairs = order[np.repeat(firsts[of_row[rows]], counts) + inner]
    number = original.rows_in(fitting[of_row] > 1)
    return box[of_row], Several(np.repeat(rows, counts), labels[found[many][pairs]], number), hidden


def _different(file: TableFile, columns: Sequence[QuasiMeaning]) -> list[tuple[str, ...]]:
    """The different combinations of labels in the file."""
    places = listed([file.column(column.name) for column in columns])
    return sorted(file.engine.rows(f"select distinct {places} from {file.view}"))


def _runs(
    column: QuasiMeaning,
    labels: Sequence[str],
    everything: bool,
    units: Integers,
    known: Mapping[str, Run] = MappingProxyType({}),
) -> list[Run]:
    """The set of each label, read unless it is `known`; it may not split what is never distinguished."""
    reader = LabelReader(column)
    runs = [known[label] if label in known else reader.run(label, everything) for label in labels]
    edges = {0, *(np.flatnonzero(np.diff(units)) + 1).tolist(), len(units)}
    if not edges.issuperset(end for run in runs for end in run):
        raise NotMeasurable(f"a label of column '{column.name}' splits values that are never distinguished")
    return runs


def _units(column: QuasiMeaning) -> Integers:
    """The set of each leaf at the lowest level that the schema allows."""
    return column.levels[column.row.lowest].sets.astype(np.int64)


def _atoms(column: QuasiMeaning) -> Integers:
    """The smallest sets that cuts can tell apart, by leaf: unions of lowest sets and granules."""
    changes = np.diff(_units(column)) != 0
    if column.row.granules is not None:
        changes &= np.diff(column.row.granules) != 0
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)


def _shown(
    column: QuasiMeaning, codes: Codes, labels: tuple[str, ...], runs: list[Run], atoms: Integers | None
) -> ShownColumn:
    """Sets with their sizes. With a granularity cuts count granules, else domain values; a set without one
    stands for all of them."""
    values, units = np.arange(len(column.row.leaves)) < column.domain, np.arange(len(column.row.leaves))
    if atoms is not None and column.row.granules is not None:
        values &= np.concatenate([[True], np.diff(atoms) != 0])
        units = atoms
    before = np.concatenate([[0], np.cumsum(values)])
    per_leaf = rows_of(column.leaves, column.weights, len(values))
    rows = np.concatenate([[0], np.cumsum(per_leaf)])
    domain = int(before[-1])
    sizes = tuple(int(before[after] - before[first]) or domain for first, after in runs)
    of_sets = tuple(int(rows[after] - rows[first]) for first, after in runs)
    return ShownColumn(column, codes, labels, sizes, of_sets, domain, tuple(runs), units)
