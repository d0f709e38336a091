"""What somebody requires of a table: `k>=5`, `l-distinct@diagnosis>=2`, `risk-highest<20%`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paretonym.errors import Field, InputError

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
# Sums of shares are compared by so many digits: a limit of 0.3 is kept by 0.30000000000000004.
DIGITS = 9
_FORM = re.compile(r"\s*([a-z][a-z-]*(?:@.+?)?)\s*(>=|<=|>|<|==?)\s*([^<>=]+?)\s*")

# What a bound can be meant as, known here by itself: shares lie between 0 and 1, these counts are 1 or more.
SHARES = (
    "loss", "gl", "sl", "precision-loss", "entropy-loss", "classification-error", "alpha", "risk-highest",
    "risk-average", "t", "t-ordered", "t-tree", "t-release", "t-ordered-release", "t-tree-release",
)  # fmt: skip
COUNTS = (
    "k", "weighted-k", "spread-k", "l", "l-distinct", "l-entropy", "spread-l", "discernibility",
    "average-class",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Requirement:
    """A measure, how it is compared, and with what."""

    measure: str
    comparison: str
    bound: float

    def holds(self, found: float) -> bool:
        return COMPARISONS[self.comparison](significant(found), significant(self.bound))

    def __str__(self) -> str:
        return f"{self.measure}{self.comparison}{self.bound:.12g}"


def parse_requirement(text: str) -> Requirement:
    """Read a requirement.

    >>> str(parse_requirement("alpha <= 50%"))
    'alpha<=0.5'
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise InputError.of(
            Field("require", text),
            "this is no comparison of a measure with a number",
            'write for example "k>=5", "l-distinct@diagnosis>=2" or "alpha<=50%"',
        )
    comparison = "=" if match[2] == "==" else match[2]
    return Requirement(match[1], comparison, _bound(match[3], text))


def asked_requirement(text: str) -> Requirement:
    """Read what a person requires: nothing that the measure cannot be.

    >>> asked_requirement("alpha<=50")
    Traceback (most recent call last):
    paretonym.errors.InputError: require='alpha<=50': alpha lies between 0 and 1; did you mean 50%?
    """
    asked = parse_requirement(text)
    measure, percent = asked.measure.partition("@")[0], text.rstrip().endswith("%")
    place = Field("require", text)
    if percent and measure in COUNTS:
        raise InputError.of(place, f"{asked.measure} is a count, not a percentage", "give a number such as 5")
    if percent and measure not in SHARES:
        advice = f"did you mean {asked.bound:g}?"
        raise InputError.of(place, f"{asked.measure} is no share, and that is a percentage", advice)
    if measure in COUNTS and asked.bound < 1:
        raise InputError.of(place, f"{asked.measure} is at least 1", "give 1 or more")
    if asked.bound < 0 or (measure in SHARES and asked.bound > 1):
        meant = 1 < asked.bound <= 100 and not percent
        advice = f"did you mean {asked.bound:g}%?" if meant else "give a number in that range"
        between = "lies between 0 and 1" if measure in SHARES else "is at least 0"
        raise InputError.of(place, f"{asked.measure} {between}", advice)
    return asked


def _bound(number: str, text: str) -> float:
    try:
        value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError.of(
            Field("require", text), f"'{number}' is not a number", "give a number such as 5, 0.25 or 25%"
        )
    return value


def significant(value: float) -> float:
    """A number with the digits that count.

    >>> significant(0.1 + 0.2) == 0.3
    True
    """
    return float(f"{value:.{DIGITS}g}") if abs(value) < 1e9 and value != int(value) else value
