"""The frontier of one run: every release that no other dominates, and how it was found."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from paretonym.errors import Field, InputError
from paretonym.frontier.proven_bound import ProvenBound
from paretonym.frontier.run_record import FRONTIER_FORMAT, RunRecord
from paretonym.frontier.solution import Solution
from paretonym.language import _, format_number, ngettext
from paretonym.measures import card_of
from paretonym.recoding import Recoding, Suppression, digest, parse_suppression
from paretonym.schema import PEOPLE, HouseholdFacts, PersonFacts, Unit

# Beyond this, people no longer read a number digit by digit.
_COUNTABLE = 10**9
_NEARLY = 0.9
MOST_IDS = 10


@dataclass(frozen=True, slots=True)
class Objective:
    name: str
    direction: str


class ReadRecoding(Protocol):
    """A type of recodings that can be read back."""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Recoding: ...


class StoredSpace(Protocol):
    """What a stored frontier needs to know of its space."""

    @property
    def units(self) -> str: ...
    @property
    def bounded(self) -> str: ...
    @property
    def recoding(self) -> type[ReadRecoding]: ...
    def looks_everywhere(self, method: str) -> bool:
        """Whether a search of this space covers all releases in question, unless it is stopped."""
        ...


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a frontier says about its table: counts and names, no values. `persons`, if a column says whose a
    row is: how many there are, and how many have rows with different quasi-identifiers; `households`, if a
    column says which rows belong together."""

    rows: int
    read: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    persons: PersonFacts | None = None
    households: HouseholdFacts | None = None

    @property
    def cautions(self) -> tuple[str, ...]:
        """What persons and households of this table mean for k and k-household."""
        return tuple(text for each in (self.persons, self.households) if each for text in each.cautions)

    @property
    def dropped(self) -> int:
        return self.read - self.rows


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """Where and how the frontier was searched for. `complete`: it is proven exact; otherwise `open` nodes (or
    cuts) are left that might add to it. With `box`, one solution represents all in its box of that size.
    `interrupted`: a person stopped the search, and this is what was found until then."""

    space: str
    size: int
    method: str
    complete: bool
    seed: int | None
    suppress: str
    open: int = 0
    box: Mapping[str, float] = field(default_factory=dict)
    interrupted: bool = False
    # What the size of the space is counted in.
    units: str = "nodes"
    # Whether the search covers all releases in question, unless it is stopped.
    everywhere: bool = True
    # What is proven although the search was stopped.
    bound: ProvenBound | None = None

    @property
    def rule(self) -> Suppression | None:
        """The suppression rule; None if it is specific to one space."""
        try:
            return parse_suppression(self.suppress)
        except InputError:
            return None

    @property
    def left(self) -> str:
        """What was not evaluated, in words."""
        if self.open < _COUNTABLE:
            return self._counted(self.open)
        share, units = self.open / self.size, _(self.units)
        if share > _NEARLY:
            return _("nearly all {units}", units=units)
        return _("{share} of all {units}", share=format_number(f"{100 * share:.2g} %"), units=units)

    @property
    def width(self) -> str:
        """How large the space is, in words."""
        if self.size < _COUNTABLE:
            return self._counted(self.size)
        return _("more {units} than can be tried", units=_(self.units))

    def _counted(self, number: int) -> str:
        match self.units:
            case "cuts":
                return ngettext("{number} cut", "{number} cuts", number)
            case "chains":
                return ngettext("{number} chain", "{number} chains", number)
            case "settings":
                return ngettext("{number} setting", "{number} settings", number)
        return ngettext("{number} node", "{number} nodes", number)

    @property
    def releases(self) -> str:
        """The releases among which something is proven: those of the space, not all that there are."""
        match self.units:
            case "cuts":
                return _("releases with one grouping of values per column")
            case "chains":
                return _("releases by a chain of levels")
        return _("releases with one level per column")

    @property
    def thinned(self) -> tuple[str, ...]:
        """The statement that one solution represents a box, if it does."""
        sides = ", ".join(f"{name}={side:g}" for name, side in self.box.items())
        return (_("one per box of {sides}", sides=sides),) if self.box else ()

    def __str__(self) -> str:
        if not self.complete and (self.open or not self.box):
            return ", ".join((_("not proven complete ({left} left)", left=self.left), *self.thinned))
        return ", ".join(self.thinned) or _("proven complete among {releases}", releases=self.releases)


