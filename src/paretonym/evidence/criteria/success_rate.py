"""Success rate of an attack, with its interval, and what of that is learned from the table alone.

Success against people that the table was made from is compared with success against people of the same
population that it was not made from: what is learned about both is knowledge about the population (Giomi and
others, PoPETs 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from paretonym.base.sentence_parts import percent, upper_first

# What a control says of more people than this many times its own is extrapolated.
FARTHEST = 3
# A measured risk whose interval lies above this is a success of the attack by itself.
LEVEL = 0.5
# The quantiles of the normal distribution for intervals (two-sided) and tests (one-sided) of 95 %.
TWO_SIDED, ONE_SIDED = 1.959963984540054, 1.6448536269514722


@dataclass(frozen=True, slots=True)
class SuccessRate:
    """The successes of some attacks; not whole numbers where they were scaled to another size of table.

    `center` and `half_width` are those of Wilson's interval of 95 %.

    >>> rate = SuccessRate(40, 100)
    >>> round(rate.center, 4), round(rate.half_width, 4)
    (0.4037, 0.0943)
    """

    successes: float
    attacks: int

    @property
    def share(self) -> float:
        return self.successes / self.attacks

    @property
    def center(self) -> float:
        return (self.successes + TWO_SIDED**2 / 2) / (self.attacks + TWO_SIDED**2)

    @property
    def half_width(self) -> float:
        spread = self.successes * (self.attacks - self.successes) / self.attacks + TWO_SIDED**2 / 4
        return TWO_SIDED / (self.attacks + TWO_SIDED**2) * sqrt(spread)

    def exceeds(self, other: SuccessRate) -> bool:
        """True if this rate is larger than another one, by a one-sided test of 95 %."""
        pooled = (self.successes + other.successes) / (self.attacks + other.attacks)
        deviation = sqrt(pooled * (1 - pooled) * (1 / self.attacks + 1 / other.attacks))
        return self.share - other.share > ONE_SIDED * deviation

    def as_json(self) -> dict[str, Any]:
        return {"successes": round(self.successes, 4), "attacks": self.attacks, "share": round(self.share, 6)}


@dataclass(frozen=True, slots=True)
class Criterion:
    """One of the three criteria, measured by a named attack: its success against targets of the original, of
    the control, and that of a uniformly random guess. `subject` says what was guessed, or how. Where success
    depends on the number of people, `growth` is how many times those of the control the original has.

    >>> rates = SuccessRate(60, 100), SuccessRate(20, 100), SuccessRate(25, 100)
    >>> measured = Criterion("inference", "job", *rates)
    >>> round(measured.risk, 3), round(measured.half_width, 3), measured.beats_guessing
    (0.488, 0.13, True)
    """

    name: str
    subject: str
    original: SuccessRate
    control: SuccessRate
    naive: SuccessRate
    growth: float = 1.0

    @property
    def is_extrapolated(self) -> bool:
        """True if the control is too small to say what so many people as the original has would show."""
        return self.growth > FARTHEST

    def is_above(self, level: float) -> bool:
        """True if the whole interval of the risk lies above a level."""
        return self.is_measurable and self.lower > level

    @property
    def is_measurable(self) -> bool:
        """True if something is left to learn: not if everybody in the control is found as well."""
        return self.control.share < 1

    @property
    def risk(self) -> float:
        """The share of what cannot be known from the population that the table tells."""
        return max(0.0, (self.original.center - self.control.center) / (1 - self.control.center))

    @property
    def half_width(self) -> float:
        """Half of the interval of the risk, by the propagation of errors; 1 says that nothing is known."""
        unknown = 1 - self.control.center
        of_original = self.original.half_width / unknown
        of_control = (1 - self.original.center) * self.control.half_width / unknown**2
        return min(1.0, sqrt(of_original**2 + of_control**2))

    @property
    def upper(self) -> float:
        """The upper end of the interval: what a limit must meet."""
        return min(1.0, self.risk + self.half_width)

    @property
    def lower(self) -> float:
        """The lower end of the interval."""
        return max(0.0, self.risk - self.half_width)

    @property
    def beats_guessing(self) -> bool:
        """True if the attack is better than a uniformly random guess."""
        return self.original.exceeds(self.naive)

    def as_json(self) -> dict[str, Any]:
        return {
            "criterion": self.name,
            "subject": self.subject,
            "risk": round(self.risk, 6) if self.is_measurable else None,
            "half_width": round(self.half_width, 6) if self.is_measurable else None,
            "original": self.original.as_json(),
            "control": self.control.as_json(),
            "naive": self.naive.as_json(),
            "beats_guessing": self.beats_guessing,
            "growth": round(self.growth, 6),
            "extrapolated": self.is_extrapolated,
        }

    @property
    def interval(self) -> str:
        """The risk with its interval, in few words."""
        if not self.is_measurable:
            return "not measurable"
        beside = " (extrapolated)" if self.is_extrapolated else ""
        return f"{percent(self.risk)} ± {percent(self.half_width)}{beside}"

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Criterion:
        """A criterion as `as_json` stored it."""
        original, control, naive = (
            SuccessRate(float(entry[name]["successes"]), int(entry[name]["attacks"]))
            for name in ("original", "control", "naive")
        )
        growth = float(entry.get("growth", 1))
        return cls(entry["criterion"], entry["subject"], original, control, naive, growth)

    @property
    def title(self) -> str:
        """The criterion, and what was guessed or how."""
        subject = f" of '{self.subject}'" if self.name == "inference" else f" ({self.subject})"
        return f"{self.name.replace('-', ' ')}{subject}"

    def __str__(self) -> str:
        title = upper_first(self.title)
        if not self.is_measurable:
            return f"{title}: not measurable, the people of the control are found as well"
        guess = "" if self.beats_guessing else "; no better than guessing"
        return (
            f"{title}: {self.interval} (succeeds for {percent(self.original.share)} of the original and "
            f"{percent(self.control.share)} of the control{guess})."
        )
