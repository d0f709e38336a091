"""Buckets as a space: quasi-identifiers unchanged, sensitive values permuted inside buckets. A recoding is a
requirement, and the bucketization method that meets it: Mondrian's parts, or Anatomy, where each bucket takes
one row of each of the ℓ most frequent remaining values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Bug, Field, InputError, NoSolution, Place, did_you_mean
from paretonym.base.language import N_
from paretonym.engine.counts import Cube
from paretonym.engine.measures import card_of
from paretonym.engine.recoding import Buckets, Classes, Feature, ShownRelease, ShownSets
from paretonym.engine.spaces.mondrian import Parts, RequirementRecoding, partition, required_of_parts
from paretonym.engine.spaces.parameter_sweep import DISTANCES, NOT_SUPPRESSED, SWEEP, VARIETIES, Sweep
from paretonym.engine.spaces.space import DealtRows, ProblemMaker, Question, Space, Wording


def anatomy(totals: Integers, variety: int) -> Integers:
    """Counts of each value in each bucket, given how often it occurs: at most once in any bucket.

    As long as at least `variety` values remain, a bucket takes one row of each of the most frequent remaining
    ones, ties broken by the order of the values. The remaining rows go, one by one, to the first bucket that
    does not have their value yet.

    Time: rows × values. Reference: Xiao & Tao 2006, Figure 3.

    >>> anatomy(np.array([2, 2, 1]), 2).tolist()
    [[1, 1, 1], [1, 1, 0]]
    >>> anatomy(np.array([3, 1]), 2)
    Traceback (most recent call last):
    paretonym.base.errors.NoSolution: One sensitive value is in more than 1 of 2 rows. Require less than l=2.
    """
    if totals.max(initial=0) * variety > totals.sum():
        raise NoSolution(
            f"One sensitive value is in more than 1 of {variety} rows. Require less than l={variety}."
        )
    remaining = totals.copy()
    buckets: list[Integers] = []
    while (remaining > 0).sum() >= variety:
        chosen = np.argsort(-remaining, kind="stable")[:variety]
        bucket = np.zeros(len(remaining), dtype=np.int64)
        bucket[chosen] = 1
        remaining[chosen] -= 1
        buckets.append(bucket)
    cells = np.array(buckets, dtype=np.int64).reshape(len(buckets), len(totals))
    for value in np.flatnonzero(remaining).tolist():
        free = np.flatnonzero(cells[:, value] == 0)[: remaining[value]]
        cells[free, value] += 1
    return cells


def whole_variety(bound: float, place: Place) -> int:
    """Anatomy's ℓ, a whole number of at least 2."""
    if bound != int(bound) or bound < 2:
        raise InputError.of(
            place,
            f"Anatomy cannot make buckets for l={bound:g}",
            "give a whole number of at least 2, such as l=4",
        )
    return int(bound)


def as_they_are(cube: Cube, buckets: Buckets) -> Classes:
    """Every tuple unchanged, as a class of its own, with the buckets that its rows are in."""
    sets = tuple(ShownSets.of_level(axis, axis.lowest) for axis in cube.axes)
    groups = [cube.groups[:, j] for j in range(len(cube.axes))]
    plain = Classes.by_column(cube, list(groups), sets)
    return Classes(plain.of_tuple, plain.shown, plain.sets, plain.rows, buckets)


def mixed_in_parts(cube: Cube, parts: Parts) -> Buckets:
    """Every part is a bucket: a row may have any of its values, with their frequency as its probability."""
    cells = tuple(margin.cells(parts.of_tuple, len(parts)) for margin in cube.sensitive)
    expected = partial(_mixed, parts.of_tuple, len(parts))
    tuples = np.arange(cube.tuples)
    guesses = tuple(
        expected(margin.by_rows.cells(tuples, cube.tuples).astype(np.float64)) for margin in cube.sensitive
    )
    return Buckets(cells, guesses, expected)


def _mixed(part_of_tuple: Integers, parts: int, values: Floats) -> Floats:
    """The counts of values in each tuple if those of its part are equally likely for each of its rows."""
    pooled = np.zeros((parts, values.shape[1]))
    np.add.at(pooled, part_of_tuple, values)
    shares = pooled / np.maximum(pooled.sum(axis=1, keepdims=True), 1e-300)
    mixed: Floats = shares[part_of_tuple] * values.sum(axis=1, keepdims=True)
    return mixed


def anatomized(cube: Cube, variety: int) -> Buckets:
    """Anatomy's buckets of at least `variety` different values. Which values share a bucket follows from
    their counts alone; which rows of a value go to which of its buckets is drawn when a release is written.
    The values that a reader expects of a row are therefore the mean over all such draws."""
    (margin,) = cube.sensitive
    cells = anatomy(margin.totals, variety)
    shares = cells / cells.sum(axis=1, keepdims=True)
    # partners[v, w]: the probability that a reader gives to value w for a row of value v.
    partners: Floats = (cells.T @ shares) / np.maximum(margin.totals, 1)[:, None]
    expected = partial(_partnered, partners)
    values = margin.cells(np.arange(cube.tuples), cube.tuples).astype(np.float64)
    return Buckets((cells,), (expected(values),), expected)


