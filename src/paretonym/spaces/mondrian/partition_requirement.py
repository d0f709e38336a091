"""The requirements on every part: measures of one part alone, each with a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts import Cube, Link, Margin, Statistic, requests_for
from paretonym.counts import kernel_interface as interface
from paretonym.errors import Field, InputError, Place, did_you_mean
from paretonym.measures import MEASURES, Limit, Measure, MeasureName, Objective, card_of
from paretonym.number_text import number_to_json

# The requirements on every part or bucket.
Required: TypeAlias = tuple[Limit, ...]


def required_of_parts(bounds: Mapping[str, float]) -> Required:
    """Bounds as files write them, each on the good side of its measure.

    >>> print(*required_of_parts({"k": 10, "t-js": 0.15}), sep=", ")
    k at least 10, t-js at most 0.15
    """
    return tuple(Limit(name, requirable_card(name).good_side, float(bound)) for name, bound in bounds.items())


def requirable_card(name: str, place: Place = Field("sweep")) -> Measure:
    """The card of a measure that can be required of every part."""
    card = card_of(name)
    if card is None or not card.requirable:
        measure = MeasureName.parsed(name).measure
        raise InputError.of(
            place, f"'{measure}' cannot be required of a part", did_you_mean(measure, requirable_names())
        )
    return card


def requirable_names() -> tuple[str, ...]:
    """The measures that can be required of every part."""
    return tuple(name for name, card in MEASURES.items() if card.requirable)


def as_bounds(required: Required) -> dict[str, float | int | str]:
    """The requirement as files store it, with whole bounds as whole numbers."""
    return {limit.name: number_to_json(limit.bound) for limit in required}


def as_text(required: Required) -> str:
    """The requirement as people write it.

    >>> as_text(required_of_parts({"k": 10, "t-js": 0.15}))
    'k=10 + t-js=0.15'
    """
    return " + ".join(f"{limit.name}={limit.bound:g}" for limit in required)


@dataclass(frozen=True, eq=False)
class Conditions:
    """A requirement as arrays: condition i is about statistic `which[i]`, -1 for the rows of a part, made a
    value by `links[i]`, which must be at least `bounds[i]`, or at most that where `at_least[i]` is 0. Bounds
    hold for values before they are rounded. The values of `margins` stand side by side, from `starts` on;
    those of tuple t are `values[begins[t]:begins[t + 1]]`, as often as `counts` says."""

    margins: tuple[Margin, ...]
    statistics: tuple[Statistic, ...]
    which: Integers
    links: Integers
    at_least: Integers
    bounds: Floats
    starts: Integers
    begins: Integers
    values: Integers
    counts: Integers

    @property
    def width(self) -> int:
        """The number of values of all columns."""
        return int(self.starts[-1])

    def for_kernels(self) -> tuple[interface.Requests, interface.Conditions]:
        """The form that the compiled code takes."""
        return requests_for(self.margins, self.statistics), interface.Conditions.made(
            values=self.width,
            which=self.which,
            links=self.links,
            at_least=self.at_least,
            begins=self.begins,
            value=self.values,
            counts=self.counts,
            bounds=self.bounds,
        )

    def met(self, cells: Integers, rows: int) -> bool:
        """Whether a part with this many rows and these counts of values meets the requirement, in numpy."""
        for which, link, at_least, bound in zip(
            self.which.tolist(), self.links.tolist(), self.at_least, self.bounds, strict=True
        ):
            value = float(rows) if which < 0 else self._value(self.statistics[which], Link(link), cells)
            if not (value >= bound if at_least else value <= bound):
                return False
        return True

    def _value(self, statistic: Statistic, link: Link, cells: Integers) -> float:
        place = [margin.name for margin in self.margins].index(statistic.column)
        margin, own = self.margins[place], cells[self.starts[place] : self.starts[place + 1]]
        return float(link.of(statistic.of_classes(margin, own[None, :], margin.shares))[0])


def conditions(required: Required, cube: Cube) -> Conditions:
    """A requirement in the form for counting; raises `InputError` for a mistake in it."""
    asked = [(Objective.of(limit.name, cube, place=Field("sweep")), limit) for limit in required]
    statistics = tuple(dict.fromkeys(s for each, _ in asked for s in each.statistics))
    margins = cube.margins(s.column for s in statistics)
    starts = np.concatenate([[0], np.cumsum([len(m.labels) for m in margins])]).astype(np.int64)
    found = [
        (which, each.card.link, not limit.upward, limit.farthest)
        for each, limit in asked
        for which in ([statistics.index(s) for s in each.statistics] or [-1])
    ]
    which, links, at_least, bounds = zip(*found, strict=True)
    return Conditions(
        margins,
        statistics,
        np.array(which, dtype=np.int64),
        np.array(links, dtype=np.int64),
        np.array(at_least, dtype=np.int64),
        np.array(bounds, dtype=np.float64),
        starts,
        *_cells(margins, starts, cube.tuples),
    )


def _cells(margins: tuple[Margin, ...], starts: Integers, tuples: int) -> tuple[Integers, Integers, Integers]:
    """The values of all tuples in one array: where each tuple's begin, the values, and how often they
    occur."""
    owner = np.concatenate([np.empty(0, dtype=np.int64), *(margin.tuples for margin in margins)])
    values = [margin.values + start for margin, start in zip(margins, starts[:-1], strict=True)]
    counts = [margin.counts for margin in margins]
    order = np.argsort(owner, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=tuples))]).astype(np.int64)
    empty = np.empty(0, dtype=np.int64)
    return (
        begins,
        np.concatenate([empty, *values]).astype(np.int64)[order],
        np.concatenate([empty, *counts]).astype(np.int64)[order],
    )
