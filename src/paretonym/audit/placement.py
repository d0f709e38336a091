"""The place of every original row among the classes that a release shows, from the sets of its labels alone,
whatever the recoding was: a row lies in one class, in none, or, where classes overlap, in several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.audit.audit_database import listed
from paretonym.audit.label_runs import LabelSets, Run, UnreadableLabel
from paretonym.audit.manifest import GROUPS, MEANS, Recoding
from paretonym.audit.original import Original, QuasiValues
from paretonym.audit.released_table import ReleasedTable

CLASSES = "shown_classes"
NONE, SEVERAL = -1, -2
# The most pairs of a distinct look and a class that are examined; above that nothing is decided.
MOST_PAIRS = 1 << 34
AT_ONCE = 1 << 24


class NotDecided(Exception):
    """A comparison that is too large, and how large it is."""


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """The labels of one quasi-identifier in a release, the set of each, and the label of each class. An empty
    set is that of a label that the stated level does not have."""

    values: QuasiValues
    labels: tuple[str, ...]
    runs: tuple[Run, ...]
    of_class: Integers

    @property
    def name(self) -> str:
        return self.values.name

    @property
    def sets(self) -> LabelSets:
        return self.values.sets

    @cached_property
    def disjoint(self) -> bool:
        """Whether no two labels share a value."""
        runs = sorted(run for run in self.runs if run[0] < run[1])
        return all(before[1] <= after[0] for before, after in pairwise(runs))

    @cached_property
    def label_of_leaf(self) -> Integers:
        """The label of each leaf, by its number, where labels are disjoint; -1 where none has it."""
        places = np.full(len(self.sets.leaves), NONE, dtype=np.int64)
        for number, (first, after) in enumerate(self.runs):
            places[first:after] = number
        return places


@dataclass(frozen=True, eq=False)
class Placement:
    """The class of each entry of the original: its number, `NONE` or `SEVERAL`; the pairs of an entry and a
    class that holds it, of the entries with several; and how each column is shown."""

    columns: tuple[ShownColumn, ...]
    of_entry: Integers
    several_entries: Integers
    several_classes: Integers

    @property
    def settled(self) -> bool:
        """Whether no entry lies in several classes."""
        return len(self.several_entries) == 0

    @property
    def stays(self) -> Mask:
        """The entries that the release shows, as far as labels tell."""
        stays: Mask = self.of_entry != NONE
        return stays


def place_rows(
    table: ReleasedTable, original: Original, recoding: Recoding, settled: bool = True
) -> Placement:
    """Place every entry of the original. The table `shown_classes` numbers the classes of the release. Where
    all rows of the release are known (`settled`), a chain says in which of several classes a row is."""
    if recoding.space == MEANS:
        if table.rows != original.rows:
            raise UnreadableLabel(f"all {original.rows:,} rows stay, but the file has {table.rows:,}")
        raise NotDecided("a mean does not say whose rows it is of")
    keys = listed([table.column(column.name) for column in original.quasi])
    table.database.make(
        CLASSES,
        f"select (row_number() over (order by {keys}) - 1)::integer as class, {keys}, size from "
        f"(select {keys}, sum(n)::bigint as size from {table.meant} group by {keys})",
    )
    shown = table.database.arrow(f"select * from {CLASSES} order by class")
    columns = []
    for column in original.quasi:
        cells = shown.column(table.column(column.name)).combine_chunks().dictionary_encode()
        labels = tuple(cells.dictionary.to_pylist())
        runs = tuple(_runs(column.sets, labels, recoding))
        columns.append(ShownColumn(column, labels, runs, cells.indices.to_numpy().astype(np.int64)))
    nothing = np.empty(0, dtype=np.int64)
    if all(column.disjoint for column in columns):
        return Placement(tuple(columns), _by_label(columns), nothing, nothing)
    if recoding.chained and settled and recoding.smallest_class is not None:
        return Placement(tuple(columns), _by_chain(columns, original, recoding), nothing, nothing)
    return Placement(tuple(columns), *_by_sets(columns))


def _runs(sets: LabelSets, labels: Sequence[str], recoding: Recoding) -> list[Run]:
    """The set of each label; it may not split what the schema never distinguishes."""
    if recoding.levels is not None:
        level = sets.level(_level(sets, recoding.levels))
        return [level.get(label, (0, 0)) for label in labels]
    if recoding.chained:
        named: dict[str, Run] = {}
        for number in sorted({_level(sets, node) for node in recoding.nodes}):
            named |= sets.level(number)
        return [named[label] if label in named else sets.run(label) for label in labels]
    everything = recoding.space != GROUPS or len(labels) == 1
    runs = [sets.run(label, everything) for label in labels]
    units = sets.atoms if recoding.space == GROUPS else sets.groups(sets.column.lowest)
    edges = {0, *(np.flatnonzero(np.diff(units)) + 1).tolist(), len(units)}
    if not edges.issuperset(end for run in runs for end in run):
        raise UnreadableLabel(f"a label of column '{sets.name}' splits values that are never distinguished")
    return runs


def _level(sets: LabelSets, levels: Mapping[str, int]) -> int:
    level = levels.get(sets.name, -1)
    if not 0 <= level <= sets.height:
        raise UnreadableLabel(f"the manifest names no level of '{sets.name}' that the schema has")
    return level


def combined(columns: Sequence[Integers]) -> Integers:
    """A number for each row of several columns of codes, the same for equal rows and for no others.

    >>> combined([np.array([5, 5, -1]), np.array([2, 3, 2])]).tolist()
    [1, 2, 0]
    """
    numbers = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
    for codes in columns:
        _, codes = np.unique(codes, return_inverse=True)
        width = int(codes.max(initial=0)) + 1
        _, numbers = np.unique(numbers * width + codes.reshape(-1), return_inverse=True)
        numbers = numbers.reshape(-1)
    return numbers


def _by_label(columns: Sequence[ShownColumn]) -> Integers:
    """Each column alone: a value has one label or none."""
    parts = [
        np.concatenate([column.of_class, column.label_of_leaf[column.values.leaves]]) for column in columns
    ]
    numbers, classes = combined(parts), len(columns[0].of_class)
    places = np.full(int(numbers.max(initial=0)) + 1, NONE, dtype=np.int64)
    # A label without values holds nobody.
    empty = np.zeros(classes, dtype=np.bool_)
    for column in columns:
        empty |= np.array([first == after for first, after in column.runs], dtype=np.bool_)[column.of_class]
    places[numbers[:classes][~empty]] = np.flatnonzero(~empty)
    of_entry = places[numbers[classes:]]
    for column in columns:
        of_entry[column.label_of_leaf[column.values.leaves] < 0] = NONE
    return of_entry


def _by_chain(columns: Sequence[ShownColumn], original: Original, recoding: Recoding) -> Integers:
    """Each row at the first node where its class, among the rows that are still open, is large enough."""
    of_entry = np.full(len(original.counts), NONE, dtype=np.int64)
    pending = np.ones(len(original.counts), dtype=np.bool_)
    for node in recoding.nodes:
        levels = [column.sets.column.hierarchy.levels[_level(column.sets, node)] for column in columns]
        sets_of_leaves = [level.groups.astype(np.int64) for level in levels]
        cells = [sets[column.values.leaves] for sets, column in zip(sets_of_leaves, columns, strict=True)]
        groups = combined(cells)
        large = pending & (original.sizes(groups, pending)[groups] >= (recoding.smallest_class or 1))
        parts = []
        for level, column, sets in zip(levels, columns, cells, strict=True):
            numbers = {label: number for number, label in enumerate(column.labels)}
            of_set = np.array([numbers.get(label, NONE) for label in level.labels], dtype=np.int64)
            parts.append(np.concatenate([column.of_class, of_set[sets]]))
        together, classes = combined(parts), len(columns[0].of_class)
        places = np.full(int(together.max()) + 1, NONE, dtype=np.int64)
        places[together[:classes]] = np.arange(classes)
        of_entry[large] = places[together[classes:]][large]
        pending &= ~large
    return of_entry


def _by_sets(columns: Sequence[ShownColumn]) -> tuple[Integers, Integers, Integers]:
    """All columns together: bits say which classes hold a value, column by column."""
    classes = len(columns[0].of_class)
    masks, atoms = [], []
    for column in columns:
        runs = np.array(column.runs, dtype=np.int64).reshape(-1, 2)[column.of_class]
        ends = np.unique(runs)
        # Leaves between two neighbouring ends lie in the same sets.
        firsts = np.concatenate([[-1], ends])
        inside = (runs[:, 0] <= firsts[:, None]) & (firsts[:, None] < runs[:, 1])
        masks.append(np.packbits(inside, axis=1))
        atoms.append(np.searchsorted(ends, column.values.leaves, side="right"))
    point_of_entry = combined(atoms)
    _, first = np.unique(point_of_entry, return_index=True)
    if len(first) * classes > MOST_PAIRS:
        raise NotDecided(
            f"{len(first):,} different rows beside {classes:,} classes that overlap are too many"
        )
    points, holders = [], []
    step = max(AT_ONCE // classes, 1)
    for begin in range(0, len(first), step):
        entries = first[begin : begin + step]
        bits = masks[0][atoms[0][entries]]
        for mask, atom in zip(masks[1:], atoms[1:], strict=True):
            bits = bits & mask[atom[entries]]
        point, holder = np.nonzero(np.unpackbits(bits, axis=1, count=classes))
        points.append(point + begin)
        holders.append(holder)
    point, holder = np.concatenate(points), np.concatenate(holders)
    number = np.bincount(point, minlength=len(first))
    of_point = np.full(len(first), NONE, dtype=np.int64)
    of_point[point] = holder
    of_point[number > 1] = SEVERAL
    of_entry = of_point[point_of_entry]
    unsettled = np.flatnonzero(of_entry == SEVERAL)
    starts = np.cumsum(number) - number
    often = number[point_of_entry[unsettled]]
    if int(often.sum()) > AT_ONCE:
        raise NotDecided(f"{len(unsettled):,} different rows that fit several classes are too many")
    offsets = np.arange(int(often.sum())) - np.repeat(np.cumsum(often) - often, often)
    pairs = np.repeat(starts[point_of_entry[unsettled]], often) + offsets
    return of_entry, np.repeat(unsettled, often), holder[pairs]


def looks(placement: Placement, original: Original, recoding: Recoding) -> list[Integers]:
    """For every node that the manifest states, a number for what each entry looks like there; for groups by
    labels, their values where nobody has them who stays."""
    if recoding.nodes:
        return [
            combined(
                [column.sets.groups(_level(column.sets, node))[column.leaves] for column in original.quasi]
            )
            for node in recoding.nodes
        ]
    parts = []
    for column, shared in zip(placement.columns, shared_values(placement), strict=True):
        labels = column.label_of_leaf[column.values.leaves]
        atoms = column.sets.atoms[column.values.leaves]
        parts.append(np.where((labels >= 0) & shared, labels, len(column.labels) + atoms))
    return [combined(parts)]


def shared_values(placement: Placement) -> list[Mask]:
    """For each column, the entries whose value (or granule) somebody has who stays."""
    masks = []
    for column in placement.columns:
        atoms = column.sets.atoms[column.values.leaves]
        masks.append(np.isin(atoms, np.unique(atoms[placement.of_entry >= 0])))
    return masks


def unshared_values(placement: Placement) -> Integers:
    """In how many columns each entry has a value that nobody has who stays."""
    unshared: Integers = np.stack([~shared for shared in shared_values(placement)]).sum(axis=0)
    return unshared
