"""A saved run: its frontier, and the way back to its data, which are opened when they are needed."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from paretonym.errors import Field, InputError
from paretonym.frontier import Microdata, RunRecord
from paretonym.run.explored_frontier import Frontier
from paretonym.run.run_folder import load_run
from paretonym.schema import wanted_of
from paretonym.source import CountedTable, Table, fingerprint_like
from paretonym.source.engines import ENGINES, is_several, open_source


def load(
    folder: str | os.PathLike[str],
    data: Any = None,
    *,
    engine: str | None = None,
    memory: str | int | None = None,
) -> Frontier:
    """The frontier of a run that was saved before. Its data are opened again only when they are needed;
    `data` says where they are now, if not where they were; data that are named are read, not what the run
    remembers of them. `engine` and `memory` say where rows are counted, if not where the run has counted
    them."""
    try:
        path = Path(folder)
    except TypeError:
        wrong = f"{folder!r} is not the path of a folder"
        raise InputError.of("the run", wrong, "give the path of a folder that explore wrote") from None
    frontier, record, stored = load_run(path)
    places = (path, record.path if data is None else data)
    inputs = [str(place) for place in places if isinstance(place, str | os.PathLike)]
    form = {name: record.options.get(name) for name in ("encoding", "separator")}
    opened = partial(_same_source, record, data, engine, memory)
    remembered = stored if data is None else None
    return Frontier.of(frontier, Microdata(record.schema, opened, inputs, path, form, remembered))


def _same_source(
    record: RunRecord, data: Any, engine: str | None, memory: str | int | None
) -> Table | CountedTable:
    """The table that a run was made of, and no other."""
    place = record.path if data is None else data
    if place is None:
        raise InputError.of(
            "the data", "the run does not record where they are", f"give {Field('data', 'PATH')}"
        )
    if data is None and not (Path(place).exists() or is_several(place)):
        wrong = "this file, from which the run was made, no longer exists"
        raise InputError.of(place, wrong, f"give the new place of the data with {Field('data', 'PATH')}")
    form = {name: record.options.get(name) for name in ("encoding", "separator")}
    if isinstance(place, Table | CountedTable):
        source = place
    else:
        chosen = engine or _engine_of(record)
        limit = record.options.get("memory") if memory is None else memory
        source = open_source(place, wanted_of(record.schema), engine=chosen, memory=limit, **form)
    if (
        fingerprint_like(record.fingerprint, source, wanted_of(record.schema).of(source.names))
        != record.fingerprint
    ):
        raise InputError.of(
            source.name,
            "the data have changed since this run was made",
            f"explore again, or give the unchanged data with {Field('data', 'PATH')}",
        )
    return source


def _engine_of(record: RunRecord) -> str:
    """Where a run has counted its rows; a frame of the caller's is counted where it is."""
    name = str(record.options.get("engine", "memory"))
    return name if name in ENGINES else "auto"
