"""A table with its schema, ready to be asked: the door for Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.cube.counting import count_tuples
from paretonym.cube.cube import Cube
from paretonym.errors import InputError, did_you_mean
from paretonym.frontier.folder import load_run, record_release, releases_of
from paretonym.frontier.frontier import Frontier
from paretonym.frontier.origin import Picture
from paretonym.frontier.record import RunRecord
from paretonym.frontier.solution import Solution
from paretonym.measures.objective import Settings
from paretonym.measures.realized import Realized, realize
from paretonym.recoding.buckets.recoding import BucketsRecoding
from paretonym.recoding.recoding import Recoding
from paretonym.recoding.suppression import DEFAULT, Suppression
from paretonym.release.applying import Old, Union, apply_recoding
from paretonym.release.bucket_publishing import publish_buckets
from paretonym.release.bucketing import Bucketed, bucket_rows
from paretonym.release.manifest import stated
from paretonym.release.publishing import check_outputs, publish
from paretonym.release.recording import check_first, check_released, release_entry
from paretonym.release.rows import Released, release_rows
from paretonym.release.writing import arrow_table
from paretonym.schema.binding import bind
from paretonym.schema.bound import BoundSchema
from paretonym.schema.model import Schema
from paretonym.schema.reading import read_schema, schema_from
from paretonym.search.cuts.four_problems import PaperProblem
from paretonym.search.limits import Limits, parse_time, quiet
from paretonym.search.progress import Progress, silent, usable_cores
from paretonym.search.question import Question
from paretonym.search.tuning import STANDARD, Tuning, tuning_from
from paretonym.source.examples import Part, adult_table, example_path
from paretonym.source.giving import give_back
from paretonym.source.opening import open_table
from paretonym.source.table import Table

EXAMPLES: Mapping[str, Part] = {"adult": "data", "adult-six": "all", "adult-nine": "data"}


class Showing:
    """What a study and a reopened run draw alike."""

    def draw(self, frontier: Frontier, kind: str, pick: str | None) -> Picture:
        """A figure of a frontier, or of one solution of it."""
        # Here, since drawing loads much that searching does not need.
        from paretonym.report.drawing import draw
        from paretonym.report.story import figure_of

        return draw(figure_of(frontier, kind, pick))

    def html(self, shown: Frontier | Solution) -> str:
        """A frontier or a solution for a notebook."""
        from paretonym.report.page.notebook import shown_in_notebook

        return shown_in_notebook(shown)


class Study(Showing):
    """A table about people and what its columns mean.

    `data` is a path to a CSV or Parquet file or a dataframe (pandas, polars, pyarrow), `schema` a path to a
    schema file or the same as a dict; `encoding` and `separator` are for CSV files that do not say by
    themselves. The table is counted once, when the first question is asked.
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

    @cached_property
    def bound(self) -> BoundSchema:
        return bind(self.schema, self.table)

    @cached_property
    def cube(self) -> Cube:
        return count_tuples(self.table, self.bound)

    def explore(
        self,
        *objectives: str,
        suppress: str | float | Suppression = DEFAULT,
        space: str = "lattice",
        search: str | None = None,
        settings: Settings | None = None,
        at_least: Mapping[str, float] | None = None,
        at_most: Mapping[str, float] | None = None,
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
        """The frontier of the named measures ("k" and "loss" unless others are named).

        Solutions that miss `at_least` or `at_most` are left out, and nodes that can only miss them are not
        evaluated. After `time` ("60s") the search stops with what it has found. `tuning` holds what some
        searches can be told: {"depth": 2}, {"seed": 1, "population": 50}, {"box": {"k": 5, "loss": 0.01}}.
        In the space "cuts", `problem` is one of the four of the trade-offs paper, in place of objectives. In
        the spaces "mondrian" and "buckets" the releases of a `sweep` such as "k=10,50" are measured and the
        best of them kept.
        """
        question = Question(
            objectives,
            suppress,
            space,
            search,
            settings or {},
            at_least or {},
            at_most or {},
            PaperProblem(problem) if isinstance(problem, int) else problem,
            (sweep,) if isinstance(sweep, str) else tuple(sweep),
            relaxed,
            buckets,
            tuning if isinstance(tuning, Tuning) else tuning_from(tuning),
        )
        limits = Limits(threads or usable_cores(), parse_time(time), progress, remark, state)
        found = question.answered(self.cube, limits)
        options = {
            **question.as_json(self.cube, found),
            "encoding": self.table.encoding,
            "separator": self.table.separator,
        }
        record = RunRecord(
            _absolute(self.table.path),
            self.table.fingerprint,
            self.schema,
            options,
            found.seconds,
            found.evaluated,
        )
        return replace(found.frontier, record=record).with_origin(self)

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        return realize(recoding, self.cube)

    def released(self, recoding: Recoding) -> Released:
        """The rows that a recoding releases, sorted, as new columns."""
        return release_rows(self.table, self.schema, self.bound, self.realized(recoding))

    def release(self, recoding: Recoding) -> Any:
        """The rows as a recoding shows them, in the caller's own kind of dataframe. Of buckets the table in
        which the sensitive values of each are mixed up."""
        if isinstance(recoding, BucketsRecoding):
            return give_back(arrow_table(self.bucketed(recoding).mixed), self.table.kind)
        return give_back(arrow_table(self.released(recoding)), self.table.kind)

    def bucketed(self, recoding: BucketsRecoding) -> Bucketed:
        """The rows in their buckets, drawn anew each time."""
        return bucket_rows(self.table, self.schema, self.bound, self.realized(recoding), recoding)

    def publish(
        self,
        recoding: Recoding,
        values: Mapping[str, float],
        path: Path,
        force: bool = False,
        also: bool = False,
        before: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> dict[str, Any]:
        """Write a release and its manifest, which is returned; `before` gets it when both are written but
        have no names yet. A study keeps no list of its releases, so that `also` changes nothing here."""
        check_outputs(path, force)
        levelled = any(column.level for column in self.schema.with_role("sensitive"))
        statements = stated(self.realized(recoding), values, levelled)
        if isinstance(recoding, BucketsRecoding):
            return publish_buckets(self.bucketed(recoding), path, recoding, statements, force, before)
        return publish(self.released(recoding), path, recoding, statements, force, before)

    def apply(self, recoding: Recoding, new: Table) -> tuple[Released, Union]:
        """New rows as a recoding of this table shows them, and what they give together with its release."""
        return apply_recoding(
            Old(self.table, self.schema, self.bound, self.realized(recoding)), new, recoding
        )


def load(folder: str | os.PathLike[str], data: Any = None) -> Frontier:
    """The frontier of a run that was saved before. Its data are opened again only when they are needed;
    `data` says where they are now, if not where they were."""
    frontier = load_run(Path(folder))
    if frontier.record is None:
        return frontier
    return frontier.with_origin(Reopened(frontier.record, data, Path(folder)))


class Reopened(Showing):
    """The study of a saved run: its data are opened when something is asked of them, and must be the same.

    `data` says where they are now, if not where they were. `folder` is where the run lies: releases are
    written down there.
    """

    def __init__(self, record: RunRecord, data: Any = None, folder: Path | None = None) -> None:
        self._record = record
        self._data = data
        self._folder = folder

    @property
    def schema(self) -> Schema:
        return self._record.schema

    @cached_property
    def study(self) -> Study:
        data = self._record.path if self._data is None else self._data
        if data is None:
            raise InputError.of("the data", "the run does not say where they are", "say so with --data PATH")
        options = self._record.options
        study = Study(
            data,
            self._record.schema,
            encoding=options.get("encoding"),
            separator=options.get("separator"),
        )
        if study.table.fingerprint != self._record.fingerprint:
            raise InputError.of(
                study.table.name,
                "the data have changed since this run was made",
                "explore again, or give the data as they were with --data PATH",
            )
        return study

    def realized(self, recoding: Recoding) -> Realized:
        return self.study.realized(recoding)

    def release(self, recoding: Recoding) -> Any:
        return self.study.release(recoding)

    def publish(
        self,
        recoding: Recoding,
        values: Mapping[str, float],
        path: Path,
        force: bool = False,
        also: bool = False,
    ) -> dict[str, Any]:
        check_outputs(path, force)
        folder = self._folder
        if folder is None:
            return self.study.publish(recoding, values, path, force)
        check_first(releases_of(folder), recoding, also)

        def note(entry: dict[str, Any]) -> None:
            # Before the files have names: a release that is there has been written down.
            check_first(releases_of(folder), recoding, also)
            record_release(folder, release_entry(recoding, path, entry))

        return self.study.publish(recoding, values, path, force, before=note)

    def apply(
        self,
        recoding: Recoding,
        data: str,
        path: Path,
        force: bool = False,
        encoding: str | None = None,
        separator: str | None = None,
    ) -> tuple[dict[str, Any], Union]:
        """Write new rows as the recoding shows them: the manifest, and what they give together with the old
        release. They are read as the run's data were, unless `encoding` or `separator` say otherwise."""
        check_outputs(path, force)
        if self._folder is not None:
            check_released(releases_of(self._folder), recoding)
        options = self._record.options
        new = open_table(
            data,
            encoding=encoding or options.get("encoding"),
            separator=separator or options.get("separator"),
        )
        released, union = self.study.apply(recoding, new)
        statements = {"sl": union.left_out / (union.left_out + union.stay)}
        return publish(released, path, recoding, statements, force), union


def example(name: str = "adult") -> Study:
    """A built-in study: "adult" (eight quasi-identifiers, 30,162 rows), "adult-six" (six, 45,222 rows) or
    "adult-nine" (nine, 30,162 rows, for the space of cuts)."""
    if name not in EXAMPLES:
        raise InputError.of(f"example '{name}'", "there is none of that name", did_you_mean(name, EXAMPLES))
    return Study(adult_table(EXAMPLES[name]), example_path(f"{name}.toml"))


def _absolute(path: str | None) -> str | None:
    return None if path is None else str(Path(path).absolute())


def _schema(schema: str | os.PathLike[str] | Mapping[str, Any] | Schema) -> Schema:
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return schema_from(schema)
    return read_schema(Path(schema))
