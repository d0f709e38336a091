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
from paretonym.frontier.frontier import Frontier
from paretonym.frontier.origin import Picture
from paretonym.frontier.record import RunRecord
from paretonym.frontier.solution import Solution
from paretonym.measures.objective import Settings
from paretonym.measures.realized import Realized, realize
from paretonym.recoding.buckets.recoding import BucketsRecoding
from paretonym.recoding.recoding import Recoding
from paretonym.recoding.suppression import DEFAULT, Suppression
from paretonym.release.applying import Union, apply_recoding
from paretonym.release.bucket_publishing import publish_buckets
from paretonym.release.bucketing import Bucketed, bucket_rows
from paretonym.release.manifest import cost_of
from paretonym.release.old_release import Old
from paretonym.release.publishing import Before, check_outputs, publish
from paretonym.release.rows import Released, release_rows
from paretonym.release.writing import arrow_table
from paretonym.schema.binding import bind
from paretonym.schema.bound import BoundSchema
from paretonym.schema.exposing import warnings
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
            in_part=found.in_part,
        )
        return replace(found.frontier, record=record).with_origin(self)

    def warnings(self) -> tuple[str, ...]:
        """What whoever releases this table should know of its columns, a sentence each."""
        return warnings(self.schema, self.table, self.bound)

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
        self, solution: Solution, path: Path, force: bool = False, also: bool = False
    ) -> dict[str, Any]:
        """Write a release and its manifest, which is returned. A study keeps no list of its releases, so that
        `also` changes nothing here."""
        return self.write(solution, path, force)

    def write(
        self, solution: Solution, path: Path, force: bool, before: Before = lambda _: None
    ) -> dict[str, Any]:
        """The same; `before` gets the manifest when both files are written but have no names yet."""
        check_outputs(path, force)
        recoding = solution.recoding
        cost = cost_of(self.realized(recoding))
        if isinstance(recoding, BucketsRecoding):
            return publish_buckets(self.bucketed(recoding), path, recoding, cost, force, before)
        return publish(self.released(recoding), path, recoding, cost, force, before)

    def apply(
        self, recoding: Recoding, new: Any, path: Path | None = None, force: bool = False
    ) -> tuple[Any, Union]:
        """New rows as a recoding of this table shows them, in their own kind of dataframe, and what they give
        together with its release; with a path also written there, with a manifest."""
        opened = new if isinstance(new, Table) else open_table(new)
        released, union = self.applied(recoding, opened)
        if path is not None:
            publish(released, path, recoding, union.cost, force, applied=union.entry)
        return give_back(arrow_table(released), opened.kind), union

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


def _absolute(path: str | None) -> str | None:
    return None if path is None else str(Path(path).absolute())


def _schema(schema: str | os.PathLike[str] | Mapping[str, Any] | Schema) -> Schema:
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return schema_from(schema)
    return read_schema(Path(schema))
