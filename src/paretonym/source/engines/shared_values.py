"""The values that a column has in two tables, and two tables as one: old rows and those added to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from paretonym.source.data_source import ColumnType, ValueCounts
from paretonym.source.table_counts import Column, Counts, RepeatedValues, joined_column
from paretonym.source.value_types import identities


def shared_values(first: Counts, second: Counts, name: str) -> tuple[str, ...]:
    """The values of a column that both tables have, as the first spells them."""
    old, new = first.every_value(name), second.every_value(name)
    texts, same = set(new.texts), set(_identities(new, old.type))
    pairs = zip(old.texts, _identities(old, new.type), strict=True)
    return tuple(text for text, identity in pairs if text in texts or identity in same)


def _identities(column: ValueCounts, beside: ColumnType) -> list[str]:
    values = column.values if isinstance(column, Column) else None
    found: list[str] = identities(column.type, column.texts, values, beside).to_pylist()
    return found


def joined(first: Counts, second: Counts, shared: Mapping[str, tuple[str, ...]] | None = None) -> Counts:
    """Two tables as one: the entries of the first, then those of the second, in the columns that both have
    counted. `shared` are the values of columns that both have, as far as somebody has looked already."""
    weights = np.concatenate([first.weights, second.weights])
    columns = [
        joined_column(first.column(name), second.column(name), weights)
        for name in first.counted
        if name in second.counted
    ]
    return Counts(
        name=second.name,
        names=first.names,
        columns=tuple(columns),
        weights=weights,
        repeats={
            name: _repeated(
                first, second, name, (shared or {}).get(name) or shared_values(first, second, name)
            )
            for name in dict.fromkeys([*first.repeats, *second.repeats])
        },
    )


def _repeated(first: Counts, second: Counts, name: str, both: tuple[str, ...]) -> RepeatedValues:
    """The values that more than one row of both has, be it one of each."""
    columns = first.repeated(name), second.repeated(name)
    often: Counter[str] = Counter()
    for column in columns:
        places = np.flatnonzero(column.counts > 1).tolist()
        repeated = {column.texts[place]: int(column.counts[place]) for place in places}
        often.update({text: repeated.get(text, 1) for text in {*both, *repeated}})
    counts = np.array(list(often.values()), dtype=np.int64)
    nulls = sum(column.nulls for column in columns)
    return RepeatedValues(name, columns[0].type, tuple(often), counts, nulls)
