"""Two tables as one: old rows and those that were added to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from paretonym.arrays import Integers
from paretonym.errors import InputError
from paretonym.source.coarse_table import CoarseColumn, CoarseCounts
from paretonym.source.engines.shared_values import SharedValues, shared_values
from paretonym.source.table_counts import Column, Counts, RepeatedValues, joined_column


def joined(first: Counts, second: Counts, known: Mapping[str, SharedValues] | None = None) -> Counts:
    """Two tables as one: the entries of the first, then those of the second, in the columns that both have
    counted. The first may have been counted at coarser levels: then nothing below these is known of its rows.
    `known` are the values that columns of both share, as far as somebody has looked already."""
    weights = np.concatenate([first.weights, second.weights])
    shared = [name for name in first.counted if name in second.counted]
    unique = dict.fromkeys([*first.repeats, *second.repeats])
    made = CoarseCounts if isinstance(first, CoarseCounts) else Counts
    return made(
        name=second.name,
        names=first.names,
        columns=tuple(_column(first, second, name, weights) for name in shared),
        weights=weights,
        repeats={
            name: _repeated(
                first, second, name, (known or {}).get(name) or shared_values(first, second, name)
            )
            for name in unique
        },
        levels=first.levels,
    )


def _column(first: Counts, second: Counts, name: str, weights: Integers) -> Column:
    past = first.column(name)
    both = joined_column(past, second.column(name))
    parts = (name, both.type, both.values, both.texts, both.codes, weights)
    if not isinstance(past, CoarseColumn):
        return Column(*parts)
    return CoarseColumn(*parts, value_rows=past.value_rows, left_rows=past.left_rows, known=first.entries)


def _repeated(first: Counts, second: Counts, name: str, both: SharedValues) -> RepeatedValues:
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
