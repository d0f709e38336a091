"""A study: a table with its schema. The entry point for Python."""

from __future__ import annotations

import logging
import os
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypeAlias

from paretonym.base.budget import Forecast, Limits, Progress, parse_time, usable_cores
from paretonym.base.errors import (
    Field,
    InputError,
    NoSolution,
    ParetonymWarning,
    Remark,
    UnknownName,
    did_you_mean,
)
from paretonym.base.notebook_view import NotebookView
from paretonym.engine.frontier import Microdata, RunRecord
from paretonym.engine.frontier import Solution as PlainSolution
from paretonym.engine.measures import Bounds, Limit, Settings, settings_of
from paretonym.engine.recoding import DEFAULT_SUPPRESSION, Recoding, Suppression, parse_suppression
from paretonym.engine.risk import TableRisk, sampling_share
from paretonym.engine.search import Tuning
from paretonym.engine.spaces import (
    SPACES,
    Method,
    Question,
    check_table,
    explore,
    methods_for,
    question_as_json,
    with_parameters,
)
from paretonym.release import (
    CombinedRelease,
    append_rows,
    append_to_file,
    control_as_json,
    control_share,
    open_rows,
    publish_release,
    release_dataframe,
    without_control,
)
from paretonym.study.checkpoint import KeptAt, RunCheckpoint, question_digest
from paretonym.study.explored_run import Run
from paretonym.study.notebook_tables import SchemaReview
from paretonym.study.population_table import (
    fraction_as_json,
    open_population,
    population_as_json,
    population_files,
)
from paretonym.study.progress_bar import shown_progress
from paretonym.tables.data_address import lasting_place
from paretonym.tables.data_kinds import Data, Document, OwnFrame
from paretonym.tables.schema import Schema, read_schema, schema_from, wanted_of
from paretonym.tables.source import Counts, TableForm
from paretonym.tables.source.engines import open_source
from paretonym.tables.source.example_data import Part, adult_table, example_path

LOG = logging.getLogger("paretonym")
# The names that type checkers know: those of paretonym's own spaces and searches, plugged-in ones too.
SpaceName: TypeAlias = Literal["lattice", "local", "cuts", "mondrian", "buckets", "microaggregation"]
SearchName: TypeAlias = Literal[
    "exact", "exhaustive", "poka", "pbg", "clusters", "hybrid", "nsga2", "sweep", "improve"
]
EXAMPLES: Mapping[str, Part] = {"adult": "data", "adult-six": "all", "adult-nine": "data"}


