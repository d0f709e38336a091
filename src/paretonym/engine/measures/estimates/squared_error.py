"""The squared error of numbers: how far what is shown is from the values, as microaggregation measures it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.number_text import as_number
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures.estimates.released_regions import Seen, shown_leaves


def value_numbers(axis: Axis) -> Floats | None:
    """The number of each leaf of a quasi-identifier as level 0 shows it; None if some value is none."""
    values = axis.hierarchy.levels[0]
    numbers = [as_number(label) for label in values.labels]
    groups = values.groups if None not in numbers else values.groups[: axis.hierarchy.domain]
    if any(numbers[group] is None for group in np.unique(groups).tolist()):
        return None
    if axis.leaf_rows[len(groups) :].any():
        return None
    return np.array(numbers, dtype=np.float64)[groups]


def squared_error(seen: Seen, _columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Squared error of the shown numbers, as a share of that of the mean.

    Formula: numeric quasi-identifiers, standardized: Σ (value − shown number)² / Σ (value − mean)². A set
    stands for its midpoint, a suppressed row for the mean.

    Cost: one pass over the tuples for each numeric column.

    Misleads where a column is skewed: a few large values decide it.

    Reference: Domingo-Ferrer & Mateo-Sanz 2002.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "22", "30", "32"]})
    >>> age = {"role": "quasi", "type": "integer", "hierarchy": {"breaks": [[26]]}}
    >>> study = Study(table, {"columns": {"age": age}})
    >>> [solution["sse"] for solution in study.explore("k", "sse", suppress=0)]
    [1.0, 0.03846153846, 0.0]
    """
    numbers = {j: value_numbers(axis) for j, axis in enumerate(seen.cube.axes)}
    errors = [_of_column(seen, j, own) for j, own in numbers.items() if own is not None]
    spread = [error for error in errors if error is not None]
    return float(np.mean(spread)) if spread else 0.0


def _of_column(seen: Seen, j: int, numbers: Floats) -> float | None:
    """The error of one column; None if all its values are equal."""
    rows = seen.cube.axes[j].leaf_rows[: len(numbers)]
    mean = rows @ numbers / max(rows.sum(), 1)
    whole = float(rows @ (numbers - mean) ** 2)
    if not whole:
        return None
    values, class_of, counts = _staying(seen, j, numbers)
    suppressed = whole - counts @ (values - mean) ** 2
    return float((counts @ (values - _shown(seen, j, numbers)[class_of]) ** 2 + max(suppressed, 0.0)) / whole)


def _staying(seen: Seen, j: int, numbers: Floats) -> tuple[Floats, Integers, Integers]:
    """The values of the rows that stay, the place of each one's class among those that stay, and how many
    rows have it."""
    fine = seen.cube.of_values
    axis = fine.axes[j]
    class_of = seen.classes.of_tuple[coarse_tuples(fine, seen.cube)]
    stays = seen.stays[class_of]
    place = np.cumsum(seen.stays) - 1
    first = np.searchsorted(axis.hierarchy.levels[axis.lowest].groups, fine.groups[stays, j])
    return numbers[first], place[class_of[stays]], fine.counts[stays]


def _shown(seen: Seen, j: int, numbers: Floats) -> Floats:
    """The number that each class that stays shows: its own, or the midpoint of its set."""
    own = seen.classes.sets[j].numbers
    if own is not None:
        return np.asarray(own[seen.classes.shown[seen.stays, j]])
    low, high = (ends[j] for ends in shown_leaves(seen))
    pairs, which = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    parts = [numbers[first:after] for first, after in pairs.T.tolist()]
    return np.array([(part.min() + part.max()) / 2 for part in parts])[which.reshape(-1)]


def coarse_tuples(fine: Cube, cube: Cube) -> Integers:
    """The tuple of a cube that each tuple of the finest one belongs to."""
    if fine is cube:
        return np.arange(cube.tuples)
    groups = [
        axis.mapping(fine.axes[j].lowest, axis.lowest)[fine.groups[:, j]] for j, axis in enumerate(cube.axes)
    ]
    both = np.concatenate([cube.groups, np.stack(groups, axis=1)])
    place = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    tuple_at = np.zeros(int(place.max(initial=0)) + 1, dtype=np.int64)
    tuple_at[place[: cube.tuples]] = np.arange(cube.tuples)
    tuples: Integers = tuple_at[place[cube.tuples :]]
    return tuples
