"""Measures of how many people of the population look like those of a class: k-map and δ-presence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError
from paretonym.engine.measures.estimates.released_regions import Seen


class PopulationClasses(NamedTuple):
    """The number of people in the population class of each class of a table, and the number of all population
    classes."""

    people: Integers
    classes: int


def population_classes(seen: Seen) -> PopulationClasses:
    """The population at the levels at which the classes are shown."""
    return seen.classes.once("population", lambda: _counted(seen))


def _counted(seen: Seen) -> PopulationClasses:
    population, levels = seen.cube.population, [sets.level for sets in seen.classes.sets]
    if seen.classes.buckets is not None or None in levels:
        raise InputError.of(
            Field("objectives"),
            "the classes of the population are known only where every column is shown at one level",
            "use the space 'lattice'",
        )
    places, people = population.classes([level or 0 for level in levels])
    _, first = np.unique(seen.classes.of_tuple, return_index=True)
    return PopulationClasses(people[places[population.of_sample[first]]], len(people))


def k_map(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The smallest number of people in the population who look like somebody in the release.

    Formula: min F over the classes that stay, F the population's rows in the generalized class.

    Cost: one grouping of the population's distinct tuples for each node.

    Misleads if the population is not the one in which an attacker searches.

    Reference: Sweeney 2002, k-map; El Emam & Dankar 2008 (journalist risk is 1/k-map).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> sample, people = pa.table({"age": ["20", "21"]}), pa.table({"age": ["20", "20", "21", "21", "21"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(sample, {"columns": {"age": age}}, population_file=people)
    >>> [solution.values["k-map"] for solution in study.explore("k-map", "loss", suppress=0)]
    [5.0, 2.0]
    """
    return float(population_classes(seen).people[seen.stays].min())


def reachable_k_map(seen: Seen, suppressible: int) -> float:
    """The most that k-map is at any specialization of a node. There, each class is in one with at least as
    many people here, so at least as many rows are in classes of fewer than a people, whatever a is. If these
    are more than may be suppressed, some of them stay."""
    return reachable_people(population_classes(seen).people, seen.classes.rows, suppressible)


def reachable_people(people: Integers | Floats, rows: Integers, suppressible: int) -> float:
    """The largest a for which at most so many rows are in classes of fewer than a people."""
    order = np.argsort(people, kind="stable")
    left = np.cumsum(rows[order]) > suppressible
    return float(people[order][left].min()) if left.any() else np.inf


def presence_max(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The highest probability that somebody of the population is in the table, by what the release shows.

    Formula: max f/F over the classes that stay, f the rows of the release and F those of the population.

    Cost: as for k-map.

    Misleads if an attacker knows more about who took part than the quasi-identifiers.

    Reference: Nergiz, Atzori & Clifton 2007, δ-presence (δ_max).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> sample, people = pa.table({"age": ["20", "21"]}), pa.table({"age": ["20", "20", "21", "21", "21"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(sample, {"columns": {"age": age}}, population_file=people)
    >>> [solution.values["presence-max"] for solution in study.explore("presence-max", "loss", suppress=0)]
    [0.4, 0.5]
    """
    people = population_classes(seen).people[seen.stays]
    return float((seen.classes.rows[seen.stays] / people).max())


def reachable_presence_max(seen: Seen, suppressible: int) -> float:
    """The least that presence-max is at any specialization of a node: the rows of a class that stay, all but
    those that may be suppressed, are among no more people than it has."""
    left = np.maximum(seen.classes.rows - suppressible, 0)
    return float((left / population_classes(seen).people).max())


def presence_min(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The lowest probability that somebody of the population is in the table, by what the release shows.

    Formula: min f/F over all classes of the population; 0 where no row of the release is.

    Cost: as for k-map.

    Misleads where it is 0: then some people are known not to be in the table, which may be harmless.

    Reference: Nergiz, Atzori & Clifton 2007, δ-presence (δ_min).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> sample, people = pa.table({"age": ["20", "21"]}), pa.table({"age": ["20", "20", "21", "21", "21"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(sample, {"columns": {"age": age}}, population_file=people)
    >>> [solution.values["presence-min"] for solution in study.explore("presence-min", "loss", suppress=0)]
    [0.4, 0.3333333333]
    """
    found = population_classes(seen)
    if found.classes > int(seen.stays.sum()):
        return 0.0
    return float((seen.classes.rows / found.people).min())


def reachable_presence_min(seen: Seen, suppressible: int) -> float:
    """The most that presence-min is at any specialization of a node: some part of a class has no larger
    share of its people in the table than the class has, whatever is suppressed."""
    found = population_classes(seen)
    if found.classes > len(seen.classes):
        return 0.0
    return float((seen.classes.rows / found.people).min())
