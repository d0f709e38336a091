"""A release beside its original: are its rows those of the original, is none missing that should be there,
and do its statements hold? All from the sets of its labels, whatever the recoding was.

Released rows and original rows are matched by a flow: unchanged columns are equal, and values lie in the sets
of a class. Where every row fits at most one class, counting is such a flow.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.audit.audit_database import listed
from paretonym.audit.checks import Check, counts_none, parse_requirement, passes, same_rounded
from paretonym.audit.class_counts import ClassCounts, count_classes, count_persons
from paretonym.audit.label_sets import LabelSets, Run, UnreadableLabel
from paretonym.audit.manifest import (
    GENERALIZATION,
    GROUPS,
    LOCAL,
    LOSS,
    STATEMENTS,
    SUPPRESSION,
    Manifest,
    Recoding,
)
from paretonym.audit.measurer import Measurer, NotMeasurable, Watched, number_of_class
from paretonym.audit.original import Original
from paretonym.audit.placement import NONE, Placement, ShownColumn, combined, place_rows
from paretonym.audit.released_table import ReleasedTable, comparable
from paretonym.audit.row_flow import largest_flow
from paretonym.audit.sql_formulas import line_of
from paretonym.errors import Field, InputError, shown

ROWS = "rows of the original"
MISSING = "rows of the original missing"
FOREIGN = "rows not from the original"
TORN = "classes with rows missing"
RULE = "classes kept against the rule"
NOWHERE = "rows with a value shown nowhere"
CLASSES = "shown_classes"
MAY_BE_OLD = f"; if the table of the old rows has these values, give it with {Field('old')}"
# The most rows that fit several classes, in all classes together, for which a flow is computed.
MOST_EDGES = 1 << 21


def shown_columns(
    table: ReleasedTable, sets: Sequence[LabelSets], recoding: Recoding
) -> tuple[ShownColumn, ...]:
    """The labels of a release; raises `UnreadableLabel`. The table `shown_classes` numbers its classes."""
    keys = listed([table.column(each.name) for each in sets])
    table.database.make(
        CLASSES,
        f"select (row_number() over (order by {keys}) - 1)::integer as class, {keys}, size from "
        f"(select {keys}, sum(n)::bigint as size from {table.view} group by {keys})",
    )
    classes = table.database.arrow(f"select * from {CLASSES} order by class")
    columns = []
    for each in sets:
        cells = classes.column(table.column(each.name)).combine_chunks().dictionary_encode()
        labels = tuple(cells.dictionary.to_pylist())
        runs = np.array(_runs(each, labels, recoding), dtype=np.int64).reshape(-1, 2)
        columns.append(ShownColumn(each, labels, runs, cells.indices.to_numpy().astype(np.int64)))
        if recoding.space == GROUPS and not columns[-1].disjoint:
            raise UnreadableLabel(f"labels of column '{each.name}' overlap, but groups of cuts do not")
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
        why = "" if in_order else "the columns are not in the order of the original"
        yield passes("original", "order of the columns", why)
        self._lay_side_by_side()
        torn = self.table.database.count(
            "select count(*) from (select class, sum(released) as released, sum(given) as given from beside "
            "group by class) where released < given"
        )
        foreign, several = self._unmatched()
        if foreign is None:
            why = "cannot be decided: classes overlap, and too many rows fit several of them"
            yield Check("original", FOREIGN, None, None, None, why)
        else:
            why = "cells were changed or not generalized, or rows were added"
            yield counts_none("original", FOREIGN, foreign, why)
        recoding, unit = self.manifest.recoding, self.manifest.unit or "row"
        if self.manifest.applied is None and recoding.space != LOCAL:
            torn = torn or several
        why = ""
        if self.manifest.applied is not None and unit != "row":
            why = f"rows go with their {unit}, and which stays depends on old rows too"
        elif recoding.space == LOCAL and recoding.smallest_class is None:
            why = "a class that was left out may lie inside another one"
        if torn and why:
            yield Check("original", TORN, None, torn, None, f"cannot be decided: {why}")
        else:
            why = "a class stays or is suppressed with all its rows; but rows were removed"
            yield counts_none("original", TORN, torn, why)

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
        database, kept = self.table.database, listed(self.kept) or "1"
        wanted = database.count("select sum(greatest(released - given, 0)) from beside")
        if self.placement.settled or len(self.placement.several_rows) > MOST_EDGES:
            return (wanted if self.placement.settled else None), 0
        keys = database.make(
            "kept_keys",
            f"select row_number() over () as key, * from (select {kept} from {self.released} union "
            f"select {kept} from {self.entries} where class < -1)",
        )
        using = f"using ({kept})" if self.kept else "on true"
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

    def check_rule(self) -> Iterator[Check]:
        """Whether exactly the classes stayed that meet the conditions of the manifest."""
        recoding = self.manifest.recoding
        if self.manifest.applied is not None:
            why = "cannot be decided: whether a class of added rows stays depends on the older release too"
            yield Check("original", RULE, None, None, None, why)
            return
        if not recoding.keep and recoding.further is None:
            missing = max(self.whole.rows - self.table.rows, 0)
            why = "nothing is required of a class, so every row should stay; but rows were removed"
            yield counts_none("original", MISSING, missing, why)
            return
        try:
            meets = self._meeting(self.counted)
            counted = self.counted
            wrong = self.table.database.count(f"select count(*) from {counted.name} where not ({meets})")
            wrong, checks = wrong + self._wrongly_suppressed(), [*self._undecided()]
        except NotMeasurable as reason:
            yield Check("original", RULE, 0, None, False, str(reason))
            return
        rule = ", ".join(f"{name}{text}" for name, text in recoding.keep.items()) or "closeness"
        why = f"classes stayed or were suppressed contrary to {rule}"
        yield counts_none("original", RULE, wrong, why)
        yield from checks

    def _meeting(self, counted: ClassCounts) -> str:
        """The conditions of the manifest on a class, as SQL."""
        conditions = [
            f"class in ({_condition(counted, self.watched, name, text)})"
            for name, text in self.manifest.recoding.keep.items()
        ]
        return " and ".join(conditions) or "true"

    @cached_property
    def _hidden(self) -> Mask:
        """The suppressed entries with a value that nobody has who stays, where only labels are stated: their
        classes are unknown."""
        gone: Mask = ~self.placement.stays
        by_labels = self.manifest.recoding.levels is None
        return gone & (self.unshared > 0) if by_labels else np.zeros_like(gone)

    def _wrongly_suppressed(self) -> int:
        """How many classes of suppressed rows meet the conditions. If classes also had to be close to the
        input, how close is not published: then such a class must be farther from it than all that stayed, by
        some distance of some sensitive column."""
        recoding, database = self.manifest.recoding, self.table.database
        gone = ~self.placement.stays & ~self._hidden
        if recoding.space == LOCAL or not gone.any():
            return 0
        database.load("looks", {"e": np.flatnonzero(gone), "look": self.looks[gone]})
        source = f"(select * exclude (class) from {self.entries} join looks using (e))"
        count = count_classes if self.original.persons is None else count_persons
        counted = count(database, source, ["look"], [one.column for one in self.watched], "suppressed")
        excused = ""
        if recoding.further is not None:
            farther = " union ".join(_farther(counted, self.counted, one) for one in self.watched)
            excused = f" and class not in ({farther})" if farther else ""
        return database.count(f"select count(*) from suppressed where {self._meeting(counted)}{excused}")

    def _undecided(self) -> Iterator[Check]:
        """Suppressed rows whose classes are unknown. Rows that no cut separates are in one class, which
        cannot be too small if they are k."""
        recoding, number = self.manifest.recoding, int(self.original.counts[self._hidden].sum())
        if recoding.space == LOCAL and self.whole.rows > self.table.rows:
            why = "cannot be decided: a partition may leave out anybody"
            yield Check("original", "rows left out", None, None, None, why)
        if recoding.space == LOCAL or not number:
            return
        bounds = [bound for text in recoding.keep.values() for bound in text[2:].split(",")]
        if recoding.further is None and all(bound in ("0", "1") for bound in bounds):
            why = "every class meets the conditions, but rows were suppressed"
            yield Check("original", NOWHERE, None, number, False, why)
            return
        alike = int(self.original.sizes(self.looks, self._hidden).max(initial=0))
        least = recoding.smallest_class
        if least is not None and alike >= least:
            why = f"{alike:,} rows or persons that look the same were suppressed although k>={least} holds"
            yield Check("original", NOWHERE, None, number, False, why)
            return
        unknown = "the release does not show which classes the suppressed rows were in"
        why = f"cannot be decided: whether the rule suppressed them; {unknown}"
        yield Check("original", NOWHERE, None, number, None, why)

    def check_statements(self) -> Iterator[Check]:
        """The costs that a release states, each as it is to be published: by the values of rows that stay,
        suppressed rows in blocks."""
        stays = self.placement.stays
        gone = self.manifest.published_gone(self.whole.rows, self.original.most_rows(stays))
        total = self.manifest.rows + gone or math.nan
        spent = self.generalization(stays)
        values = {GENERALIZATION: spent / total, SUPPRESSION: gone / total, LOSS: (spent + gone) / total}
        for name in STATEMENTS:
            if name in self.manifest.statements:
                stated = self.manifest.statements[name]
                right = same_rounded(stated, values[name], 1 + (name == LOSS))
                yield Check("statement", name, stated, values[name], right)

    def generalization(self, stays: Mask) -> float:
        """What generalization costs the released rows, in rows: a value that only rows have that are not
        marked counts nowhere."""
        spent, importance = Fraction(0), Fraction(0)
        for column, leaves in zip(self.columns, self.original.leaves, strict=True):
            occurring = np.bincount(leaves[stays], minlength=len(column.sets.leaves)) > 0
            sizes, domain = column.sets.sizes(column.runs, occurring, self._by_granules)
            importance += column.sets.column.importance
            if domain > 1:
                wide = int((self.sizes * (sizes - 1)[column.of_class]).sum())
                spent += column.sets.column.importance * Fraction(wide, domain - 1)
        return float(spent / importance)

    @property
    def _by_granules(self) -> bool:
        """Whether granules count as values: in cuts."""
        return self.manifest.recoding.space == GROUPS

    @cached_property
    def sizes(self) -> Integers:
        """The released rows of each class."""
        sizes = self.table.database.rows(f"select size from {CLASSES} order by class")
        return np.array([size for (size,) in sizes], dtype=np.int64)

    def costs(self) -> dict[str, float]:
        """Every loss by its formula, over the whole original, by name."""
        rows, released = self.whole.rows, int(self.sizes.sum())
        gone, levels = rows - released, self.manifest.recoding.levels
        general = self.generalization(np.ones(len(self.original.counts), dtype=np.bool_)) / rows
        values = {
            "gl": general,
            "sl": gone / rows,
            "loss": general + gone / rows,
            "discernibility": float((self.sizes**2).sum() + gone * rows),
            "entropy-loss": self._entropy(gone),
        }
        if levels is not None:
            steps = [
                levels[sets.name] / sets.height if sets.column.hierarchy.domain > 1 else 0
                for sets in self.whole.sets
            ]
            values["precision-loss"] = (released * sum(steps) / len(steps) + gone) / rows
            pairs = zip(self.whole.sets, self.whole.leaves, strict=True)
            looks = combined([sets.groups(levels[sets.name])[leaves] for sets, leaves in pairs])
            values["weighted-k"] = _mean_class(self.whole.sizes(looks, np.ones(len(looks), dtype=np.bool_)))
        elif not gone and self.whole.persons is None:
            values["weighted-k"] = _mean_class(self.sizes)
        elif not gone and self.placement.settled:
            stays = self.placement.stays
            values["weighted-k"] = _mean_class(self.original.sizes(self.placement.of_row, stays))
        labels = [self.table.column(name) for name, role in self.whole.roles.items() if role == "class"]
        if len(labels) == 1:
            usual = f"select max(n) as usual from {self.rows_counted.cells(labels[0])} group by class"
            right = self.table.database.count(f"select sum(usual) from ({usual})")
            values["classification-error"] = (rows - right) / rows
        return values

    def _entropy(self, gone: int) -> float:
        """The mean over columns of Σ ln(f(shown set) / f(value)) / (N·H); all rows for a suppressed cell."""
        rows, total = self.whole.rows, 0.0
        for column, leaves in zip(self.columns, self.whole.leaves, strict=True):
            of_leaf = np.bincount(leaves, self.whole.counts, len(column.sets.leaves))
            positive = of_leaf[of_leaf > 0]
            if len(positive) < 2:
                continue
            entropy = -float((positive / rows * np.log(positive / rows)).sum())
            everywhere = np.ones(len(of_leaf), dtype=np.bool_)
            sizes, domain = column.sets.sizes(column.runs, everywhere, self._by_granules)
            before = np.concatenate([[0], np.cumsum(of_leaf)])
            inside = before[column.runs[:, 1]] - before[column.runs[:, 0]]
            inside = np.where(sizes == domain, rows, np.maximum(inside, 1))
            spent = float((self.sizes * np.log(inside[column.of_class])).sum())
            spent += gone * math.log(rows) - float((positive * np.log(positive)).sum())
            total += spent / (rows * entropy)
        return total / len(self.columns)

    def measurer(self, further: Mapping[str, float]) -> Measurer:
        """Everything that the original lets an audit measure."""
        by_rows = Measurer(self.rows_counted, self.watched)
        values = {**self.costs(), **further}
        if self.original.persons is None:
            return replace(by_rows, further=values, beside=True)
        values["average-class"] = by_rows.value("average-class")
        why = "classes overlap, so that it is not known whose rows are where"
        unknown = "" if self.placement.settled else why
        return Measurer(self.counted, self.watched, values, True, unknown=unknown)


def _texts(texts: Sequence[str]) -> object:
    import pyarrow as pa

    return pa.array(list(texts), pa.string())


def _mean_class(sizes: Integers) -> float:
    """The mean class size of a row, or of a person."""
    return float((sizes**2).sum() / sizes.sum())


def _condition(counted: ClassCounts, watched: Sequence[Watched], name: str, text: str) -> str:
    """A query for the classes that meet a condition."""
    if "," in name:
        # `k,l-distinct>=20,4`: 21 of the first, or 20 of it and 4 of the second.
        names, bounds = name.split(","), text.removeprefix(">=").split(",")
        if len(names) != 2 or len(bounds) != 2 or not bounds[0].isdigit():
            raise NotMeasurable("the manifest's rule cannot be read")
        more = _condition(counted, watched, names[0], f">={int(bounds[0]) + 1}")
        enough, then = (
            _condition(counted, watched, one, f">={bound}") for one, bound in zip(names, bounds, strict=True)
        )
        return f"({more}) union (({enough}) intersect ({then}))"
    try:
        requirement = parse_requirement(f"{name}{text}")
    except InputError:
        raise NotMeasurable("the manifest's rule cannot be read") from None
    if math.isinf(requirement.bound):
        raise NotMeasurable("the manifest's rule has no finite bound")
    line, (_, at, column) = line_of(name), name.partition("@")
    comparison, bound = requirement.comparison, requirement.bound
    if line is not None and line.source == "sizes" and line.of_class:
        return f"select class from {counted.name} where {line.of_class} {comparison} {bound!r}"
    columns, number = [one for one in watched if not at or one.name == column], number_of_class(name)
    if not number or not columns:
        raise NotMeasurable(f"the rule {name}{text} is unknown")
    # By the digits that count, as everywhere.
    slack = 1e-9 * max(abs(bound), 1e-3)
    bound = bound - slack if comparison.startswith(">") else bound + slack
    tables = [counted.numbers(one.column, str(one.reference)) for one in columns]
    return " intersect ".join(
        f"select class from {table} where {number} {comparison} {bound!r}" for table in tables
    )


def _farther(counted: ClassCounts, stayed: ClassCounts, one: Watched) -> str:
    """A query for the classes that are farther from the input than all that stayed, by any distance."""
    pairs = zip(one.distances(counted), one.distances(stayed), strict=True)
    return " union ".join(
        f"select class from ({own}) where value > (select coalesce(max(value), 0) + 1e-11 from ({other}))"
        for own, other in pairs
    )


def not_comparable(manifest: Manifest, why: str, holds: bool | None = False) -> list[Check]:
    """The checks if nothing can be compared: a failure, or nothing decided, and so is every statement."""
    checks = [Check("original", ROWS, None, None, holds, why)]
    return checks + [
        Check("statement", name, stated, None, holds, why) for name, stated in manifest.statements.items()
    ]
