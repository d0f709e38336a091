"""Counting tuples: the cube of a table and, where a question needs them, the weights of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Bug, InputError
from paretonym.base.factorize import run_starts, summed
from paretonym.engine.counts.cube import Axis, Cube, Margin
from paretonym.engine.counts.person_counts import FurtherCounts, Persons, count_further, count_households
from paretonym.engine.counts.sampling_weights import Weights, whole_weights
from paretonym.engine.counts.suppression_units import count_units
from paretonym.tables.schema import (
    BoundColumn,
    BoundSchema,
    ClassColumn,
    PersonColumn,
    QuasiColumn,
    SensitiveColumn,
)
from paretonym.tables.source import Counts, TupleCounts


def count_tuples(source: Counts, bound: BoundSchema, unit: str = "row") -> Cube:
    """The cube of a source: distinct tuples of the quasi-identifiers at their lowest levels, with counts. A
    suppressed row takes with it what `unit` says: nothing, or the other rows of its person or household."""
    cube = _count_cube(source, bound)
    if bound.household is not None:
        cube = _with_households(source, bound, cube)
    column = {"person": bound.person, "household": bound.household}.get(unit)
    # Where every person is in one class, whole persons are suppressed in any case.
    if column is None or (unit == "person" and cube.adds_up):
        return cube
    units = count_units(source, bound, column, _lowest_levels(cube), cube.tuples)
    return replace(cube, margins={**cube.margins, "unit": (units,)})


def _lowest_levels(cube: Cube) -> list[int]:
    return [axis.lowest for axis in cube.axes]


def _with_households(source: Counts, bound: BoundSchema, cube: Cube) -> Cube:
    """The cube, and the finer one that it holds, with their households."""
    finer = tuple(_with_households(source, bound, below) for below in cube.finer)
    households = count_households(source, bound, _lowest_levels(cube), cube.tuples)
    return replace(cube, margins={**cube.margins, "household": (households,)}, finer=finer)


def _count_cube(source: Counts, bound: BoundSchema) -> Cube:
    """The cube that one query gives. If a column begins above level 0, it holds the cube at level 0 too."""
    remaining = source.omitting(bound.omitted)
    axes = [_axis(column, remaining, bound.person) for column in bound.quasi]
    finest = remaining.tuples(
        {**{column.name: column.groups(0) for column in bound.quasi}, **_further(bound)}
    )
    if not any(axis.lowest for axis in axes):
        return _cube(bound, axes, finest, source.rows)
    finer = _cube(bound, [replace(axis, lowest=0) for axis in axes], finest, source.rows)
    return replace(_cube(bound, axes, _rolled_up(finest, axes), source.rows), finer=(finer,))


def _further(bound: BoundSchema) -> dict[str, Codes]:
    """The columns that are counted together with the quasi-identifiers."""
    persons = () if bound.person is None else (bound.person,)
    columns: tuple[BoundColumn, ...] = (*bound.sensitive, *bound.classes, *bound.sizes_required, *persons)
    return {column.name: column.lookup for column in columns}


def _axis(column: QuasiColumn, rows: Counts, person: PersonColumn | None) -> Axis:
    """The axis of a quasi-identifier, with the rows of each leaf and, if they are counted, its persons."""
    leaves, persons = len(column.hierarchy.leaves), None
    if person is not None:
        pairs = rows.tuples({column.name: column.lookup, person.name: person.lookup})
        persons = np.bincount(pairs.codes[0], minlength=leaves).astype(np.int64)
    return Axis(
        column.name,
        column.hierarchy,
        column.lowest,
        column.highest,
        column.importance,
        column.rows_of_codes(rows.column(column.name), leaves),
        column.cutting,
        persons,
    )


def _rolled_up(tuples: TupleCounts, axes: Sequence[Axis]) -> TupleCounts:
    """The tuples at the lowest levels, from those at level 0."""
    quasi, further = tuples.codes[: len(axes)], tuples.codes[len(axes) :]
    lowest = [axis.mapping(0, axis.lowest)[codes] for axis, codes in zip(axes, quasi, strict=True)]
    return TupleCounts.of([*lowest, *further], tuples.counts)


def _cube(bound: BoundSchema, axes: Sequence[Axis], tuples: TupleCounts, read: int) -> Cube:
    """The cube of sorted tuples, of which those that agree in the quasi-identifiers are adjacent; further
    columns come after these."""
    quasi = tuples.codes[: len(axes)]
    values = dict(zip(_further(bound), tuples.codes[len(axes) :], strict=True))
    first = run_starts(quasi)
    places = np.repeat(np.arange(len(first)), np.diff(first, append=len(tuples.counts)))

    def margin(column: SensitiveColumn | ClassColumn) -> Margin:
        return _margin(column, places, values[column.name], tuples.counts)

    sensitive = tuple(
        replace(margin(column), ordered=column.ordered, tree=column.tree) for column in bound.sensitive
    )
    persons: tuple[Persons, ...] = ()
    if bound.person is not None:
        number, ids = bound.person.number, values[bound.person.name]
        persons = (Persons.of(number, places, ids),)
        sensitive = tuple(
            replace(column, holders=Persons.of(number, places, ids, values[column.name], len(column.labels)))
            for column in sensitive
        )
    return Cube(
        axes=tuple(axes),
        groups=np.stack([codes[first] for codes in quasi], axis=1),
        counts=np.add.reduceat(tuples.counts, first),
        margins={
            "sensitive": sensitive,
            "class": tuple(map(margin, bound.classes)),
            "required-k": tuple(map(margin, bound.sizes_required)),
            "person": persons,
        },
        rows=int(tuples.counts.sum()),
        read=read,
    )


def _margin(
    column: SensitiveColumn | ClassColumn, places: Integers, values: Codes, counts: Integers
) -> Margin:
    """Counts of each value of a column with each tuple; entry i is of the tuple at `places[i]`."""
    size = len(column.values)
    cells, sums = summed(places * size + values, counts)
    return Margin(
        name=column.name,
        labels=column.values,
        tuples=cells // size,
        values=(cells % size).astype(np.int32),
        counts=sums,
    )


def count_weights(source: Counts, bound: BoundSchema, cube: Cube) -> Weights:
    """The sampling weights of the tuples of a cube. All rows of a person must have one weight.

    Cost: one query for the distinct tuples with their weights.
    """
    weight, person = bound.weight, bound.person
    if weight is None:
        raise Bug("no column holds weights")
    columns: list[BoundColumn] = [weight] if person is None else [weight, person]
    lookups = {column.name: column.lookup for column in columns}
    further = count_further(source, bound, _lowest_levels(cube), lookups, cube.tuples)
    values, unit = whole_weights(weight.values, cube.rows)
    weights = values[further.values[0]]
    rows = np.add.reduceat(weights * further.counts, further.first)
    if person is None:
        return Weights(rows, rows, unit)
    ids = further.values[1]
    _check_one_weight(source.name, weight.name, further, person.number)
    of_person = np.zeros(person.number, dtype=np.int64)
    of_person[ids] = weights
    return Weights(rows, np.add.reduceat(weights, further.first), unit, of_person, cube.persons)


def _check_one_weight(table: str, column: str, further: FurtherCounts, persons: int) -> None:
    """Refuse persons whose rows have different weights: it is not known how many people they stand for."""
    weights, ids = further.values
    pairs = TupleCounts.of([ids, weights], further.counts)
    several = int((np.bincount(pairs.codes[0], minlength=persons) > 1).sum())
    if several:
        raise InputError.of(
            f"{table}, column '{column}'",
            f"weights differ between the rows of {several:,} of {persons:,} people",
            'give everybody one weight, or give the column the role "drop"',
        )
