"""A saved run and its table: opened again when something is asked of it, and the same as it was."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.frontier.folder import load_run, record_release, releases_of
from paretonym.frontier.frontier import Frontier
from paretonym.frontier.record import RunRecord
from paretonym.frontier.solution import Solution
from paretonym.measures.realized import Realized
from paretonym.recoding.recoding import Recoding
from paretonym.release.applying import Union
from paretonym.release.publishing import check_outputs, publish
from paretonym.release.recording import check_first, check_released, release_entry
from paretonym.release.rows import Released
from paretonym.release.writing import arrow_table
from paretonym.schema.model import Schema
from paretonym.source.giving import give_back
from paretonym.source.opening import open_table
from paretonym.source.table import Table
from paretonym.study import Showing, Study


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
        if self._data is None and not Path(data).exists():
            wrong = "there is no such file any more, and the run was made of it"
            raise InputError.of(data, wrong, "say where the data are now with --data PATH")
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

    def warnings(self) -> tuple[str, ...]:
        return self.study.warnings()

    def realized(self, recoding: Recoding) -> Realized:
        return self.study.realized(recoding)

    def release(self, recoding: Recoding) -> Any:
        return self.study.release(recoding)

    def publish(
        self, solution: Solution, path: Path, force: bool = False, also: bool = False
    ) -> dict[str, Any]:
        check_outputs(path, force)
        self._check(solution.recoding, also)

        def note(manifest: dict[str, Any]) -> None:
            # Again, and before the files have names: a release that is there has been written down.
            self._check(solution.recoding, also)
            self._note(release_entry(solution.recoding, path, manifest))

        return self.study.write(solution, path, force, note)

    def apply(
        self, recoding: Recoding, new: Any, path: Path | None = None, force: bool = False
    ) -> tuple[Any, Union]:
        """New rows are read as the run's data were."""
        opened = self.opened(new)
        if path is None:
            released, union = self.study.applied(recoding, opened)
        else:
            released, union, _ = self.apply_to_file(recoding, opened, path, force)
        return give_back(arrow_table(released), opened.kind), union

    def apply_to_file(
        self, recoding: Recoding, new: Table, path: Path, force: bool = False
    ) -> tuple[Released, Union, dict[str, Any]]:
        """New rows as the recoding shows them, written and written down; what they give together with the
        old release, and the manifest."""
        check_outputs(path, force)
        check_released(self._releases(), recoding)
        released, union = self.study.applied(recoding, new)

        def note(manifest: dict[str, Any]) -> None:
            self._note({**release_entry(recoding, path, manifest), "new_rows": union.read})

        return released, union, publish(released, path, recoding, union.cost, force, note, union.entry)

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
        made = (entry["file"] for entry in self._releases() if "new_rows" in entry)
        return [name for name in dict.fromkeys(made) if name != path.name]

    def _releases(self) -> list[dict[str, Any]]:
        return [] if self._folder is None else releases_of(self._folder)

    def _check(self, recoding: Recoding, also: bool) -> None:
        check_first(self._releases(), recoding, also)

    def _note(self, entry: dict[str, Any]) -> None:
        if self._folder is not None:
            record_release(self._folder, entry)
