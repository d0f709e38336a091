"""Inputs of commands: tables as their options describe them, and saved runs with their tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.base.errors import InputError
from paretonym.interfaces.cli.screen import note
from paretonym.tables.data_address import DataAddress, local_file

if TYPE_CHECKING:
    from paretonym.engine.frontier import Microdata
    from paretonym.engine.frontier.queries import Question
    from paretonym.study import Run, Solution
    from paretonym.tables.schema.policies import Policy
    from paretonym.tables.source import TableForm


@dataclass(frozen=True)
class Source:
    """Where a table is counted, and what of a database or workbook it is; the schema says the rest."""

    engine: str | None = None
    memory: str | None = None
    table: str | None = None
    query: str | None = None

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as keywords of `Study` and of what opens a source."""
        return {**asdict(self), "engine": self.engine or "auto"}


@dataclass(frozen=True)
class WrittenSource(Source):
    """A table that no schema describes: the options also say how its file is written."""

    encoding: str | None = None
    separator: str | None = None
    header_row: int | None = None
    footer_rows: int | None = None

    @property
    def form(self) -> TableForm:
        """The form of the file, as far as the options state it."""
        from paretonym.tables.source import TableForm

        return TableForm(self.encoding, self.separator, None, self.header_row, self.footer_rows)

    @property
    def keywords(self) -> dict[str, Any]:
        return {**Source(self.engine, self.memory, self.table, self.query).keywords, "form": self.form}


@dataclass(frozen=True)
class RunData:
    """Where the table of a run is, and where it is counted."""

    data: str | None = None
    engine: str | None = None
    memory: str | None = None

    def opened(self, run: Path) -> Run:
        """The frontier of a run, which opens its table when that is needed."""
        from paretonym.study import load

        return load(run, self.data, engine=self.engine, memory=self.memory)

    def picked(self, run: Path, pick: str) -> tuple[Solution, Microdata]:
        """The solution that was picked, and the data."""
        solution = self.opened(run).pick(pick)
        return solution, solution.known_data


def run_table(place: str | None) -> Microdata | None:
    """The table of the run in a folder, without its control group; None if the place is no run."""
    if place is None or not (Path(place) / "run.json").is_file():
        return None
    from paretonym.study import load

    return load(place).data


# Defaults of commands: nothing is said.
SOURCE, WRITTEN, RECORDED = Source(), WrittenSource(), RunData()


def inputs_of(*named: str | Path | None) -> list[Path]:
    """The files and runs that the options of a command name. A folder that is neither is skipped: reading it
    reports that."""
    paths = (local_file(one) for one in named if one is not None)
    return [path for path in paths if path is not None and _is_input(path)]


def _is_input(path: Path) -> bool:
    return not path.is_dir() or (path / "run.json").exists()


def command_data(data: str, options: Mapping[str, str | None]) -> str:
    """DATA with the options that it needs, for the next command; never with a password.

    >>> command_data("visits.xlsx", {"table": "Fälle 2023"})
    "visits.xlsx --sheet 'Fälle 2023'"
    >>> command_data("duckdb:///a.db", {"table": "visits"})
    'duckdb:///a.db --table visits'
    """
    address = DataAddress.of(data)
    place = data if address is None else address.shown
    sheet = {} if address is not None else {"table": "sheet"}
    needed = (
        f"--{sheet.get(name, name)} {shlex.quote(value)}"
        for name, value in options.items()
        if value is not None
    )
    return " ".join([shlex.quote(place), *needed])


def check_address(*addresses: str | None) -> None:
    """Warn of a password that others can read."""
    if any(address is not None and address.has_password for address in map(DataAddress.of, addresses)):
        note(
            "Warning: Other users of this machine can see the password in the address while this runs, and "
            "it stays in the shell's history; PGPASSWORD or ~/.pgpass keep it out. It is not stored."
        )


def question_of(
    at_least: list[str] | None,
    at_most: list[str] | None,
    best: list[str] | None,
    where: list[str] | None = None,
) -> tuple[Question, list[Policy]]:
    """The question that limits ask, and the policies whose files are among them."""
    from paretonym.engine.frontier.queries import parse_question
    from paretonym.tables.schema.policies import is_policy, read_policy

    policies = [read_policy(Path(entry)) for entry in at_least or () if is_policy(entry)]
    house = [requirement for policy in policies for requirement in policy.requirements]
    plain = [entry for entry in at_least or () if not is_policy(entry)]
    return parse_question(plain, at_most or (), [*(where or ()), *house], only(best)), policies


def only(best: list[str] | None) -> str | None:
    """The one measure to optimize."""
    if best is not None and len(best) > 1:
        raise InputError.of(
            "--best", f"given {len(best)} times", "give one measure, and limits on the others"
        )
    return best[0] if best else None


def names_in(text: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
