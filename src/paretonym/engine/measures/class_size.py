"""Measures of class sizes: alone, beside the k that people require, and of households."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Bug
from paretonym.engine.counts import Households, Margin
from paretonym.engine.measures.candidate_facts import Facts
from paretonym.engine.measures.estimates.released_regions import Seen


def k(facts: Facts) -> Floats:
    """The size of the smallest equivalence class: how many people look the same, at least.

    Formula: min |C| over the classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads if a class also shares its sensitive value: a large class with one diagnosis discloses
    everybody's.

    Reference: Samarati & Sweeney 1998.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> k(facts).tolist()
    [2.0]
    """
    return facts.smallest.astype(np.float64)


def weighted_k(facts: Facts) -> Floats:
    """The average, over rows, of the size of a row's equivalence class.

    Formula: Σ |C|² / N over all classes, before any suppression.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about the worst case: one huge class compensates for many unique rows.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Equation 6.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> weighted_k(facts).tolist()
    [2.3333333333333335]
    """
    return facts.all_squares / facts.all_sizes


def suppressed_share(facts: Facts) -> Floats:
    """The share of the rows that is suppressed.

    Formula: suppressed rows / N.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads on its own: the suppressed rows may be exactly the rare people that a study is about.

    Reference: Dewri, Ray, Ray & Whitley, trade-offs, Section 4.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> suppressed_share(facts).tolist()
    [0.16666666666666666]
    """
    return facts.gone / facts.rows


def discernibility(facts: Facts) -> Floats:
    """The number of pairs of rows that cannot be distinguished (discernibility metric).

    Formula: Σ |C|² over the classes that stay + N for each suppressed row.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads across tables, since it grows with the square of N; and it ignores how coarsely the classes are
    shown.

    Reference: Bayardo & Agrawal 2005.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> discernibility(facts).tolist()
    [19.0]
    """
    return (facts.row_squares + facts.gone * facts.rows).astype(np.float64)


def least_pairs_of_suppressed_row(rows: int, most: int, values: int) -> float:
    """The least that a suppressed row adds to the discernibility metric: N instead of the size of its class,
    which has no more rows than this."""
    return float(max(rows - most, 0))


def spread_k(facts: Facts) -> Floats:
    """The sum, over the rows that stay, of the size of each row's equivalence class.

    Formula: Σ |C|² over the classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about the worst case, as every sum does; and it decreases when rows are suppressed.

    Reference: Dewri et al., property-based generalizations, Section 4.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> spread_k(facts).tolist()
    [14.0]
    """
    return facts.squares.astype(np.float64)


def average_class(facts: Facts) -> Floats:
    """The average size of an equivalence class.

    Formula: rows that stay / classes that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads as a measure of cost: it ignores how coarsely the classes are shown.

    Reference: LeFevre et al. 2006 (C_avg, not normalized).

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> average_class(facts).tolist()
    [2.5]
    """
    return facts.staying / facts.classes


def highest_risk(facts: Facts) -> Floats:
    """The highest probability of picking the right row of a person who is known to be in the table.

    Formula: 1 / min |C| over the classes that stay (prosecutor risk).

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads if rows are not people, and if attackers know fewer columns than the quasi-identifiers, or more.

    Reference: El Emam 2013, prosecutor risk.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes[1:])
    >>> highest_risk(facts).tolist()
    [0.5]
    """
    result: Floats = 1.0 / facts.smallest
    return result


def average_risk(facts: Facts) -> Floats:
    """The expected share of people who are re-identified if everybody is searched for.

    Formula: classes that stay / rows that stay (marketer risk).

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads about individuals: a low average can hide unique rows.

    Reference: El Emam 2013, marketer risk.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> average_risk(facts).tolist()
    [0.5]
    """
    return facts.classes / facts.sizes


def unique_rows(facts: Facts) -> Floats:
    """The number of released rows that are unique: alone in their equivalence class.

    Formula: number of classes with |C| = 1 that stay.

    Cost: none beyond the sizes of the classes, which are counted anyway.

    Misleads as a risk: a sample unique need not be unique in the population, and a class of two is hardly
    safer.

    Reference: Skinner & Elliot 2002.

    >>> sizes = np.array([1, 2, 3])
    >>> facts = Facts.of_sizes(6, sizes, sizes)
    >>> unique_rows(facts).tolist()
    [1.0]
    """
    return facts.unique.astype(np.float64)


def k_ratio(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The size of a class as a share of the largest k that anybody in it requires, in the worst class: from 1
    on everybody has what they require.

    Formula: min |C| / max required k in C, over the classes that stay. In buckets, which show
    quasi-identifiers as they are, C holds the rows with equal quasi-identifiers.

    Cost: one pass over the counted requirements for each candidate.

    Misleads if few state what they require: everybody else has the schema's default.

    Reference: Dewri et al., trade-offs, Sections 1 and 8 (what people require, person by person).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
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
    """The most that k-ratio is at any specialization of a node.

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


def k_household(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The smallest number of households that show the same members: what somebody who knows all members of a
    household, and that they belong together, cannot tell apart.

    Formula: min over the households with a released member of the number of households with the same multiset
    of generalized members; a suppressed member shows nothing.

    Cost: one grouping of households for each node, by the sorted list of their members' classes.

    Misleads where members do not stay linkable in the release: then k counts, and this is far too strict.

    Reference: Templ 2017, Statistical Disclosure Control for Microdata, household (hierarchical) risk.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> people = pa.table({"home": list("aabbcc"), "age": ["20", "50", "50", "20", "20", "20"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(people, {"columns": {"home": {"role": "household"}, "age": age}})
    >>> [solution.values["k-household"] for solution in study.explore("k-household", "loss", suppress=0)]
    [3.0, 1.0]
    """
    return float(_households(seen).alike(seen.classes.of_tuple, seen.stays).min())


def reachable_k_household(seen: Seen, suppressible: int) -> float:
    """The most that k-household is at any specialization of a node.

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
