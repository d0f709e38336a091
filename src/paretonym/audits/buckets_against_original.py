"""Buckets compared with their original: is everybody there unchanged, and does every bucket contain the
sensitive values of its own people?

Buckets hide which value belongs to whom, so single rows are not checked. Where people who look alike are in
one bucket, its values follow from the original. Anatomy may distribute them over several: then a bucket may
contain what any of them has, and no more can be decided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from paretonym.arrays import Floats
from paretonym.audits.against_original import (
    check_order,
    check_published,
    check_statement,
    hopeless,
    known_costs,
    mean_class,
    watched_beside,
)
from paretonym.audits.checks import Check
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.original_rows import Original
from paretonym.audits.row_comparison import Recoded, measured_view, plain_texts, recode
from paretonym.audits.shown_sets import Shown
from paretonym.audits.sql_classes import count
from paretonym.audits.sql_costs import classification_error
from paretonym.audits.sql_engine import listed
from paretonym.audits.sql_measures import SIZES, Measurer
from paretonym.audits.table_file import TableFile

# The probability that well-mixed buckets are taken for unmixed: once in a thousand million audits.
DOUBT = 1e-9
LARGEST = 1_000
# The x that are tried; any gives a bound, the best is near one of them.
TRIED = np.geomspace(0.01, 1e4, 60)


# A bucket: for each value in it how many of its recognisable people have it, and how often it is there.
Board: TypeAlias = tuple[tuple[int, int], ...]


def board(own: Mapping[int, int], held: Mapping[int, int]) -> Board:
    """Buckets that differ only in which values they hold are one."""
    return tuple(sorted((own.get(value, 0), count) for value, count in held.items()))


def expected(bucket: Board) -> float:
    """The expected number of people beside their own value."""
    return sum(own * held for own, held in bucket) / sum(held for _, held in bucket)


def log_chance(buckets: Mapping[Board, int], hits: int) -> float:
    """ln of a bound on the probability that this many people or more are beside their own value; how many
    buckets there are of each kind.

    >>> two = {((1, 1), (1, 1)): 1}
    >>> round(math.exp(log_chance(two, 2)), 2), log_chance(two, 0)
    (0.5, 0.0)
    """
    moments = sum((number * _log_moments(each) for each, number in buckets.items()), np.zeros(len(TRIED)))
    return min(float((moments - hits * np.log1p(TRIED)).min()), 0.0)


def implausible(buckets: Mapping[Board, int], hits: int) -> bool:
    """Whether values in random order would hardly ever give this many matches."""
    return log_chance(buckets, hits) < math.log(DOUBT)


def _log_moments(bucket: Board) -> Floats:
    """ln E[(1 + x)^M] for each x that is tried, or what it is at most."""
    rows = sum(held for _, held in bucket)
    if rows > LARGEST:
        slope = np.log1p(TRIED)
        return np.asarray(slope * expected(bucket) + slope**2 * rows / 2)
    rooks = np.zeros(1)
    for own, held in bucket:
        rooks = _log_product(rooks, _log_rooks(own, held))
    factorials = _log_factorials(rows)
    hits = rooks + factorials[rows - np.arange(len(rooks))] - factorials[rows]
    return _log_polynomial(hits, np.log(TRIED))


def _log_rooks(rows: int, columns: int) -> Floats:
    """ln of the ways to put j rooks on a board of rows × columns so that none attacks another."""
    most = min(rows, columns)
    factorials, j = _log_factorials(max(rows, columns)), np.arange(most + 1)
    choices = factorials[rows] - factorials[rows - j] + factorials[columns] - factorials[columns - j]
    return np.asarray(choices - factorials[j])


def _log_product(first: Floats, second: Floats) -> Floats:
    """The product of two polynomials whose coefficients are given by their logarithms."""
    result = np.full(len(first) + len(second) - 1, -np.inf)
    for j, factor in enumerate(second):
        part = result[j : j + len(first)]
        np.logaddexp(part, first + factor, out=part)
    return result


def _log_polynomial(coefficients: Floats, log_x: Floats) -> Floats:
    terms = coefficients[None, :] + log_x[:, None] * np.arange(len(coefficients))[None, :]
    highest = terms.max(axis=1, keepdims=True)
    return np.asarray((highest + np.log(np.exp(terms - highest).sum(axis=1, keepdims=True)))[:, 0])


def _log_factorials(most: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


@dataclass(frozen=True, eq=False)
class BucketMeasurer:
    """Measures of a release in buckets: `looks` are people who look the same, `inside` what buckets hold."""

    looks: Measurer
    inside: Measurer

    @property
    def further(self) -> Mapping[str, float]:
        return self.looks.further

    @property
    def known(self) -> tuple[str, ...]:
        return (*SIZES, *(name for name in self.inside.known if name not in SIZES))

    def value(self, name: str) -> float:
        of_looks = name in self.looks.further or name.partition("@")[0] in SIZES
        return (self.looks if of_looks else self.inside).value(name)


def beside_buckets(
    mixed: TableFile, column: str, original: Original, manifest: Manifest
) -> tuple[BucketMeasurer | None, list[Check]]:
    """Compare the mixed table with the original and measure every statement again; no measurers if nothing
    can be compared."""
    bare = replace(mixed, names=tuple(name for name in mixed.names if name != column))
    if mixed.names[-1:] != (column,) or set(original.roles) != set(bare.names):
        return None, hopeless(manifest, "the columns that the schema releases are not those of the file")
    shown = Shown.unchanged(original)
    recoded = recode(bare, original, shown)
    _lay_out(bare, mixed.column(column), recoded)
    checks = [
        check_order(bare, original),
        *_rows(bare),
        *_inside(bare, manifest.recoding.parts_people_alike),
        _mixed(bare),
    ]
    found = _measurers(bare, mixed.column(column), recoded, manifest)
    if manifest.version > 1:
        return found, [*checks, *check_published(bare, found.looks.counted, recoded, manifest, original)]
    checks += [check_statement(found, name, said, hidden=False) for name, said in manifest.statements.items()]
    return found, checks


def _lay_out(bare: TableFile, bucket: str, recoded: Recoded) -> None:
    """Make three tables: `dealt`, how often each look stands beside each sensitive value in each bucket of
    the file; `owned`, how often the original has them together; `homes`, in how many buckets people are
    whose quasi-identifiers agree. A look is everything but the sensitive columns."""
    plain = dict(zip(bare.names, plain_texts(bare, recoded.original), strict=True))
    secret = [name for name, role in recoded.original.roles.items() if role == "sensitive"]
    look = _packed([plain[name] for name in bare.names if name not in secret])
    value = _packed([plain[name] for name in secret])
    engine = bare.engine
    engine.run(
        f"create or replace temp table dealt as select {look} as look, {value} as v, {bucket} as bucket, "
        f"count(*) as n from {bare.view} group by all"
    )
    engine.run(
        f"create or replace temp table owned as select {look} as look, {value} as v, sum(n)::bigint as n "
        f"from {recoded.view} group by all"
    )
    people = _packed([plain[column.name] for column in recoded.original.quasi])
    engine.run(
        f"create or replace temp table homes as select {people} as people, "
        f"count(distinct {bucket}) as buckets from {bare.view} group by all"
    )


def _packed(texts: list[str]) -> str:
    named = [f"p{place} := {text}" for place, text in enumerate(texts)]
    return f"struct_pack({listed(named)})" if named else "0"


def _rows(bare: TableFile) -> list[Check]:
    """Check that everybody is there once and unchanged, and nobody else; and that the sensitive values are
    those of the original."""
    checks = []
    for part, strange, missing in (
        ("look", "rows not from the original", "rows of the original missing"),
        ("v", "sensitive values not from the original", "sensitive values of the original missing"),
    ):
        both = (
            f"select {part}, n as released, 0 as given from dealt "
            f"union all select {part}, 0 as released, n as given from owned"
        )
        sums = f"select sum(released) as released, sum(given) as given from ({both}) group by {part}"
        more, less = bare.engine.row(
            f"select sum(greatest(released - given, 0)), sum(greatest(given - released, 0)) from ({sums})"
        )
        changed = "cells were changed, or rows were added or removed"
        for name, found in ((strange, int(more or 0)), (missing, int(less or 0))):
            checks.append(Check("original", name, 0, found, found == 0, changed if found else ""))
    return checks


def _inside(bare: TableFile, parted: bool) -> list[Check]:
    """Compare the values of each bucket with those of its people."""
    engine = bare.engine
    engine.run(
        "create or replace temp table places as select look, bucket, sum(n) as n, "
        "count(*) over (partition by look) as buckets from dealt group by look, bucket"
    )
    given = (
        "select bucket, v, sum(owned.n) as n from owned join places using (look) "
        "where buckets = 1 group by all"
    )
    perhaps = (
        "select bucket, v, sum(least(owned.n, places.n)) as n from owned join places using (look) "
        "where buckets > 1 group by all"
    )
    sides = " union all ".join(
        (
            "select bucket, v, sum(n) as held, 0 as given, 0 as possible from dealt group by all",
            f"select bucket, v, 0 as held, n as given, n as possible from ({given})",
            f"select bucket, v, 0 as held, 0 as given, n as possible from ({perhaps})",
        )
    )
    sums = listed([f"sum({each}) as {each}" for each in ("held", "given", "possible")])
    odd = engine.count(
        "select sum(greatest(held - possible, 0) + greatest(given - held, 0)) "
        f"from (select bucket, v, {sums} from ({sides}) group by bucket, v)"
    )
    why = "values or people were moved between buckets" if odd else ""
    checks = [Check("original", "sensitive values in a wrong bucket", 0, odd, odd == 0, why)]
    if not parted:
        return [*checks, *_together(bare)]
    return [*checks, *_unsettled(bare)]


def _together(bare: TableFile) -> list[Check]:
    """Check that people with equal quasi-identifiers are in one part."""
    apart = bare.engine.count("select count(*) from homes where buckets > 1")
    why = "people with the same quasi-identifiers belong in one bucket; some were moved" if apart else ""
    return [Check("original", "people alike in several buckets", 0, apart, apart == 0, why)]


def _unsettled(bare: TableFile) -> list[Check]:
    found = bare.engine.count("select sum(n) from places where buckets > 1")
    if not found:
        return []
    why = (
        "people who look the same are in several buckets: which of their values belong where cannot "
        "be decided"
    )
    return [Check("original", "rows alike in several buckets", None, found, None, why)]


def _mixed(bare: TableFile) -> Check:
    """Whether the values inside buckets can be in random order. Asked of people whose look nobody shares,
    here and in the original: only of them it is known which value is their own."""
    engine = bare.engine
    engine.run(
        "create or replace temp table alone as select dealt.bucket, dealt.v as got, owned.v as own "
        "from dealt join owned using (look) "
        "where look in (select look from dealt group by look having sum(n) = 1) "
        "and look in (select look from owned group by look having sum(n) = 1)"
    )
    # Values as numbers, in one order for all tables.
    engine.run(
        "create or replace temp table numbered as select v, row_number() over () as code "
        "from (select v from dealt union select v from owned)"
    )
    held = engine.rows("select bucket, code, sum(n)::bigint from dealt join numbered using (v) group by all")
    own = engine.rows(
        "select bucket, code, count(*) from alone join numbered on alone.own = numbered.v group by all"
    )
    hits = engine.count("select count(*) from alone where got = own")
    buckets = _buckets(held, own)
    wrong = implausible(buckets, hits)
    usual = sum(number * expected(each) for each, number in buckets.items())
    why = f"values in random order would give about {usual:,.0f}: they were not shuffled" if wrong else ""
    return Check("original", "people beside their own value", None, hits, not wrong, why)


def _buckets(held: list[tuple[Any, ...]], own: list[tuple[Any, ...]]) -> Counter[Board]:
    """How many buckets there are of each kind, from how often each value is held and owned in them."""
    of_bucket: dict[str, tuple[dict[int, int], dict[int, int]]] = {}
    for side, counts in enumerate((held, own)):
        for bucket, value, number in counts:
            of_bucket.setdefault(bucket, ({}, {}))[side][value] = number
    return Counter(board(people, values) for values, people in of_bucket.values())


def _measurers(bare: TableFile, bucket: str, recoded: Recoded, manifest: Manifest) -> BucketMeasurer:
    """Sensitive values at the level of their measures, with the original as reference."""
    original, engine = recoded.original, bare.engine
    quasi = {column.name: bare.column(column.name) for column in original.quasi}
    labels = [bare.column(name) for name, role in original.roles.items() if role == "class"]
    places = measured_view(bare, original)
    looks = count(engine, "measured", list(quasi.values()), labels, "measured_looks")
    further = known_costs(looks, quasi, recoded)
    further["weighted-k"] = mean_class(bare, recoded, looks)
    if len(labels) == 1:
        further["classification-error"] = classification_error(looks, labels[0], original)
    inside = count(engine, "measured", [bucket], list(places.values()), "measured_buckets")
    watched = watched_beside(bare, places, recoded)
    return BucketMeasurer(
        Measurer(looks, (), manifest.settings, further), Measurer(inside, watched, manifest.settings)
    )
