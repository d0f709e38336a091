"""Counts of further columns by the tuples of a cube: who has the rows, what they weigh, where they belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.errors import Bug
from paretonym.factorize import run_starts
from paretonym.schema import BoundSchema
from paretonym.source import DataSource


class FurtherCounts(NamedTuple):
    """`counts[i]` rows with tuple `tuples[i]` have the values `values[c][i]` of further columns c; sorted by
    tuple, each of which begins at an entry of `first`."""

    tuples: Integers
    values: tuple[Codes, ...]
    counts: Integers
    first: Integers


def count_further(
    source: DataSource,
    bound: BoundSchema,
    levels: Sequence[int],
    further: Mapping[str, Codes],
    tuples: int,
) -> FurtherCounts:
    """The tuples at these levels, `tuples` in number, with the codes of further columns.

    Cost: one query for the distinct tuples with these values.
    """
    coding = {column.name: column.groups(level) for column, level in zip(bound.quasi, levels, strict=True)}
    found = source.omitting(bound.omitted).tuples({**coding, **further})
    first = run_starts(found.codes[: len(coding)])
    if len(first) != tuples:
        raise Bug("further columns were counted by other tuples than rows")
    places = np.repeat(np.arange(len(first)), np.diff(first, append=len(found.counts)))
    return FurtherCounts(places, tuple(found.codes[len(coding) :]), found.counts, first)
