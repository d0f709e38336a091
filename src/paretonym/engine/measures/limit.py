"""A limit: a measure that must be at least, or at most, a number. Limits are read, checked and compared only
here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, SupportsFloat, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats
from paretonym.base.errors import Bug, Field, InputError, Place
from paretonym.base.language import _
from paretonym.base.number_text import number_to_json, parse_fraction
from paretonym.base.rounding import Sense, farthest, meets, round_one
from paretonym.engine.measures.card import Measure
from paretonym.engine.measures.formatting import rounded_out, written
from paretonym.engine.measures.registry import card_of

_WHERE = re.compile(r"\s*([a-z][\w@. -]*?)\s*(>=|<=|≥|≤)\s*([^<>=]+?)\s*")
_SIGNS: Mapping[Sense, str] = {"at-least": ">=", "at-most": "<="}


class Most(NamedTuple):
    """The highest value that a measure can have in a table, and what is counted, in words."""

    number: int
    words: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Limit:
    """A measure at least, or at most, a bound, which is rounded as values are.

    >>> print(Limit("loss", "at-most", 0.25), "and", Limit("k", "at-least", 5))
    loss at most 25 % and k at least 5
    >>> Limit("loss", "at-most", 1.0000000000000002).bound
    1.0
    """

    name: str
    sense: Sense
    bound: float

    def __post_init__(self) -> None:
        if self.sense not in _SIGNS:
            raise Bug("a limit is at least or at most a bound")
        object.__setattr__(self, "bound", round_one(self.bound))

    @classmethod
    def checked(cls, name: str, sense: Sense, bound: float, place: Place, given: str = "") -> Limit:
        """A limit within the range of its measure; `given` is how the bound was written. An unknown name is
        reported elsewhere."""
        limit, card = cls(name, sense, bound), card_of(name)
        if card is not None:
            card.check_percentage(name, limit.bound, place, given)
            _check_range(card, name, limit.bound, place, given.strip() or f"{bound:.12g}")
        return limit

    @classmethod
    def parsed(cls, text: str) -> Limit:
        """Read `k>=5`.

        >>> Limit.parsed("loss <= 25%")
        Limit(name='loss', sense='at-most', bound=0.25)
        """
        found = _WHERE.fullmatch(text)
        if found is None:
            wrong = f"'{text}' is not of the form MEASURE>=NUMBER"
            raise InputError.of(Field("where"), wrong, 'use, for example, "k>=5" or "loss<=25%"')
        sense: Sense = "at-least" if found[2] in (">=", "≥") else "at-most"
        bound = float(parse_fraction(found[3], Field("where"), text))
        return cls.checked(found[1], sense, bound, Field("where"), found[3])

    @classmethod
    def several(cls, entries: Iterable[str], sense: Sense) -> tuple[Limit, ...]:
        """Read `k=5` or `loss=25%`, each measure once.

        >>> print(*Limit.several(["k=5", "l=2.5"], "at-least"), sep=", ")
        k at least 5, l at least 2.5
        """
        given, place = list(entries), _place(sense)
        numbers = parse_numbers(given, place).items()
        return tuple(
            cls.checked(name, sense, bound, place, entry.partition("=")[2])
            for (name, bound), entry in zip(numbers, given, strict=True)
        )

    @classmethod
    def of_python(cls, bounds: Bounds | None, sense: Sense) -> tuple[Limit, ...]:
        """Limits as Python gives them; percentages may be texts, as on the command line.

        >>> print(*Limit.of_python({"loss": "25%", "k": 5}, "at-most"), sep=", ")
        loss at most 25 %, k at most 5
        """
        place = _place(sense)
        if isinstance(bounds, tuple) and all(isinstance(one, Limit) and one.sense == sense for one in bounds):
            return bounds
        if not isinstance(bounds, Mapping | None):
            raise InputError.of(place, "it is not a mapping", 'use, for example, {"loss": "25%"}')
        return tuple(_read(name, sense, bound, place) for name, bound in (bounds or {}).items())

    def meets(self, values: Floats) -> npt.NDArray[np.bool_]:
        """Which values meet the limit, rounded as solutions are."""
        return meets(values, self.sense, self.bound)

    def allows(self, value: float) -> bool:
        """True if one value meets the limit, rounded as solutions are."""
        return bool(self.meets(np.asarray(value)))

    def most(self, rows: int, people: int | None = None, households: int | None = None) -> Most | None:
        """The highest value that a measure with a lower limit can have in any release of a table, if that is
        known: nothing has more households than the table, and no class more people, rows or values."""
        card = card_of(self.name)
        if card is None or self.sense != "at-least" or card.direction != "max":
            return None
        if card.needs == "households" and households is not None:
            return Most(households, ("household", "households"))
        if card.is_class_size and people is not None:
            return Most(people, ("person", "people"))
        return Most(rows, ("row", "rows")) if card.is_class_size or card.counts_values else None

    @property
    def farthest(self) -> float:
        """The last unrounded value that meets the limit once it is rounded."""
        return farthest(self.sense, self.bound)

    @property
    def upward(self) -> bool:
        """True if a larger bound is weaker."""
        return self.sense == "at-most"

    @property
    def is_good_side(self) -> bool:
        """True if it requires good values of its measure."""
        card = card_of(self.name)
        return card is not None and self.sense == card.good_side

    @property
    def shown_by_file(self) -> bool:
        """True if a released file shows its measure by itself, so that saying it tells nothing new."""
        card = card_of(self.name)
        return card is not None and card.published.in_file

    def implies(self, other: Limit) -> bool:
        """True if everything that meets this limit meets the other one too."""
        return (self.name, self.sense) == (other.name, other.sense) and other.allows(self.bound)

    def relaxed(self, value: float, stop: float | None) -> Limit:
        """The limit with a bound of few digits that lets a value pass, but not `stop` behind it."""
        return replace(self, bound=rounded_out(self.name, value, self.upward, stop))

    @property
    def place(self) -> Field:
        """The option that sets such a limit."""
        return _place(self.sense)

    @property
    def option(self) -> Field:
        """The option of `explore` with its value."""
        name = "at_least" if self.sense == "at-least" else "at_most"
        return Field(name, f"{self.name}={self.bound:.12g}")

    @property
    def text(self) -> str:
        """As files write it, and `Limit.parsed` reads it."""
        return f"{self.name}{_SIGNS[self.sense]}{self.bound:.12g}"

    def __str__(self) -> str:
        bound = written(self.name, self.bound)
        if self.sense == "at-least":
            return _("{measure} at least {bound}", measure=self.name, bound=bound)
        return _("{measure} at most {bound}", measure=self.name, bound=bound)

    def as_json(self) -> dict[str, Any]:
        return {"measure": self.name, "sense": self.sense, "bound": number_to_json(self.bound)}


# Limits as Python gives them: `{"loss": "25%"}`, or read before.
Bounds: TypeAlias = Mapping[str, float | str] | tuple[Limit, ...]


def _read(name: object, sense: Sense, bound: object, place: Place) -> Limit:
    if not isinstance(name, str) or isinstance(bound, bool) or not isinstance(bound, str | SupportsFloat):
        raise InputError.of(
            place,
            f"{name!r} is not a measure with a number",
            'use, for example, {"loss": "25%"}',
        )
    if isinstance(bound, str):
        return Limit.checked(name, sense, float(parse_fraction(bound, place)), place, bound)
    return Limit.checked(name, sense, float(bound), place)


def _place(sense: Sense) -> Field:
    return Field(sense.replace("-", "_"))


def parse_numbers(entries: Iterable[str], place: Place) -> dict[str, float]:
    """Read `k=5` or `loss=25%`, each name once."""
    numbers: dict[str, float] = {}
    for entry in entries:
        name, equals, number = entry.partition("=")
        if not equals:
            raise InputError.of(
                place,
                f"'{entry}' is not of the form MEASURE=NUMBER",
                "use, for example, k=5 or loss=25%",
            )
        if name.strip() in numbers:
            raise InputError.of(place, f"'{name.strip()}' is given twice", "give each measure once")
        numbers[name.strip()] = float(parse_fraction(number, place, entry))
    return numbers


def _check_range(card: Measure, name: str, bound: float, place: Place, text: str) -> None:
    low = float("-inf") if card.scale.lowest is None else card.scale.lowest
    high = float("inf") if card.scale.highest is None else card.scale.highest
    if low <= bound <= high:
        return
    if card.scale.highest is None:
        wrong = f"{name} is always at least {low:g}, but {text} is not"
    else:
        wrong = f"{name} is between {low:g} and {high:g}, but {text} is not"
    meant = high == 1 < bound <= 100 and not text.endswith("%")
    raise InputError.of(place, wrong, f"did you mean {text}%?" if meant else "give a number in that range")
