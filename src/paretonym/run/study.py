"""A table with its schema, ready to be asked: the door for Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.counts.cube import Cube
from paretonym.counts.tuple_counts import count_tuples
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.frontier.origin import Picture
from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.solution import Solution
from paretonym.measures.bounds_on_measures import read_bounds
from paretonym.measures.objective import Settings
from paretonym.measures.recoded_counts import Realized, realize
from paretonym.papers.methods.four_problems import PaperProblem
from paretonym.recoding.recoding_contract import Recoding
from paretonym.recoding.suppression import DEFAULT, Suppression
from paretonym.release.append.appended_release import Union, apply_recoding
from paretonym.release.append.old_release import Old
from paretonym.release.bucket_files import publish_buckets
from paretonym.release.bucketized_rows import Bucketed, bucket_rows
from paretonym.release.draw_key import find_key, key_mark
from paretonym.release.release_files import check_outputs, publish
from paretonym.release.release_log import Release, ReleaseLog, other_content_warning
from paretonym.release.release_writer import arrow_table
from paretonym.release.released_rows import Released, release_rows
from paretonym.release.small_counts import Cost
from paretonym.release.staying_cost import staying_cost
from paretonym.risk.reidentification import RISKS_OF_PEOPLE
from paretonym.run.run_record import RunRecord
from paretonym.schema.bound_schema import BoundSchema
from paretonym.schema.model import Schema
from paretonym.schema.schema_binding import bind
from paretonym.schema.schema_parser import read_schema, schema_from
from paretonym.schema.uniqueness_warnings import Exposure, exposures
from paretonym.search.budget import Limits, Progress, parse_time, quiet, silent, usable_cores
from paretonym.search.search_options import STANDARD, Tuning, tuning_from
from paretonym.source.dataframe import give_back
from paretonym.source.example_data import Part, adult_table, example_path
from paretonym.source.table import Table
from paretonym.source.table_reader import open_table
from paretonym.spaces.exploration import explore, question_as_json
from paretonym.spaces.question import Question
from paretonym.spaces.registry import space_of

EXAMPLES: Mapping[str, Part] = {"adult": "data", "adult-six": "all", "adult-nine": "data"}


class Showing:
    """What a study and a reopened run draw alike."""

    def draw(self, frontier: Frontier, kind: str, pick: str | None) -> Picture:
        """A figure of a frontier, or of one solution of it."""
        # Here, since drawing loads much that searching does not need.
        from paretonym.report.figures import draw
        from paretonym.report.report_facts import figure_of

        return draw(figure_of(frontier, kind, pick))

    def html(self, shown: Frontier | Solution) -> str:
        """A frontier or a solution for a notebook."""
        from paretonym.report.pages.notebook import shown_in_notebook

        return shown_in_notebook(shown)


class Study(Showing):
    """A table about people and what its columns mean.

    `data` is a path to a CSV or Parquet file or a dataframe (pandas, polars, pyarrow), `schema` a path to a
    schema file or the same as a dict; `encoding` and `separator` are for CSV files that do not say by
    themselves. The table is counted once, when the first question is asked. `inputs` are the files that both
    come from: no output takes their place.
    """

    def __init__(
        self,
        data: Any,
        schema: str | os.PathLike[str] | Mapping[str, Any] | Schema,
        *,
        encoding: str | None = None,
        separator: str | None = None,
    ) -> None:
        self.schema = _schema(schema)
        opened = data if isinstance(data, Table) else open_table(data, encoding=encoding, separator=separator)
        self.table: Table = opened
        self._digests: dict[Any, str] = {}
        # Now: who changes the working folder later still means the same files.
        self.inputs = tuple(map(_absolute, (*filter(None, [opened.path]), *self.schema.sources)))

    @cached_property
    def bound(self) -> BoundSchema:
        return bind(self.schema, self.table)

    @cached_property
    def cube(self) -> Cube:
        return count_tuples(self.table, self.bound)

    def explore(
        self,
        *objectives: str | Sequence[str],
        suppress: str | float | Suppression = DEFAULT,
        space: str = "lattice",
        search: str | None = None,
        settings: Settings | None = None,
        at_least: Mapping[str, float | str] | None = None,
        at_most: Mapping[str, float | str] | None = None,
        problem: PaperProblem | int | None = None,
        sweep: Sequence[str] | str = (),
        relaxed: bool = False,
        buckets: str | None = None,
        tuning: Tuning | Mapping[str, Any] = STANDARD,
        time: str | float | None = None,
        threads: int | None = None,
        progress: Progress = silent,
        remark: Callable[[str], None] = quiet,
        state: Callable[[str], None] = quiet,
    ) -> Frontier:
        """The frontier of the named measures ("k" and "loss" unless others are named), one after the other or
        in a list.

        Solutions that miss `at_least` or `at_most` are left out, and nodes that can only miss them are not
        evaluated. After `time` ("60s") the search stops with what it has found. `tuning` holds what some
        searches can be told: {"depth": 2}, {"seed": 1, "population": 50}, {"box": {"k": 5, "loss": 0.01}}.
        In the space "cuts", `problem` is one of the four of the trade-offs paper, in place of objectives. In
        the spaces "mondrian" and "buckets" the releases of a `sweep` such as "k=10,50" are measured and the
        best of them kept.
        """
        least, most = read_bounds(at_least, Field("at_least")), read_bounds(at_most, Field("at_most"))
        names = _names(objectives)
        _check_people(self.schema, (*names, *least, *most))
        question = Question(
            names,
            suppress,
            space,
            search,
            settings or {},
            least,
            most,
            PaperProblem(problem) if isinstance(problem, int) else problem,
            (sweep,) if isinstance(sweep, str) else tuple(sweep),
            relaxed,
            buckets,
            tuning if isinstance(tuning, Tuning) else tuning_from(tuning),
        )
        limits = Limits(threads or usable_cores(), parse_time(time), progress, remark, state)
        found = explore(question, self.cube, limits)
        options = {
            **question_as_json(question, self.cube, found),
            "encoding": self.table.encoding,
            "separator": self.table.separator,
        }
        record = RunRecord(
            None if self.table.path is None else _absolute(self.table.path),
            self.table.fingerprint,
            self.schema,
            options,
            found.seconds,
            found.evaluated,
            in_part=found.in_part,
        )
        return replace(found.frontier, record=record).with_origin(self)

    def exposures(self) -> tuple[Exposure, ...]:
        """The columns that are published exactly and have values that find a row."""
        return exposures(self.schema, self.table, self.bound)

    def history(self) -> str | None:
        """What whoever releases this table should know of releases of the same file with other content."""
        return other_content_warning(self.log())

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        return realize(recoding, self.cube)

    def released(self, recoding: Recoding) -> Released:
        """The rows that a recoding releases, sorted, as new columns."""
        return release_rows(self.table, self.schema, self.bound, self.realized(recoding))

    def release(self, recoding: Recoding, run: Path | None = None) -> Any:
        """The rows as a recoding shows them, in the caller's own kind of dataframe. Of buckets the table in
        which the sensitive values of each are mixed up. Nothing is written down: a dataframe is not
        published yet."""
        if space_of(recoding).buckets is not None:
            rows = self.bucketed(recoding, find_key(self.log(run)))
            return give_back(arrow_table(rows.mixed), self.table.kind)
        return give_back(arrow_table(self.released(recoding)), self.table.kind)

    def bucketed(self, recoding: Recoding, key: bytes) -> Bucketed:
        """The rows in their buckets: whoever has the key gets the same."""
        return bucket_rows(self.table, self.schema, self.bound, self.realized(recoding), recoding, key)

    def cost(self, recoding: Recoding) -> Cost:
        """What its release costs, by the rows that stay: what may be published of it."""
        return staying_cost(self.table, self.bound, self.realized(recoding))

    def log(self, run: Path | None = None) -> ReleaseLog:
        """What was released of this table, by any run, and of the run in a folder."""
        return ReleaseLog.of(self.table, self.schema, run, self._digests)

    def draw_key(self, recodings: Iterable[Recoding], run: Path | None = None) -> bytes | None:
        """The key that the recodings of a run are drawn with, None if nothing is drawn."""
        drawn = any(space_of(recoding).buckets is not None for recoding in recodings)
        return find_key(self.log(run)) if drawn else None

    def publish(
        self, solution: Solution, path: Path, force: bool = False, also: bool = False
    ) -> dict[str, Any]:
        """Write a release and its manifest, which is returned. A second, different release of the same rows,
        by whichever run or study, is refused unless `also` is given: two can be joined."""
        check_outputs(path, force, self.inputs)
        return self.write(solution, path, self.log(), force, also)

    def write(
        self,
        solution: Solution,
        path: Path,
        log: ReleaseLog,
        force: bool = False,
        also: bool = False,
        inputs: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Write a release and its manifest, if its log has nothing against it; no output takes the place of
        one of the further `inputs`."""
        read = (*self.inputs, *inputs)
        check_outputs(path, force, read)
        recoding = solution.recoding
        cost = self.cost(recoding)
        if space_of(recoding).buckets is not None:
            key = find_key(log)
            rows = self.bucketed(recoding, key)
            made = Release(recoding, path.name, log.content_of(rows.mixed), key_mark(key))
            with log.opened(made, also) as note:
                return publish_buckets(rows, path, recoding, cost, force, note, read)
        released = self.released(recoding)
        with log.opened(Release(recoding, path.name, log.content_of(released)), also) as note:
            return publish(released, path, recoding, cost, force, note, inputs=read)

    def apply(
        self,
        recoding: Recoding,
        new: Any,
        path: Path | None = None,
        force: bool = False,
        also: bool = False,
    ) -> tuple[Any, Union]:
        """New rows as a recoding of this table shows them, in their own kind of dataframe, and what they give
        together with its release; with a path also written there, with a manifest."""
        opened = new if isinstance(new, Table) else open_table(new)
        if path is None:
            released, union = self.applied(recoding, opened)
        else:
            read = tuple(filter(None, [opened.path]))
            released, union, _ = self.apply_to_file(recoding, opened, path, self.log(), force, also, read)
        return give_back(arrow_table(released), opened.kind), union

    def apply_to_file(
        self,
        recoding: Recoding,
        new: Table,
        path: Path,
        log: ReleaseLog,
        force: bool = False,
        also: bool = False,
        inputs: Sequence[str] = (),
    ) -> tuple[Released, Union, dict[str, Any]]:
        """New rows as the recoding shows them, written and written down; what they give together with the
        old release, and the manifest. `inputs` are further files that no output takes the place of."""
        read = (*self.inputs, *inputs)
        check_outputs(path, force, read)
        released, union = self.applied(recoding, new)
        of_new = ReleaseLog.of(new, self.schema)
        made = Release(recoding, path.name, of_new.content_of(released), new_rows=union.read)
        with log.opened_beside(of_new, made, also) as note:
            written = publish(released, path, recoding, union.cost, force, note, union.entry, inputs=read)
        return released, union, written

    def applied(self, recoding: Recoding, new: Table) -> tuple[Released, Union]:
        """The new rows themselves, sorted, as new columns."""
        old = Old(self.table, self.schema, self.bound, self.realized(recoding))
        return apply_recoding(old, new, recoding)


