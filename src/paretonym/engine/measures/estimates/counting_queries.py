"""Error of a release in answering counting queries, drawn at random from a seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures.estimates.reader_estimates import answers
from paretonym.engine.measures.estimates.released_regions import (
    Regions,
    Seen,
    chosen,
    regions,
    true_regions,
    tuple_cells,
)

MOST_DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries about one sensitive column. `involved[i, j]`: query i is about axis j; `leaves[i]` marks the
    selected leaves of all axes, behind one another, those of axis j from `starts[j]` on; `values[i]` the
    selected sensitive values. `truth[i]` is how many rows it selects."""

    involved: Mask
    leaves: Mask
    values: Mask
    starts: Integers
    truth: Floats

    @property
    def marks(self) -> tuple[Mask, Mask, Mask]:
        return self.involved, self.leaves, self.values

    def answers(self, shown: Regions) -> Floats:
        """Answers of a reader of these regions."""
        running = np.zeros((len(self.leaves), self.leaves.shape[1] + 1), dtype=np.int32)
        np.cumsum(self.leaves, axis=1, out=running[:, 1:])
        return answers(self.involved, running, self.starts, self.values, shown)


def query_error(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The average relative error of a reader's answers to counting queries.

    Formula: the mean over queries of |estimate − actual| / actual. Each of `queries` queries names `qd`
    quasi-identifiers and the sensitive column, and selects ceil(D · sel^(1/(qd+1))) values of each at random.
    The reader assumes that all values of a shown set are equally likely. Several columns: the mean.

    Cost: queries × classes.

    Misleads about small counts: an error of one row in two counts as much as one of a thousand in two
    thousand.

    Reference: Xiao & Tao 2006; Li & Li 2009, Section 5.2 (average relative error, here not in percent).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "21", "21"], "job": ["a", "b", "a", "a"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(table, schema={"columns": {"age": age, "job": {"role": "sensitive"}}})
    >>> [solution.values["query-error"] for solution in study.explore("k", "query-error", suppress=0)]
    [0.4135, 0.0]
    """
    errors = []
    for column in columns:
        asked = queries(seen.cube, column, parameters)
        guess = asked.answers(regions(seen, [column]))
        errors.append(float((np.abs(guess - asked.truth) / asked.truth).mean()) if len(guess) else 0.0)
    return sum(errors) / len(errors)


_known: WeakKeyDictionary[Cube, dict[tuple[object, ...], Queries]] = WeakKeyDictionary()
_lock = Lock()


def queries(cube: Cube, column: str, parameters: Mapping[str, Any]) -> Queries:
    """The queries for a seed, drawn once for each table."""
    cube = cube.of_values
    key = (column, *sorted(parameters.items()))
    with _lock:
        kept = _known.setdefault(cube, {})
        if key not in kept:
            kept[key] = _drawn(cube, column, parameters)
        return kept[key]


def _drawn(cube: Cube, column: str, parameters: Mapping[str, Any]) -> Queries:
    """Draw queries and count what they select. Those that select nobody are drawn again, and left out if they
    never select anybody."""
    generator = np.random.default_rng([int(parameters["seed"]), 2009])
    original = true_regions(cube, tuple_cells(cube, [column]))
    drawn = _draw(generator, cube, column, parameters, int(parameters["queries"]))
    truth = drawn.answers(original)
    for _ in range(MOST_DRAWS):
        empty = truth == 0
        if not empty.any():
            break
        again = _draw(generator, cube, column, parameters, int(empty.sum()))
        for marks, others in zip(drawn.marks, again.marks, strict=True):
            marks[empty] = others
        truth[empty] = again.answers(original)
    some = truth > 0
    involved, leaves, values = (marks[some] for marks in drawn.marks)
    return Queries(involved, leaves, values, drawn.starts, truth[some])


def _draw(
    generator: np.random.Generator, cube: Cube, column: str, parameters: Mapping[str, Any], number: int
) -> Queries:
    """The given number of queries, whatever they select."""
    (margin,) = chosen(cube, [column])
    dimensions = max(1, min(int(parameters["qd"]), len(cube.axes)))
    share = parameters["sel"] ** (1.0 / (dimensions + 1))
    sizes = [len(axis.hierarchy.leaves) for axis in cube.axes]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    involved = np.zeros((number, len(cube.axes)), dtype=np.bool_)
    leaves = np.zeros((number, int(starts[-1])), dtype=np.bool_)
    values = np.zeros((number, len(margin.labels)), dtype=np.bool_)
    for i in range(number):
        involved[i, generator.permutation(len(cube.axes))[:dimensions]] = True
        for j in np.flatnonzero(involved[i]).tolist():
            leaves[i, starts[j] + _some_leaves(generator, cube.axes[j], share)] = True
        values[i, _some(generator, len(margin.labels), share)] = True
    return Queries(involved, leaves, values, starts, np.zeros(number))


def _some_leaves(generator: np.random.Generator, axis: Axis, share: float) -> Integers:
    """The leaves of some units, each a value that tuples can distinguish; values outside the hierarchy are
    excluded."""
    ends = axis.unit_ends
    units = int((ends[:-1] < axis.hierarchy.domain).sum())
    picked = _some(generator, units, share)
    return np.concatenate([np.arange(ends[unit], ends[unit + 1]) for unit in picked.tolist()])


def _some(generator: np.random.Generator, number: int, share: float) -> Integers:
    """ceil(number · share) of `number`, at random; a number that is whole except for rounding errors is not
    rounded up."""
    return generator.permutation(number)[: max(1, math.ceil(round(number * share, 9)))]