class Study(Microdata):
    """A table about people and what its columns mean.

    `data` is a path to a CSV or Parquet file, a folder of such files or a pattern ("data/*.parquet"), or a
    dataframe (pandas, polars, pyarrow; lazy ones and DuckDB relations are counted where they are). `schema`
    is a path to a schema file or the same as a dict; `encoding` and `separator` are for CSV files in which
    they cannot be detected, `header_row` and `footer_rows` for files with titles above the header or sums
    below the rows; the schema may say them, too. `engine` says where files are counted: "spark", or
    "duckdb" ("auto") within a limit of `memory` ("4GB"). Of a database ("sqlite:///people.db",
    "duckdb:///people.duckdb", "postgresql://me@host/people") `table` or `query` is counted there. The table
    is counted once, when the first question is asked. `population_file` (a path, or a dataframe) holds the
    population that the rows were drawn from, with the same quasi-identifiers, for k-map and presence; it is
    counted when it is first needed. `sampling_fraction` ("2%" or 0.02) is the share of a population that the
    rows are, for estimates of it. A share `control` of the people ("10%"), whole persons and households, is
    kept out of everything that is released, so that attacks can be compared on them: chosen once for each
    table, with a key in the user's state folder.
    """

    def __init__(
        self,
        data: Data | Counts,
        schema: str | os.PathLike[str] | Mapping[str, object] | Schema,
        *,
        encoding: str | None = None,
        separator: str | None = None,
        header_row: int | None = None,
        footer_rows: int | None = None,
        engine: str = "auto",
        memory: str | int | None = None,
        table: str | None = None,
        query: str | None = None,
        population_file: Data | None = None,
        sampling_fraction: str | float | None = None,
        control: str | float | None = None,
    ) -> None:
        described = _schema(schema)
        form = TableForm(encoding, separator, None, header_row, footer_rows)
        chosen = {"table": table, "query": query}
        self.control_share = None if control is None else control_share(control)
        rows = open_source(data, wanted_of(described), engine=engine, memory=memory, form=form, **chosen)
        if self.control_share is not None:
            rows = without_control(rows, described, self.control_share)
        super().__init__(
            described,
            rows,
            inputs=population_files(population_file),
            form=form,
            population=None
            if population_file is None
            else partial(open_population, described, population_file, engine, memory, form),
            sampling_fraction=None
            if sampling_fraction is None
            else sampling_share(sampling_fraction, described.unit),
        )

    def __repr__(self) -> str:
        """One line that counts nothing which was not counted yet."""
        roles = Counter(column.role for column in self.schema.columns)
        words = ", ".join(f"{number} {role}" for role, number in roles.items())
        return f"<Study: {self.source.name}, {len(self.source.names)} columns; {words}>"

    def _repr_html_(self) -> str:
        rows = [(column.name, column.role) for column in self.schema.columns]
        return NotebookView([repr(self)[1:-1]], ("column", "role"), rows).html()

    def __dir__(self) -> list[str]:
        # What it shares with the tables of saved runs is for the package.
        return sorted(name for name in dir(type(self)) if name in vars(Study) or name.startswith("__"))

    def explore(
        self,
        *objectives: str | Sequence[str],
        suppress: str | float | Suppression = str(DEFAULT_SUPPRESSION),
        space: SpaceName | None = None,
        search: SearchName | None = None,
        settings: Settings | None = None,
        at_least: Bounds | None = None,
        at_most: Bounds | None = None,
        sweep: Sequence[str] | str = (),
        seed: int | None = None,
        box: Mapping[str, float | str] | str | None = None,
        time: str | float | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        remark: Callable[[Remark], None] | None = None,
        checkpoint: str | os.PathLike[str] | KeptAt | None = None,
        resume: str | os.PathLike[str] | None = None,
        **parameters: object,
    ) -> Run:
        """The frontier in the named measures (default "k" and "loss"), given as arguments or in a list.

        Unless a `space` or `search` is named, every method that can answer searches (one level per column,
        with a proof; parts; cuts; local recoding), and what no solution of any dominates is kept.
        Solutions that do not meet `at_least` or `at_most` are excluded, and nodes that cannot meet them are
        not evaluated. After `time` ("60s") the search stops with what it has found. `seed` is that of
        searches that draw. A `box` such as {"k": 5, "loss": 0.01} keeps one solution of each box of these
        sides. In the spaces "mondrian" and "buckets" the releases of a `sweep` such as "k=10,50" are measured
        and the best of them kept. `parameters` are those of one space or search: depth=2 of "poka",
        population=50 of "nsga2", problem=2 of the space "cuts", in place of objectives.

        A search of the lattice that takes longer than a minute keeps its state in the folder `checkpoint`;
        `resume` goes on from such a folder, if the question and the data are the same.

        `progress` is called with the number of nodes done and the total; in a notebook a bar is shown unless
        it is given. What limits the answer is a `ParetonymWarning`, and forecasts go to the logger
        "paretonym", unless `remark` is given, which then gets both.
        """
        required = (*Limit.of_python(at_least, "at-least"), *Limit.of_python(at_most, "at-most"))
        names = _names(objectives)
        question = Question(
            names,
            parse_suppression(suppress),
            space,
            search,
            settings_of(settings),
            required,
            sweep=(sweep,) if isinstance(sweep, str) else tuple(sweep),
            tuning=Tuning.of({"seed": seed, "box": box}),
        )
        arguments = signature(self.explore).parameters.values()
        keywords = [argument.name for argument in arguments if argument.kind is Parameter.KEYWORD_ONLY]
        question = with_parameters(question, parameters, keywords)
        limiting: list[str] = []
        hear = partial(_hear, remark, limiting)
        limits = Limits(threads or usable_cores(), parse_time(time), remark=hear)
        methods = methods_for(question)
        _check_rows(self, methods)
        check_table(question, self)
        state = _checkpoint(question, methods[0], self, checkpoint, resume, limits.remark)
        try:
            # Where nothing is suppressed, nothing goes together.
            alone = question.suppress.is_nothing and self.cube.units is not None
            cube = self.cube.without("unit") if alone else self.cube
            with shown_progress(progress) as advance:
                within = replace(limits, progress=advance)
                within = within if state is None else replace(within, checkpoint=state)
                exploration = explore(question, cube, within)
        except NoSolution:
            if state is not None:
                state.discard()
            raise
        for text in limiting:
            warnings.warn(text, ParetonymWarning, stacklevel=2)
        options = {
            **question_as_json(question, self.cube, exploration),
            **self.source.form.as_json(),
            **self.source.selection,
            "engine": self.source.engine,
            "memory": self.source.memory,
            **({} if self.population is None else population_as_json(self.population)),
            **fraction_as_json(self.sampling_fraction),
            **({} if self.control_share is None else control_as_json(self.source, self.control_share)),
        }
        record = RunRecord(
            None if self.source.path is None else lasting_place(self.source.path),
            self.source.fingerprint,
            self.schema,
            options,
            exploration.seconds,
            exploration.evaluated,
            in_part=exploration.in_part,
            counted=self.cube.digest,
            kept_in=None if state is None else state.folder.absolute(),
        )
        frontier = replace(exploration.frontier, record=record)
        return Run.of(frontier, self)

    def risk(
        self,
        size: int | None = None,
        sampling_fraction: str | float | None = None,
        threads: int | None = None,
    ) -> TableRisk:
        """Where the risk of the table comes from, before any release: uniques, class sizes, and which
        quasi-identifiers, and which combinations of at most `size` of them (3 unless given), make people
        unique.

        `sampling_fraction` ("2%" or 0.02; that of the study, unless given) is the share of the population
        that the table is; it adds estimates of the risk in the population. So do sampling weights; with a
        fraction, too, they are scaled to it. Confidential like the table itself.
        """
        share = self.sampling_fraction if sampling_fraction is None else sampling_fraction
        fraction = None if share is None else sampling_share(share, self.schema.unit)
        return self.table_risk(size, fraction, threads or usable_cores())

    def review(self) -> SchemaReview:
        """Review of the table by the schema: per column the role, the type, and how many sets each level
        has; or everything that is wrong with the schema. Notebooks show it as a table."""
        return SchemaReview.of(self)

    def release(self, recoding: Recoding) -> OwnFrame:
        """The rows as a recoding shows them, in the caller's own kind of dataframe."""
        return release_dataframe(self, recoding)

    def publish(
        self, solution: PlainSolution, path: Path, force: bool = False, allow_second_release: bool = False
    ) -> Document:
        """Write a release and its manifest, which is returned; a second, different release of the same rows
        is refused unless `allow_second_release` is given."""
        return publish_release(self, solution.recoding, path, force, allow_second_release)

    def apply(
        self,
        recoding: Recoding,
        new: Data,
        path: Path | None = None,
        force: bool = False,
        allow_second_release: bool = False,
    ) -> tuple[OwnFrame | Path, CombinedRelease]:
        """Recode new rows as a recoding of this table shows the old ones; returns them, or the path that they
        were written to, and the union with its release."""
        rows = open_rows(self, new)
        if path is None:
            return append_rows(self, recoding, rows)
        union, _ = append_to_file(self, recoding, rows, path, force, allow_second_release)
        return path, union


