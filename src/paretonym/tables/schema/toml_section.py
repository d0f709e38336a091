"""One table of a schema file while it is read: it returns typed values and collects problems; nothing is
raised."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from paretonym.base.errors import ColumnPlace, Place, Problem, did_you_mean

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
            self.complain(f"{key} is {described(self.mapping[key])}", f"give {expected}", key)
        return value

    def text(self, key: str) -> str | None:
        return self.read(key, text, "a text in quotes")

    def number(self, key: str) -> Decimal | None:
        return self.read(key, number, "a number")

    def whole(self, key: str) -> int | None:
        return self.read(key, whole, "a whole number, 0 or above")

    def wholes(self, key: str) -> tuple[int, ...] | None:
        return self.read(key, all_of(whole), "a list of whole numbers")

    def numbers(self, key: str) -> tuple[Decimal, ...] | None:
        return self.read(key, all_of(number), "a list of numbers")

    def texts(self, key: str) -> tuple[str, ...] | None:
        return self.read(key, all_of(leaf), "a list of texts in quotes")


def text(value: object) -> str | None:
    return value if isinstance(value, str) else None


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


def positive(value: object) -> Decimal | None:
    exact = number(value)
    return exact if exact is not None and exact > 0 else None


def whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < LARGEST_WHOLE else None


def leaf(value: object) -> str | None:
    """A leaf's text; a whole number may go without quotes."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_WHOLE:
        return str(value)
    return text(value)


def all_of(convert: Callable[[object], T | None]) -> Callable[[object], tuple[T, ...] | None]:
    """The entries of a list, if each of them is accepted."""

    def entries_of(value: object) -> tuple[T, ...] | None:
        if not isinstance(value, list | tuple):
            return None
        accepted = tuple(entry for entry in map(convert, value) if entry is not None)
        return accepted if len(accepted) == len(value) else None

    return entries_of


def described(value: object) -> str:
    """A value of the schema in words, for messages.

    >>> described(True), described("abc"), described([1]), described(["a"])
    ('true', "the text 'abc'", '[1]', 'a list')
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
    if not isinstance(value, list | tuple):
        return f"a {type(value).__name__}"
    short = 0 < len(value) <= 5 and all(whole(entry) is not None for entry in value)
    return str(list(value)) if short else "a list"
