"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.console import warn
from paretonym.data_address import DataAddress, local_file
from paretonym.errors import InputError

Out: TypeAlias = Annotated[
    Path | None, Option("--out", "-o", metavar="FOLDER", help="Save the run in this new folder.")
]
Force: TypeAlias = Annotated[bool, Option("--force", help="Overwrite output that paretonym wrote.")]
Json: TypeAlias = Annotated[bool, Option("--json", help="Print one JSON document, nothing else.")]
Quiet: TypeAlias = Annotated[
    bool, Option("--quiet", "-q", help="Print no progress and no notes, only warnings.")
]
Encoding: TypeAlias = Annotated[
    str | None,
    Option(
        "--encoding", metavar="NAME", help="Set the encoding of a CSV file that is not UTF-8, such as cp1252."
    ),
]
Separator: TypeAlias = Annotated[
    str | None,
    Option(
        "--separator", metavar="CHARACTER", help="Set the separator of a CSV file if it cannot be detected."
    ),
]
RunFolder: TypeAlias = Annotated[Path, Argument(metavar="RUN", help="The folder that explore wrote.")]
Pick: TypeAlias = Annotated[str, Option("--pick", metavar="ID", help="Choose the release with this id.")]
Engine: TypeAlias = Annotated[
    str | None,
    Option(
        "--engine",
        metavar="NAME",
        help="Count rows in memory, in duckdb (for files larger than memory) or in spark; auto chooses by "
        "the input.",
    ),
]
Memory: TypeAlias = Annotated[
    str | None,
    Option(
        "--memory",
        metavar="SIZE",
        help="Limit the memory of the engine, such as 4GB; half of the machine's unless given.",
    ),
]
DatabaseTable: TypeAlias = Annotated[
    str | None,
    Option(
        "--table",
        "--sheet",
        metavar="NAME",
        help="Read this table of a database, such as people or s.people, or this sheet of a workbook.",
    ),
]
DatabaseQuery: TypeAlias = Annotated[
    str | None,
    Option("--query", metavar="SELECT", help="Read what this query selects from a database."),
]
NewRelease: TypeAlias = Annotated[
    str,
    Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write to this new file, .csv or .parquet; without an ending, a folder of Parquet files.",
    ),
]
Data: TypeAlias = Annotated[
    str | None,
    Option("--data", metavar="PATH", help="Read the run's data from here if they have moved."),
]
Where: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="CONDITION", help='Write a limit as "k>=5" or "loss<=25%"; may be repeated.'),
]
Best: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="MEASURE", help="Optimize this measure within the limits."),
]
Unproven: TypeAlias = Annotated[
    bool, Option("--allow-unproven", help="Answer even if the frontier cannot prove the answer.")
]
LimitAbove: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="MEASURE=NUMBER", help="Allow at most this, such as loss=25%; may be repeated."),
]
LimitBelow: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="MEASURE=NUMBER", help="Require at least this, such as k=5; may be repeated."),
]
# DATA and --schema; `explore --resume` needs neither.
DATA = Argument(
    metavar="DATA",
    help="A CSV, Parquet, JSON lines or Excel file, a folder of files, a pattern in quotes, a database such "
    "as sqlite:///people.db, or - for the standard input.",
)
SCHEMA = Option("--schema", metavar="FILE", help="What the columns mean (TOML).")


@dataclass(frozen=True)
class CountOptions:
    """Where a table is counted, and what of a database or workbook it is; the schema says the rest."""

    engine: Engine = None
    memory: Memory = None
    table: DatabaseTable = None
    query: DatabaseQuery = None

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as keywords of `Study` and of what opens a source."""
        names = ("table", "query", "memory")
        return {**{name: getattr(self, name) for name in names}, "engine": self.engine or "auto"}


USUAL_COUNT = CountOptions()


@dataclass(frozen=True)
class SourceOptions:
    """How a table is read and counted, and what of a database or workbook it is."""

    encoding: Encoding = None
    separator: Separator = None
    engine: Engine = None
    memory: Memory = None
    table: DatabaseTable = None
    query: DatabaseQuery = None

    @property
    def given(self) -> dict[str, str | None]:
        """The options by name, in the order in which the next command repeats them."""
        return {
            "encoding": self.encoding,
            "separator": self.separator,
            "table": self.table,
            "query": self.query,
            "engine": self.engine,
            "memory": self.memory,
        }

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as keywords of `Study` and of what opens a source."""
        return {**self.given, "engine": self.engine or "auto"}


USUAL_SOURCE = SourceOptions()


def inputs_of(*given: str | Path | None) -> list[Path]:
    """The files and runs that the options of a command name. A folder that is neither is skipped: reading it
    reports that."""
    paths = (local_file(each) for each in given if each is not None)
    return [path for path in paths if path is not None and _is_input(path)]


def _is_input(path: Path) -> bool:
    return not path.is_dir() or (path / "run.json").exists()


def shown_data(data: str, options: Mapping[str, str | None]) -> str:
    """DATA with the options that it needs, for the next command; never with a password.

    >>> shown_data("visits.xlsx", {"table": "Fälle 2023"}), shown_data("duckdb:///a.db", {"table": "visits"})
    ("visits.xlsx --sheet 'Fälle 2023'", 'duckdb:///a.db --table visits')
    """
    address = DataAddress.of(data)
    place = data if address is None else address.shown
    sheet = {} if address is not None else {"table": "sheet"}
    given = (
        f"--{sheet.get(name, name)} {shlex.quote(value)}"
        for name, value in options.items()
        if value is not None
    )
    return " ".join([shlex.quote(place), *given])


def check_address(*given: str | None) -> None:
    """Warn of a password that others can read."""
    addresses = [DataAddress.of(data) for data in given]
    if any(address is not None and address.has_password for address in addresses):
        warn(
            "Other users of this machine can see the password in the address while this runs, and it stays "
            "in the shell's history; PGPASSWORD or ~/.pgpass keep it out. It is not stored."
        )


def only(best: list[str] | None) -> str | None:
    """The one measure to optimize."""
    if best is not None and len(best) > 1:
        raise InputError.of(
            "--best", f"given {len(best)} times", "give one measure, and limits on the others"
        )
    return best[0] if best else None
