"""Two sources as one: old rows and those that were added to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.errors import InputError
from paretonym.source.coarse_table import CoarseColumn, CoarseTable
from paretonym.source.counted_table import CountedColumn, CountedTable, RepeatedValues
from paretonym.source.engines.shared_values import SharedValues, shared_values
from paretonym.source.table import Table, joined_column

AnySource: TypeAlias = Table | CountedTable


def joined(first: AnySource, second: AnySource, known: Mapping[str, SharedValues] | None = None) -> AnySource:
    """Two sources as one: the entries of the first, then those of the second; an entry is a row or, where one
    of them was counted, a distinct row of the columns that both have counted. The first may have been counted
    at coarser levels: then nothing below these is known of its rows. `known` are the values that columns of
    both share, as far as somebody has looked already."""
    if isinstance(first, Table) and isinstance(second, Table):
        return first.joined(second)
    weights = np.concatenate([_weights(first), _weights(second)])
    shared = [name for name in first.counted if name in second.counted]
    counted = [each for each in (first, second) if isinstance(each, CountedTable)]
    unique = dict.fromkeys(name for each in counted for name in each.repeats)
    made = CoarseTable if isinstance(first, CoarseTable) else CountedTable
    return made(
        name=second.name,
        names=first.names,
        columns=tuple(_column(first, second, name, weights) for name in shared),
        weights=weights,
        fingerprint="",
        engine=counted[0].engine,
        repeats={
            name: _repeated(
                first, second, name, (known or {}).get(name) or shared_values(first, second, name)
            )
            for name in unique
        },
        levels=first.levels if isinstance(first, CountedTable) else {},
    )


def _weights(source: AnySource) -> Integers:
    return np.ones(source.entries, dtype=np.int64) if source.weights is None else source.weights


def _column(first: AnySource, second: AnySource, name: str, weights: Integers) -> CountedColumn:
    past = first.column(name)
    both = joined_column(past, second.column(name))
    parts = (name, both.type, both.values, both.texts, both.codes, weights)
    if not isinstance(past, CoarseColumn):
        return CountedColumn(*parts)
    return CoarseColumn(*parts, past.value_rows, past.left_rows, first.entries)


def _repeated(first: AnySource, second: AnySource, name: str, both: SharedValues) -> RepeatedValues:
    """The values that more than one row of both has, be it one of each."""
    if not both.all_named:
        wrong = f"{both.number:,} values of this identifier occur in both old and new rows"
        raise InputError.of(f"{second.name}, column '{name}'", wrong, "give new rows of other people")
    columns = first.repeated(name), second.repeated(name)
    often: Counter[str] = Counter()
    for column in columns:
        places = np.flatnonzero(column.counts > 1).tolist()
        repeated = {column.texts[place]: int(column.counts[place]) for place in places}
        often.update({text: repeated.get(text, 1) for text in {*both.texts, *repeated}})
    counts = np.array(list(often.values()), dtype=np.int64)
    nulls = sum(column.nulls for column in columns)
    return RepeatedValues(name, columns[0].type, tuple(often), counts, nulls)
