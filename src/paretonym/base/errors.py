"""Errors in three families that are never mixed: the user's mistakes, the answer "no", and our own bugs.

Every mistake is a list of `Problem`s, each with its place, what is wrong there and what to do, so that a
person can fix all of them in one go.

An option that a message is about, or names, is a `Field`. The same message then names a flag on the command
line, names `suppress=0.01` in Python, and appears beside the field on the page: each interface phrases fields
for its users when the message is shown. By default, `str(error)` phrases them for Python.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

MOST_VALUES_SHOWN = 20


class ParetonymError(Exception):
    """The base of everything that this package raises on purpose."""


@dataclass(frozen=True, slots=True)
class Field:
    """An option by the name of its parameter, perhaps with a value. In an f-string it leaves a mark that
    `phrased` replaces; True is the value of an option that is given or not.

    >>> phrased(f"give {Field('suppress', '0.01')}, or {Field('force', True)}")
    'give suppress=0.01, or force=True'
    """

    name: str
    value: str | float | None = None

    def __str__(self) -> str:
        value = "" if self.value is None else f"\x1f{self.value}"
        return f"\x02{self.name}{value}\x03"


# How an interface writes a field.
Phrase: TypeAlias = Callable[[Field], str]
Place: TypeAlias = "str | Field | ColumnPlace"
_MARK = re.compile("\x02([a-z_]+)(?:\x1f([^\x02\x03]*))?\x03")
# Of columns with the same problem, more than this are reported together.
MOST_ALIKE = 5
_NUMBER = re.compile(r"True|[0-9.]+|[A-Z]+")
# Python names these by their paths.
_OUTPUTS = ("out", "figure", "figures", "update")
# What the command line calls otherwise: Python takes the name of a sheet as that of a table.
_OTHER_NAMES = {"sheet": "table"}


def in_python(field: Field) -> str:
    """A field as Python's keyword.

    >>> in_python(Field("time", "60s")), in_python(Field("time")), in_python(Field("pick", "a1b2"))
    ("time='60s'", 'time=', "pick('a1b2')")
    """
    name, value = _OTHER_NAMES.get(field.name, field.name), None if field.value is None else str(field.value)
    if name in _OUTPUTS:
        return "path" if value is None else value
    if name in ("pick", "withdraw"):
        return name if value is None else f"{name}({value!r})"
    if name == "objectives":
        return name if value is None else ", ".join(repr(part) for part in value.split(","))
    if value is None:
        return f"{name}="
    return f"{name}={value if _NUMBER.fullmatch(value) else repr(value)}"


def phrased(text: Place, phrase: Phrase = in_python) -> str:
    """A text in which an interface has written every field in its own way."""
    return _MARK.sub(lambda mark: phrase(Field(mark[1], mark[2])), str(text))


class Remark(str):
    """A sentence about a search, phrased for Python; `said` phrases it for other interfaces.

    >>> print(Remark(f"{Field('time', '60s')} stops it"))
    time='60s' stops it
    """

    _marked: str

    def __new__(cls, marked: str) -> Self:
        remark = super().__new__(cls, phrased(marked))
        remark._marked = marked
        return remark

    def said(self, phrase: Phrase) -> str:
        """The sentence, phrased for an interface."""
        return phrased(self._marked, phrase)


@dataclass(frozen=True, slots=True)
class ColumnPlace:
    """A column of a schema, or a place `within` what it says; `key` is the key of the column that holds it.

    >>> print(ColumnPlace("adult.toml", "age").inside("hierarchy"))
    adult.toml, column 'age', hierarchy
    """

    schema: str
    column: str
    within: str = ""
    key: str | None = None

    def inside(self, within: str) -> ColumnPlace:
        """A place in the column's hierarchy; no other key has places inside it."""
        whole = f"{self.within}, {within}" if self.within else within
        return ColumnPlace(self.schema, self.column, whole, "hierarchy")

    def __str__(self) -> str:
        place = f"{self.schema}, column '{self.column}'"
        return f"{place}, {self.within}" if self.within else place


