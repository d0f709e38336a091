"""The user's mistakes, the answers that are "no", and our own bugs: three families, never mixed.

Every mistake is a list of `Problem`s, each with its place, what is wrong there and what to do, so that a
person can mend all of them in one go.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_VALUES_SHOWN = 20


class ParetonymError(Exception):
    """Base of everything that this package raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, and what to do about it.

    >>> print(Problem("adult.toml, column 'age'", "the width -5 is not positive", "give widths above 0"))
    adult.toml, column 'age': the width -5 is not positive; give widths above 0
    """

    place: str
    wrong: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.place}: {self.wrong}; {self.remedy}"


class InputError(ParetonymError):
    """The input, the schema or the options cannot be used as they are (exit code 2)."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def of(cls, place: str, wrong: str, remedy: str) -> InputError:
        return cls([Problem(place, wrong, remedy)])


class NoSolution(ParetonymError):
    """The answer is no: nothing satisfies what was asked (exit code 1). `nearest` are the solutions that come
    closest, where there are any."""

    def __init__(self, text: str, nearest: Iterable[Any] = ()) -> None:
        super().__init__(text)
        self.nearest = tuple(nearest)


class Bug(ParetonymError):
    """Something that cannot happen happened: ours to mend (exit code 70). Its text never holds data."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The remedy for an unknown name: the nearest known one first, then all of them.

    >>> did_you_mean("los", ["k", "loss", "gl"])
    "did you mean 'loss'? known: gl, k, loss"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    listed = f"known: {', '.join(names)}"
    return f"did you mean '{near[0]}'? {listed}" if near else listed


def shown(values: Iterable[str], most: int = MOST_VALUES_SHOWN) -> str:
    """Values quoted for a message, at most `most` of them (never call it with sensitive values).

    >>> shown(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    listed = list(values)
    text = ", ".join(f"'{printable(value)}'" for value in listed[:most])
    return text if len(listed) <= most else f"{text} and {len(listed) - most} more"


def printable(text: str) -> str:
    """The text without what a terminal would obey: control characters are written out.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
