"""The frontier of one run: every release that no other dominates, and how these were searched for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.errors import Field, InputError, UnknownName
from paretonym.base.language import _, ngettext
from paretonym.engine.frontier.proven_bound import GENERALIZATION, ProvenBound
from paretonym.engine.frontier.run_record import FRONTIER_FORMAT, RunRecord
from paretonym.engine.frontier.search_facts import SearchFacts, StoredSpace
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import Limit, card_of
from paretonym.engine.recoding import digest
from paretonym.tables.schema import PEOPLE, HouseholdFacts, PersonFacts, Unit

MOST_IDS = 10


@dataclass(frozen=True, slots=True)
class Objective:
    """A measure that a frontier is about, and its better direction."""

    name: str
    direction: str


def objective_values(solutions: Iterable[Solution], names: Sequence[str]) -> Floats:
    """The values of these measures: one row for each solution."""
    rows = [[solution.values[name] for name in names] for solution in solutions]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(names))


@dataclass(frozen=True, slots=True)
class TableFacts:
    """Counts and names of a table, no values. Of `read` rows, `rows` are left. `persons`, if a column says
    whose a row is: how many there are, and how many have rows with different quasi-identifiers; `households`,
    if a column says which rows belong together."""

    rows: int
    read: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    persons: PersonFacts | None = None
    households: HouseholdFacts | None = None

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings of what persons and households of this table mean for k and k-household."""
        return tuple(text for facts in (self.persons, self.households) if facts for text in facts.cautions)

    @property
    def dropped(self) -> int:
        return self.read - self.rows

    def most(self, limit: Limit) -> tuple[int, tuple[str, str]] | None:
        """The number of rows, people or households in the table, and the words for them, if a limit asks for
        more."""
        people = None if self.persons is None else self.persons.number
        most = limit.most(self.rows, people, None if self.households is None else self.households.number)
        return most if most is not None and limit.bound > most.number else None


