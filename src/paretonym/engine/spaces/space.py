"""A space: one way to recode a table. Everything that depends on the space is here; no other code
distinguishes spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from paretonym.base.arrays import Codes, Integers
from paretonym.base.budget import Limits
from paretonym.engine.counts import Cube
from paretonym.engine.frontier import RELEASE, ProvenBound, RunRecord, Solution
from paretonym.engine.measures import Limit, Requirement, Settings, with_seed
from paretonym.engine.recoding import (
    DEFAULT_SUPPRESSION,
    Feature,
    Recoding,
    Suppression,
    parse_suppression,
    short_ids,
)
from paretonym.engine.search import STANDARD, Tuning

__all__ = [
    "DealtRows",
    "ProblemMaker",
    "Question",
    "SearchMethod",
    "SearchResult",
    "Space",
    "StoredRecoding",
    "Wording",
    "part_limits",
    "with_ids",
]


@dataclass(frozen=True)
class Question:
    """A question to a table. Without a `space`, every method that can answer it is tried. `sweep` and the
    the `space_options` belong to some spaces only. `earlier` are solutions of the same question to the
    lattice, if that was searched before."""

    objectives: tuple[str, ...] = ()
    suppress: Suppression = DEFAULT_SUPPRESSION
    space: str | None = None
    search: str | None = None
    settings: Settings = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    sweep: tuple[str, ...] = ()
    space_options: Mapping[str, object] = field(default_factory=dict)
    tuning: Tuning = STANDARD
    earlier: tuple[Solution, ...] | None = None

    @classmethod
    def of_run(cls, record: RunRecord) -> Question:
        """The question of a run as far as it says which candidates there are."""
        options = record.options
        return cls(
            tuple(options["objectives"]),
            parse_suppression(options["suppress"]),
            options["space"],
            options.get("search"),
            options.get("settings") or {},
            record.required,
            tuning=Tuning.of(options.get("tuning") or {}),
        )

    @property
    def own_options(self) -> tuple[str, ...]:
        """The options given that not every space has."""
        return (*(("sweep",) if self.sweep else ()), *self.space_options)

    @property
    def parameters(self) -> Settings:
        """The settings of the measures, with the seed of random draws."""
        return with_seed(self.settings, self.tuning.seed or 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that are objectives or limited."""
        return (*self.objectives, *(limit.name for limit in self.limits))

    def required(self, cube: Cube) -> tuple[Requirement, ...]:
        return tuple(Requirement.of(limit, cube, self.parameters) for limit in self.limits)


class StoredRecoding(Recoding, Protocol):
    """A recoding that can be read back from its stored form."""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Recoding: ...


@dataclass(frozen=True)
class SearchResult:
    """The solutions that no other one dominates, and what it took to find them: how many recodings were
    `evaluated`, and how many are `open`, which is none if that is `complete`. Of `in_part` ones only some
    rows were counted. `candidates` are all releases of a sweep; `bound` is what a search that was stopped has
    proven."""

    solutions: tuple[Solution, ...]
    evaluated: int
    open: int = 0
    complete: bool = False
    interrupted: bool = False
    in_part: int = 0
    candidates: tuple[Solution, ...] = ()
    bound: ProvenBound | None = None

    @classmethod
    def named(cls, solutions: Iterable[Solution], evaluated: int, **facts: Any) -> SearchResult:
        """The result with ids for solutions."""
        return cls(with_ids(solutions), evaluated, **facts)


def with_ids(solutions: Iterable[Solution]) -> tuple[Solution, ...]:
    """Solutions with ids that tell them apart."""
    unnamed = tuple(solutions)
    ids = short_ids([solution.recoding for solution in unnamed])
    return tuple(replace(solution, id=name) for name, solution in zip(ids, unnamed, strict=True))


class SearchMethod(NamedTuple):
    """A search for the problems of a space, and the meanings of the options that it has in addition to those
    of every search; `NoSolution` says why it found nothing. Unless it is stopped, it covers the space
    (`everywhere`) or only a part of it. If it `resumes`, it keeps a state from which it can go on."""

    run: Callable[[Any, Limits, Tuning], SearchResult]
    options: Mapping[str, str] = MappingProxyType({})
    everywhere: bool = False
    resumes: bool = False


class DealtRows(NamedTuple):
    """Rows that are dealt to buckets: the tuple of each, its value of every sensitive column, and a number
    drawn for it."""

    tuples: Integers
    values: tuple[Codes, ...]
    drawn: Any


class ProblemMaker(NamedTuple):
    """Maker of a problem from a question to a table, and the meanings of the options of a question that not
    every space has; and the question as it is put `among` other methods."""

    make: Callable[[Question, Cube], Any]
    options: Mapping[str, str] = MappingProxyType({})
    among: Callable[[Question], Question] = lambda question: question


class Wording(NamedTuple):
    """Words about a space for people: the `method` in sentences for a report, and the `units` in which its
    size is counted; in tables of solutions the `heading` of the last column and the `caption` below
    ({columns}); what every part of a recoding meets ({requirement}), if that is `promised`; and in few
    `words` how it generalizes, to tell a release of one space from those of others."""

    units: str
    method: str
    heading: str
    caption: str
    promise: str = ""
    words: str = ""


@dataclass(frozen=True)
class Space:
    """One way to recode a table.

    A recoding itself defines its classes, its stored form and what a manifest says of it. A question becomes
    a `problem`; the first of the `searches` is the default. `supports` says of each feature that the space
    lacks why it does. `publish` gives the bucket of each row if sensitive values are permuted inside buckets;
    everything else is then unchanged. A space of another package joins a search of every method where one of
    the objectives is in `joins_for`.
    """

    name: str
    recoding: type[StoredRecoding]
    problem: ProblemMaker
    searches: Mapping[str, SearchMethod]
    wording: Wording
    supports: Mapping[Feature, str]
    publish: Callable[[Any, Cube, DealtRows], Integers] | None = None
    joins_for: tuple[str, ...] = ()

    @property
    def usual_search(self) -> str:
        return next(iter(self.searches))

    @property
    def units(self) -> str:
        return self.wording.units

    @property
    def words(self) -> str:
        """The way in which it generalizes, in few words."""
        return self.wording.words

    @property
    def by_hierarchies(self) -> bool:
        """True if every set that it shows is one of the hierarchies'."""
        return not self.lacks(Feature.LEVELS)

    @property
    def bounded(self) -> str:
        """The scope of a proven bound: every release by the hierarchies, or this space alone."""
        return RELEASE if self.by_hierarchies else self.units

    def lacks(self, feature: Feature) -> bool:
        return feature in self.supports

    def looks_everywhere(self, method: str) -> bool:
        """True if a search covers all releases in question, unless it is stopped."""
        return method in self.searches and self.searches[method].everywhere

    def promised(self, recoding: Recoding) -> str:
        """The requirements that every part or bucket of a recoding meets, as a sentence without its full
        stop."""
        return self.wording.promise.format(**recoding.flat())


def part_limits(recoding: Recoding) -> tuple[Limit, ...]:
    """The requirements on every part or bucket of a recoding; none if classes are suppressed instead."""
    limits: tuple[Limit, ...] = getattr(recoding, "requirement", ())
    return limits
