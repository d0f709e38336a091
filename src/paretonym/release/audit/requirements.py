"""What somebody requires of a table: `k>=5`, `l-distinct@diagnosis>=2`, `risk-highest<20%`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paretonym.errors import InputError

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
            f"--require '{text}'",
            "this is no comparison of a measure with a number",
            'write for example "k>=5", "l-distinct@diagnosis>=2" or "alpha<=50%"',
        )
    comparison = "=" if match[2] == "==" else match[2]
    return Requirement(match[1], comparison, _bound(match[3], text))


def _bound(number: str, text: str) -> float:
    try:
        value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError.of(
            f"--require '{text}'", f"'{number}' is not a number", "give a number such as 5, 0.25 or 25%"
        )
    return value


def significant(value: float) -> float:
    """A number with the digits that count.

    >>> significant(0.1 + 0.2) == 0.3
    True
    """
    return float(f"{value:.{DIGITS}g}") if abs(value) < 1e9 and value != int(value) else value
