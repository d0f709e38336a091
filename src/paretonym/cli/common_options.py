"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from paretonym.errors import InputError

Out: TypeAlias = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the run; must not exist yet.")
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace an output that paretonym wrote.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no notes; warnings stay.")
]
Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Of a CSV file that is not UTF-8: cp1252, latin-1, …"),
]
Separator: TypeAlias = Annotated[
    str | None,
    typer.Option("--separator", metavar="CHARACTER", help="Of a CSV file, where it cannot be found out."),
]
Engine: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Count rows in memory, in duckdb (files that are larger than memory) or, unless given, where it "
        "suits the input (auto).",
    ),
]
Memory: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="What duckdb may use, such as 4GB; half of all unless given."
    ),
]
Run: TypeAlias = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
Pick: TypeAlias = Annotated[str, typer.Option("--pick", metavar="ID", help="Which solution of the run.")]
NewFile: TypeAlias = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="The new file, .csv or .parquet.")
]
Data: TypeAlias = Annotated[
    str | None,
    typer.Option("--data", metavar="PATH", help="Where the run's data are now, if not where they were."),
]
Where: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="CONDITION", help='The same as "k>=5" or "loss<=25%".')
]
Best: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="MEASURE", help="What should be best within the limits.")
]
Anyway: TypeAlias = Annotated[
    bool, typer.Option("--anyway", help="Also answer where the frontier cannot prove the answer.")
]
LimitAbove: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="MEASURE=NUMBER", help="Such as loss=25%; may be repeated.")
]
LimitBelow: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="MEASURE=NUMBER", help="Such as k=5; may be repeated.")
]
Threads: TypeAlias = Annotated[int | None, typer.Option(min=1, help="Cores to use; all unless given.")]


def inputs_of(*given: str | Path | None) -> list[Path]:
    """What a command reads, as far as its options say. A folder that is no run is no table either: that is
    said when it is read."""
    paths = (Path(each) for each in given if each is not None)
    return [path for path in paths if not path.is_dir() or (path / "run.json").exists()]


def only(best: list[str] | None) -> str | None:
    """The one measure that should be best."""
    if best is not None and len(best) > 1:
        raise InputError.of(
            "--best", f"it is given {len(best)} times", "give one measure, and limits on others"
        )
    return best[0] if best else None
