"""A release beside its original, from the sets of its labels alone, whatever the recoding was: which class
each row of the original lies in, and both as tables of one database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paretonym.audit.audit_database import listed
from paretonym.audit.class_counts import ClassCounts, count_classes, count_persons
from paretonym.audit.label_sets import LabelSets, Run, UnreadableLabel
from paretonym.audit.manifest import (
    GROUPS,
    LOCAL,
    MEANS,
    Manifest,
    Recoding,
)
from paretonym.audit.measurer import Watched
from paretonym.audit.original import Original
from paretonym.audit.placement import (
    NONE,
    Placement,
    ShownColumn,
    combined,
    place_rows,
)
from paretonym.audit.released_table import ReleasedTable, comparable
from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import shown

CLASSES = "shown_classes"
# The set of a class that shows the mean of its numbers.
ANY_NUMBER = "any number"


def shown_columns(
    table: ReleasedTable, sets: Sequence[LabelSets], recoding: Recoding
) -> tuple[ShownColumn, ...]:
    """The labels of a release; raises `UnreadableLabel`. The table `shown_classes` numbers its classes."""
    keys = listed([table.column(column_sets.name) for column_sets in sets])
    table.database.make(
        CLASSES,
        f"select (row_number() over (order by {keys}) - 1)::integer as class, {keys}, size from "
        f"(select {keys}, sum(n)::bigint as size from {table.view} group by {keys})",
    )
    classes = table.database.arrow(f"select * from {CLASSES} order by class")
    columns = []
    for column_sets in sets:
        cells = classes.column(table.column(column_sets.name)).combine_chunks().dictionary_encode()
        labels = tuple(cells.dictionary.to_pylist())
        runs = np.array(_runs(column_sets, labels, recoding), dtype=np.int64).reshape(-1, 2)
        columns.append(ShownColumn(column_sets, labels, runs, cells.indices.to_numpy().astype(np.int64)))
        if recoding.space == GROUPS and not columns[-1].disjoint:
            raise UnreadableLabel(f"labels of column '{column_sets.name}' overlap, but groups of cuts do not")
    return tuple(columns)


def _runs(sets: LabelSets, labels: Sequence[str], recoding: Recoding) -> list[Run]:
    """The set of each label; it may not split what the schema never distinguishes."""
    if recoding.levels is not None:
        level = recoding.levels.get(sets.name, -1)
        if not 0 <= level <= sets.height:
            raise UnreadableLabel(f"the manifest names no level of '{sets.name}' that the schema has")
        of_level = sets.level(level)
        return [of_level.get(label, (0, 0)) for label in labels]
    everything = recoding.space != GROUPS or len(labels) == 1
    runs = [sets.run(label, everything) for label in labels]
    units = sets.atoms if recoding.space == GROUPS else sets.groups(sets.column.lowest)
    words = {*sets.words, *((ANY_NUMBER,) if recoding.space == MEANS else ())}
    if recoding.space in (LOCAL, MEANS) and (odd := [label for label in labels if label not in words]):
        raise UnreadableLabel(f"labels of column '{sets.name}' are not those of its hierarchy: {shown(odd)}")
    edges = {0, *(np.flatnonzero(np.diff(units)) + 1).tolist(), len(units)}
    if not edges.issuperset(end for run in runs for end in run):
        raise UnreadableLabel(f"a label of column '{sets.name}' splits values that are never distinguished")
    return runs


@dataclass(frozen=True, eq=False)
class OriginalComparison:
    """A release beside its original: `whole` are all rows, `original` those without persons and households
    that were suppressed as a whole, each entry with its place among the classes of the release. Where the
    file does not show which of some rows stay, that is `guessed`: what depends on it is not decided."""

    table: ReleasedTable
    manifest: Manifest
    whole: Original
    original: Original
    columns: tuple[ShownColumn, ...]
    placement: Placement
    guessed: bool = False

    @classmethod
    def of(cls, table: ReleasedTable, original: Original, manifest: Manifest) -> OriginalComparison:
        """Place every row; raises `UnreadableLabel` or `NotDecided`."""
        columns = shown_columns(table, original.sets, manifest.recoding)
        whole = cls(table, manifest, original, original, columns, place_rows(columns, original.leaves))
        stay = whole._units_that_stay()
        if not stay.any() and len(stay):
            rule = f"k{manifest.recoding.keep['k']}"
            raise UnreadableLabel(f"by the manifest's own rule ({rule}), no {manifest.unit} stays")
        rest = original if stay.all() else original.only(stay)
        placed = replace(whole, original=rest, placement=place_rows(columns, rest.leaves))
        joins = manifest.recoding.space == GROUPS and manifest.applied is None
        return placed._without_joined_rows() if joins else placed

    def _units_that_stay(self) -> Mask:
        """The entries that stay where a suppressed row takes all of its person or household with it, by the
        manifest's own condition on classes; all if rows are suppressed one by one."""
        manifest, original = self.manifest, self.original
        codes = {"person": original.persons, "household": original.households}.get(manifest.unit or "")
        stay = np.ones(len(original.counts), dtype=np.bool_)
        bound = manifest.recoding.keep.get("k", "").removeprefix(">=")
        if codes is None or manifest.applied is not None or not bound.isdigit():
            return stay
        counted = original if manifest.unit == "person" else replace(original, persons=None)
        looks, _ = self.looks
        while (small := stay & (counted.sizes(looks, stay)[looks] < int(bound))).any():
            stay &= ~np.isin(codes, codes[small])
        return stay

    def _without_joined_rows(self) -> OriginalComparison:
        """The comparison in which suppressed rows have no class. In cuts, groups in which nothing stays join
        others for their labels: a suppressed row may lie in the sets of a class without having been in it,
        but only if nobody who stays shares its value in some column."""
        by = listed(["class", *self.kept])
        short = (
            f"select {by}, released, row_number() over () as cell from {self.beside} where released < given"
        )
        rows = self.table.database.rows(
            f"select e, cell, released from {self.entries} join ({short}) using ({by})"
        )
        if not rows:
            return self
        entries, cells, released = np.array(rows, dtype=np.int64).T
        of_row = self.placement.of_row.copy()
        stay, guessed = self._joined(entries, cells, released)
        of_row[entries[~stay]] = NONE
        # What was counted with the former places is counted again.
        return replace(self, placement=replace(self.placement, of_row=of_row), guessed=guessed)

    def _joined(self, entries: Integers, cells: Integers, released: Integers) -> tuple[Mask, bool]:
        """The entries that stay among some, each in a cell of which so many rows are released, fewer than it
        would have with all of them; and whether that had to be guessed.

        An entry stays if others that stay have all its values, or if its cell needs everything that is left;
        it goes if it has more rows than its cell has room for. Of what that leaves, those with the most
        values that stay do."""
        rows, room = self.original.counts[entries], np.zeros(int(cells.max()) + 1, dtype=np.int64)
        room[cells] = released
        stays = self.placement.of_row >= 0
        stays[entries] = False
        undecided = np.ones(len(entries), dtype=np.bool_)
        while True:
            unshared = self._unshared(stays)[entries]
            remaining = np.bincount(cells, rows * undecided, minlength=len(room))
            sure = undecided & (~unshared.any(axis=1) | (remaining == room)[cells])
            gone = undecided & ~sure & (rows > room[cells])
            if not (sure | gone).any():
                break
            stays[entries[sure]] = True
            room -= np.bincount(cells[sure], rows[sure], minlength=len(room)).astype(np.int64)
            undecided &= ~(sure | gone)
        # Rows that surely stay and are missing, or room that nothing can fill, are no matter of guessing.
        settled = np.bincount(cells, undecided, minlength=len(room)) == 0
        guessed = bool(undecided.any() and (room >= 0).all() and not room[settled].any())
        order = np.argsort(unshared.sum(axis=1), kind="stable").tolist()
        for place in order:
            if undecided[place] and rows[place] <= room[cells[place]]:
                stays[entries[place]] = True
                room[cells[place]] -= rows[place]
        # Released rows are of somebody: where only a part of equal rows stays, the others are missing.
        for place in order:
            if not stays[entries[place]] and room[cells[place]] > 0:
                stays[entries[place]] = True
                room[cells[place]] -= rows[place]
        return stays[entries], guessed

    def _unshared(self, stays: Mask) -> Mask:
        """For each entry and column, whether nobody who stays has its value (or granule)."""
        pairs = zip(self.original.sets, self.original.leaves, strict=True)
        atoms = (sets.atoms[leaves] for sets, leaves in pairs)
        return np.stack([~np.isin(values, np.unique(values[stays])) for values in atoms], axis=1)

    @cached_property
    def looks(self) -> tuple[Integers, Mask]:
        """A number for what each entry looks like, and whether that is known to be its class: at stated
        levels it is; in cuts by labels, if somebody who stays has all its values. Otherwise only rows with
        equal values look alike for certain."""
        recoding, parts = self.manifest.recoding, []
        known = np.ones(len(self.original.counts), dtype=np.bool_)
        shared = ~self._unshared(self.placement.of_row >= 0)
        for place, column in enumerate(self.columns):
            leaves, sets = self.original.leaves[place], column.sets
            if recoding.levels is not None:
                parts.append(sets.groups(recoding.levels[sets.name])[leaves])
            elif recoding.space == GROUPS:
                labels = column.label_of_leaf[leaves]
                shown_label = (labels >= 0) & shared[:, place]
                known &= shown_label
                parts.append(np.where(shown_label, labels, len(column.labels) + sets.atoms[leaves]))
            else:
                known[:] = False
                parts.append(sets.groups(sets.column.lowest)[leaves])
        return combined(parts), known

    @property
    def keys(self) -> list[str]:
        """The columns of the quasi-identifiers."""
        return [self.table.column(sets.name) for sets in self.original.sets]

    @property
    def kept(self) -> list[str]:
        """The columns that are released unchanged."""
        return [self.table.column(column.name) for column in self.original.kept]

    @cached_property
    def entries(self) -> str:
        """The table of the original's entries: class, n, the unchanged columns as they are compared,
        sensitive values as they are measured (m…), and whose a row is."""
        return self._load("original_entries", self.original, self.placement.of_row)

    def _load(self, name: str, original: Original, classes: Integers) -> str:
        columns: dict[str, object] = {"e": np.arange(len(classes)), "class": classes, "n": original.counts}
        for column in original.kept:
            place = self.table.column(column.name)
            columns[f"x{place}"] = column.cells()
            if column.values:
                columns[f"m{place}"] = column.cells(column.measured)
        if original.persons is not None:
            columns["person"] = original.persons
        if original.households is not None:
            columns["home"] = original.households
        self.table.database.load(f"{name}_read", columns)
        cells = [f"{comparable(f'x{place}', original.null)} as {place}" for place in self.kept]
        further = [column for column in columns if not column.startswith("x")]
        return self.table.database.make(name, f"select {listed([*further, *cells])} from {name}_read")

    @cached_property
    def released(self) -> str:
        """The table of the release's distinct rows: class, n, the unchanged columns as they are compared, and
        sensitive values as they are measured."""
        cells = [f"{comparable(f'release.{place}', self.original.null)} as {place}" for place in self.kept]
        joins, measured = self.measured_join()
        return self.table.database.make(
            "released_rows",
            f"select {listed(['class', *cells, *measured, 'n'])} from {self.table.view} as release "
            f"join {CLASSES} using ({listed(self.keys)}) {joins}",
        )

    def measured_join(self) -> tuple[str, list[str]]:
        """Joins of the rows called `release` with the measured values of sensitive columns, and these."""
        database, null, joins, cells = self.table.database, self.original.null, [], []
        for column in self.original.sensitive:
            place = self.table.column(column.name)
            texts = {"text": _texts(column.texts), "measured": _texts(column.measured)}
            database.load(f"texts_{place}", texts)
            values = database.make(
                f"measured_{place}",
                f"select {comparable('text', null)} as text, any_value(measured) as measured "
                f"from texts_{place} group by 1",
            )
            cell = comparable(f"release.{place}", null)
            joins.append(f"left join {values} as of_{place} on of_{place}.text = {cell}")
            cells.append(f"coalesce(of_{place}.measured, release.{place}) as m{place}")
        return " ".join(joins), cells

    @cached_property
    def beside(self) -> str:
        """The table of how often each different row is released, and how often it is in the original, among
        rows that are in one class."""
        by = listed(["class", *self.kept])
        return self.table.database.make(
            "beside",
            f"select {by}, sum(released)::bigint as released, sum(given)::bigint as given from "
            f"(select {by}, n as released, 0 as given from {self.released} union all "
            f"select {by}, 0 as released, n as given from {self.entries} where class >= 0) group by {by}",
        )

    @cached_property
    def watched(self) -> tuple[Watched, ...]:
        """Every sensitive column with its distribution, order and tree in the whole original."""
        database, entries = self.table.database, self.entries
        if self.whole is not self.original:
            nowhere = np.zeros(len(self.whole.counts), dtype=np.int64)
            entries = self._load("whole_entries", self.whole, nowhere)
        number = "sum(n)" if self.whole.persons is None else "count(distinct person)"
        watched = []
        for column in self.whole.sensitive:
            place = self.table.column(column.name)
            values = f"select m{place} as v, {number} as n from {entries} group by 1"
            reference = database.make(f"input_{place}", f"select v, n / sum(n) over () as q from ({values})")
            texts, order = _texts(column.values), None
            if column.ordered:
                order = database.load(f"order_{place}", {"v": texts, "code": np.arange(len(column.values))})
            tree = tuple(
                database.load(f"tree_{place}_{level}", {"v": texts, "code": np.array(sets)})
                for level, sets in enumerate(column.tree)
            )
            watched.append(Watched(column.name, f"m{place}", reference, order, tree))
        return tuple(watched)

    @cached_property
    def rows_counted(self) -> ClassCounts:
        """The classes of the release, in rows, with sensitive values as they are measured."""
        labels = [self.table.column(name) for name, role in self.whole.roles.items() if role == "class"]
        source = f"(select class as place, * exclude (class) from {self.released})"
        watched = [*(one.column for one in self.watched), *labels]
        return count_classes(self.table.database, source, ["place"], watched, "classes_beside")

    @cached_property
    def counted(self) -> ClassCounts:
        """The classes of the release: persons, if the original says whose a row is, else rows."""
        if self.original.persons is None:
            return self.rows_counted
        source = f"(select class as place, * exclude (class) from {self.entries} where class >= 0)"
        watched = [one.column for one in self.watched]
        return count_persons(self.table.database, source, ["place"], watched, "persons_beside")

    @property
    def by_granules(self) -> bool:
        """True if granules count as values: in cuts."""
        return self.manifest.recoding.space == GROUPS

    @cached_property
    def sizes(self) -> Integers:
        """The released rows of each class."""
        sizes = self.table.database.rows(f"select size from {CLASSES} order by class")
        return np.array([size for (size,) in sizes], dtype=np.int64)


def _texts(texts: Sequence[str]) -> object:
    import pyarrow as pa

    return pa.array(list(texts), pa.string())
