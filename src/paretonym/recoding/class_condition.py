"""The conditions that a class must meet to stay in a release, as values.

Files write them as `{"k": ">=5"}`, or, where a second measure decides among the classes at the edge of the
first, as `{"k,l-distinct": ">=20,4"}`. Only this module and the audit read or write that form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from paretonym.errors import Bug
from paretonym.rounding import Sense

_SIGNS: Mapping[Sense, str] = {"at-least": ">=", "at-most": "<="}
_SENSES: Mapping[str, Sense] = {sign: sense for sense, sign in _SIGNS.items()}


@dataclass(frozen=True, slots=True)
class ClassCondition:
    """A measure of a class that must be at least, or at most, a bound. With a second measure, a class whose
    first measure equals its bound (compared as whole numbers) must meet the second bound too.

    Bounds are kept as they were written, because they are part of a recoding's id.

    >>> print(ClassCondition(("k",), "at-least", ("5",)))
    k at least 5
    """

    measures: tuple[str, ...]
    sense: Sense
    written: tuple[str, ...]

    def __post_init__(self) -> None:
        right = len(self.measures) == len(self.written) <= 2 and (self.single or self.sense == "at-least")
        if not right or any(math.isnan(bound) for bound in self.bounds):
            raise Bug("a class cannot be held to such a condition")

    @classmethod
    def best_side(cls, measure: str, direction: str, bound: float | str) -> ClassCondition:
        """The condition that a measure is not worse than a bound."""
        return cls((measure,), "at-least" if direction == "max" else "at-most", (str(bound),))

    @classmethod
    def parsed(cls, name: str, text: str) -> ClassCondition:
        """A condition as files write it.

        >>> ClassCondition.parsed("k,l-distinct", ">=20,4").bounds
        (20.0, 4.0)
        """
        return cls(tuple(name.split(",")), _SENSES[text[:2]], tuple(text[2:].split(",")))

    @property
    def single(self) -> bool:
        return len(self.measures) == 1

    @property
    def name(self) -> str:
        return ",".join(self.measures)

    @property
    def text(self) -> str:
        """Sign and bounds, as files write them."""
        return f"{_SIGNS[self.sense]}{','.join(self.written)}"

    @property
    def bounds(self) -> tuple[float, ...]:
        return tuple(map(float, self.written))

    def __str__(self) -> str:
        first = f"{self.measures[0]} {self.sense.replace('-', ' ')} {self.written[0]}"
        if self.single:
            return first
        return f"{first}, and at {self.written[0]} {self.measures[1]} at least {self.written[1]}"


Keep: TypeAlias = tuple[ClassCondition, ...]


def parse_keep(entry: Mapping[str, str]) -> Keep:
    """The conditions of a recoding as files write them.

    >>> keep_as_json(parse_keep({"k": ">=5", "t": "<=0.3"}))
    {'k': '>=5', 't': '<=0.3'}
    """
    return tuple(ClassCondition.parsed(name, text) for name, text in entry.items())


def keep_as_json(keep: Keep) -> dict[str, str]:
    return {condition.name: condition.text for condition in keep}
