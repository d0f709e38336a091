"""A saved run as a command opens it: with its table, and the release that was picked from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.cli.common_options import Data, Encoding, Engine, Memory, Separator

if TYPE_CHECKING:
    from paretonym.frontier import Microdata, RunRecord
    from paretonym.run import Frontier, Solution


@dataclass(frozen=True)
class RunData:
    """Where the table of a run is, and how it is read."""

    data: Data = None
    encoding: Encoding = None
    separator: Separator = None
    engine: Engine = None
    memory: Memory = None

    def opened(self, run: Path) -> Frontier:
        """The frontier of a run, with its table if an option says how to read that."""
        from paretonym.run import load

        if self.data is None and self.encoding is None and self.separator is None:
            return load(run, engine=self.engine, memory=self.memory)
        from paretonym.schema import wanted_of
        from paretonym.source.engines import open_source

        record = _record(load(run), self.data)
        place = self.data if self.data is not None else record.path
        source = open_source(
            place,
            wanted_of(record.schema),
            engine=self.engine or record.engine,
            encoding=self.encoding,
            separator=self.separator,
            memory=self.memory or record.options.get("memory"),
            **record.selection_at(place),
        )
        return load(run, source)


RECORDED = RunData()


def _record(frontier: Frontier, data: str | None) -> RunRecord:
    """How the run was made, which says where its data are unless that is given."""
    from paretonym.errors import InputError

    if frontier.record is None or (frontier.record.path is None and data is None):
        raise InputError.of("the data", "the run does not record where they are", "give --data PATH")
    return frontier.record


def picked(
    run: Path, pick: str, data: str | None, engine: str | None = None, memory: str | None = None
) -> tuple[Solution, Microdata]:
    """The solution that was picked, and the data."""
    from paretonym.run import load

    solution = load(run, data, engine=engine, memory=memory).pick(pick)
    return solution, solution.known_data
