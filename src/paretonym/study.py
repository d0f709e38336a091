"""A table with its schema, ready to be asked: the door for Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.cube.counting import count_tuples
from paretonym.cube.cube import Cube
from paretonym.errors import InputError, did_you_mean
from paretonym.frontier.folder import load_run
from paretonym.frontier.frontier import Frontier
from paretonym.frontier.record import RunRecord
from paretonym.measures.objective import Settings, requirements
from paretonym.measures.realized import Realized, realize
from paretonym.recoding.recoding import Recoding
from paretonym.recoding.suppression import DEFAULT, Suppression, parse_suppression
from paretonym.schema.binding import bind
from paretonym.schema.bound import BoundSchema
from paretonym.schema.model import Schema
from paretonym.schema.reading import read_schema, schema_from
from paretonym.search.cuts.exploring import explore_cuts
from paretonym.search.cuts.four_problems import PaperProblem
from paretonym.search.cuts.problem import CutsProblem
from paretonym.search.exploring import explore
from paretonym.search.limits import Limits, parse_time
from paretonym.search.options import Options
from paretonym.search.problem import Problem
from paretonym.search.progress import Progress, silent, usable_cores
from paretonym.source.examples import Part, adult_table, example_path
from paretonym.source.opening import open_table
from paretonym.source.table import Table

OBJECTIVES = ("k", "loss")
EXAMPLES: Mapping[str, Part] = {"adult": "data", "adult-six": "all", "adult-nine": "data"}
# Every space, and how it is searched unless a search is named.
SPACES: Mapping[str, str] = {"lattice": "exact", "cuts": "hybrid"}


class Study:
    """A table about people and what its columns mean.

    `data` is a path to a CSV or Parquet file or a dataframe (pandas, polars, pyarrow), `schema` a path to a
    schema file or the same as a dict. The table is counted once, when the first question is asked.
    """

    def __init__(self, data: Any, schema: str | os.PathLike[str] | Mapping[str, Any] | Schema) -> None:
        self.schema = _schema(schema)
        self.table: Table = data if isinstance(data, Table) else open_table(data)

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
        time: str | float | None = None,
        problem: PaperProblem | int | None = None,
        options: Options | None = None,
        threads: int | None = None,
        progress: Progress = silent,
        remark: Callable[[str], None] | None = None,
        state: Callable[[str], None] | None = None,
    ) -> Frontier:
        """The frontier of the named measures ("k" and "loss" unless others are named).

        Solutions that miss `at_least` or `at_most` are left out, and nodes that can only miss them are not
        evaluated. After `time` ("60s") the search stops with what it has found. `problem` is one of the four
        of the trade-offs paper, in space "cuts", in place of objectives.
        """
        if space not in SPACES:
            raise InputError.of("--space", f"there is no space '{space}'", did_you_mean(space, SPACES))
        suppression = parse_suppression(suppress)
        required = requirements(self.cube, at_least or {}, at_most or {})
        paper = PaperProblem(problem) if isinstance(problem, int) else problem
        limits = Limits(
            threads or usable_cores(),
            parse_time(time),
            progress,
            remark or (lambda _: None),
            state or (lambda _: None),
        )
        search, chosen = search or SPACES[space], options or Options()
        names = objectives or OBJECTIVES
        if space == "cuts":
            question = (
                CutsProblem.of(self.cube, names, suppression, settings, required)
                if paper is None
                else paper.of(self.cube, suppression.fraction, settings, required)
            )
            found = explore_cuts(question, search, limits, chosen)
        else:
            found = explore(Problem.of(self.cube, names, suppression, settings, required), search, limits)
        used = {
            "space": space,
            "search": search,
            "objectives": [o.name for o in found.frontier.objectives],
            "suppress": found.frontier.search.suppress,
            **({"problem": asdict(paper)} if paper else {}),
            **(asdict(chosen) if space == "cuts" else {}),
            "settings": {name: dict(values) for name, values in (settings or {}).items()},
            "require": [str(requirement) for requirement in required],
        }
        record = RunRecord(
            _absolute(self.table.path),
            self.table.fingerprint,
            self.schema,
            used,
            found.seconds,
            found.evaluated,
        )
        return replace(found.frontier, record=record).with_origin(self)

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        return realize(recoding, self.cube)


def load(folder: str | os.PathLike[str]) -> Frontier:
    """The frontier of a run that was saved before. Its data are opened again only when they are needed."""
    frontier = load_run(Path(folder))
    if frontier.record is None:
        return frontier
    return frontier.with_origin(Reopened(frontier.record))


class Reopened:
    """The study of a saved run: its data are opened when something is asked of them, and must be the same.

    `data` says where they are now, if not where they were.
    """

    def __init__(self, record: RunRecord, data: Any = None) -> None:
        self._record = record
        self._data = data

    @cached_property
    def study(self) -> Study:
        data = self._record.path if self._data is None else self._data
        if data is None:
            raise InputError.of("the data", "the run does not say where they are", "say so with --data PATH")
        study = Study(data, self._record.schema)
        if study.table.fingerprint != self._record.fingerprint:
            raise InputError.of(
                study.table.name,
                "the data have changed since this run was made",
                "explore again, or give the data as they were with --data PATH",
            )
        return study

    def realized(self, recoding: Recoding) -> Realized:
        return self.study.realized(recoding)


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
