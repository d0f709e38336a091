"""What is required of every part: numbers that belong to one part alone, each with a bound."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts import kernel_structures as structures
from paretonym.counts.cube import Cube, Margin
from paretonym.errors import Field, InputError, Place, did_you_mean
from paretonym.recoding.recoding_contract import Bounds
from paretonym.rounding import farthest


class Rule(IntEnum):
    """What the compiled code counts in a part."""

    SIZE = 0  # rows
    SHARE = 1  # of the most frequent value: at most 1/bound of the rows
    DISTINCT = 2  # values
    ENTROPY = 3  # exp(entropy)
    VARIATION = 4  # total variation from the table
    ORDERED = 5  # the same over an order
    DIVERGENCE = 6  # Jensen–Shannon divergence from the table
    RATIO = 7  # largest |ln(p/q)|


# Which measures can be required, and how they are counted.
REQUIRED: Mapping[str, Rule] = {
    "k": Rule.SIZE,
    "l": Rule.SHARE,
    "l-distinct": Rule.DISTINCT,
    "l-entropy": Rule.ENTROPY,
    "t": Rule.VARIATION,
    "t-ordered": Rule.ORDERED,
    "t-js": Rule.DIVERGENCE,
    "privacy-loss": Rule.DIVERGENCE,
    "delta": Rule.RATIO,
}


class Conditions(NamedTuple):
    """A requirement as arrays: condition i is rule `rules[i]` with `bounds[i]`, which holds for values before
    they are rounded, on the sensitive values from `starts[i]` up to before `stops[i]`, whose shares in the
    table are there in `reference`. Those of tuple t are `values[begins[t]:begins[t + 1]]`, as often as
    `counts` says."""

    rules: Integers
    bounds: Floats
    starts: Integers
    stops: Integers
    reference: Floats
    begins: Integers
    values: Integers
    counts: Integers

    def for_kernels(self) -> structures.Conditions:
        """As the compiled code takes it."""
        return structures.Conditions(
            conditions=len(self.rules),
            values=len(self.reference),
            tuples_after=len(self.begins),
            entries=len(self.values),
            rules=self.rules,
            starts=self.starts,
            stops=self.stops,
            begins=self.begins,
            value=self.values,
            counts=self.counts,
            bounds=self.bounds,
            reference=self.reference,
        )


def conditions(requirement: Bounds, cube: Cube, place: Place = Field("sweep")) -> Conditions:
    """A requirement ready for counting; a mistake in it is the user's."""
    for name, _ in requirement:
        check_required(name, cube, place)
    margins = [m for m in cube.sensitive if any(_about(m, name) for name, _ in requirement)]
    starts = np.concatenate([[0], np.cumsum([len(m.labels) for m in margins])]).astype(np.int64)
    found = [
        (REQUIRED[name.partition("@")[0]], _edge(name, bound), start, stop)
        for name, bound in requirement
        for start, stop in _ranges(name, margins, starts.tolist())
    ]
    rules, bounds, firsts, afters = zip(*found, strict=True)
    shares = [margin.totals / max(margin.totals.sum(), 1) for margin in margins]
    return Conditions(
        np.array(rules, dtype=np.int64),
        np.array(bounds, dtype=np.float64),
        np.array(firsts, dtype=np.int64),
        np.array(afters, dtype=np.int64),
        np.concatenate([np.empty(0), *shares]),
        *_cells(margins, starts, cube.tuples),
    )


def _edge(name: str, bound: float) -> float:
    """The last value, before rounding, that meets a bound."""
    rule = REQUIRED[name.partition("@")[0]]
    return farthest("at-most" if rule >= Rule.VARIATION else "at-least", bound)


def _ranges(name: str, margins: list[Margin], starts: list[int]) -> list[tuple[int, int]]:
    if REQUIRED[name.partition("@")[0]] is Rule.SIZE:
        return [(0, 0)]
    return [(starts[i], starts[i + 1]) for i, margin in enumerate(margins) if _about(margin, name)]


def _about(margin: Margin, name: str) -> bool:
    """Whether a requirement is about this sensitive column."""
    measure, _, column = name.partition("@")
    return REQUIRED[measure] is not Rule.SIZE and column in ("", margin.name)


def check_required(name: str, cube: Cube, place: Place = Field("sweep")) -> None:
    """Raise unless this can be required of the parts of this table."""
    measure, at, column = name.partition("@")
    if measure not in REQUIRED:
        raise InputError.of(
            place, f"'{measure}' cannot be required of a part", did_you_mean(measure, REQUIRED)
        )
    rule = REQUIRED[measure]
    if rule is Rule.SIZE:
        if at:
            raise InputError.of(place, f"'{name}' names a column, but k is not about one", "ask for k")
        return
    names = [margin.name for margin in cube.sensitive]
    if not names:
        raise InputError.of(
            place,
            f"{measure} needs a column of role 'sensitive', and the schema has none",
            'give a column role = "sensitive", or require k alone',
        )
    if at and column not in names:
        raise InputError.of(
            place, f"'{column}' is no column of role 'sensitive'", did_you_mean(column, names)
        )
    for margin in cube.sensitive:
        if rule is Rule.ORDERED and column in ("", margin.name) and not margin.ordered:
            raise InputError.of(
                place,
                f"t-ordered needs ordered values, and column '{margin.name}' has no order",
                "give the column an order in the schema, or use t",
            )


def _cells(margins: list[Margin], starts: Integers, tuples: int) -> tuple[Integers, Integers, Integers]:
    """The values of every tuple behind one another: where each tuple's begin, the values, how often."""
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
