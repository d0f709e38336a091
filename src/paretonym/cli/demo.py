"""`paretonym demo`: the main job on the built-in example."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paretonym.cli.console import live_progress, note, output, print_json
from paretonym.cli.options import Force, Json, Quiet
from paretonym.errors import Bug
from paretonym.outputs import check_free, new_folder

if TYPE_CHECKING:
    from paretonym.frontier.frontier import Frontier

EXAMPLES = """Examples:

\b
  paretonym demo
  paretonym demo --out adult-demo
"""


def demo(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Keep table, schema and run in this new folder."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the whole trade-off of a census table of 30,162 people, needing nothing else."""
    if out is not None:
        check_free(out, force)
    hushed = quiet or as_json
    # Here, since it loads the compiler: --help needs none.
    from paretonym.cli.tables import frontier_view
    from paretonym.recoding.lattice import Lattice
    from paretonym.study import example

    study = example("adult")
    nodes = Lattice.of(study.cube).size
    note(
        f"UCI Adult: {study.cube.rows:,} people, {len(study.cube.axes)} quasi-identifiers, {nodes:,} ways to "
        "generalize them.",
        hushed,
    )
    try:
        with live_progress("Exploring", hushed) as progress:
            frontier = study.explore(
                "k", "loss", suppress="1%", progress=progress, remark=lambda text: note(text, hushed)
            )
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise typer.Exit(130) from None
    if out is not None:
        _keep(frontier, out, force)
    if as_json:
        print_json(frontier.as_json())
        return
    output().print(frontier_view(frontier))
    note(f"{frontier}.\n\n{_reading(frontier)}\n\n{_next_steps(out)}", quiet)


def _keep(frontier: Frontier, out: Path, force: bool) -> None:
    """The table as a CSV file, its schema and the run, in one new folder."""
    from paretonym.source.examples import example_path, write_adult_csv
    from paretonym.source.opening import open_table

    with new_folder(out, force) as draft:
        write_adult_csv(draft / "adult.csv")
        shutil.copyfile(example_path("adult.toml"), draft / "adult.toml")
        table = open_table(draft / "adult.csv")
        if frontier.record is None:
            raise Bug("a frontier that was just found has no record")
        record = replace(
            frontier.record, path=str(out.absolute() / "adult.csv"), fingerprint=table.fingerprint
        )
        replace(frontier, record=record).save(draft / "run")


def _reading(frontier: Frontier) -> str:
    """How to read one line of the table, with numbers from it."""
    from paretonym.measures.wording import measured

    example_solution = next(s for s in frontier if s.values["k"] <= 10)
    return (
        "How to read it: each line is a release that no other beats. In release "
        f"{example_solution.id} everybody looks the same as at least {example_solution.values['k'] - 1:.0f} "
        f"others; that costs {measured('loss', example_solution.values['loss'])} of the detail, "
        f"{example_solution.suppressed:,} people left out included."
    )


def _next_steps(out: Path | None) -> str:
    if out is None:
        return (
            "Next: 'paretonym serve' opens the explorer in your browser, with this example or a file;\n"
            "'paretonym demo -o adult-demo' keeps table, schema and run in a folder to try things with."
        )
    return (
        f"Kept in {out}: adult.csv, adult.toml (every choice explained) and run/.\n"
        f"Next: paretonym serve {out / 'run'}\n"
        f"or change a hierarchy in {out / 'adult.toml'}, then\n"
        f"  paretonym explore {out / 'adult.csv'} --schema {out / 'adult.toml'} -o {out / 'my-run'}"
    )
