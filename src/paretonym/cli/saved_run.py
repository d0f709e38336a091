"""A saved run as a command opens it: with its table, and the release that was picked from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.cli.common_options import Data, Engine, Memory

if TYPE_CHECKING:
    from paretonym.frontier import Microdata
    from paretonym.run import Run, Solution


@dataclass(frozen=True)
class RunData:
    """Where the table of a run is, and where it is counted."""

    data: Data = None
    engine: Engine = None
    memory: Memory = None

    def opened(self, run: Path) -> Run:
        """The frontier of a run, which opens its table when that is needed."""
        from paretonym.run import load

        return load(run, self.data, engine=self.engine, memory=self.memory)


RECORDED = RunData()


def picked(
    run: Path, pick: str, data: str | None, engine: str | None = None, memory: str | None = None
) -> tuple[Solution, Microdata]:
    """The solution that was picked, and the data."""
    from paretonym.run import load

    solution = load(run, data, engine=engine, memory=memory).pick(pick)
    return solution, solution.known_data