def inside(place: Place, within: str) -> Place:
    """A place within another one."""
    return place.inside(within) if isinstance(place, ColumnPlace) else f"{place}, {within}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, and what to do about it. `field` is the option, or the key of the
    schema, that it is about; `column` the column.

    >>> print(Problem("adult.toml, column 'age'", "the width -5 is not positive", "give widths above 0"))
    adult.toml, column 'age': the width -5 is not positive; give widths above 0
    >>> problem = Problem(Field("time"), "'x' is not a length of time", "use, for example, 60s")
    >>> print(problem.field, "|", problem)
    time | time: 'x' is not a length of time; use, for example, 60s
    """

    place: Place
    wrong: str
    remedy: str
    field: str | None = None
    column: str | None = None
    # Whether the data must be fixed, whatever the schema says.
    in_data: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.place, Field):
            object.__setattr__(self, "field", self.field or self.place.name)
        if isinstance(self.place, ColumnPlace):
            object.__setattr__(self, "field", self.field or self.place.key)
            object.__setattr__(self, "column", self.place.column)

    @property
    def value(self) -> str | float | None:
        """The value that was given, where the place shows it."""
        return self.place.value if isinstance(self.place, Field) else None

    def phrased(self, phrase: Phrase = in_python) -> tuple[str, str, str]:
        """The place, what is wrong, and the remedy, phrased for an interface."""
        # A keyword that is the subject of its sentence needs no value.
        place = phrased(self.place, phrase).removesuffix("=")
        return place, phrased(self.wrong, phrase), phrased(self.remedy, phrase)

    def renamed(self, names: Mapping[str, str]) -> Problem:
        """The problem where options have other names."""

        def rename(text: str) -> str:
            return _MARK.sub(lambda mark: str(Field(names.get(mark[1], mark[1]), mark[2])), text)

        place = self.place
        if isinstance(place, Field):
            place = Field(names.get(place.name, place.name), place.value)
        elif isinstance(place, str):
            place = rename(place)
        field = None if self.field is None else names.get(self.field, self.field)
        return replace(self, place=place, wrong=rename(self.wrong), remedy=rename(self.remedy), field=field)

    def __str__(self) -> str:
        return self.said(in_python)

    def said(self, phrase: Phrase) -> str:
        """The sentence, phrased for an interface."""
        place, wrong, remedy = self.phrased(phrase)
        return f"{place}: {wrong}; {remedy}"


class ParetonymWarning(UserWarning):
    """A remark that limits an answer, such as a method that was left out."""


class InputError(ParetonymError, ValueError):
    """The input, the schema or the options cannot be used as they are (exit code 2)."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.said(in_python))

    def __reduce__(self) -> tuple[Any, ...]:
        # It is made of problems, not of its text: a process pool hands it on whole.
        return type(self), (self.problems,)

    @classmethod
    def of(cls, place: Place, wrong: str, remedy: str, field: str | None = None) -> Self:
        """The error with one problem: its place, what is wrong there, and what to do."""
        return cls([Problem(place, wrong, remedy, field)])

    def __str__(self) -> str:
        # A KeyError would put its text into quotes.
        return self.said(in_python)

    def said(self, phrase: Phrase) -> str:
        """All problems, phrased for an interface. What is wrong with many columns alike is said once."""
        return "\n".join(problem.said(phrase) for problem in _gathered(self.problems))


class UnknownName(InputError, KeyError):
    """There is nothing of this name among those that have one."""


class MissingExtra(InputError, ImportError):
    """A library is needed that is not installed."""


def _gathered(problems: Sequence[Problem]) -> Iterator[Problem]:
    """The problems in their order, where one stands for many columns that have the same."""
    alike: dict[tuple[str, ...], list[Problem]] = {}
    for problem in problems:
        alike.setdefault(_kind(problem), []).append(problem)
    for problem in problems:
        kind = _kind(problem)
        if not kind or len(alike[kind]) <= MOST_ALIKE:
            yield problem
        elif problem is alike[kind][0]:
            schema, within, *_ = kind
            columns = shown(each.column or "" for each in alike[kind])
            where = f"{schema}, each of {len(alike[kind]):,} columns ({columns})"
            yield replace(problem, place=f"{where}, {within}" if within else where)


def _kind(problem: Problem) -> tuple[str, ...]:
    """The parts that problems of several columns have in common; nothing if it is not about a column."""
    if not isinstance(problem.place, ColumnPlace):
        return ()
    return problem.place.schema, problem.place.within, problem.wrong, problem.remedy


class NoSolution(ParetonymError):
    """The answer is no: nothing satisfies what was asked (exit code 1). `nearest` are the solutions that come
    closest, where there are any; `text` has the marks of its fields."""

    def __init__(self, text: str, nearest: Iterable[Any] = ()) -> None:
        super().__init__(phrased(text))
        self.text = text
        self.nearest = tuple(nearest)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.nearest)

    def said(self, phrase: Phrase) -> str:
        """The answer, phrased for an interface."""
        return phrased(self.text, phrase)


class Bug(ParetonymError):
    """Something impossible happened: our bug (exit code 70). Its text never contains data."""


@contextmanager
def renamed_fields(names: Mapping[str, str]) -> Iterator[None]:
    """Options that are called otherwise meanwhile: of two inputs, each has a table.

    >>> with renamed_fields({"table": "original_table"}):
    ...     raise InputError.of(Field("table"), "missing", f"give {Field('table', 'people')}")
    Traceback (most recent call last):
    paretonym.base.errors.InputError: original_table: missing; give original_table='people'
    """
    try:
        yield
    except InputError as error:
        raise type(error)(problem.renamed(names) for problem in error.problems) from error.__cause__


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The remedy for an unknown name: the nearest known one, or else all of them.

    >>> did_you_mean("los", ["k", "loss", "gl"])
    "did you mean 'loss'?"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names)}"


def shown(values: Iterable[str], most: int = MOST_VALUES_SHOWN) -> str:
    """Values quoted for a message, at most `most` of them (never call it with sensitive values).

    >>> shown(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    listed = list(values)
    text = ", ".join(f"'{printable(value)}'" for value in listed[:most])
    if len(listed) <= most:
        return text
    return f"{text} and {len(listed) - most} more"


def printable(text: str) -> str:
    """The text with control characters written out, so that a terminal does not obey them.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
