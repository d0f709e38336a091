"""Counting a population: the people that the rows of a table were drawn from, tuple by tuple."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.factorize import distinct_rows
from paretonym.engine.counts.cube import Axis, Cube, Population
from paretonym.engine.counts.tuple_counts import count_tuples
from paretonym.tables.schema import BoundSchema
from paretonym.tables.source import Counts

PLACE = Field("population_file")


def count_population(source: Counts, bound: BoundSchema, cube: Cube) -> Population:
    """The population of a table that was counted as `cube`; `bound` is the schema's quasi-identifiers, bound
    to the population. An error if the table is not part of it."""
    counted = count_tuples(source, bound)
    coded = [_coded(axis, other) for axis, other in zip(cube.axes, counted.axes, strict=True)]
    columns = [codes[cube.groups[:, j]] for j, codes in enumerate(coded)]
    places = _places(counted, columns)
    people = np.where(places >= 0, counted.counts[places], 0)
    if short := int(np.maximum(cube.counts - people, 0).sum()):
        raise InputError.of(
            PLACE,
            f"{short:,} of {cube.rows:,} rows are not in the population: it has fewer people with their "
            "quasi-identifiers, or none, so the table is not part of it",
            "give the population that the table was drawn from, with values written in the same way",
        )
    return Population(counted.axes, counted.groups, counted.counts, places)


def _coded(own: Axis, other: Axis) -> Codes:
    """The group of the population that each group of the table's lowest level is, by its label; -1 if it has
    none. Both must be generalized alike."""
    labels = {label: i for i, label in enumerate(other.hierarchy.levels[other.lowest].labels)}
    texts = own.hierarchy.levels[own.lowest].labels
    codes = np.array([labels.get(text, -1) for text in texts], dtype=np.int32)
    occurring = np.flatnonzero(codes >= 0)
    for level in range(own.lowest, own.highest + 1):
        pairs = {
            *zip(
                own.mapping(own.lowest, level)[occurring].tolist(),
                _at(other, level, codes[occurring]),
                strict=True,
            )
        }
        if not len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs}):
            raise InputError.of(
                PLACE,
                f"level {level} of column '{own.name}' groups the values of the population in another way",
                "write the values in the same way in both",
            )
    return codes


def _at(axis: Axis, level: int, groups: Codes) -> list[int]:
    group: list[int] = axis.mapping(axis.lowest, level)[groups].tolist()
    return group


def _places(counted: Cube, columns: Sequence[Codes]) -> Integers:
    """The tuple of the population that has these values, for each of many; -1 if none has."""
    # One more value for those that the population does not have.
    sizes = [axis.groups(axis.lowest) + 1 for axis in counted.axes]
    joined = [np.concatenate([counted.groups[:, j], column]) + 1 for j, column in enumerate(columns)]
    _, ids, _ = distinct_rows(joined, sizes)
    place = np.full(int(ids.max()) + 1, -1, dtype=np.int64)
    place[ids[: counted.tuples]] = np.arange(counted.tuples)
    return place[ids[counted.tuples :]]
