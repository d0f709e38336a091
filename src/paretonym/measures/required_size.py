"""Each person's own k: whether classes are as large as the people in them require."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Margin
from paretonym.errors import Bug
from paretonym.measures.estimates.released_regions import Seen


def k_ratio(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The size of a class as a share of the largest k that anybody in it requires, in the worst class: from 1
    on everybody has what they require.

    Formula: min |C| / max required k in C, over the classes that stay. In buckets, which show
    quasi-identifiers as they are, C holds the rows with equal quasi-identifiers.

    Cost: one pass over the counted requirements for each candidate.

    Misleads if few state what they require: everybody else has the schema's default.

    Reference: Dewri et al., trade-offs, Sections 1 and 8 (what people require, person by person).

    >>> import pyarrow as pa
    >>> from paretonym.run.study import Study
    >>> people = pa.table({"k": [1, 2, 2, 4], "age": ["20", "20", "50", "50"]})
    >>> columns = {"k": {"role": "required-k"}, "age": {"role": "quasi", "hierarchy": {"flat": True}}}
    >>> study = Study(people, {"columns": columns})
    >>> [solution.values["k-ratio"] for solution in study.explore("k-ratio", "loss", suppress=0)]
    [1.0, 0.5]
    """
    of_tuple, sizes, stays = seen.classes.of_tuple, seen.classes.sizes, seen.stays
    if seen.classes.buckets is not None:
        of_tuple = np.arange(seen.cube.tuples)
        stays = seen.stays[seen.classes.of_tuple]
        sizes = seen.cube.class_sizes(of_tuple, seen.cube.counts)
    margin = _required(seen)
    largest = np.ones(len(sizes), dtype=np.int64)
    np.maximum.at(largest, of_tuple[margin.tuples], _sizes(margin)[margin.values])
    return float((sizes / largest)[stays].min())


def reachable_k_ratio(seen: Seen, suppressible: int) -> float:
    """What k-ratio is at most at every specialization of a node.

    Let C be a class of the node, r its (η + 1)-th largest requirement where η rows may be suppressed. At a
    specialization one of the η + 1 rows that require at least r stays, in a class of at most |C| rows: so
    k-ratio is at most |C| / r there. Persons with several rows may be in several classes, each of which holds
    some of the people of C: the same follows.
    """
    margin, sizes = _required(seen), seen.classes.sizes
    owner, required = seen.classes.of_tuple[margin.tuples], _sizes(margin)[margin.values]
    order = np.lexsort((-required, owner))
    owner, required, rows = owner[order], required[order], margin.counts[order]
    before = np.cumsum(rows)
    first = np.searchsorted(owner, owner)
    among = before - np.where(first > 0, before[first - 1], 0)
    stays = np.flatnonzero(among > suppressible)
    return float((sizes[owner[stays]] / required[stays]).min()) if len(stays) else np.inf


def _required(seen: Seen) -> Margin:
    if seen.cube.required is None:
        raise Bug("nothing says which k people require")
    return seen.cube.required


def _sizes(margin: Margin) -> Integers:
    """The sizes that the labels mean."""
    return np.array([int(label) for label in margin.labels], dtype=np.int64)
