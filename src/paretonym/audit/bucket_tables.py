"""The audit of a release in buckets: two tables that share the bucket's number, and one with mixed values.

Buckets hide which value belongs to whom, so single rows are not compared with the original. Where people who
look alike are in one bucket, its values follow from the original. Anatomy may distribute them over several:
then a bucket may contain what any of them has, and no more can be decided.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paretonym.audit.audit_database import Database, listed
from paretonym.audit.checks import Check, counts_none
from paretonym.audit.class_counts import count_classes
from paretonym.audit.file_checks import OTHER
from paretonym.audit.manifest import ANATOMY, Manifest, Recoding
from paretonym.audit.measurer import Measurer, Watched
from paretonym.audit.original import Original
from paretonym.audit.original_comparison import OriginalComparison
from paretonym.audit.released_table import ReleasedTable, bucket_files, comparable, open_release
from paretonym.audit.row_checks import FOREIGN, MISSING, check_rows, not_comparable
from paretonym.audit.stated_costs import check_statements, costs
from paretonym.base.errors import InputError

# The probability that well-mixed buckets are taken for unmixed: once in a thousand million audits.
DOUBT = 1e-9


@dataclass(frozen=True, eq=False)
class BucketTables:
    """The three tables: without sensitive values, these by bucket, and both mixed."""

    looks: ReleasedTable
    values: ReleasedTable
    mixed: ReleasedTable
    bucket: str

    @classmethod
    def opened(cls, manifest: Manifest, mixed: ReleasedTable, **options: Any) -> BucketTables:
        if len(mixed.files) != 1 or mixed.in_parts:
            wrong = "this is the manifest of a release in buckets, which consists of three files"
            raise InputError.of(mixed.place, wrong, "audit the files")
        looks, values = (
            open_release(
                mixed.database, part, manifest.form, f"{part.stem.rpartition('.')[2]}_part", **options
            )
            for part in bucket_files(mixed.files[0])
        )
        return cls(looks, values, mixed, str(manifest.recoding.bucket))

    @property
    def tables(self) -> tuple[ReleasedTable, ...]:
        return self.looks, self.values, self.mixed

    def measurer(self, manifest: Manifest) -> Measurer:
        """Sizes of people who look the same, values of buckets."""
        database, sensitive = self.mixed.database, manifest.with_role("sensitive")
        keys = _columns(self.looks, manifest.with_role("quasi"))
        looks = count_classes(database, self.looks.view, keys, (), "looks")
        places, keys = _columns(self.values, sensitive), _columns(self.values, [self.bucket])
        inside = count_classes(database, self.values.view, keys, places, "inside")
        watched = tuple(Watched(name, place) for name, place in zip(sensitive, places, strict=True))
        return Measurer(inside, watched, sizes=looks)

    def check_files(self, manifest: Manifest) -> Iterator[Check]:
        """Digests, columns, and that the mixed table is made of the same rows as the other two."""
        rows = self.mixed.rows
        yield Check("file", "rows", manifest.rows, rows, rows == manifest.rows)
        digests = {table.files[0].name: table.sha256 for table in self.tables}
        for name in sorted({*manifest.files, *digests}):
            stated, digest = manifest.files.get(name), digests.get(name)
            right = stated == digest
            reason = "" if right else OTHER if digest else "a release in buckets has no such file"
            yield Check("file", f"sha256 of {name}" if digest else "files", stated, digest, right, reason)
        if manifest.output_sha256 != self.mixed.sha256:
            stated = manifest.output_sha256
            yield Check("file", "sha256", stated, self.mixed.sha256, False, OTHER)
        sensitive = manifest.with_role("sensitive")
        without = [name for name in self.mixed.names if name not in sensitive]
        for table, names in ((self.looks, without), (self.values, [self.bucket, *sensitive])):
            if list(table.names) != names:
                reason, name = "these are not the columns of this table", f"columns of {table.files[0].name}"
                yield Check("file", name, ", ".join(names), ", ".join(table.names), False, reason)
        yield self._check_agreement(self.looks, "rows without sensitive values agree")
        yield self._check_agreement(self.values, "sensitive values by bucket agree")

    def _check_agreement(self, table: ReleasedTable, name: str) -> Check:
        """Check that one of the two tables shows what the mixed one does."""
        sides = [(table, "n"), (self.mixed, "-n")]
        both = " union all ".join(
            f"select {_packed(_columns(side, table.names))} as look, {number} as n from {side.view}"
            for side, number in sides
        )
        odd = f"select abs(sum(n)) as n from ({both}) group by look"
        number = self.mixed.database.count(f"select sum(n)::bigint from ({odd})")
        return counts_none("file", name, number, f"{number:,} rows are not in both tables")

    def compared(self, original: Original, manifest: Manifest) -> tuple[Measurer | None, list[Check]]:
        """The mixed table beside the original; no measurer if nothing can be compared."""
        names = tuple(name for name in self.mixed.names if name != self.bucket)
        if self.mixed.names[-1:] != (self.bucket,) or set(original.roles) != set(names):
            reason = "the columns that the schema releases are not those of the file"
            return None, not_comparable(manifest, reason)
        levels = {sets.name: sets.column.lowest for sets in original.sets}
        unchanged = replace(manifest, recoding=Recoding(levels=levels))
        comparison = OriginalComparison.of(replace(self.mixed, names=names), original, unchanged)
        self._lay_out(comparison)
        database = self.mixed.database
        order, *_ = check_rows(comparison)
        checks = [order, *_check_rows(database), *_check_inside(database, manifest.recoding.way == ANATOMY)]
        checks += [_check_mixed(database), *check_statements(comparison)]
        return self._measurer_beside(comparison), checks

    def _lay_out(self, comparison: OriginalComparison) -> None:
        """Make three tables: `dealt`, how often each look stands beside each sensitive value in each bucket
        of the file; `owned`, how often the original has them together; `homes`, in how many buckets people
        are whose quasi-identifiers agree. A look is everything but the sensitive columns."""
        table, original, database = comparison.table, comparison.original, self.mixed.database
        sensitive = [table.column(column.name) for column in original.sensitive]
        look = _packed(["class", *(place for place in comparison.kept if place not in sensitive)])
        value = _packed(sensitive)
        cells = [f"{comparable(f'release.{place}', original.null)} as {place}" for place in comparison.kept]
        cells += [f"release.{self.mixed.column(self.bucket)} as bucket", "release.n as n"]
        rows = database.make(
            "bucket_rows",
            f"select class, {listed(cells)} from {self.mixed.view} as release "
            f"join shown_classes using ({listed(comparison.keys)})",
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

    def _measurer_beside(self, comparison: OriginalComparison) -> Measurer:
        """Sensitive values at the level of their measures, with the original as reference."""
        database, bucket = self.mixed.database, self.mixed.column(self.bucket)
        watched, (joins, cells) = comparison.watched, comparison.measured_join()
        columns = listed([f"release.{bucket} as bucket", *cells, "release.n as n"])
        database.make("bucket_values", f"select {columns} from {self.mixed.view} as release {joins}")
        places = [one.column for one in watched]
        inside = count_classes(database, "bucket_values", ["bucket"], places, "measured_buckets")
        return Measurer(inside, watched, costs(comparison), True, sizes=comparison.rows_counted)


def _columns(table: ReleasedTable, names: Sequence[str]) -> list[str]:
    """The places of columns; an error if one is missing."""
    if missing := [name for name in names if name not in table.names]:
        wrong = f"the column '{missing[0]}' of the manifest is missing"
        raise InputError.of(table.place, wrong, "audit the release as it was written")
    return [table.column(name) for name in names]


def _packed(columns: Sequence[str]) -> str:
    named = [f"p{place} := {column}" for place, column in enumerate(columns)]
    return f"struct_pack({listed(named)})" if named else "0"


def _check_rows(database: Database) -> Iterator[Check]:
    """Check that everybody is there once and unchanged, and nobody else; and that the sensitive values are
    those of the original."""
    for part, names in (
        ("look", (FOREIGN, MISSING)),
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
        reason = "cells were changed, or rows were added or removed"
        for name, number in zip(names, numbers, strict=True):
            yield counts_none("original", name, int(number or 0), reason)


def _check_inside(database: Database, parted: bool) -> Iterator[Check]:
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
    reason = "values or people were moved between buckets"
    yield counts_none("original", "sensitive values in a wrong bucket", odd, reason)
    if not parted:
        apart = database.count("select count(*) from homes where buckets > 1")
        reason = "people with the same quasi-identifiers belong in one bucket; some were moved"
        yield counts_none("original", "people alike in several buckets", apart, reason)
    elif alike := database.count("select sum(n) from places where buckets > 1"):
        reason = (
            "cannot be decided: which values of people who look the same belong in which of their buckets"
        )
        yield Check("original", "rows alike in several buckets", None, alike, None, reason)


def _check_mixed(database: Database) -> Check:
    """Check that the values inside buckets can be in random order. Only of people whose look nobody shares,
    in the release and in the original, it is known which value is theirs."""
    alone = "(select look from {0} group by look having sum(n) = 1)"
    database.make(
        "alone",
        "select bucket, dealt.v as dealt_value, owned.v as owned_value from dealt join owned using (look) "
        f"where look in {alone.format('dealt')} and look in {alone.format('owned')}",
    )
    held = "select bucket, v, sum(n)::bigint as held from dealt group by all"
    owned = (
        "select bucket, owned_value as v, count(*) as owned, "
        "count(*) filter (dealt_value = owned_value) as hits from alone group by all"
    )
    buckets: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for bucket, *numbers in database.rows(
        f"select bucket, held, coalesce(owned, 0), coalesce(hits, 0) from ({held}) left join ({owned}) "
        "using (bucket, v)"
    ):
        buckets[bucket].append((numbers[0], numbers[1], numbers[2]))
    hits = sum(hit for values in buckets.values() for *_, hit in values)
    wrong = log_chance(buckets) < math.log(DOUBT)
    reason = "values in random order would not be beside their owners so often: they were not shuffled"
    return Check("original", "people beside their own value", None, hits, not wrong, reason if wrong else "")


def log_chance(buckets: Mapping[str, Sequence[tuple[int, int, int]]]) -> float:
    """ln of a bound on the probability that in so many buckets or more everybody who is recognized stands
    beside their own value, if each is shuffled: Chernoff's, for independent events. Of each value of a bucket
    it is given how often it is held, how many recognized people own it, and how many of them stand beside it.

    >>> round(math.exp(log_chance({"1": [(1, 1, 1), (1, 1, 1)]})), 2)
    0.82
    """
    expected, number = 0.0, 0
    for values in buckets.values():
        rows, owners = sum(held for held, *_ in values), sum(owned for _, owned, _ in values)
        if owners and all(owned <= held for held, owned, _ in values):
            ways = sum(math.lgamma(held + 1) - math.lgamma(held - owned + 1) for held, owned, _ in values)
            expected += math.exp(ways - math.lgamma(rows + 1) + math.lgamma(rows - owners + 1))
            number += all(owned == hits for _, owned, hits in values)
    if not number or number <= expected:
        return 0.0
    return number - expected - number * math.log(number / expected)
