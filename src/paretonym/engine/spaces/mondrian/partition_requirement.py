"""The requirements on every part: measures of one part alone, each with a bound; and recodings that they
determine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.errors import Bug, Field, InputError, did_you_mean
from paretonym.base.factorize import starts_of
from paretonym.base.number_text import number_to_json
from paretonym.engine.counts import Cube, Margin, Persons, requests_for
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.measures import MEASURES, Limit, Measure, MeasureName, Objective, card_of
from paretonym.engine.recoding import ClassCondition, Keep, keep_as_json

_NOTHING = np.empty(0, dtype=np.int64)

# The requirements on every part or bucket.
Required: TypeAlias = tuple[Limit, ...]


def required_of_parts(bounds: Mapping[str, float]) -> Required:
    """Bounds as files write them, each on the good side of its measure.

    >>> print(*required_of_parts({"k": 10, "t-js": 0.15}), sep=", ")
    k at least 10, t-js at most 0.15
    """
    return tuple(Limit(name, requirable_card(name).good_side, float(bound)) for name, bound in bounds.items())


def requirable_card(name: str) -> Measure:
    """The card of a measure that can be required of every part."""
    card = card_of(name)
    if card is None or not card.algebra.classwise:
        measure = MeasureName.parsed(name).measure
        raise InputError.of(
            Field("sweep"),
            f"'{measure}' cannot be required of a part",
            did_you_mean(measure, requirable_names()),
        )
    return card


def requirable_names() -> tuple[str, ...]:
    """The measures that can be required of every part."""
    return tuple(name for name, card in MEASURES.items() if card.algebra.classwise)


def as_bounds(required: Required) -> dict[str, float | int | str]:
    """The requirement as files store it, with whole bounds as whole numbers."""
    return {limit.name: number_to_json(limit.bound) for limit in required}


def as_text(required: Required) -> str:
    """The requirement as people write it.

    >>> as_text(required_of_parts({"k": 10, "t-js": 0.15}))
    'k=10 + t-js=0.15'
    """
    return " + ".join(f"{limit.name}={limit.bound:g}" for limit in required)


def as_conditions(required: Required) -> Keep:
    """The requirement on every part, as conditions on a class.

    >>> print(*as_conditions(required_of_parts({"k": 10, "t-js": 0.15})), sep=", ")
    k at least 10, t-js at most 0.15
    """
    return tuple(
        ClassCondition((limit.name,), limit.sense, (str(number_to_json(limit.bound)),)) for limit in required
    )


@dataclass(frozen=True, slots=True)
class RequirementRecoding(ABC):
    """A recoding that follows from a requirement on every class, and from how its space makes classes."""

    requirement: Required
    keep: Keep = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def way(self) -> dict[str, Any]:
        """The way in which classes are made, as files hold it."""

    @property
    def known_levels(self) -> Mapping[str, int]:
        return {}

    def as_json(self) -> dict[str, Any]:
        return {"requirement": as_bounds(self.requirement), **self.way, "keep": keep_as_json(self.keep)}

    def flat(self) -> dict[str, Any]:
        return {"requirement": as_text(self.requirement), **self.way}


def conditions(required: Required, cube: Cube) -> tuple[interface.Requests, interface.Conditions]:
    """A requirement in the form for counting; raises `InputError` for a mistake in it.

    Condition i is about statistic `which[i]`, -1 for the size of a part, made a value by `links[i]`, which
    must be at least `bounds[i]`, or at most that where `at_least[i]` is 0. Bounds hold for values before they
    are rounded.
    """
    objectives = [(Objective.of(limit.name, cube, place=Field("sweep")), limit) for limit in required]
    statistics = tuple(dict.fromkeys(s for objective, _ in objectives for s in objective.statistics))
    margins = cube.margins_of(s.column for s in statistics)
    starts = starts_of([len(m.labels) for m in margins])
    rows = [
        (which, objective.card.counted.link, not limit.upward, limit.farthest)
        for objective, limit in objectives
        for which in ([statistics.index(s) for s in objective.statistics] or [-1])
    ]
    which, links, at_least, bounds = zip(*rows, strict=True)
    return requests_for(margins, statistics), interface.Conditions.made(
        values=int(starts[-1]),
        which=np.array(which, dtype=np.int64),
        links=np.array(links, dtype=np.int64),
        at_least=np.array(at_least, dtype=np.int64),
        bounds=np.array(bounds, dtype=np.float64),
        **_entries(cube, margins, starts),
    )


def _entries(cube: Cube, margins: tuple[Margin, ...], starts: Integers) -> dict[str, Any]:
    """The values of all tuples, those of the margins side by side: `value[begins[t]:begins[t + 1]]` are those
    of tuple t, as often as `counts` says. If persons are counted, those with rows of tuple t are
    `member[member_begins[t]:member_begins[t + 1]]`, and entry i stands for one value of one person, the pair
    `holder[i]`."""
    if cube.persons is None:
        begins, values, counts = _cells(margins, starts, cube.tuples)
        nobody = dict.fromkeys(("member_begins", "member", "holder"), _NOTHING)
        return {"begins": begins, "value": values, "counts": counts, "persons": 0, "holders": 0, **nobody}
    member_begins, member = _by_tuple(cube.tuples, cube.persons.tuples, cube.persons.ids)
    holders = [margin.holders for margin in margins if margin.holders is not None]
    owner = np.concatenate([_NOTHING, *(holder.tuples for holder in holders)])
    places = zip(holders, starts[:-1], strict=True)
    value = np.concatenate([_NOTHING, *(_values_of(holder) + start for holder, start in places)])
    person = np.concatenate([_NOTHING, *(holder.ids for holder in holders)])
    pairs, pair = np.unique(value * cube.persons.number + person, return_inverse=True)
    begins, value, holder_of = _by_tuple(cube.tuples, owner, value, pair.reshape(-1))
    return {
        "begins": begins,
        "value": value,
        "counts": np.ones(len(value), dtype=np.int64),
        "persons": cube.persons.number,
        "member_begins": member_begins,
        "member": member,
        "holders": len(pairs),
        "holder": holder_of,
    }


def _values_of(holders: Persons) -> Integers:
    if holders.values is None:
        raise Bug("persons are not counted by values")
    return holders.values


def _by_tuple(tuples: int, owner: Integers, *columns: Integers) -> tuple[Integers, ...]:
    """Where the entries of each tuple begin, and what entries hold in the order of their tuples."""
    begins = starts_of(np.bincount(owner, minlength=tuples))
    order = np.argsort(owner, kind="stable")
    return tuple(
        np.ascontiguousarray(column, dtype=np.int64) for column in (begins, *(c[order] for c in columns))
    )


def _cells(margins: tuple[Margin, ...], starts: Integers, tuples: int) -> tuple[Integers, ...]:
    """The values of all tuples in one array: where each tuple's begin, the values, and how often they
    occur."""
    owner = np.concatenate([_NOTHING, *(margin.tuples for margin in margins)])
    values = [margin.values + start for margin, start in zip(margins, starts[:-1], strict=True)]
    counts = [margin.counts for margin in margins]
    return _by_tuple(tuples, owner, np.concatenate([_NOTHING, *values]), np.concatenate([_NOTHING, *counts]))
