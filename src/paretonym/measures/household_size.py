"""Measures of households: how many look the same if their members stay linkable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paretonym.counts import Households
from paretonym.errors import Bug
from paretonym.measures.estimates.released_regions import Seen


def k_household(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The smallest number of households that show the same members: what somebody who knows all members of a
    household, and that they belong together, cannot tell apart.

    Formula: min over the households with a released member of the number of households with the same multiset
    of generalized members; a suppressed member shows nothing.

    Cost: one grouping of households for each node, by the sorted list of their members' classes.

    Misleads where members do not stay linkable in the release: then k counts, and this is far too strict.

    Reference: Templ 2017, Statistical Disclosure Control for Microdata, household (hierarchical) risk.

    >>> import pyarrow as pa
    >>> from paretonym.run.study import Study
    >>> people = pa.table({"home": list("aabbcc"), "age": ["20", "50", "50", "20", "20", "20"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(people, {"columns": {"home": {"role": "household"}, "age": age}})
    >>> [solution.values["k-household"] for solution in study.explore("k-household", "loss", suppress=0)]
    [3.0, 1.0]
    """
    return float(_households(seen).alike(seen.classes.of_tuple, seen.stays).min())


def reachable_k_household(seen: Seen, suppressible: int) -> float:
    """What k-household is at most at every specialization of a node.

    Of more households with the same members than rows may be suppressed, one loses no member. At a
    specialization it shows what at most these households and those that lose a member can show.
    """
    every = np.ones(len(seen.classes), dtype=np.bool_)
    alike = _households(seen).alike(seen.classes.of_tuple, every)
    many = alike[alike > suppressible]
    return float(many.min() + suppressible) if len(many) else np.inf


def _households(seen: Seen) -> Households:
    if seen.cube.households is None:
        raise Bug("nothing says which rows belong to one household")
    return seen.cube.households
