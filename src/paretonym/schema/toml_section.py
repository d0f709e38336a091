"""One table of a schema file while it is read: it returns typed values and collects problems; nothing is
raised."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from paretonym.errors import ColumnPlace, Place, Problem, did_you_mean

LARGEST_EXPONENT = 400
LARGEST_WHOLE = 10**18
T = TypeVar("T")


@dataclass(frozen=True)
class Section:
    """The keys of one table, where it lies, and the list that its problems go to.

    Each reading method returns None if the key is absent or wrong; what is wrong is added to `problems`.
    """

    place: Place
    mapping: Mapping[str, Any]
    problems: list[Problem]

    def complain(self, wrong: str, remedy: str, key: str | None = None) -> None:
        """Collect a problem of this table, or of one key of it."""
        within = isinstance(self.place, ColumnPlace) and self.place.key is not None
        self.problems.append(Problem(self.place, wrong, remedy, None if within else key))

    def inner(self, key: str, place: Place) -> Section | None:
        """The table under a key."""
        value = self.mapping.get(key)
        if isinstance(value, Mapping):
            return Section(place, value, self.problems)
        if key in self.mapping:
            self.complain(f"{key} is {described(value)}", "make it a table", key)
        return None

    def refuse_unknown(self, known: Iterable[str]) -> None:
        names = tuple(known)
        for key in self.mapping:
            if key not in names:
                self.complain(f"the key '{key}' is unknown", did_you_mean(str(key), names))

    def read(self, key: str, convert: Callable[[Any], T | None], expected: str) -> T | None:
        """The key's value after `convert`, which answers None for what it does not accept."""
        if key not in self.mapping:
            return None
        value = convert(self.mapping[key])
        if value is None:
            self.complain(
                f"{key} is {described(self.mapping[key])}",
                f"give {expected}",
                key,
            )
        return value

    def choice(self, key: str, choices: tuple[T, ...]) -> T | None:
        expected = "one of " + ", ".join(f'"{choice}"' for choice in choices)
        return self.read(key, lambda value: _chosen(value, choices), expected)

    def text(self, key: str) -> str | None:
        return self.read(key, lambda value: value if isinstance(value, str) else None, "a text in quotes")

    def truth(self, key: str) -> bool | None:
        return self.read(key, lambda value: value if isinstance(value, bool) else None, "true or false")

    def number(self, key: str) -> Decimal | None:
        return self.read(key, number, "a number")

    def positive(self, key: str) -> Decimal | None:
        return self.read(key, _positive, "a number above 0")

    def whole(self, key: str) -> int | None:
        return self.read(key, whole, "a whole number, 0 or above")

    def wholes(self, key: str) -> tuple[int, ...] | None:
        return self.read(key, lambda value: _all(value, whole), "a list of whole numbers")

    def numbers(self, key: str) -> tuple[Decimal, ...] | None:
        return self.read(key, lambda value: _all(value, number), "a list of numbers")

    def texts(self, key: str) -> tuple[str, ...] | None:
        return self.read(key, lambda value: _all(value, leaf), "a list of texts in quotes")


def number(value: object) -> Decimal | None:
    """A finite number exactly as written, or None.

    >>> number(0.1)
    Decimal('0.1')
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        exact = Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    return exact if exact.is_finite() and abs(exact.adjusted()) <= LARGEST_EXPONENT else None


def whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < LARGEST_WHOLE else None


def leaf(value: object) -> str | None:
    """A leaf's text; a whole number may go without quotes."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_WHOLE:
        return str(value)
    return value if isinstance(value, str) else None


def described(value: object) -> str:
    """A value of the schema in words, for messages.

    >>> described(True), described("abc"), described([1])
    ('true', "the text 'abc'", 'a list')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text '{value}'"
    if isinstance(value, int | float | Decimal):
        huge = isinstance(value, int) and abs(value) >= LARGEST_WHOLE
        return "a number too large to use" if huge else f"the number {value}"
    if isinstance(value, datetime.date | datetime.time):
        return "a date or time without quotes"
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def _chosen(value: object, choices: tuple[T, ...]) -> T | None:
    return next((choice for choice in choices if isinstance(value, str) and value == choice), None)


def _positive(value: object) -> Decimal | None:
    exact = number(value)
    return exact if exact is not None and exact > 0 else None


def _all(value: object, convert: Callable[[object], T | None]) -> tuple[T, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    entries = [convert(entry) for entry in value]
    accepted = tuple(entry for entry in entries if entry is not None)
    return accepted if len(accepted) == len(entries) else None
