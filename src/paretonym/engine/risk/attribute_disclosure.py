"""Attribute disclosure: for how many rows of a release a sensitive value is known by their class alone, and
which means of numbers tell the value of one row."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.factorize import group_sums
from paretonym.engine.measures import Realized

# A value of so large a share of a table is no surprise.
USUAL = 0.9


class Known(NamedTuple):
    """A sensitive column of a release. `certain` rows are in classes in which all have one value, `likely`
    ones in others in which more than 90 % have the same. `usual` of the certain ones have a value that is no
    surprise: at least 90 % of the whole table have it, its `share`. Where persons are counted, these are
    different persons, and a value is all persons' if each has it in some row."""

    column: str
    certain: int
    likely: int
    usual: int = 0
    share: float = 0.0


def known_values(realized: Realized) -> tuple[Known, ...]:
    """For each sensitive column, how many of the rows that stay have a value that their class discloses.

    Values are those of the level at which the column is measured. In buckets the class is the bucket. The
    value itself is never reported.

    Cost: one pass over the tuples with their values, nothing for values that a class does not have.
    """
    columns = []
    for place, margin in enumerate(realized.cube.sensitive):
        sizes, largest, value, of_value = _classes(realized, place)
        certain = largest == sizes
        likely = (10 * largest > 9 * sizes) & ~certain
        share = float(of_value.max() / max(of_value.sum(), 1))
        usual = certain & (value == of_value.argmax()) & (share >= USUAL)
        number = partial(_number, sizes, realized if margin.holders is not None else None)
        certainly, usually = number(certain), number(usual)
        likely_too = number(certain | likely) - certainly
        columns.append(Known(margin.name, certainly, likely_too, usually, share if usually else 0.0))
    return tuple(columns)


def _number(sizes: Integers, of_persons: Realized | None, marked: Mask) -> int:
    """Number of rows in the marked classes or, where persons are counted, of different persons."""
    return int(sizes[marked].sum()) if of_persons is None else of_persons.people_in(marked)


def _classes(realized: Realized, place: int) -> tuple[Integers, Integers, Integers, Integers]:
    """The size of each class that stays, how many of its rows, or persons, have its most frequent value, and
    which it is; and how many of all have each value."""
    classes, margin = realized.classes, realized.cube.sensitive[place]
    if classes.buckets is not None:
        cells = classes.buckets.cells[place]
        return cells.sum(axis=1), cells.max(axis=1), cells.argmax(axis=1), cells.sum(axis=0)
    if margin.holders is not None:
        every = margin.cells(classes.of_tuple, len(classes))
        cells = every[realized.stays]
        return realized.sizes, cells.max(axis=1), cells.argmax(axis=1), every.sum(axis=0)
    width = len(margin.labels)
    keys, inverse = np.unique(classes.of_tuple[margin.tuples] * width + margin.values, return_inverse=True)
    counts = group_sums(inverse, margin.counts, len(keys))
    largest = np.zeros(len(classes), dtype=np.int64)
    np.maximum.at(largest, keys // width, counts)
    frequent = np.zeros(len(classes), dtype=np.int64)
    most = counts == largest[keys // width]
    frequent[keys[most] // width] = keys[most] % width
    of_value = group_sums(keys % width, counts, width)
    return realized.sizes, largest[realized.stays], frequent[realized.stays], of_value


class Disclosure(NamedTuple):
    """Disclosure about one sensitive column by a release: the worst class by l, alpha and t, and `known`."""

    l: float  # noqa: E741 - the measure's own name
    alpha: float
    t: float
    known: Known

    @property
    def measures(self) -> dict[str, float]:
        """The measures by name."""
        return dict(zip(self._fields[:3], self[:3], strict=True))


def disclosures(realized: Realized) -> tuple[Disclosure, ...]:
    """The disclosure of each sensitive column of a release, whether or not a measure of it was an
    objective."""
    result = []
    for known in known_values(realized):
        l, alpha, t = (f"{name}@{known.column}" for name in Disclosure._fields[:3])  # noqa: E741
        values = realized.measure(l, alpha, t)
        result.append(Disclosure(values[l], values[alpha], values[t], known))
    return tuple(result)


class DominatedMeans(NamedTuple):
    """In so many classes, one row decides the mean of a column."""

    column: str
    classes: int


def dominated_means(realized: Realized) -> tuple[DominatedMeans, ...]:
    """The columns of a release in which one row decides a mean, with the number of such classes: the mean is
    farther from the median of the column than half of all values are, and the row makes more than half of the
    distances of its class from that median.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> wage = {"role": "quasi", "hierarchy": {"intervals": [1000]}}
    >>> table = pa.table({"wage": ["10", "11", "12", "13", "14", "15", "16", "9000"]})
    >>> run = Study(table, {"columns": {"wage": wage}}).explore(space="microaggregation", sweep="k=4")
    >>> dominated_means(run.data.realized(run[0].recoding))
    (DominatedMeans(column='wage', classes=1),)
    """
    classes, cube, dominated = realized.classes, realized.cube, []
    for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True)):
        line = axis.cutting.line
        if sets.numbers is None or line is None:
            continue
        leaves = axis.unit_ends[cube.groups[:, j]]
        numeric = leaves < len(line)
        values = np.append(np.array(line.points, dtype=np.float64), 0.0)[np.where(numeric, leaves, -1)]
        middle = _median(values[numeric], cube.counts[numeric])
        apart = np.where(numeric, np.abs(values - middle), 0.0)
        whole, most = np.zeros(len(classes)), np.zeros(len(classes))
        np.add.at(whole, classes.of_tuple, apart * cube.counts)
        np.maximum.at(most, classes.of_tuple, apart)
        averaged = np.ones(len(classes), dtype=np.bool_)
        averaged[classes.of_tuple[~numeric]] = False
        means = sets.numbers[classes.shown[:, j]] * line.step
        far = np.abs(means - middle) > _median(apart[numeric], cube.counts[numeric])
        if number := int((averaged & far & (2 * most > whole)).sum()):
            dominated.append(DominatedMeans(axis.name, number))
    return tuple(dominated)


def _median(values: Floats, counts: Integers) -> float:
    """The lower median of values that occur so often; 0 of none."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(counts[order])
    return float(values[order][np.searchsorted(upto, upto[-1] / 2)])
