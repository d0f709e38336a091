"""The registry: every space by its name, plugged-in ones too; and what only one space or search has, its
parameters, which are named OWNER.PARAMETER, such as `poka.depth`.

A command takes `poka.depth=3`, `Study.explore` the keyword `depth=3`. A space and a search list their own,
each with its meaning and, in parentheses, its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from typing import NamedTuple

from paretonym.base.errors import Field, InputError, UnknownName, did_you_mean
from paretonym.base.plug_ins import SEARCHES, plug_ins, plugged
from paretonym.base.plug_ins import SPACES as PLUGGED_SPACES
from paretonym.engine.measures import MEASURES, Settings, card_of, parse_settings
from paretonym.engine.recoding import Feature, Recoding
from paretonym.engine.search import Tuning
from paretonym.engine.spaces.lattice.lattice_space import LATTICE
from paretonym.engine.spaces.space import Question, Space

BUILT_IN = ("lattice", "local", "cuts", "mondrian")
USUAL_SPACE = LATTICE


class Method(NamedTuple):
    """One way to search a space; among others it may have a budget of `evaluations`."""

    space: str
    search: str | None = None
    evaluations: int | None = None


# The methods of a joint frontier, cheapest first: of equal solutions that of the first one is kept.
METHODS = (
    Method("lattice"),
    Method("mondrian", "improve", 1),
    Method("cuts", "hybrid", 2000),
    Method("local", None, 10_000_000),
)


@cache
def _space(name: str) -> Space:
    """A space with all of its searches, those of other packages last: SPACE.SEARCH is their entry point."""
    if name in BUILT_IN:
        space: Space = getattr(import_module(f"paretonym.engine.spaces.{name}.{name}_space"), name.upper())
    else:
        space = plugged(PLUGGED_SPACES, name)
    added = {
        full.partition(".")[2]: plugged(SEARCHES, full)
        for full in plug_ins(SEARCHES)
        if full.partition(".")[0] == name
    }
    return replace(space, searches={**space.searches, **added}) if added else space


class _Spaces(Mapping[str, Space]):
    """Every space by its name: the built-in ones, then those of other packages. Each is loaded when it is
    first used: a question to a saved run needs one of them."""

    def __getitem__(self, name: str) -> Space:
        if name not in self:
            raise KeyError(name)
        return _space(name)

    def __contains__(self, name: object) -> bool:
        return name in BUILT_IN or name in plug_ins(PLUGGED_SPACES)

    def __iter__(self) -> Iterator[str]:
        return iter((*BUILT_IN, *(name for name in plug_ins(PLUGGED_SPACES) if name not in BUILT_IN)))

    def __len__(self) -> int:
        return len(tuple(iter(self)))


SPACES: Mapping[str, Space] = _Spaces()


def joint_methods(objectives: Sequence[str]) -> tuple[Method, ...]:
    """The methods of a joint frontier in some objectives: the built-in ones, and spaces that join for one of
    these."""
    joining = (SPACES[name] for name in SPACES if name not in BUILT_IN)
    return (*METHODS, *(Method(space.name) for space in joining if {*space.joins_for} & {*objectives}))


def space_named(name: str) -> Space:
    """The space of that name; the error for an unknown name lists the known ones."""
    if name not in SPACES:
        raise UnknownName.of(Field("space"), f"unknown space '{name}'", did_you_mean(name, SPACES))
    return SPACES[name]


def supporting(feature: Feature) -> tuple[str, ...]:
    """The names of the spaces that support a feature."""
    return tuple(space.name for space in SPACES.values() if not space.lacks(feature))


def space_of(recoding: Recoding) -> Space:
    """The space that a recoding belongs to."""
    return next(space for space in SPACES.values() if type(recoding) is space.recoding)


# These have an option of their own.
_OPTIONS = ("seed", "sweep")


def owned_parameters() -> dict[str, dict[str, str]]:
    """The parameters of every space and search, by the names used in Python, with their meanings."""
    owned: dict[str, dict[str, str]] = {}
    for space in SPACES.values():
        entries = {space.name: space.problem.options}
        entries |= {name: search.options for name, search in space.searches.items()}
        for owner, options in entries.items():
            named = {name: text for name, text in options.items() if name not in _OPTIONS}
            owned.setdefault(owner, {}).update(named)
    return {owner: options for owner, options in owned.items() if options}


class Assignment(NamedTuple):
    """A parameter of a space or search, as it was written on the command line."""

    owner: str
    name: str
    value: str


@dataclass(frozen=True)
class Assignments:
    """Settings from the command line: parameters of measures, and those of spaces and searches."""

    settings: Settings
    assignments: tuple[Assignment, ...]

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Assignments:
        """Read `l-recursive.c=2` and `poka.depth=3`.

        >>> given = Assignments.parse(["l-recursive.c=2", "poka.depth=3"])
        >>> given.settings, given.used("lattice", "poka")
        ({'l-recursive': {'c': 2.0}}, {'depth': '3'})
        """
        of_measures: list[str] = []
        assignments: list[Assignment] = []
        owned = owned_parameters()
        for entry in entries:
            full, equals, value = entry.partition("=")
            owner, dot, name = full.strip().rpartition(".")
            if owner in owned and equals:
                parameter = _parameter(owner, name, owned[owner])
                assignments.append(Assignment(owner, parameter, value.strip()))
            elif equals and dot and card_of(owner) is None:
                raise _unknown_owner(owner, owned)
            else:
                of_measures.append(entry)
        return cls(parse_settings(of_measures), tuple(assignments))

    def used(self, space: str | None, search: str | None) -> dict[str, str]:
        """The parameters of the space and the search that are used; those of others are refused. If neither
        is named, each parameter says which it is for."""
        method = search or (space and space_named(space).usual_search)
        for owner, name, _ in self.assignments:
            if owner not in (space, method) and (space or search or owner not in SPACES):
                flag = Field("space" if owner in SPACES else "search", owner)
                full = f"{owner}.{name.replace('_', '-')}"
                where = f" in the space {space}" if space else ""
                wrong = f"'{full}' is given, but the search is {method or 'every method'}{where}"
                raise InputError.of(Field("settings"), wrong, f"omit it, or use {flag}")
        return {name: value for _, name, value in self.assignments}


def _unknown_owner(owner: str, owned: Mapping[str, object]) -> InputError:
    names = [*owned, *(card.name for card in MEASURES.values() if card.parameters)]
    wrong = f"'{owner}' is no measure, search or space with parameters"
    return InputError.of(Field("settings"), wrong, did_you_mean(owner, names))


def _parameter(owner: str, name: str, options: Mapping[str, str]) -> str:
    plain = name.replace("-", "_")
    if plain not in options:
        choices = [option.replace("_", "-") for option in options]
        wrong = f"{owner} has no parameter '{name}'"
        raise InputError.of(Field("settings"), wrong, did_you_mean(name, choices))
    return plain


def with_parameters(
    question: Question, parameters: Mapping[str, object], keywords: Iterable[str] = ()
) -> Question:
    """A question with the parameters of its space and search. An unknown name is refused; it may be a
    misspelled one of the `keywords` beside them."""
    names = {name for options in owned_parameters().values() for name in options}
    for name in parameters:
        if name not in names:
            wrong = "neither a keyword nor a parameter of a space or search has this name"
            raise InputError.of(f"'{name}'", wrong, did_you_mean(name, {*names, *keywords}))
    tuned = {field.name for field in fields(Tuning)}
    return replace(
        question,
        space_options={n: value for n, value in parameters.items() if n not in tuned and value is not None},
        tuning=question.tuning.with_options({n: value for n, value in parameters.items() if n in tuned}),
    )