def example(name: str = "adult") -> Study:
    """A built-in study: "adult" (eight quasi-identifiers, 30,162 rows), "adult-six" (six, 45,222 rows) or
    "adult-nine" (nine, 30,162 rows, for the space of cuts)."""
    if name not in EXAMPLES:
        raise InputError.of(f"example '{name}'", "there is none of that name", did_you_mean(name, EXAMPLES))
    return Study(adult_table(EXAMPLES[name]), example_path(f"{name}.toml"))


def _names(objectives: Sequence[str | Sequence[str]]) -> tuple[str, ...]:
    """Names one after the other, or in lists."""
    names: list[Any] = []
    for each in objectives:
        names += each if isinstance(each, list | tuple) else [each]
    for name in names:
        if not isinstance(name, str):
            raise InputError.of(
                Field("objectives"), f"{name!r} is no name of a measure", 'give for example "k", "loss"'
            )
    return tuple(names)


def _check_people(schema: Schema, names: Sequence[str]) -> None:
    """Refuse a risk of people where rows are none."""
    for name in names:
        if name in RISKS_OF_PEOPLE and not schema.unit.is_person:
            raise InputError.of(
                Field("objectives"),
                f"{name} is a risk of people, and the schema says that rows are events",
                "ask for k, which counts rows, or give a table with one row per person",
            )


def _absolute(path: str) -> str:
    return str(Path(path).absolute())


def _schema(schema: str | os.PathLike[str] | Mapping[str, Any] | Schema) -> Schema:
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return schema_from(schema)
    return read_schema(Path(schema))
