"""A release beside its original: are its rows those of the original, is none missing that should be there,
and do its statements hold? All from the sets of its labels, whatever the recoding was.

Released rows and original rows are matched by a flow: unchanged columns are equal, and values lie in the sets
of a class. Where every row fits at most one class, counting is such a flow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.audit.audit_database import listed
from paretonym.audit.checks import Check, counts_none, passes
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
    NotDecided,
    Placement,
    ShownColumn,
    combined,
    largest_flow,
    place_rows,
)
from paretonym.audit.released_table import ReleasedTable, comparable
from paretonym.errors import Field, shown

ROWS = "rows of the original"
MISSING = "rows of the original missing"
FOREIGN = "rows not from the original"
TORN = "classes with rows missing"
CLASSES = "shown_classes"
MAY_BE_OLD = f"; if the table of the old rows has these values, give it with {Field('old')}"
# The most rows that fit several classes, in all classes together, for which a flow is computed.
MOST_EDGES = 1 << 21


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
    if recoding.space == LOCAL and (odd := [label for label in labels if label not in sets.words]):
        raise UnreadableLabel(f"labels of column '{sets.name}' are not those of its hierarchy: {shown(odd)}")
    edges = {0, *(np.flatnonzero(np.diff(units)) + 1).tolist(), len(units)}
    if not edges.issuperset(end for run in runs for end in run):
        raise UnreadableLabel(f"a label of column '{sets.name}' splits values that are never distinguished")
    return runs


@dataclass(frozen=True, eq=False)
class OriginalComparison:
    """A release beside its original: `whole` are all rows, `original` those without persons and households
    that were suppressed as a whole, each entry with its place among the classes of the release."""

    table: ReleasedTable
    manifest: Manifest
    whole: Original
    original: Original
    columns: tuple[ShownColumn, ...]
    placement: Placement

    @classmethod
    def of(cls, table: ReleasedTable, original: Original, manifest: Manifest) -> OriginalComparison:
        """Place every row; raises `UnreadableLabel` or `NotDecided`."""
        if manifest.recoding.space == MEANS and table.rows != original.rows:
            raise UnreadableLabel(f"all {original.rows:,} rows stay, but the file has {table.rows:,}")
        if manifest.recoding.space == MEANS:
            raise NotDecided("a mean does not say whose rows it is of")
        columns = shown_columns(table, original.sets, manifest.recoding)
        whole = cls(table, manifest, original, original, columns, place_rows(columns, original.leaves))
        stay = whole._units_that_stay()
        if not stay.any() and len(stay):
            rule = f"k{manifest.recoding.keep['k']}"
            raise UnreadableLabel(f"by the manifest's own rule ({rule}), no {manifest.unit} stays")
        rest = original if stay.all() else original.only(stay)
        return replace(
            whole, original=rest, placement=place_rows(columns, rest.leaves)
        )._without_joined_rows()

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
        while stay.any():
            small = stay & (counted.sizes(self.looks, stay)[self.looks] < int(bound))
            if not small.any():
                break
            stay &= ~np.isin(codes, codes[small])
        return stay

    def _without_joined_rows(self) -> OriginalComparison:
        """The comparison in which suppressed rows have no class. In cuts, groups in which nothing stays join
        others for their labels: a suppressed row may lie in the sets of a class without having been in it,
        but only if nobody who stays shares its value in some column."""
        if self.manifest.recoding.space != GROUPS or self.manifest.applied is not None:
            return self
        self._lay_side_by_side()
        by = listed(["class", *self.kept])
        short = f"select {by}, released, row_number() over () as cell from beside where released < given"
        rows = self.table.database.rows(
            f"select e, cell, released from {self.entries} join ({short}) using ({by})"
        )
        if not rows:
            return self
        entries, cells_of, released = np.array(rows, dtype=np.int64).T
        of_row = self.placement.of_row.copy()
        of_row[entries] = NONE
        unshared = replace(self, placement=replace(self.placement, of_row=of_row)).unshared[entries]
        # Rows that share all their values stay; of the others as many as the release still shows.
        room = dict(zip(cells_of.tolist(), released.tolist(), strict=True))
        for place in np.argsort(unshared, kind="stable").tolist():
            entry, cell = int(entries[place]), int(cells_of[place])
            if room[cell] > 0 or not unshared[place]:
                of_row[entry] = self.placement.of_row[entry]
                room[cell] -= int(self.original.counts[entry])
        return replace(self, placement=replace(self.placement, of_row=of_row))

    @cached_property
    def unshared(self) -> Integers:
        """In how many columns each entry has a value (or granule) that nobody has who stays."""
        number = np.zeros(len(self.original.counts), dtype=np.int64)
        for sets, leaves in zip(self.original.sets, self.original.leaves, strict=True):
            atoms = sets.atoms[leaves]
            number += ~np.isin(atoms, np.unique(atoms[self.placement.of_row >= 0]))
        return number

    @cached_property
    def looks(self) -> Integers:
        """A number for what each entry looks like by the manifest: at its levels, or by labels; a value that
        nobody has who stays may have been in a group of its own."""
        levels, parts = self.manifest.recoding.levels, []
        for column, leaves in zip(self.columns, self.original.leaves, strict=True):
            if levels is not None:
                parts.append(column.sets.groups(levels[column.sets.name])[leaves])
                continue
            labels, atoms = column.label_of_leaf[leaves], column.sets.atoms[leaves]
            shared = np.isin(atoms, np.unique(atoms[self.placement.of_row >= 0]))
            parts.append(np.where((labels >= 0) & shared, labels, len(column.labels) + atoms))
        return combined(parts)

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

    def check_rows(self) -> Iterator[Check]:
        """Whether the release has no row that the original does not give, and every row that fits one of its
        classes."""
        in_order = list(self.original.roles) == list(self.table.names)
        reason = "" if in_order else "the columns are not in the order of the original"
        yield passes("original", "order of the columns", reason)
        self._lay_side_by_side()
        torn = self.table.database.count(
            "select count(*) from (select class, sum(released) as released, sum(given) as given from beside "
            "group by class) where released < given"
        )
        foreign, several = self._unmatched()
        if foreign is None:
            reason = "cannot be decided: classes overlap, and too many rows fit several of them"
            yield Check("original", FOREIGN, None, None, None, reason)
        else:
            reason = "cells were changed or not generalized, or rows were added"
            yield counts_none("original", FOREIGN, foreign, reason)
        recoding, unit = self.manifest.recoding, self.manifest.unit or "row"
        if self.manifest.applied is None and recoding.space != LOCAL:
            torn = torn or several
        reason = ""
        if self.manifest.applied is not None and unit != "row":
            reason = f"rows go with their {unit}, and which stays depends on old rows too"
        elif recoding.space == LOCAL and recoding.smallest_class is None:
            reason = "a class that was left out may lie inside another one"
        elif recoding.space == LOCAL and any(
            len(column.sets.meanings(label)) > 1 for column in self.columns for label in column.labels
        ):
            reason = "a label may mean everything, or only what the hierarchy does not have"
        if torn and reason:
            yield Check("original", TORN, None, torn, None, f"cannot be decided: {reason}")
        else:
            reason = "a class stays or is suppressed with all its rows; but rows were removed"
            yield counts_none("original", TORN, torn, reason)

    def _lay_side_by_side(self) -> None:
        """Make the table `beside`: for every different row how often it is released, and how often it is in
        the original, among rows that are in one class."""
        by = listed(["class", *self.kept])
        self.table.database.make(
            "beside",
            f"select {by}, sum(released)::bigint as released, sum(given)::bigint as given from "
            f"(select {by}, n as released, 0 as given from {self.released} union all "
            f"select {by}, 0 as released, n as given from {self.entries} where class >= 0) group by {by}",
        )

    def _unmatched(self) -> tuple[int | None, int]:
        """How many released rows no flow covers, None if that is too much work; and how many original rows
        that fit several classes it leaves."""
        database, unchanged = self.table.database, listed(self.kept) or "1"
        wanted = database.count("select sum(greatest(released - given, 0)) from beside")
        if self.placement.settled or len(self.placement.several_rows) > MOST_EDGES:
            return (wanted if self.placement.settled else None), 0
        keys = database.make(
            "kept_keys",
            f"select row_number() over () as key, * from (select {unchanged} from {self.released} union "
            f"select {unchanged} from {self.entries} where class < -1)",
        )
        using = f"using ({unchanged})" if self.kept else "on true"
        demands = database.rows(
            f"select key, class, released - given from beside join {keys} {using} where released > given"
        )
        supplies = database.rows(f"select key, e, n from {self.entries} join {keys} {using} where class < -1")
        fits: dict[int, list[int]] = defaultdict(list)
        pairs = self.placement.several_rows.tolist(), self.placement.several_classes.tolist()
        for entry, number in zip(*pairs, strict=True):
            fits[entry].append(number)
        by_key: dict[int, tuple[dict[int, int], dict[int, int]]] = defaultdict(lambda: ({}, {}))
        for side, rows in enumerate((supplies, demands)):
            for key, place, number in rows:
                by_key[key][side][place] = number
        matched = sum(largest_flow(*sides, fits) for sides in by_key.values())
        return wanted - matched, sum(number for *_, number in supplies) - matched

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
        """Whether granules count as values: in cuts."""
        return self.manifest.recoding.space == GROUPS

    @cached_property
    def sizes(self) -> Integers:
        """The released rows of each class."""
        sizes = self.table.database.rows(f"select size from {CLASSES} order by class")
        return np.array([size for (size,) in sizes], dtype=np.int64)


def _texts(texts: Sequence[str]) -> object:
    import pyarrow as pa

    return pa.array(list(texts), pa.string())


def not_comparable(manifest: Manifest, why: str, holds: bool | None = False) -> list[Check]:
    """The checks if nothing can be compared: a failure, or nothing decided, and so is every statement."""
    checks = [Check("original", ROWS, None, None, holds, why)]
    return checks + [
        Check("statement", name, stated, None, holds, why) for name, stated in manifest.statements.items()
    ]
