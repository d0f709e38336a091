"""A release beside its original: are its rows those of the original, is none missing that should be there,
and do its statements hold? All from the sets of its labels, whatever the recoding was."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.audit.audit_database import listed
from paretonym.audit.checks import Check, counts_none, parse_requirement, passes, same_rounded
from paretonym.audit.class_counts import ClassCounts, count_classes, count_persons
from paretonym.audit.flow import largest_flow
from paretonym.audit.label_runs import UnreadableLabel
from paretonym.audit.manifest import (
    GENERALIZATION,
    GROUPS,
    LOCAL,
    LOSS,
    STATEMENTS,
    SUPPRESSION,
    Manifest,
)
from paretonym.audit.measurer import Measurer, NotMeasurable, Watched, number_of_class
from paretonym.audit.original import Original
from paretonym.audit.placement import CLASSES, NONE, Placement, combined, looks, place_rows, unshared_values
from paretonym.audit.released_table import ReleasedTable
from paretonym.audit.sql_formulas import line_of
from paretonym.errors import Field, InputError

ROWS = "rows of the original"
RULE = "classes kept against the rule"
NOWHERE = "rows with a value shown nowhere"
MAY_BE_OLD = f"; if the table of the old rows has these values, give it with {Field('old')}"
# The most rows that fit several classes, in all classes together, for which a flow is computed.
MOST_EDGES = 1 << 21

ROWS_MISSING = "classes with rows missing"


@dataclass(frozen=True, eq=False)
class Comparison:
    """A release beside its original: `whole` are all rows, `original` those without persons and households
    that were suppressed as a whole, each entry with its place among the classes of the release."""

    table: ReleasedTable
    manifest: Manifest
    whole: Original
    original: Original
    placement: Placement

    @classmethod
    def of(cls, table: ReleasedTable, original: Original, manifest: Manifest) -> Comparison:
        """Place every row; raises `UnreadableLabel` or `NotDecided`."""
        placement = place_rows(table, original, manifest.recoding, manifest.applied is None)
        stay = _units_that_stay(original, placement, manifest)
        if stay is None or stay.all():
            return cls(table, manifest, original, original, placement).without_joined_rows()
        if not stay.any():
            rule = f"k{manifest.recoding.keep['k']}"
            raise UnreadableLabel(f"by the manifest's own rule ({rule}), no {manifest.unit} stays")
        rest = original.only(stay)
        placement = place_rows(table, rest, manifest.recoding)
        return cls(table, manifest, original, rest, placement).without_joined_rows()

    def without_joined_rows(self) -> Comparison:
        """The comparison in which suppressed rows have no class. In cuts, groups in which nothing stays join
        others for their labels: a suppressed row may lie in the sets of a class without having been in it,
        but only if nobody who stays shares its value in some column."""
        if self.manifest.recoding.space != GROUPS or self.manifest.applied is not None:
            return self
        self._lay_side_by_side()
        short = f"select {listed(['class', *self.kept])}, released, row_number() over () as cell from beside "
        rows = self.table.database.rows(
            f"select e, cell, released from {self.entries} join ({short} where released < given) "
            f"using ({listed(['class', *self.kept])})"
        )
        if not rows:
            return self
        entries, cells, released = np.array(rows, dtype=np.int64).T
        of_entry = self.placement.of_entry.copy()
        of_entry[entries] = NONE
        unshared = unshared_values(replace(self.placement, of_entry=of_entry))[entries]
        # Rows that share all their values stay; of the others as many as the release still shows.
        room = dict(zip(cells.tolist(), released.tolist(), strict=True))
        for place in np.argsort(unshared, kind="stable").tolist():
            entry, cell = int(entries[place]), int(cells[place])
            if room[cell] > 0 or not unshared[place]:
                of_entry[entry] = self.placement.of_entry[entry]
                room[cell] -= int(self.original.counts[entry])
        return replace(self, placement=replace(self.placement, of_entry=of_entry))

    @property
    def keys(self) -> list[str]:
        """The columns of the quasi-identifiers."""
        return [self.table.column(column.name) for column in self.original.quasi]

    @property
    def kept(self) -> list[str]:
        """The columns that are released unchanged."""
        return [self.table.column(column.name) for column in self.original.kept]

    @cached_property
    def entries(self) -> str:
        """The table of the original's entries: class, n, the unchanged columns as they are compared,
        sensitive values as they are measured (m…), and whose a row is."""
        return self._load("original_entries", self.original, self.placement.of_entry)

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
        compared = [
            f"{self.table.comparable(f'x{place}', place, original.null)} as {place}"
            for place in (self.table.column(column.name) for column in original.kept)
        ]
        further = [column for column in columns if not column.startswith("x")]
        return self.table.database.make(name, f"select {listed([*further, *compared])} from {name}_read")

    @cached_property
    def released(self) -> str:
        """The table of the release's distinct rows: class, n, the unchanged columns as they are compared, and
        sensitive values as they are measured."""
        null = self.original.null
        cells = [
            f"{self.table.comparable(f'release.{place}', place, null)} as {place}" for place in self.kept
        ]
        joins, measured = self.measured_join()
        columns = listed(["class", *cells, *measured, "n"])
        return self.table.database.make(
            "released_rows",
            f"select {columns} from {self.table.meant} as release "
            f"join {CLASSES} using ({listed(self.keys)}) {joins}",
        )

    def measured_join(self) -> tuple[str, list[str]]:
        """Joins of the rows called `release` with the measured values of sensitive columns, and these."""
        database, null, joins, cells = self.table.database, self.original.null, [], []
        for column in self.original.sensitive:
            place = self.table.column(column.name)
            texts = {"text": _texts(column.texts), "measured": _texts(column.measured)}
            database.load(f"texts_{place}", texts)
            compared = self.table.comparable("text", place, null)
            values = database.make(
                f"measured_{place}",
                f"select {compared} as text, any_value(measured) as measured from texts_{place} group by 1",
            )
            cell = self.table.comparable(f"release.{place}", place, null)
            joins.append(f"left join {values} as of_{place} on of_{place}.text = {cell}")
            cells.append(f"coalesce(of_{place}.measured, release.{place}) as m{place}")
        return " ".join(joins), cells

    def check_rows(self) -> list[Check]:
        """The release may contain no row that the original does not give, and every row that fits a class of
        the release must be in it."""
        order = passes(
            "original",
            "order of the columns",
            ""
            if list(self.original.roles) == list(self.table.names)
            else "the columns are not in the order of the original",
        )
        database = self.table.database
        self._lay_side_by_side()
        torn = database.count(
            "select count(*) from (select class, sum(released) as released, sum(given) as given from beside "
            "group by class) where released < given"
        )
        if self.placement.settled:
            excess = database.count("select sum(greatest(released - given, 0)) from beside")
            return [order, _foreign(excess), self._torn(torn)]
        wanted, several, matched = self._flow()
        foreign = None if matched is None else wanted - matched
        lost = several - matched if matched is not None and self._all_that_fit_stay else 0
        return [order, _foreign(foreign), self._torn(torn or lost)]

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

    @property
    def _all_that_fit_stay(self) -> bool:
        """Whether a row that fits a class of the release must be in the release. Whether a new row stays
        depends on the older release too, and a partition may leave anybody out."""
        return self.manifest.applied is None and self.manifest.recoding.space != LOCAL

    def _flow(self) -> tuple[int, int, int | None]:
        """How many released rows are not covered by rows that fit their class alone, how many rows fit
        several, and how many of the former the latter can cover, row by row; None if that is too many."""
        database, kept = self.table.database, listed(self.kept) or "1"
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
        wanted, several = sum(row[2] for row in demands), sum(row[2] for row in supplies)
        if len(self.placement.several_entries) > MOST_EDGES:
            return wanted, several, None
        fits: dict[int, list[int]] = defaultdict(list)
        for entry, number in zip(
            self.placement.several_entries.tolist(), self.placement.several_classes.tolist(), strict=True
        ):
            fits[entry].append(number)
        by_key: dict[int, tuple[dict[int, int], dict[int, int]]] = defaultdict(lambda: ({}, {}))
        for key, entry, number in supplies:
            by_key[key][0][entry] = number
        for key, shown, number in demands:
            by_key[key][1][shown] = number
        return wanted, several, sum(largest_flow(*sides, fits) for sides in by_key.values())

    def _torn(self, torn: int) -> Check:
        unit = self.manifest.unit or "row"
        if torn and self.manifest.applied is not None and unit != "row":
            why = f"cannot be decided: rows go with their {unit}, and which stays depends on old rows too"
            return Check("original", ROWS_MISSING, None, torn, None, why)
        why = "a class stays or is suppressed with all its rows; but rows were removed"
        return counts_none("original", ROWS_MISSING, torn, why)

    @cached_property
    def watched(self) -> tuple[Watched, ...]:
        """Every sensitive column with its distribution, order and tree in the whole original."""
        return tuple(self._watch(column.name) for column in self.whole.sensitive)

    def _watch(self, name: str) -> Watched:
        database, place = self.table.database, self.table.column(name)
        column = next(column for column in self.whole.sensitive if column.name == name)
        entries = self._whole_entries
        number = "sum(n)" if self.whole.persons is None else "count(distinct person)"
        values = f"select m{place} as v, {number} as n from {entries} group by 1"
        reference = database.make(f"input_{place}", f"select v, n / sum(n) over () as q from ({values})")
        order = None
        if column.ordered:
            places = {"v": _texts(column.values), "code": np.arange(len(column.values))}
            order = database.load(f"order_{place}", places)
        tree = tuple(
            database.load(f"tree_{place}_{number}", {"v": _texts(column.values), "code": np.array(sets)})
            for number, sets in enumerate(column.tree)
        )
        return Watched(name, f"m{place}", reference, order, tree)

    @cached_property
    def _whole_entries(self) -> str:
        if self.whole is self.original:
            return self.entries
        return self._load("whole_entries", self.whole, np.zeros(len(self.whole.counts), dtype=np.int64))

    @cached_property
    def rows_counted(self) -> ClassCounts:
        """The classes of the release, in rows, with sensitive values as they are measured."""
        labels = [self.table.column(name) for name, role in self.whole.roles.items() if role == "class"]
        watched = [*(one.column for one in self.watched), *labels]
        return count_classes(
            self.table.database,
            f"(select class as place, * exclude (class) from {self.released})",
            ["place"],
            watched,
            "classes_beside",
        )

    @cached_property
    def counted(self) -> ClassCounts:
        """The classes of the release: persons, if the original says whose a row is, else rows."""
        if self.original.persons is None:
            return self.rows_counted
        source = f"(select class as place, * exclude (class) from {self.entries} where class >= 0)"
        watched = [one.column for one in self.watched]
        return count_persons(self.table.database, source, ["place"], watched, "persons_beside")

    def check_rule(self) -> list[Check]:
        """Whether exactly the classes stayed that meet the conditions of the manifest."""
        recoding = self.manifest.recoding
        if self.manifest.applied is not None:
            why = "cannot be decided: whether a class of added rows stays depends on the older release too"
            return [Check("original", RULE, None, None, None, why)]
        if not recoding.keep and recoding.further is None:
            missing = self.whole.rows - self.table.rows
            why = "nothing is required of a class, so every row should stay; but rows were removed"
            return [counts_none("original", "rows of the original missing", max(missing, 0), why)]
        try:
            stayed = self._not_meeting()
            checks = [self._suppressed(node) for node in looks(self.placement, self.original, recoding)]
        except NotMeasurable as reason:
            return [Check("original", RULE, 0, None, False, str(reason))]
        wrong = stayed + max((number for number, _ in checks), default=0)
        rule = ", ".join(f"{name}{text}" for name, text in recoding.keep.items()) or "closeness"
        why = f"classes stayed or were suppressed contrary to {rule}"
        return [counts_none("original", RULE, wrong, why), *(check for _, more in checks for check in more)]

    def _not_meeting(self) -> int:
        """How many classes of the release do not meet the conditions."""
        meets = self._meeting(self.counted)
        return self.table.database.count(f"select count(*) from {self.counted.name} where not ({meets})")

    def _meeting(self, counted: ClassCounts) -> str:
        """The conditions of the manifest on a class, as SQL."""
        conditions = [
            f"class in ({_condition(counted, self.watched, name, text)})"
            for name, text in self.manifest.recoding.keep.items()
        ]
        return " and ".join(conditions) or "true"

    def _suppressed(self, look: Integers) -> tuple[int, list[Check]]:
        """How many classes of suppressed rows meet the conditions, each row being like `look`; and whatever
        cannot be decided. If classes also had to be close to the input, how close is not published: then such
        a class must be farther from it than all that stayed, by some distance of some sensitive column."""
        recoding, database = self.manifest.recoding, self.table.database
        if recoding.space == LOCAL:
            why = "cannot be decided: a partition may leave out anybody"
            return 0, [Check("original", "rows left out", None, None, None, why)]
        gone = self.placement.of_entry == NONE
        hidden = gone & self._hidden
        found, checks = self._hidden_checks(look, hidden)
        gone &= ~hidden
        if not gone.any():
            return found, checks
        database.load("looks", {"e": np.flatnonzero(gone), "look": look[gone]})
        source = f"(select * exclude (class) from {self.entries} join looks using (e))"
        watched = [one.column for one in self.watched]
        if self.original.persons is None:
            counted = count_classes(database, source, ["look"], watched, "suppressed")
        else:
            counted = count_persons(database, source, ["look"], watched, "suppressed")
        meets = self._meeting(counted)
        if recoding.chained and recoding.smallest_class is None:
            return found, checks
        excused = ""
        if recoding.further is not None:
            farther = " union ".join(_farther(counted, self.counted, one) for one in self.watched)
            excused = f" and class not in ({farther})" if farther else ""
        return found + database.count(f"select count(*) from suppressed where {meets}{excused}"), checks

    @cached_property
    def _hidden(self) -> Mask:
        """The entries with a value that nobody has who stays, where only labels are stated."""
        if self.manifest.recoding.space == GROUPS:
            hidden: Mask = unshared_values(self.placement) > 0
            return hidden
        return np.zeros(len(self.original.counts), dtype=np.bool_)

    def _hidden_checks(self, look: Integers, hidden: Mask) -> tuple[int, list[Check]]:
        """Rows whose classes are unknown. Rows that no cut separates are in one class, which cannot be too
        small if they are k."""
        number = int(self.original.counts[hidden].sum())
        if not number:
            return 0, []
        recoding = self.manifest.recoding
        bounds = [bound for text in recoding.keep.values() for bound in text.removeprefix(">=").split(",")]
        if recoding.further is None and all(bound in ("0", "1") for bound in bounds):
            # Every class meets such conditions.
            return 1, []
        alike, least = self._largest(look, hidden), recoding.smallest_class
        if least is not None and alike >= least:
            who = "rows that" if self.original.persons is None else "persons whose rows"
            why = f"{alike:,} {who} look the same in any case were suppressed although k>={least} holds"
            return 0, [Check("original", NOWHERE, None, number, False, why)]
        unknown = "the release does not show which classes the suppressed rows were in"
        why = f"whether the rule suppressed them cannot be decided: {unknown}"
        return 0, [Check("original", NOWHERE, None, number, None, why)]

    def _largest(self, look: Integers, entries: Mask) -> int:
        """The most rows, or persons, among some entries that look the same."""
        return int(self.original.sizes(look, entries).max(initial=0))

    def check_statements(self) -> list[Check]:
        """The costs that a release states, each as it is to be published: by the values of rows that stay,
        suppressed rows in blocks."""
        stays = self.placement.stays
        gone = self.manifest.published_gone(self.whole.rows, self.original.most_rows(stays))
        total = self.manifest.rows + gone or math.nan
        spent = self.generalization(stays)
        values = {GENERALIZATION: spent / total, SUPPRESSION: gone / total, LOSS: (spent + gone) / total}
        return [
            Check(
                "statement",
                name,
                stated,
                values[name],
                same_rounded(stated, values[name], 1 + (name == LOSS)),
            )
            for name, stated in self.manifest.statements.items()
            if name in STATEMENTS
        ]

    def generalization(self, stays: Mask) -> float:
        """What generalization costs the released rows, in rows: a value that only rows have that are not
        marked counts nowhere."""
        spent, importance = Fraction(0), Fraction(0)
        sizes_of_classes = self.sizes
        for column in self.placement.columns:
            occurring = np.bincount(column.values.leaves[stays], minlength=len(column.sets.leaves)) > 0
            sizes, domain = column.sets.sizes(column.runs, occurring, self.by_granules)
            importance += column.sets.column.importance
            if domain > 1:
                wide = int((sizes_of_classes * (sizes - 1)[column.of_class]).sum())
                spent += column.sets.column.importance * Fraction(wide, domain - 1)
        return float(spent / importance)

    @property
    def by_granules(self) -> bool:
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
        gone = rows - released
        general = self.generalization(np.ones(len(self.original.counts), dtype=np.bool_)) / rows
        values = {
            "gl": general,
            "sl": gone / rows,
            "loss": general + gone / rows,
            "discernibility": float((self.sizes**2).sum() + gone * rows),
            "entropy-loss": self._entropy(gone),
        }
        levels, precision = self.manifest.recoding.levels, self.precision()
        if precision is not None:
            values["precision-loss"] = (released * precision + gone) / rows
        if levels is not None or (not gone and (self.placement.settled or self.whole.persons is None)):
            values["weighted-k"] = self._mean_class()
        labels = [self.table.column(name) for name, role in self.whole.roles.items() if role == "class"]
        if len(labels) == 1:
            usual = f"select max(n) as usual from {self.rows_counted.cells(labels[0])} group by class"
            right = self.table.database.count(f"select sum(usual) from ({usual})")
            values["classification-error"] = (rows - right) / rows
        return values

    def precision(self) -> float | None:
        """The mean over columns of level / height; None without levels."""
        levels = self.manifest.recoding.levels
        if levels is None:
            return None
        steps = [
            levels[column.name] / column.sets.height if column.sets.column.hierarchy.domain > 1 else 0
            for column in self.placement.columns
        ]
        return sum(steps) / len(steps)

    def _mean_class(self) -> float:
        """The mean class size of a row, or of a person, before any suppression."""
        levels = self.manifest.recoding.levels
        if levels is not None:
            groups = [column.sets.groups(levels[column.name])[column.leaves] for column in self.whole.quasi]
            sizes = self.whole.sizes(combined(groups), np.ones(len(self.whole.counts), dtype=np.bool_))
        elif self.placement.settled:
            sizes = self.original.sizes(self.placement.of_entry, self.placement.of_entry >= 0)
        else:
            sizes = self.sizes
        return float((sizes**2).sum() / sizes.sum())

    def _entropy(self, gone: int) -> float:
        """The mean over columns of Σ ln(f(shown set) / f(value)) / (N·H); all rows for a suppressed cell."""
        rows, total = self.whole.rows, 0.0
        for column, values in zip(self.placement.columns, self.whole.quasi, strict=True):
            of_leaf = np.bincount(values.leaves, self.whole.counts, len(values.sets.leaves))
            positive = of_leaf[of_leaf > 0]
            if len(positive) < 2:
                continue
            entropy = -float((positive / rows * np.log(positive / rows)).sum())
            everywhere = np.ones(len(of_leaf), dtype=np.bool_)
            sizes, domain = column.sets.sizes(column.runs, everywhere, self.by_granules)
            before = np.concatenate([[0], np.cumsum(of_leaf)])
            inside = np.array([before[after] - before[first] for first, after in column.runs])
            inside = np.where(sizes == domain, rows, np.maximum(inside, 1))
            spent = float((self.sizes * np.log(inside[column.of_class])).sum())
            spent += gone * math.log(rows) - float((positive * np.log(positive)).sum())
            total += spent / (rows * entropy)
        return total / len(self.placement.columns)

    def measurer(self, further: Mapping[str, float]) -> Measurer:
        """Everything that the original lets an audit measure."""
        by_rows = Measurer(self.rows_counted, self.watched)
        values = {**self.costs(), **further}
        if self.original.persons is None:
            return replace(by_rows, further=values, beside=True)
        values["average-class"] = by_rows.value("average-class")
        unknown = (
            "" if self.placement.settled else "classes overlap, so that it is not known whose rows are where"
        )
        return Measurer(self.counted, self.watched, values, True, unknown=unknown)


def _texts(texts: Sequence[str]) -> object:
    import pyarrow as pa

    return pa.array(list(texts), pa.string())


def _foreign(number: int | None) -> Check:
    name = "rows not from the original"
    if number is None:
        why = "cannot be decided: classes overlap, and too many rows fit several of them"
        return Check("original", name, None, None, None, why)
    return counts_none("original", name, number, "cells were changed or not generalized, or rows were added")


def _units_that_stay(original: Original, placement: Placement, manifest: Manifest) -> Mask | None:
    """The entries that stay where a suppressed row takes all of its person or household with it, by the
    manifest's own condition on classes; None if rows are suppressed one by one, or nothing is."""
    codes = {"person": original.persons, "household": original.households}.get(manifest.unit or "")
    bound = manifest.recoding.keep.get("k", "")
    if codes is None or manifest.applied is not None or not bound.removeprefix(">=").isdigit():
        return None
    look, least = looks(placement, original, manifest.recoding)[-1], int(bound.removeprefix(">="))
    stay = np.ones(len(codes), dtype=np.bool_)
    while stay.any():
        counted = original if manifest.unit == "person" else replace(original, persons=None)
        sizes = counted.sizes(look, stay)
        small = stay & (sizes[look] < least)
        if not small.any():
            break
        stay &= ~np.isin(codes, codes[small])
    return stay


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
        f"select class from ({each}) where value > (select coalesce(max(value), 0) + 1e-11 from ({other}))"
        for each, other in pairs
    )


def not_comparable(manifest: Manifest, why: str, holds: bool | None = False) -> list[Check]:
    """The checks if nothing can be compared: a failure, or nothing decided, and so is every statement."""
    checks = [Check("original", ROWS, None, None, holds, why)]
    return checks + [
        Check("statement", name, stated, None, holds, why) for name, stated in manifest.statements.items()
    ]