@dataclass(frozen=True, slots=True)
class Frontier(Sequence[Solution]):
    """Solutions ordered by the first objective, best first. A sequence: iterate, index, slice.

    Several `methods` may have searched, each in a space of its own: the solutions are then those that no
    solution of any method dominates. `least_cost`, if it is known, holds for every generalization that shows
    sets of the hierarchies, whichever they are: none is below it. `candidates` are all releases of a sweep,
    in its order; the solutions are the best of them. `further` releases were found in answer to a purpose:
    they can be picked, too.
    """

    table: TableFacts
    methods: tuple[SearchFacts, ...]
    objectives: tuple[Objective, ...]
    solutions: tuple[Solution, ...]
    record: RunRecord | None = field(default=None, compare=False, repr=False)
    candidates: tuple[Solution, ...] = ()
    least_cost: ProvenBound | None = None
    further: tuple[Solution, ...] = field(default=(), compare=False)

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

    @property
    def search(self) -> SearchFacts:
        """The first of the methods, which is the only one unless the frontier is joint."""
        return self.methods[0]

    @property
    def is_joint(self) -> bool:
        """True if several methods searched."""
        return len(self.methods) > 1

    @property
    def complete(self) -> bool:
        """True if the frontier is proven exact among the releases of every method."""
        return all(method.complete for method in self.methods)

    @property
    def interrupted(self) -> bool:
        """True if a person stopped the search."""
        return any(method.interrupted for method in self.methods)

    def floor(self, k: float) -> float | None:
        """The `least_cost` at some k: no generalization by these hierarchies with at least this k loses less;
        None if it is not known. Groups that are cut between values may lose less."""
        return None if self.least_cost is None else self.least_cost.at(k)

    def method_of(self, solution: Solution) -> SearchFacts:
        """The method that found a solution."""
        return next((method for method in self.methods if method.space == solution.space), self.search)

    def bound_of(self, solution: Solution) -> ProvenBound | None:
        """Bound proven of releases like a solution: the least cost, if it shows sets of the hierarchies and
        the least cost is known, otherwise what its own search has proven."""
        method = self.method_of(solution)
        return (self.least_cost if method.by_hierarchies else None) or method.bound

    def __str__(self) -> str:
        return ngettext(
            "Frontier of {number} release in ({objectives}) over {rows}, {proven}",
            "Frontier of {number} releases in ({objectives}) over {rows}, {proven}",
            len(self),
            objectives=", ".join(objective.name for objective in self.objectives),
            rows=self._counted_rows,
            proven=self._searches_in_words + self._by_evaluation + self.estimates,
        )

    @property
    def _searches_in_words(self) -> str:
        """Words for how far the searches came, and that one solution represents a box, if it does."""
        if settings := len(self.candidates):
            best = ngettext("the best of {number} setting", "the best of {number} settings", settings)
            return ", ".join((best, *self.search.thinned))
        if self.is_joint:
            return "; ".join((*(method.short for method in self.methods), *self.search.thinned))
        return str(self.search)

    @property
    def _counted_rows(self) -> str:
        rows = ngettext("{number} row", "{number} rows", self.table.rows)
        if self.table.persons is not None:
            people = ngettext("{number} person", "{number} people", self.table.persons.number)
            return _("{rows} of {people}", rows=rows, people=people)
        return rows if self.unit.is_person else _("{rows} (events, not people)", rows=rows)

    def parameters(self, *names: str) -> tuple[str, ...]:
        """The parameters of these measures that were set, as users write them: `loss.weights=1`."""
        record = self.record
        return () if record is None else tuple(text for name in names for text in record.parameters(name))

    @property
    def estimates(self) -> str:
        """A remark for each objective that is an estimate: the frontier can be proven, its values cannot."""
        cards = ((o.name, card_of(o.name)) for o in self.objectives)
        names = [name for name, card in cards if card and card.is_estimate]
        return "".join(_("; {measure} is an estimate", measure=name) for name in names)

    @property
    def _by_evaluation(self) -> str:
        """A remark on a proof without bounds: most do not hold if a person can be in several classes."""
        persons, evaluated = self.table.persons, 0 if self.record is None else self.record.evaluated
        proven = self.complete and persons is not None and persons.differing > 0
        return _(" by evaluating every node") if proven and evaluated == self.search.size else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about what k counts, which must be known before any number here is used."""
        return (*self.unit.warnings, *self.table.cautions)

    def __repr__(self) -> str:
        """One line, since the solutions may be thousands."""
        return f"<{self}>"

    @property
    def unit(self) -> Unit:
        """The unit of a row of the table."""
        return PEOPLE if self.record is None else self.record.schema.unit

    @property
    def directions(self) -> tuple[str, ...]:
        """The better direction of each objective: "min" or "max"."""
        return tuple(objective.direction for objective in self.objectives)

    def vectors(self) -> Floats:
        """The objectives of all solutions, one row each."""
        return objective_values(self.solutions, [objective.name for objective in self.objectives])

    def pick(self, name: str) -> Solution:
        """The solution whose id or digest is `name`, or begins with it."""
        if name != str(name):
            wrong = f"{name!r} is not the id of a solution"
            raise InputError.of(Field("pick"), wrong, "give an id as text, such as '3f9a2c'")
        every = (*self.solutions, *self.further)
        matches = [s for s in every if digest(s.recoding).startswith(name)] if name else []
        if len(matches) == 1:
            return matches[0]
        if matches:
            wrong = f"{len(matches)} solutions have an id that starts with '{name}'"
            remedy = f"give one of them: {', '.join(s.id for s in matches[:MOST_IDS])}"
            raise InputError.of(Field("pick"), wrong, remedy)
        wrong = f"no solution has the id '{name}'"
        raise UnknownName.of(Field("pick"), wrong, _ids_to_choose(name, self.solutions))

    def knows(self, solution: Solution) -> bool:
        """True if a release can be picked."""
        return solution.recoding in [other.recoding for other in (*self.solutions, *self.further)]

    def as_json(self) -> dict[str, Any]:
        """The frontier as files hold it."""
        candidates = [candidate.as_json() for candidate in self.candidates]
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
            **self._searches(),
            "suppress": self.search.suppress,
            "objectives": [{"name": o.name, "direction": o.direction} for o in self.objectives],
            "solutions": [self._entry(solution) for solution in self.solutions],
            **({"candidates": candidates} if candidates else {}),
        }

    def _searches(self) -> dict[str, Any]:
        """The space and its search, or the methods and the least cost (`floor` in files)."""
        if not self.is_joint:
            return {"space": self.search.space_as_json(), "search": self.search.as_json()}
        return {
            "methods": [method.among_others() for method in self.methods],
            **({"floor": self.least_cost.as_json()} if self.least_cost else {}),
        }

    def _entry(self, solution: Solution) -> dict[str, Any]:
        """A solution; on a joint frontier with its space."""
        entry = solution.as_json()
        return {"id": entry.pop("id"), "space": solution.space, **entry} if self.is_joint else entry

    @classmethod
    def from_json(
        cls, entry: Mapping[str, Any], spaces: Mapping[str, StoredSpace], record: RunRecord | None = None
    ) -> Frontier:
        """Read back what `as_json` gave; recodings are read as those of their space."""
        only_space = entry["space"]["kind"] if "space" in entry else ""

        def solution(stored: Mapping[str, Any]) -> Solution:
            space = stored.get("space", only_space)
            return Solution.from_json(stored, space, spaces[space].recoding.from_json)

        return cls(
            TableFacts(
                entry["rows"],
                entry["read"],
                tuple(entry["quasi"]),
                tuple(entry["sensitive"]),
                PersonFacts(**entry["persons"]) if "persons" in entry else None,
                HouseholdFacts(**entry["households"]) if "households" in entry else None,
            ),
            _methods(entry, spaces),
            tuple(Objective(o["name"], o["direction"]) for o in entry["objectives"]),
            tuple(map(solution, entry["solutions"])),
            record,
            tuple(map(solution, entry.get("candidates", ()))),
            ProvenBound.from_json(entry.get("floor", ()), GENERALIZATION),
        )


def _methods(entry: Mapping[str, Any], spaces: Mapping[str, StoredSpace]) -> tuple[SearchFacts, ...]:
    """The methods of a stored frontier: several, or the one search."""
    rule = entry["suppress"]
    if "methods" in entry:
        return tuple(
            SearchFacts.from_json(method, spaces[method["space"]], method["size"], rule)
            for method in entry["methods"]
        )
    space = entry["space"]
    return (SearchFacts.from_json(entry["search"], spaces[space["kind"]], space["size"], rule),)


def _ids_to_choose(name: str, solutions: Sequence[Solution]) -> str:
    """The nearest id, if there is one, and the first few of all: there may be thousands."""
    ids = [solution.id for solution in solutions]
    near = difflib.get_close_matches(name, ids, n=1, cutoff=0.6)
    listed = ", ".join(ids[:MOST_IDS]) + (f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else "")
    return f"did you mean '{near[0]}'? the frontier has {listed}" if near else f"the frontier has {listed}"