def _partnered(partners: Floats, values: Floats) -> Floats:
    """The counts of values in each tuple as a reader expects them, given the true ones."""
    expected: Floats = values @ partners
    return expected


Way: TypeAlias = Literal["mondrian", "binary", "anatomy"]
WAYS: tuple[Way, ...] = ("mondrian", "binary", "anatomy")


def way_to_buckets(name: str) -> Way:
    """The bucketization method of that name; the error for an unknown name lists the known ones."""
    for way in WAYS:
        if name == way:
            return way
    raise InputError.of(Field("method"), f"unknown bucketization method '{name}'", did_you_mean(name, WAYS))


@dataclass(frozen=True, slots=True)
class BucketsRecoding(RequirementRecoding):
    """Buckets that meet the requirements: Mondrian's parts, those of its binary splits, or Anatomy's buckets
    for ℓ."""

    method: Way = "mondrian"

    @classmethod
    def of(cls, requirement: Mapping[str, float], way: str = "mondrian") -> BucketsRecoding:
        return cls(required_of_parts(requirement), way_to_buckets(way))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> BucketsRecoding:
        return cls.of(entry["requirement"], entry["buckets"])

    @property
    def way(self) -> dict[str, Any]:
        return {"buckets": self.method}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"buckets": "anatomy" if self.method == "anatomy" else "mondrian", "column": shown.bucket}

    def classes(self, cube: Cube) -> Classes:
        if not cube.sensitive:
            raise InputError.of(
                Field("space"),
                "buckets shuffle sensitive values, but the schema has no column of role 'sensitive'",
                'give a column role = "sensitive", or use another space',
            )
        if self.method == "anatomy":
            return as_they_are(cube, anatomized(cube, self.variety(cube)))
        return as_they_are(cube, mixed_in_parts(cube, self.parts(cube)))

    def parts(self, cube: Cube) -> Parts:
        """Mondrian's parts: nothing of them is shown, so cuts may be anywhere."""
        return partition(cube, self.requirement, binary=self.method == "binary")

    def variety(self, cube: Cube) -> int:
        """Anatomy's ℓ."""
        cards = [card_of(limit.name) for limit in self.requirement]
        if len(cube.sensitive) > 1:
            columns = " and ".join(f"'{margin.name}'" for margin in cube.sensitive)
            raise InputError.of(
                Field("method"),
                f"Anatomy makes buckets of one sensitive column, but {columns} are sensitive",
                f"give all but one another role, or use {Field('method', 'mondrian')}",
            )
        if len(cards) != 1 or cards[0] is None or not cards[0].counts_values:
            raise InputError.of(
                Field("method"),
                "Anatomy makes buckets only for l, of one sensitive column",
                f"sweep only l, or use {Field('method', 'mondrian')}",
            )
        return whole_variety(self.requirement[0].bound, Field("sweep"))


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every bucket."""
    way = way_to_buckets(str(question.space_options.get("method") or "mondrian"))
    usual = VARIETIES, DISTANCES
    return Sweep.of(question, cube, usual, lambda required: BucketsRecoding(required, way))


def bucket_of_rows(recoding: BucketsRecoding, cube: Cube, rows: DealtRows) -> Integers:
    """The bucket of each row."""
    if recoding.method != "anatomy":
        return recoding.parts(cube).of_tuple[rows.tuples]
    (values,) = rows.values
    return _dealt(values, anatomy(cube.sensitive[0].totals, recoding.variety(cube)), rows.drawn)


def _dealt(values: npt.NDArray[np.integer], cells: Integers, drawn: npt.NDArray[Any]) -> Integers:
    """The rows of each value, shuffled, dealt out to the buckets that have it."""
    of_value, buckets = np.nonzero(cells.T)
    places = np.repeat(buckets, cells.T[of_value, buckets])
    if len(places) != len(values):
        raise Bug("buckets have not as many places as there are rows")
    order = np.lexsort((drawn, values))
    dealt = np.empty(len(values), dtype=np.int64)
    dealt[order] = places
    return dealt


BUCKETS = Space(
    name="buckets",
    recoding=BucketsRecoding,
    problem=ProblemMaker(
        problem,
        {
            "sweep": "require this of every bucket",
            "method": "form buckets by mondrian, by its binary splits, or by anatomy for a sweep of l "
            "(mondrian)",
        },
    ),
    searches={"sweep": SWEEP},
    wording=Wording(
        N_("settings"),
        N_(
            "Bucketization: the quasi-identifiers are unchanged, and the sensitive values are permuted "
            "inside buckets that meet the requirement. No row is suppressed."
        ),
        "requirement",
        "The requirement on every bucket.",
        "Every bucket ({buckets}) meets {requirement}",
    ),
    supports={
        Feature.PERSONS: "sensitive values are permuted between rows, and nothing bounds what somebody "
        "learns who knows that several rows of a bucket are one person's",
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "where a person's class depends on other rows or on cuts",
        Feature.LEVELS: "values are shown as they are",
        Feature.TRANSFER: "this solution shuffles sensitive values in buckets, and new rows would need their "
        "own buckets and permutation",
    },
    publish=bucket_of_rows,
)