@dataclass(frozen=True, slots=True)
class Frontier(Sequence[Solution]):
    """Solutions ordered by the first objective, best first. A sequence: iterate, index, slice.

    `candidates` are all releases of a sweep, in its order; the solutions are the best of them.
    """

    table: TableFacts
    search: SearchFacts
    objectives: tuple[Objective, ...]
    solutions: tuple[Solution, ...]
    record: RunRecord | None = field(default=None, compare=False, repr=False)
    candidates: tuple[Solution, ...] = ()

    def __len__(self) -> int:
        return len(self.solutions)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Solution, ...]: ...
    def __getitem__(self, index: int | slice) -> Solution | tuple[Solution, ...]:
        return self.solutions[index]

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __str__(self) -> str:
        names = ", ".join(objective.name for objective in self.objectives)
        found = str(self.search)
        if self.candidates:
            best = ngettext(
                "the best of {number} setting", "the best of {number} settings", len(self.candidates)
            )
            found = ", ".join((best, *self.search.thinned))
        return ngettext(
            "Frontier of {number} release in ({objectives}) over {rows}, {found}",
            "Frontier of {number} releases in ({objectives}) over {rows}, {found}",
            len(self),
            objectives=names,
            rows=self._counted_rows,
            found=found + self._by_evaluation + self.estimates,
        )

    @property
    def _counted_rows(self) -> str:
        rows = ngettext("{number} row", "{number} rows", self.table.rows)
        if self.table.persons is not None:
            people = ngettext("{number} person", "{number} people", self.table.persons.number)
            return _("{rows} of {people}", rows=rows, people=people)
        return rows if self.unit.is_person else _("{rows} (events, not people)", rows=rows)

    def parameters(self, *names: str) -> tuple[str, ...]:
        """The parameters of these measures that were set, as they are given: `loss.weights=1`."""
        record = self.record
        return () if record is None else tuple(text for name in names for text in record.parameters(name))

    @property
    def estimates(self) -> str:
        """Which objectives are estimates: the frontier can be proven complete, what they say cannot."""
        cards = ((o.name, card_of(o.name)) for o in self.objectives)
        names = [name for name, card in cards if card and card.is_estimate]
        return "".join(_("; {measure} is an estimate", measure=name) for name in names)

    @property
    def _by_evaluation(self) -> str:
        """How a frontier was proven for which most bounds do not hold: a person can be in several classes."""
        persons, evaluated = self.table.persons, 0 if self.record is None else self.record.evaluated
        proven = self.search.complete and persons is not None and persons.differing > 0
        return _(" by evaluating every node") if proven and evaluated == self.search.size else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before any number here is used: what k counts."""
        return (*self.unit.warnings, *self.table.cautions)

    def __repr__(self) -> str:
        """One line: the solutions may be thousands."""
        return f"<{self}>"

    @property
    def unit(self) -> Unit:
        """What a row of the table is."""
        return PEOPLE if self.record is None else self.record.schema.unit

    @property
    def directions(self) -> tuple[str, ...]:
        """The better direction of each objective: "min" or "max"."""
        return tuple(objective.direction for objective in self.objectives)

    def vectors(self) -> npt.NDArray[np.float64]:
        """The objectives of all solutions, one row each."""
        rows = [[solution.values[o.name] for o in self.objectives] for solution in self.solutions]
        return np.array(rows, dtype=np.float64).reshape(len(self.solutions), len(self.objectives))

    def pick(self, name: str) -> Solution:
        """The solution with that id, or whose id or digest begins with it."""
        if name != str(name):
            wrong = f"{name!r} is not the id of a solution"
            raise InputError.of(Field("pick"), wrong, "give an id as text, such as '3f9a2c'")
        found = [s for s in self.solutions if digest(s.recoding).startswith(name)] if name else []
        if len(found) == 1:
            return found[0]
        if found:
            wrong = f"{len(found)} solutions have an id that starts with '{name}'"
            remedy = f"give one of them: {', '.join(s.id for s in found[:MOST_IDS])}"
            raise InputError.of(Field("pick"), wrong, remedy)
        raise InputError.of(
            Field("pick"),
            f"no solution has the id '{name}'",
            _known_ids(name, self.solutions),
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "format": FRONTIER_FORMAT,
            "audience": "publisher",
            "rows": self.table.rows,
            **({} if self.table.persons is None else {"persons": self.table.persons._asdict()}),
            **({} if self.table.households is None else {"households": self.table.households._asdict()}),
            "read": self.table.read,
            "dropped": self.table.dropped,
            "quasi": list(self.table.quasi),
            "sensitive": list(self.table.sensitive),
            "space": {"kind": self.search.space, "size": self.search.size},
            "search": {
                "method": self.search.method,
                "complete": self.search.complete,
                "seed": self.search.seed,
                "open": self.search.open,
                **({"box": dict(self.search.box)} if self.search.box else {}),
                **({"interrupted": True} if self.search.interrupted else {}),
                **({"bounds": self.search.bound.as_json()} if self.search.bound else {}),
            },
            "suppress": self.search.suppress,
            "objectives": [{"name": o.name, "direction": o.direction} for o in self.objectives],
            "solutions": [solution.as_json() for solution in self.solutions],
            **({"candidates": [each.as_json() for each in self.candidates]} if self.candidates else {}),
        }

    @classmethod
    def from_json(
        cls, entry: Mapping[str, Any], space: StoredSpace, record: RunRecord | None = None
    ) -> Frontier:
        """A frontier as it was written; its recodings are read as those of the space that it names."""
        return cls(
            TableFacts(
                entry["rows"],
                entry["read"],
                tuple(entry["quasi"]),
                tuple(entry["sensitive"]),
                PersonFacts(**entry["persons"]) if "persons" in entry else None,
                HouseholdFacts(**entry["households"]) if "households" in entry else None,
            ),
            SearchFacts(
                entry["space"]["kind"],
                entry["space"]["size"],
                entry["search"]["method"],
                entry["search"]["complete"],
                entry["search"]["seed"],
                entry["suppress"],
                entry["search"].get("open", 0),
                entry["search"].get("box", {}),
                entry["search"].get("interrupted", False),
                space.units,
                space.looks_everywhere(entry["search"]["method"]),
                ProvenBound.from_json(entry["search"].get("bounds", ()), space.bounded),
            ),
            tuple(Objective(o["name"], o["direction"]) for o in entry["objectives"]),
            tuple(Solution.from_json(solution, space.recoding.from_json) for solution in entry["solutions"]),
            record,
            tuple(Solution.from_json(each, space.recoding.from_json) for each in entry.get("candidates", ())),
        )


def _known_ids(name: str, solutions: Sequence[Solution]) -> str:
    """The nearest id, and how to find the others: there may be thousands."""
    ids = [solution.id for solution in solutions]
    near = difflib.get_close_matches(name, ids, n=1, cutoff=0.6)
    listed = ", ".join(ids[:MOST_IDS]) + (f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else "")
    return f"did you mean '{near[0]}'? the frontier has {listed}" if near else f"the frontier has {listed}"
