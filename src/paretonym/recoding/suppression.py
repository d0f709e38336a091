"""Which rows may be suppressed: at most a fraction, or as many as each threshold requires."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from paretonym.errors import Field, InputError
from paretonym.number_text import format_fraction, parse_fraction

DEFAULT = "any:0.1"


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
        """Whether every threshold is a candidate of its own."""
        return self.rule == "any"

    @property
    def is_nothing(self) -> bool:
        """Whether no row may be suppressed."""
        return self.rule == "limit" and not self.fraction

    def allowed(self, rows: int) -> int:
        """The number of rows that may be suppressed: the exact floor of fraction × rows, and never all."""
        return min(int(self.fraction * rows), rows - 1)

    def __str__(self) -> str:
        text = format_fraction(self.fraction)
        return f"any:{text}" if self.every_threshold else text


def parse_suppression(text: str | float | Suppression) -> Suppression:
    """Read `0.01`, `1%`, `any` or `any:0.1`."""
    if isinstance(text, Suppression):
        return text
    words = str(text).strip()
    if words == "any":
        words = DEFAULT
    rule: Literal["limit", "any"] = "any" if words.startswith("any:") else "limit"
    fraction = parse_fraction(words.removeprefix("any:"), Field("suppress"), words)
    _check(rule, fraction, words)
    return Suppression(rule, fraction)


def _check(rule: str, fraction: Fraction, text: str) -> None:
    """Refuse what is no share of the rows, and a limit that would leave nothing."""
    if 0 <= fraction < 1 or (fraction == 1 and rule == "any"):
        return
    if fraction == 1:
        remedy = f"give a share below 100 %, or {Field('suppress', 'any:1')}, which tries every threshold"
        raise InputError.of(Field("suppress"), f"with '{text}' no row need stay", remedy)
    wrong = f"'{text}' is not a fraction from 0 to below 1"
    raise InputError.of(Field("suppress"), wrong, "use, for example, 0.01, 1%, any or any:0.1")


# The default rule.
USUAL = parse_suppression(DEFAULT)
