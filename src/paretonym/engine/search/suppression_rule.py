"""The suppression rule: which classes of a candidate are suppressed, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.number_text import format_fraction
from paretonym.engine.counts import Statistic
from paretonym.engine.measures import CLASS_SIZE, Objective
from paretonym.engine.recoding import Suppression

RuleKind: TypeAlias = Literal["order", "mean", "any"]

_NOTHING, _SIZE = -2, -1


@dataclass(frozen=True, slots=True)
class Rule:
    """Which classes are suppressed. `order`: those with the lowest first key, then the lowest second, at most
    `fraction` of the rows. `mean`: those whose key is below the mean over all rows. `any`: every threshold on
    the keys that suppresses at most `fraction` of the rows is a candidate of its own.

    Keys are measures of one class alone; `k` is its size. With `whole`, classes are ordered by the integer
    parts: 4.2 and 4.7 are equal.
    """

    kind: RuleKind
    keys: tuple[str, ...]
    fraction: Fraction = Fraction(0)
    whole: bool = False

    @classmethod
    def of(cls, suppression: Suppression, asked: tuple[Objective, ...]) -> Rule:
        """The rule that the option `suppress` means."""
        if not suppression.every_threshold:
            return cls("order", (CLASS_SIZE,), suppression.fraction)
        keys = tuple(o.name for o in asked if o.card.algebra.classwise)[:2]
        if not keys:
            raise no_key(suppression)
        return cls("any", keys, suppression.fraction)

    def __str__(self) -> str:
        """The rule as the option `suppress` writes it, if it can."""
        fraction = format_fraction(self.fraction)
        if self.kind == "mean":
            return f"below the mean {self.keys[0]}"
        if self.kind == "any":
            return f"any:{fraction}"
        keys = (key if key == CLASS_SIZE or not self.whole else f"whole {key}" for key in self.keys)
        return fraction if self.keys == (CLASS_SIZE,) else f"{fraction} by {' then '.join(keys)}"


def key_places(keys: Sequence[Objective], statistics: Sequence[Statistic]) -> Integers:
    """For each of two keys that decide which classes stay, the places of its statistics: -1 for class size,
    -2 for none."""
    places = [[statistics.index(s) for s in key.statistics] or [_SIZE] for key in keys]
    places += [[_NOTHING]] * (2 - len(places))
    width = max(len(place) for place in places)
    return np.array([place + place[-1:] * (width - len(place)) for place in places], dtype=np.int64)


def no_key(suppression: Suppression) -> InputError:
    return InputError.of(
        Field("suppress"),
        f"'{suppression}' needs an objective that belongs to one class alone, and there is none",
        f"add k to the objectives, or give a limit such as {Field('suppress', '0.01')}",
    )
