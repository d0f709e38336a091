"""The rows that may be suppressed, at most a fraction or as many as each threshold requires; and what a class
must have to stay."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from paretonym.base.errors import Bug, Field, InputError
from paretonym.base.number_text import format_fraction, parse_fraction
from paretonym.base.rounding import Sense


@dataclass(frozen=True, slots=True)
class Suppression:
    """`limit`: suppress the smallest classes, at most `fraction` of the rows in total. `any`: every threshold
    that suppresses at most `fraction` of the rows is a candidate of its own; at least one class always stays,
    so `any:1` means every threshold.

    >>> str(parse_suppression("1%")), parse_suppression("0.01").allowed(30162)
    ('0.01', 301)
    >>> str(parse_suppression("any"))
    'any:0.1'
    """

    rule: Literal["limit", "any"]
    fraction: Fraction

    def __post_init__(self) -> None:
        _check(self.rule, self.fraction, str(self))

    @property
    def every_threshold(self) -> bool:
        """True if every threshold is a candidate of its own."""
        return self.rule == "any"

    @property
    def is_nothing(self) -> bool:
        """True if no row may be suppressed."""
        return self.rule == "limit" and not self.fraction

    def allowed(self, rows: int) -> int:
        """The number of rows that may be suppressed: the exact floor of fraction × rows, and never all."""
        return min(int(self.fraction * rows), rows - 1)

    def __str__(self) -> str:
        text = format_fraction(self.fraction)
        return f"any:{text}" if self.every_threshold else text


def parse_suppression(text: str | float | Suppression) -> Suppression:
    """Read `0.01`, `1%`, `any:0.1`, or `any`, which is the default."""
    if isinstance(text, Suppression):
        return text
    words = str(text).strip()
    if words == "any":
        return DEFAULT_SUPPRESSION
    rule: Literal["limit", "any"] = "any" if words.startswith("any:") else "limit"
    fraction = parse_fraction(words.removeprefix("any:"), Field("suppress"), words)
    _check(rule, fraction, words)
    return Suppression(rule, fraction)


def _check(rule: str, fraction: Fraction, text: str) -> None:
    """Refuse what is no share of the rows, and a limit that would leave nothing; messages quote `text`."""
    if 0 <= fraction < 1 or (fraction == 1 and rule == "any"):
        return
    if fraction == 1:
        remedy = f"give a share below 100 %, or {Field('suppress', 'any:1')}, which tries every threshold"
        raise InputError.of(Field("suppress"), f"with '{text}' no row need stay", remedy)
    wrong = f"'{text}' is not a fraction from 0 to below 1"
    raise InputError.of(Field("suppress"), wrong, "use, for example, 0.01, 1%, any or any:0.1")


DEFAULT_SUPPRESSION = Suppression("any", Fraction(1, 10))


_WITH_PARAMETER = re.compile(r"([a-z-]+)\.([a-z]+=[a-z]+)((?:@.*)?)", re.DOTALL)
_SIGNS: Mapping[Sense, str] = {"at-least": ">=", "at-most": "<="}
_SENSES: Mapping[str, Sense] = {sign: sense for sense, sign in _SIGNS.items()}


@dataclass(frozen=True, slots=True)
class ClassCondition:
    """A measure of a class that must be at least, or at most, a bound. With a second measure, a class whose
    first measure equals its bound (compared as whole numbers) must meet the second bound too. A `parameter`
    of the first measure (`missing=infinite`) is named where it is not the usual one.

    Bounds are kept as they were written, because they are part of a recoding's id.

    >>> print(ClassCondition(("k",), "at-least", ("5",)))
    k at least 5
    """

    measures: tuple[str, ...]
    sense: Sense
    written: tuple[str, ...]
    parameter: str = ""

    def __post_init__(self) -> None:
        paired = len(self.measures) == len(self.written) <= 2 and (self.single or self.sense == "at-least")
        if not paired or any(math.isnan(bound) for bound in self.bounds):
            raise Bug("a class cannot be held to such a condition")

    @classmethod
    def best_side(
        cls, measure: str, direction: str, bound: float | str, parameter: str = ""
    ) -> ClassCondition:
        """The condition that a measure is at least a bound if more is better ("max"), else at most."""
        return cls((measure,), "at-least" if direction == "max" else "at-most", (str(bound),), parameter)

    @classmethod
    def parsed(cls, name: str, text: str) -> ClassCondition:
        """Read a condition as files write it.

        >>> ClassCondition.parsed("k,l-distinct", ">=20,4").bounds
        (20.0, 4.0)
        >>> ClassCondition.parsed("delta.missing=infinite@ill", "<=0.3").measures
        ('delta@ill',)
        """
        if written := _WITH_PARAMETER.fullmatch(name):
            measure, parameter, column = written.groups()
            return cls((measure + column,), _SENSES[text[:2]], (text[2:],), parameter)
        return cls(tuple(name.split(",")), _SENSES[text[:2]], tuple(text[2:].split(",")))

    @property
    def single(self) -> bool:
        return len(self.measures) == 1

    @property
    def name(self) -> str:
        if not self.parameter:
            return ",".join(self.measures)
        measure, at, column = self.measures[0].partition("@")
        return f"{measure}.{self.parameter}{at}{column}"

    @property
    def settings(self) -> dict[str, dict[str, str]]:
        """The parameter, by the measure and its own name."""
        parameter, equals, value = self.parameter.partition("=")
        return {self.measures[0].partition("@")[0]: {parameter: value}} if equals else {}

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
    """Read the conditions of a recoding as files write them.

    >>> keep_as_json(parse_keep({"k": ">=5", "t": "<=0.3"}))
    {'k': '>=5', 't': '<=0.3'}
    """
    return tuple(ClassCondition.parsed(name, text) for name, text in entry.items())


def keep_as_json(keep: Keep) -> dict[str, str]:
    return {condition.name: condition.text for condition in keep}
