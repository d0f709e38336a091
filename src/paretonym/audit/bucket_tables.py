"""The audit of a release in buckets: two tables that share the bucket's number, and one with mixed values.

Buckets hide which value belongs to whom, so single rows are not compared with the original. Where people who
look alike are in one bucket, its values follow from the original. Anatomy may distribute them over several:
then a bucket may contain what any of them has, and no more can be decided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Floats
from paretonym.audit.audit_database import Database, listed
from paretonym.audit.checks import Check, counts_none
from paretonym.audit.class_counts import count_classes
from paretonym.audit.manifest import ANATOMY, Manifest, Recoding
from paretonym.audit.measurer import Measurer, Watched
from paretonym.audit.original import Original
from paretonym.audit.original_comparison import Comparison, not_comparable
from paretonym.audit.released_table import ReleasedTable, open_files
from paretonym.errors import InputError

OTHER = "the manifest was written for another file"
# The probability that well-mixed buckets are taken for unmixed: once in a thousand million audits.
DOUBT = 1e-9
LARGEST = 1_000
# The x that are tried; any gives a bound, the best is near one of them.
TRIED = np.geomspace(0.01, 1e4, 60)
# A bucket: for each value in it how many of its recognisable people have it, and how often it occurs.
Board: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class BucketTables:
    """The three tables: without sensitive values, these by bucket, and both mixed."""

    looks: ReleasedTable
    values: ReleasedTable
    mixed: ReleasedTable
    bucket: str

    @classmethod
    def opened(cls, database: Database, manifest: Manifest, mixed: ReleasedTable) -> BucketTables:
        path, form = mixed.path, manifest.form
        if not mixed.parts or mixed.in_parts:
            wrong = "this is the manifest of a release in buckets, which consists of three files"
            raise InputError.of(mixed.place, wrong, "audit the files")
        looks, values = (
            open_files(database, path.with_name(f"{path.stem}.{part}{path.suffix}"), form, part)
            for part in ("qit", "st")
        )
        return cls(looks, values, mixed, str(manifest.recoding.bucket))

    @property
    def tables(self) -> tuple[ReleasedTable, ...]:
        return self.looks, self.values, self.mixed

    def measurer(self, manifest: Manifest) -> Measurer:
        """Sizes of people who look the same, values of buckets."""
        database, sensitive = self.mixed.database, manifest.with_role("sensitive")
        keys = _columns(self.looks, manifest.with_role("quasi"))
        looks = count_classes(database, self.looks.distinct, keys, (), "looks")
        places = _columns(self.values, sensitive)
        keys = _columns(self.values, [self.bucket])
        inside = count_classes(database, self.values.distinct, keys, places, "inside")
        watched = tuple(Watched(name, place) for name, place in zip(sensitive, places, strict=True))
        return Measurer(inside, watched, sizes=looks)

    def check_files(self, manifest: Manifest) -> list[Check]:
        """Digests, columns, and that the mixed table is made of the same rows as the other two."""
        rows, checks = self.mixed.rows, []
        checks.append(Check("file", "rows", manifest.rows, rows, rows == manifest.rows))
        for table in self.tables:
            stated = manifest.files.get(table.path.name)
            right = table.sha256 == stated
            name = f"sha256 of {table.path.name}"
            checks.append(Check("file", name, stated, table.sha256, right, "" if right else OTHER))
        if manifest.output_sha256 != self.mixed.sha256:
            stated = manifest.output_sha256
            checks.append(Check("file", "sha256", stated, self.mixed.sha256, False, OTHER))
        if more := len(set(manifest.files) - {table.path.name for table in self.tables}):
            why = "the manifest names files that a release in buckets does not have"
            checks.append(Check("file", "files", 0, more, False, why))
        return [*checks, *self._check_columns(manifest), *self._check_agreement()]

    def _check_columns(self, manifest: Manifest) -> list[Check]:
        sensitive, checks = manifest.with_role("sensitive"), []
        without = [name for name in self.mixed.names if name not in sensitive]
        for table, names in ((self.looks, without), (self.values, [self.bucket, *sensitive])):
            if list(table.names) != names:
                why, name = "these are not the columns of this table", f"columns of {table.path.name}"
                checks.append(Check("file", name, ", ".join(names), ", ".join(table.names), False, why))
        return checks

    def _check_agreement(self) -> list[Check]:
        checks = []
        for table, name in (
            (self.looks, "rows without sensitive values agree"),
            (self.values, "sensitive values by bucket agree"),
        ):
            first = listed(_columns(table, table.names))
            second = listed(_columns(self.mixed, table.names))
            one, other = f"select {first} from {table.view}", f"select {second} from {self.mixed.view}"
            odd = sum(
                self.mixed.database.count(f"select count(*) from ({a} except all {b})")
                for a, b in ((one, other), (other, one))
            )
            why = f"{odd:,} {'row is' if odd == 1 else 'rows are'} not in both tables"
            checks.append(counts_none("file", name, odd, why))
        return checks

    def compared(self, original: Original, manifest: Manifest) -> tuple[Measurer | None, list[Check]]:
        """The mixed table beside the original; no measurer if nothing can be compared."""
        names = tuple(name for name in self.mixed.names if name != self.bucket)
        if self.mixed.names[-1:] != (self.bucket,) or set(original.roles) != set(names):
            return None, not_comparable(
                manifest, "the columns that the schema releases are not those of the file"
            )
        self.mixed.database.run(f"create or replace temp view bare as from {self.mixed.view}")
        bare = replace(self.mixed, names=names, view="bare")
        levels = {column.name: column.sets.column.lowest for column in original.quasi}
        unchanged = replace(manifest, recoding=Recoding(nodes=(levels,)))
        comparison = Comparison.of(bare, original, unchanged)
        self._lay_out(comparison)
        checks = [*comparison.check_rows()[:1], *_check_rows(bare.database)]
        checks += _check_inside(bare.database, manifest.recoding.way == ANATOMY)
        checks += [_check_mixed(bare.database), *comparison.check_statements()]
        return self._measurer_beside(comparison), checks

    def _lay_out(self, comparison: Comparison) -> None:
        """Make three tables: `dealt`, how often each look stands beside each sensitive value in each bucket
        of the file; `owned`, how often the original has them together; `homes`, in how many buckets people
        are whose quasi-identifiers agree. A look is everything but the sensitive columns."""
        table, original = comparison.table, comparison.original
        sensitive = [table.column(column.name) for column in original.sensitive]
        others = [place for place in comparison.kept if place not in sensitive]
        look, value = _packed(["class", *others]), _packed(sensitive)
        bucket = self.mixed.column(self.bucket)
        database, null = table.database, original.null
        cells = listed(
            [f"{table.comparable(f'release.{place}', place, null)} as {place}" for place in comparison.kept]
        )
        keys = listed(comparison.keys)
        rows = database.make(
            "bucket_rows",
            f"select class, {cells + ', ' if cells else ''}release.{bucket} as bucket, release.n as n "
            f"from {self.mixed.meant} as release join shown_classes using ({keys})",
        )
        database.make(
            "dealt",
            f"select {look} as look, {value} as v, bucket, sum(n)::bigint as n from {rows} group by all",
        )
        database.make(
            "owned",
            f"select {look} as look, {value} as v, sum(n)::bigint as n from {comparison.entries} "
            "group by all",
        )
        database.make("homes", f"select class, count(distinct bucket) as buckets from {rows} group by class")

    def _measurer_beside(self, comparison: Comparison) -> Measurer:
        """Sensitive values at the level of their measures, with the original as reference."""
        database, bucket = self.mixed.database, self.mixed.column(self.bucket)
        watched, (joins, cells) = comparison.watched, comparison.measured_join()
        columns = listed([f"release.{bucket} as bucket", *cells, "release.n as n"])
        database.make("bucket_values", f"select {columns} from {self.mixed.meant} as release {joins}")
        inside = count_classes(
            database, "bucket_values", ["bucket"], [one.column for one in watched], "measured_buckets"
        )
        return Measurer(inside, watched, comparison.costs(), True, sizes=comparison.rows_counted)


def _columns(table: ReleasedTable, names: Sequence[str]) -> list[str]:
    """The places of columns; an error if one is missing."""
    if missing := [name for name in names if name not in table.names]:
        wrong = f"the column '{missing[0]}' of the manifest is missing"
        raise InputError.of(str(table.path), wrong, "audit the release as it was written")
    return [table.column(name) for name in names]


def _packed(columns: Sequence[str]) -> str:
    named = [f"p{place} := {column}" for place, column in enumerate(columns)]
    return f"struct_pack({listed(named)})" if named else "0"


def _check_rows(database: Database) -> list[Check]:
    """Whether everybody is there once and unchanged, and nobody else; and whether the sensitive values are
    those of the original."""
    checks = []
    for part, names in (
        ("look", ("rows not from the original", "rows of the original missing")),
        ("v", ("sensitive values not from the original", "sensitive values of the original missing")),
    ):
        both = (
            f"select {part}, n as released, 0 as given from dealt "
            f"union all select {part}, 0 as released, n as given from owned"
        )
        sums = f"select sum(released) as released, sum(given) as given from ({both}) group by {part}"
        numbers = database.row(
            f"select sum(greatest(released - given, 0)), sum(greatest(given - released, 0)) from ({sums})"
        )
        why = "cells were changed, or rows were added or removed"
        checks += [
            counts_none("original", name, int(number or 0), why)
            for name, number in zip(names, numbers, strict=True)
        ]
    return checks


def _check_inside(database: Database, parted: bool) -> list[Check]:
    """The values of each bucket beside those of its people; people who look alike may be in several buckets
    if `parted`."""
    database.make(
        "places",
        "select look, bucket, sum(n) as n, count(*) over (partition by look) as buckets from dealt "
        "group by look, bucket",
    )
    joined = "from owned join places using (look)"
    sides = " union all ".join(
        (
            "select bucket, v, sum(n) as held, 0 as given, 0 as possible from dealt group by all",
            f"select bucket, v, 0, sum(owned.n), sum(owned.n) {joined} where buckets = 1 group by all",
            f"select bucket, v, 0, 0, sum(least(owned.n, places.n)) {joined} where buckets > 1 group by all",
        )
    )
    sums = listed([f"sum({side}) as {side}" for side in ("held", "given", "possible")])
    odd = database.count(
        "select sum(greatest(held - possible, 0) + greatest(given - held, 0)) "
        f"from (select bucket, v, {sums} from ({sides}) group by bucket, v)"
    )
    why = "values or people were moved between buckets"
    checks = [counts_none("original", "sensitive values in a wrong bucket", odd, why)]
    if not parted:
        apart = database.count("select count(*) from homes where buckets > 1")
        why = "people with the same quasi-identifiers belong in one bucket; some were moved"
        return [*checks, counts_none("original", "people alike in several buckets", apart, why)]
    if alike := database.count("select sum(n) from places where buckets > 1"):
        why = (
            "people who look the same are in several buckets: which of their values belong where cannot be "
            "decided"
        )
        checks.append(Check("original", "rows alike in several buckets", None, alike, None, why))
    return checks


def _check_mixed(database: Database) -> Check:
    """Whether the values inside buckets can be in random order. Only of people whose look nobody shares, in
    the release and in the original, it is known which value is theirs."""
    alone = "(select look from {0} group by look having sum(n) = 1)"
    database.make(
        "alone",
        "select bucket, dealt.v as dealt_value, owned.v as owned_value from dealt join owned using (look) "
        f"where look in {alone.format('dealt')} and look in {alone.format('owned')}",
    )
    # Values as numbers, in one order for all tables.
    database.make(
        "numbered",
        "select v, row_number() over () as code from (select v from dealt union select v from owned)",
    )
    held = database.rows(
        "select bucket, code, sum(n)::bigint from dealt join numbered using (v) group by all"
    )
    owned = database.rows(
        "select bucket, code, count(*) from alone join numbered on owned_value = v group by all"
    )
    hits = database.count("select count(*) from alone where dealt_value = owned_value")
    of_bucket: dict[str, tuple[dict[int, int], dict[int, int]]] = {}
    for side, counts in enumerate((held, owned)):
        for bucket, value, number in counts:
            of_bucket.setdefault(bucket, ({}, {}))[side][value] = number
    boards = Counter(board(people, values) for values, people in of_bucket.values())
    wrong = log_chance(boards, hits) < math.log(DOUBT)
    usual = sum(number * expected(bucket) for bucket, number in boards.items())
    why = f"values in random order would give about {usual:,.0f}: they were not shuffled" if wrong else ""
    return Check("original", "people beside their own value", None, hits, not wrong, why)


def board(owned: Mapping[int, int], held: Mapping[int, int]) -> Board:
    """Buckets that differ only in which values they hold are one."""
    return tuple(sorted((owned.get(value, 0), count) for value, count in held.items()))


def expected(bucket: Board) -> float:
    """The expected number of people beside their own value."""
    return sum(owned * held for owned, held in bucket) / sum(held for _, held in bucket)


def log_chance(buckets: Mapping[Board, int], hits: int) -> float:
    """ln of a bound on the probability that this many people or more are beside their own value, given how
    many buckets there are of each kind: Markov's inequality for (1 + x)^M.

    >>> two = {((1, 1), (1, 1)): 1}
    >>> round(math.exp(log_chance(two, 2)), 2), log_chance(two, 0)
    (0.5, 0.0)
    """
    moments = sum((number * _log_moments(each) for each, number in buckets.items()), np.zeros(len(TRIED)))
    return min(float((moments - hits * np.log1p(TRIED)).min()), 0.0)


def _log_moments(bucket: Board) -> Floats:
    """ln E[(1 + x)^M] for each x that is tried, or an upper bound: M counts rooks on a board, whose factorial
    moments are rook numbers."""
    rows = sum(held for _, held in bucket)
    if rows > LARGEST:
        slope = np.log1p(TRIED)
        return np.asarray(slope * expected(bucket) + slope**2 * rows / 2)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, rows + 1)))])
    rooks = np.zeros(1)
    for owned, held in bucket:
        j = np.arange(min(owned, held) + 1)
        ways = factorials[owned] - factorials[owned - j] + factorials[held] - factorials[held - j]
        rooks = _log_product(rooks, ways - factorials[j])
    hits = rooks + factorials[rows - np.arange(len(rooks))] - factorials[rows]
    terms = hits[None, :] + np.log(TRIED)[:, None] * np.arange(len(hits))[None, :]
    highest = terms.max(axis=1, keepdims=True)
    return np.asarray((highest + np.log(np.exp(terms - highest).sum(axis=1, keepdims=True)))[:, 0])


def _log_product(first: Floats, second: Floats) -> Floats:
    """The product of two polynomials whose coefficients are given by their logarithms."""
    result = np.full(len(first) + len(second) - 1, -np.inf)
    for j, factor in enumerate(second):
        part = result[j : j + len(first)]
        np.logaddexp(part, first + factor, out=part)
    return result
