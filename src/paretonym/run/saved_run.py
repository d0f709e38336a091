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
from paretonym.source import Table, open_table


def load(folder: str | os.PathLike[str], data: Any = None) -> Frontier:
    """The frontier of a run that was saved before. Its data are opened again only when they are needed;
    `data` says where they are now, if not where they were; data that are named are read, not what the run
    remembers of them."""
    try:
        path = Path(folder)
    except TypeError:
        wrong = f"{folder!r} is not the path of a folder"
        raise InputError.of("the run", wrong, "give the path of a folder that explore wrote") from None
    frontier, record, stored = load_run(path)
    places = (path, record.path if data is None else data)
    inputs = [str(place) for place in places if isinstance(place, str | os.PathLike)]
    form = {name: record.options.get(name) for name in ("encoding", "separator")}
    opened = partial(_same_table, record, data)
    remembered = stored if data is None else None
    return Frontier.of(frontier, Microdata(record.schema, opened, inputs, path, form, remembered))


def _same_table(record: RunRecord, data: Any) -> Table:
    """The table that a run was made of, and no other."""
    place = record.path if data is None else data
    if place is None:
        raise InputError.of(
            "the data", "the run does not record where they are", f"give {Field('data', 'PATH')}"
        )
    if data is None and not Path(place).exists():
        wrong = "this file, from which the run was made, no longer exists"
        raise InputError.of(place, wrong, f"give the new place of the data with {Field('data', 'PATH')}")
    form = {name: record.options.get(name) for name in ("encoding", "separator")}
    table = place if isinstance(place, Table) else open_table(place, **form)
    if table.fingerprint != record.fingerprint:
        raise InputError.of(
            table.name,
            "the data have changed since this run was made",
            f"explore again, or give the unchanged data with {Field('data', 'PATH')}",
        )
    return table
