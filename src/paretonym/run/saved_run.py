"""A saved run and its table: opened again when something is asked of it, and the same as it was."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.errors import Field, InputError
from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.solution import Solution
from paretonym.measures.recoded_counts import Realized
from paretonym.recoding.recoding_contract import Recoding
from paretonym.release.append.appended_release import Union
from paretonym.release.release_files import check_outputs
from paretonym.release.release_writer import arrow_table
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import Cost
from paretonym.run.run_folder import KEY_FILE, load_run, releases_of
from paretonym.run.run_record import RunRecord
from paretonym.run.study import Showing, Study
from paretonym.schema.model import Schema
from paretonym.schema.uniqueness_warnings import Exposure
from paretonym.source.dataframe import give_back
from paretonym.source.table import Table
from paretonym.source.table_reader import open_table
from paretonym.state import read_key


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
    written down there. No output takes the place of one of the `inputs`, the run and its data.
    """

    def __init__(self, record: RunRecord, data: Any = None, folder: Path | None = None) -> None:
        self._record = record
        self._data = data
        self._folder = folder
        places = (folder, record.path if data is None else data)
        named = (Path(each) for each in places if isinstance(each, str | os.PathLike))
        self.inputs = tuple(str(each.absolute()) for each in named)

    @property
    def schema(self) -> Schema:
        return self._record.schema

    @cached_property
    def study(self) -> Study:
        data = self._record.path if self._data is None else self._data
        if data is None:
            raise InputError.of(
                "the data", "the run does not say where they are", f"say so with {Field('data', 'PATH')}"
            )
        if self._data is None and not Path(data).exists():
            wrong = "there is no such file any more, and the run was made of it"
            raise InputError.of(data, wrong, f"say where the data are now with {Field('data', 'PATH')}")
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
                f"explore again, or give the data as they were with {Field('data', 'PATH')}",
            )
        return study

    def exposures(self) -> tuple[Exposure, ...]:
        return self.study.exposures()

    def realized(self, recoding: Recoding) -> Realized:
        return self.study.realized(recoding)

    def cost(self, recoding: Recoding) -> Cost:
        return self.study.cost(recoding)

    def history(self) -> str | None:
        return self.study.history()

    def release(self, recoding: Recoding) -> Any:
        return self.study.release(recoding, self._folder)

    def publish(
        self, solution: Solution, path: Path, force: bool = False, also: bool = False
    ) -> dict[str, Any]:
        check_outputs(path, force, self.inputs)
        return self.study.write(solution, path, self.study.log(self._folder), force, also, self.inputs)

    def draw_key(self, recodings: Iterable[Recoding], run: Path | None = None) -> bytes | None:
        """The key of the run, which needs no data; None if it has none."""
        return None if self._folder is None else read_key(self._folder / KEY_FILE)

    def apply(
        self,
        recoding: Recoding,
        new: Any,
        path: Path | None = None,
        force: bool = False,
        also: bool = False,
    ) -> tuple[Any, Union]:
        """New rows are read as the run's data were."""
        opened = self.opened(new)
        if path is None:
            released, union = self.study.applied(recoding, opened)
        else:
            released, union, _ = self.apply_to_file(recoding, opened, path, force, also)
        return give_back(arrow_table(released), opened.kind), union

    def apply_to_file(
        self, recoding: Recoding, new: Table, path: Path, force: bool = False, also: bool = False
    ) -> tuple[Released, Union, dict[str, Any]]:
        """New rows as the recoding shows them, written and written down; what they give together with the
        old release, and the manifest."""
        read = (*self.inputs, *filter(None, [new.path]))
        check_outputs(path, force, read)
        return self.study.apply_to_file(recoding, new, path, self.study.log(self._folder), force, also, read)

    def opened(self, new: Any, encoding: str | None = None, separator: str | None = None) -> Table:
        """A table of new rows; a file is read as the run's data were, unless it is said otherwise."""
        options = self._record.options
        return open_table(
            new,
            encoding=encoding or options.get("encoding"),
            separator=separator or options.get("separator"),
        )

    def applied_before(self, path: Path) -> list[str]:
        """The files of new rows that were made of this run, save the one that is written now."""
        made = () if self._folder is None else releases_of(self._folder)
        names = (entry["file"] for entry in made if "new_rows" in entry)
        return [name for name in dict.fromkeys(names) if name != path.name]