def example(name: str = "adult") -> Study:
    """A built-in study: "adult" (eight quasi-identifiers, 30,162 rows), "adult-six" (six, 45,222 rows) or
    "adult-nine" (nine, 30,162 rows, for the space of cuts)."""
    if name not in EXAMPLES:
        raise UnknownName.of(f"example '{name}'", "unknown example", did_you_mean(name, EXAMPLES))
    return Study(adult_table(EXAMPLES[name]), example_path(f"{name}.toml"))


def _hear(remark: Callable[[Remark], None] | None, limiting: list[str], text: str) -> None:
    """Pass a remark on to who wants it; otherwise what limits the answer becomes a warning at its end."""
    if remark is not None:
        remark(Remark(text))
    elif isinstance(text, Forecast):
        LOG.info(Remark(text))
    else:
        limiting.append(Remark(text))


def _checkpoint(
    question: Question,
    first: Method,
    data: Microdata,
    place: str | os.PathLike[str] | KeptAt | None,
    resume: str | os.PathLike[str] | None,
    remark: Callable[[str], None],
) -> RunCheckpoint | None:
    """Where a search keeps its state, and the state from which it goes on, if any."""
    if place is None and resume is None:
        return None
    searches, method = SPACES[first.space].searches, first.search or SPACES[first.space].usual_search
    if method not in searches or not searches[method].resumes:
        if resume is not None:
            wrong = f"the search '{method}' keeps no state"
            raise InputError.of(
                Field("resume", str(resume)), wrong, "start it again, with the same seed if any"
            )
        return None
    digest = partial(question_digest, replace(question, search=method), data)
    if resume is not None:
        return RunCheckpoint.continued(resume, digest, remark)
    return None if place is None else RunCheckpoint.at(place, digest, remark)


def _check_rows(data: Microdata, methods: Sequence[Method]) -> None:
    """Refuse a space whose releases are drawn row by row if the rows are not in memory, before the search
    rather than after it."""
    if any(SPACES[method.space].publish is not None for method in methods):
        _ = data.table


def _names(objectives: Sequence[str | Sequence[str]]) -> tuple[str, ...]:
    """Names given as arguments or in lists."""
    names: list[Any] = []
    for argument in objectives:
        names += argument if isinstance(argument, list | tuple) else [argument]
    for name in names:
        if not isinstance(name, str):
            raise InputError.of(
                Field("objectives"),
                f"{name!r} is not the name of a measure",
                'use, for example, "k", "loss"',
            )
    return tuple(names)


def _schema(schema: str | os.PathLike[str] | Mapping[str, object] | Schema) -> Schema:
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return schema_from(schema)
    if isinstance(schema, str | os.PathLike):
        return read_schema(Path(schema))
    raise InputError.of(
        "schema",
        f"a {type(schema).__name__} is not a schema",
        'give the path of a schema file, or a dict such as {"columns": {"age": {"role": "quasi"}}}',
    )
