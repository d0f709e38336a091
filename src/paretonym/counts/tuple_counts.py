"""Counting tuples: the cube is filled by one query to the source, whatever is asked later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.counts.cube import Axis, Cube, Margin
from paretonym.counts.person_counts import FurtherCounts, Persons, count_further, count_households
from paretonym.counts.sampling_weights import Weights, whole_weights
from paretonym.counts.suppression_units import count_units
from paretonym.errors import Bug, InputError
from paretonym.factorize import distinct_rows, run_starts, summed
from paretonym.schema import BoundSchema, ClassColumn, PersonColumn, QuasiColumn, SensitiveColumn
from paretonym.source import Counts, TupleCounts


def count_tuples(source: Counts, bound: BoundSchema, unit: str = "row") -> Cube:
    """The cube of a source: distinct tuples of the quasi-identifiers at their lowest levels, with counts. A
    suppressed row takes with it what `unit` says: nothing, or the other rows of its person or household."""
    cube = _counted(source, bound)
    if bound.household is not None:
        cube = replace(cube, finer=tuple(_with_households(source, bound, finer) for finer in cube.finer))
        cube = _with_households(source, bound, cube)
    # Where every person is in one class, whole persons are suppressed in any case.
    alone = unit == "person" and cube.adds_up
    column = {"person": bound.person, "household": bound.household}.get(unit)
    if column is None or alone:
        return cube
    levels = [axis.lowest for axis in cube.axes]
    units = count_units(source, bound, column, levels, cube.tuples)
    return replace(cube, margins={**cube.margins, "unit": (units,)})


def _with_households(source: Counts, bound: BoundSchema, cube: Cube) -> Cube:
    levels = [axis.lowest for axis in cube.axes]
    households = count_households(source, bound, levels, cube.tuples)
    return replace(cube, margins={**cube.margins, "household": (households,)})


def _counted(source: Counts, bound: BoundSchema) -> Cube:
    remaining = source.omitting(bound.omitted)
    coding = {column.name: column.groups(0) for column in bound.quasi}
    columns = (*bound.sensitive, *bound.classes, *bound.sizes_required)
    further = {column.name: column.lookup for column in columns}
    whose = {} if bound.person is None else {bound.person.name: bound.person.lookup}
    finest = remaining.tuples({**coding, **further, **whose})
    axes = [_axis(column, remaining) for column in bound.quasi]
    if bound.person is not None:
        axes = [
            _counting_persons(
                axis, *_owners(remaining, column, bound.person, (finest.codes[j], finest.codes[-1]))
            )
            for j, (axis, column) in enumerate(zip(axes, bound.quasi, strict=True))
        ]
    if not any(axis.lowest for axis in axes):
        return _cube(source, bound, axes, finest)
    return replace(
        _cube(source, bound, axes, _rolled_up(finest, axes)),
        finer=(_cube(source, bound, [replace(axis, lowest=0) for axis in axes], finest),),
    )


def _axis(column: QuasiColumn, left: Counts) -> Axis:
    return Axis(
        column.name,
        column.hierarchy,
        column.lowest,
        column.highest,
        column.importance,
        column.rows_of_codes(left.column(column.name), len(column.hierarchy.leaves)),
        column.cutting,
    )


def _owners(
    left: Counts, column: QuasiColumn, person: PersonColumn, finest: tuple[Codes, Codes]
) -> Sequence[Codes]:
    """The leaves of a column, and who has them: those of the finest tuples, unless level 0 already shows
    several leaves as one, as top and bottom coding do."""
    hierarchy = column.hierarchy
    if hierarchy.group_counts[0] == len(hierarchy.leaves):
        return finest
    return left.tuples({column.name: column.lookup, person.name: person.lookup}).codes


def _counting_persons(axis: Axis, leaves: Codes, ids: Codes) -> Axis:
    """The axis with the number of different persons of each leaf; entry i is a row of person `ids[i]`."""
    size = len(axis.hierarchy.leaves)
    first, _, _ = distinct_rows([leaves, ids], [size, int(ids.max(initial=0)) + 1])
    return replace(axis, leaf_persons=np.bincount(leaves[first], minlength=size).astype(np.int64))


def _rolled_up(tuples: TupleCounts, axes: Sequence[Axis]) -> TupleCounts:
    """The tuples at the lowest levels, from those at level 0."""
    quasi, further = tuples.codes[: len(axes)], tuples.codes[len(axes) :]
    lowest = [axis.mapping(0, axis.lowest)[codes] for axis, codes in zip(axes, quasi, strict=True)]
    return TupleCounts.of([*lowest, *further], tuples.counts)


def _cube(source: Counts, bound: BoundSchema, axes: Sequence[Axis], tuples: TupleCounts) -> Cube:
    """The cube of sorted tuples: those that agree in the quasi-identifiers are adjacent."""
    if bound.person is not None:
        return _with_persons(source, bound, axes, tuples)
    quasi, further = tuples.codes[: len(axes)], iter(tuples.codes[len(axes) :])
    first = run_starts(quasi)
    places = np.repeat(np.arange(len(first)), np.diff(first, append=len(tuples.counts)))
    return Cube(
        axes=tuple(axes),
        groups=np.stack([codes[first] for codes in quasi], axis=1),
        counts=np.add.reduceat(tuples.counts, first),
        margins={
            "sensitive": tuple(
                replace(
                    _margin(column, places, next(further), tuples), ordered=column.ordered, tree=column.tree
                )
                for column in bound.sensitive
            ),
            "class": tuple(_margin(column, places, next(further), tuples) for column in bound.classes),
            "required-k": tuple(
                _margin(column, places, next(further), tuples) for column in bound.sizes_required
            ),
        },
        rows=int(tuples.counts.sum()),
        read=source.rows,
    )


def _with_persons(source: Counts, bound: BoundSchema, axes: Sequence[Axis], tuples: TupleCounts) -> Cube:
    """The cube of rows, and beside it who has rows with each tuple and value; persons come last in tuples."""
    *codes, ids = tuples.codes
    cube = _cube(source, replace(bound, person=None), axes, TupleCounts.of(codes, tuples.counts))
    quasi, further = codes[: len(axes)], iter(codes[len(axes) :])
    first = run_starts(quasi)
    places = np.repeat(np.arange(len(first)), np.diff(first, append=len(tuples.counts)))
    number = 0 if bound.person is None else bound.person.number
    sensitive = tuple(
        replace(margin, holders=Persons.of(number, places, ids, next(further), len(margin.labels)))
        for margin in cube.sensitive
    )
    persons = Persons.of(number, places, ids)
    return replace(cube, margins={**cube.margins, "sensitive": sensitive, "person": (persons,)})


def _margin(
    column: SensitiveColumn | ClassColumn, places: Integers, values: Codes, tuples: TupleCounts
) -> Margin:
    size = len(column.values)
    cells, counts = summed(places * size + values, tuples.counts)
    return Margin(
        name=column.name,
        labels=column.values,
        tuples=cells // size,
        values=(cells % size).astype(np.int32),
        counts=counts,
    )


def count_weights(source: Counts, bound: BoundSchema, cube: Cube) -> Weights:
    """The weights of the tuples of a cube: the one that was counted, or its `finest`. A person must have one
    weight.

    Cost: one query for the distinct tuples with their weights.
    """
    weight, person = bound.weight, bound.person
    if weight is None:
        raise Bug("no column holds weights")
    lowest = {axis.name: axis.lowest for axis in cube.axes}
    levels = [lowest[column.name] for column in bound.quasi]
    whose = {} if person is None else {person.name: person.lookup}
    further = count_further(source, bound, levels, {weight.name: weight.lookup, **whose}, cube.tuples)
    values, unit = whole_weights(weight.values, cube.rows)
    weights = values[further.values[0]]
    rows = np.add.reduceat(weights * further.counts, further.first)
    if person is None:
        return Weights(rows, rows, unit)
    ids = further.values[1]
    _check_one_each(source.name, weight.name, further, person.number)
    of_person = np.zeros(person.number, dtype=np.int64)
    of_person[ids] = weights
    return Weights(rows, np.add.reduceat(weights, further.first), unit, of_person, cube.persons)


def _check_one_each(table: str, column: str, found: FurtherCounts, persons: int) -> None:
    """Refuse persons whose rows have different weights: it is not known how many people they stand for."""
    weights, ids = found.values
    pairs = TupleCounts.of([ids, weights], found.counts).codes[0]
    several = int((np.bincount(pairs, minlength=persons) > 1).sum())
    if several:
        raise InputError.of(
            f"{table}, column '{column}'",
            f"weights differ between the rows of {several:,} of {persons:,} people",
            'give everybody one weight, or give the column the role "drop"',
        )
