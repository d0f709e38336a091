"""The microdata behind a frontier: the one way back from a release to the rows that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.base.errors import Bug, InputError
from paretonym.engine.counts import (
    Cube,
    Population,
    Sample,
    Weights,
    count_population,
    count_tuples,
    count_weights,
    declared_purposes,
)
from paretonym.engine.frontier.release_facts import ReleaseFacts
from paretonym.engine.measures import Realized
from paretonym.engine.recoding import Recoding, digest
from paretonym.engine.risk import TableRisk
from paretonym.tables.data_address import local_file
from paretonym.tables.schema import (
    BoundSchema,
    Exposure,
    HouseholdFacts,
    PersonFacts,
    Schema,
    Unit,
    bind,
    exposures,
    of_population,
)
from paretonym.tables.source import Counts, TableForm


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """Facts that are known without the table: about some releases, by the digest of their recoding, the
    columns that are published exactly and have values that identify a row, and how many persons and
    households there are, if columns say whose a row is (a frontier stores it)."""

    releases: Mapping[str, ReleaseFacts]
    exposures: tuple[Exposure, ...]
    persons: PersonFacts | None = None
    households: HouseholdFacts | None = None

    def as_json(self, ids: Mapping[str, str]) -> dict[str, Any]:
        """As `run.json` holds it, the releases by their ids; `ids` are those of digests."""
        releases = {ids[name]: release.as_json() for name, release in self.releases.items() if name in ids}
        return {"exposures": [exposure.as_json() for exposure in self.exposures], "releases": releases}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], ids: Mapping[str, str]) -> StoredFacts:
        stored = entry["releases"]
        counted = {name: stored[id_] for name, id_ in ids.items() if id_ in stored and _measured(stored[id_])}
        releases = {name: ReleaseFacts.from_json(facts) for name, facts in counted.items()}
        return cls(releases, tuple(Exposure(**exposure) for exposure in entry["exposures"]))


def _measured(release: Mapping[str, Any]) -> bool:
    """True if the words were measured from the classes that stay. Earlier versions took them from what a
    recoding could show; such releases are counted again."""
    return all("levels" in column for column in release["columns"])


class Microdata:
    """A table about people and what its columns mean. Unless the `source` is given, it is opened when it is
    first needed, bound to its schema, and counted once. It is a table in memory, or one that was counted in
    an engine.

    `inputs` are the files that table and schema come from, and further ones: no output may replace them.
    `run` is the folder of the run that the data belong to, if any: releases are recorded there. `form` says
    how files of new rows are read, `stored` what is known without the table.
    `population` opens the table of the population that the rows were drawn from, if there is one;
    `sampling_fraction` is the share of a population that they are, if it is given.
    """

    def __init__(
        self,
        schema: Schema,
        source: Counts | Callable[[], Counts],
        inputs: Sequence[str] = (),
        run: Path | None = None,
        form: TableForm | None = None,
        stored: StoredFacts | None = None,
        population: Callable[[], Counts] | None = None,
        sampling_fraction: Fraction | None = None,
    ) -> None:
        self.schema = schema
        # Resolved now: a later change of the working folder must not change which files are meant.
        self.inputs = tuple(map(_absolute, (*inputs, *schema.sources)))
        self.run = run
        self.form = form or TableForm()
        # Digests of the table's content, which take a while.
        self.digests: dict[Any, Any] = {}
        self._stored = stored
        self._population = population
        self.sampling_fraction = sampling_fraction
        self._counted: dict[str, ReleaseFacts] = {}
        self._open = source
        if isinstance(source, Counts):
            _ = self.source

    def __getstate__(self) -> dict[str, Any]:
        """State of a copy: the source or how to open it. What was counted is counted again when it is
        needed."""
        counted = ("table", "bound", "cube", "population")
        return {name: value for name, value in vars(self).items() if name not in counted}

    @cached_property
    def source(self) -> Counts:
        """The source of counts; a release needs nothing else."""
        source = self._open if isinstance(self._open, Counts) else self._open()
        files = source.files or [source.path]
        local = (local_file(place) for place in files if place is not None)
        self.inputs += tuple(_absolute(str(place)) for place in local if place is not None)
        return source

    @cached_property
    def table(self) -> Counts:
        """The rows themselves, for what cannot be computed from distinct rows: random draws. Of a large table
        only the counted columns are known; they are all that a release shows, and rows that agree in them may
        change places."""
        if not self.source.repeats_fit:
            raise InputError.of(
                self.source.name,
                "this needs the rows themselves, and they do not fit into memory",
                "use another space, or a machine with more memory",
            )
        return self.source.whole.repeat()

    @cached_property
    def bound(self) -> BoundSchema:
        """The schema, bound to the values of the table."""
        return bind(self.schema, self.source)

    @cached_property
    def cube(self) -> Cube:
        """The distinct rows of the table with their counts; counted once."""
        cube = count_tuples(self.source, self.bound, self.schema.suppress_unit)
        sample = Sample(
            None if self._population is None else self._drawn,
            # Weights say how many people a row stands for; where rows are events, that says nothing.
            self._weighed if self.bound.weight is not None and self.unit.is_person else None,
            self.sampling_fraction,
        )
        margins = dict(cube.margins)
        if self.schema.purposes:
            margins["purposes"] = declared_purposes(self.schema, self.source, self.bound)
        return replace(cube, sample=sample, margins=margins)

    @cached_property
    def population(self) -> Counts | None:
        """The table of the population, if there is one, opened when it is first needed."""
        return None if self._population is None else self._population()

    def _weighed(self, cube: Cube) -> Weights:
        """The weights of the rows, counted by the tuples of the cube."""
        return count_weights(self.source, self.bound, cube)

    def _drawn(self, cube: Cube) -> Population:
        """The population, counted at the levels of the cube."""
        source = self.population
        if source is None:
            raise Bug("there is no population")
        bound = bind(of_population(self.schema, source.names), source)
        return count_population(source, bound, cube)

    def table_risk(
        self, size: int | None = None, fraction: Fraction | None = None, threads: int = 1
    ) -> TableRisk:
        """Where the risk of the table comes from, before any release, with estimates for the population if a
        sampling fraction or weights are known."""
        values = self.cube.finest or self.cube
        weights = None if self.cube.sample.weights is None else self._weighed(values)
        share = None if fraction is None else float(fraction)
        return TableRisk.of(self.cube, self.unit, size, share, threads, weights)

    @property
    def unit(self) -> Unit:
        """The unit of a row."""
        return self.schema.unit

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        return Realized.of(recoding, self.cube)

    @property
    def _known(self) -> StoredFacts | None:
        """The stored facts, as long as the table is not open; an open table is asked itself."""
        return None if "source" in vars(self) else self._stored

    def facts(self, recoding: Recoding) -> ReleaseFacts:
        """Facts about a release of this table, which is opened only if they are not stored."""
        name = digest(recoding)
        if self._known is not None and name in self._known.releases:
            return self._known.releases[name]
        if name not in self._counted:
            self._counted[name] = ReleaseFacts.of(self.realized(recoding), self.schema, recoding.keep)
        return self._counted[name]

    def exposures(self) -> tuple[Exposure, ...]:
        """The columns that are published exactly and have values that identify a row."""
        if self._known is not None:
            return self._known.exposures
        return exposures(self.schema, self.source, self.bound)

    @property
    def persons(self) -> PersonFacts | None:
        """The number of persons, if a column says whose a row is."""
        if self._known is not None or self.schema.person is None:
            return self._known.persons if self._known is not None else None
        return None if self.cube.persons is None else self.cube.persons.facts

    @property
    def households(self) -> HouseholdFacts | None:
        """The number of households, if a column says which rows belong together."""
        if self._known is not None or self.schema.household is None:
            return self._known.households if self._known is not None else None
        return None if self.cube.households is None else self.cube.households.facts

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that must be known before any number is used: what k counts."""
        facts = (self.persons, self.households)
        return (*self.unit.warnings, *(text for fact in facts if fact for text in fact.cautions))

    def facts_to_store(self, recodings: Sequence[Recoding], most: int) -> StoredFacts | None:
        """Facts about the first of these releases, as many as can be counted from at most this many tuples.
        If the table is not open, facts stored before are stored again."""
        if "source" not in vars(self):
            return self._stored
        number = most // max(1, len(self.cube.counts))
        facts = {digest(recoding): self.facts(recoding) for recoding in recodings[:number]}
        return StoredFacts(facts, self.exposures(), self.persons, self.households)


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
