"""`paretonym explore`: find the frontier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paretonym.cli.console import live_progress, note, output, print_json
from paretonym.cli.options import Encoding, Force, Json, Out, Quiet, Separator
from paretonym.cli.search_options import Base, Box, Depth, Evaluations, Generations, Population, Seed
from paretonym.outputs import check_free

if TYPE_CHECKING:
    from paretonym.frontier.frontier import Frontier
    from paretonym.search.cuts.four_problems import PaperProblem
    from paretonym.study import Study

OBJECTIVES = "k,loss"
EXAMPLES = """Examples:

\b
  paretonym explore patients.csv --schema patients.toml -o run
  paretonym explore patients.csv --schema patients.toml -o run --objectives k,gl,sl --suppress 5%
  paretonym explore patients.csv --schema patients.toml -o run --objectives k,l,loss --at-least k=5 --time 60s
  paretonym explore patients.parquet --schema patients.toml --suppress any:0.05 --json
  paretonym explore patients.csv --schema patients.toml --search pbg --seed 1 --box k=5,loss=0.01
  paretonym explore patients.csv --schema patients.toml -o run --space cuts --suppress 5%
  paretonym explore patients.csv --schema patients.toml -o run --space cuts --problem 2 --suppress 10%
"""


def explore(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A CSV or Parquet file.")],
    schema: Annotated[Path, typer.Option("--schema", metavar="FILE", help="What the columns mean (TOML).")],
    out: Out = None,
    objectives: Annotated[
        str, typer.Option(metavar="NAMES", help="Measures to trade off; 'paretonym measures' lists them.")
    ] = OBJECTIVES,
    suppress: Annotated[
        str,
        typer.Option(
            metavar="RULE", help="Rows that may be left out: 0.01, 1%, any, or any:0.1 (at most 10 %)."
        ),
    ] = "any:0.1",
    space: Annotated[
        str, typer.Option(metavar="NAME", help="Space of recodings: lattice, or cuts (anywhere in a column).")
    ] = "lattice",
    search: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Search: exact (proven, most nodes skipped), exhaustive, poka or pbg (not proven); for cuts "
            "hybrid or nsga2.",
        ),
    ] = None,
    problem: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="With --space cuts: a problem of the trade-offs paper, 1 to 4."),
    ] = None,
    prefer: Annotated[
        str | None, typer.Option(metavar="k|l", help="With --problem: k or l, in Problem 4 the more desired.")
    ] = None,
    sound: Annotated[
        bool, typer.Option("--sound", help="With --problem 4: every pair of k and l that can be reached.")
    ] = False,
    at_least: Annotated[
        list[str] | None,
        typer.Option(metavar="MEASURE=NUMBER", help="Leave out what is below, such as k=5; may be repeated."),
    ] = None,
    at_most: Annotated[
        list[str] | None,
        typer.Option(metavar="MEASURE=NUMBER", help="Leave out what is above, such as loss=25%."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="MEASURE.PARAMETER=NUMBER", help="Such as l-recursive.c=2."),
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after so long with what is found: 60s, 5m, 1h.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Cores to use; all unless given.")] = None,
    box: Box = None,
    depth: Depth = None,
    base: Base = None,
    seed: Seed = None,
    population: Population = None,
    generations: Generations = None,
    evaluations: Evaluations = None,
    encoding: Encoding = None,
    separator: Separator = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find every release that no other beats in all objectives together."""
    if out is not None:
        check_free(out, force)
    from paretonym.measures.objective import parse_bounds, parse_settings
    from paretonym.search.tuning import parse_base, parse_box

    # Options first: their mistakes should not wait for a long file either.
    required = parse_bounds(at_least or (), "--at-least"), parse_bounds(at_most or (), "--at-most")
    parameters = parse_settings(settings or ())
    tuning = {
        "seed": seed, "depth": depth, "base": parse_base(base), "population": population,
        "generations": generations, "evaluations": evaluations, "box": parse_box(box),
    }  # fmt: skip
    names = [name.strip() for name in objectives.split(",") if name.strip()]
    paper = _paper(problem, prefer, sound, space, objectives)
    note("Reading …", quiet or as_json)
    study = _study(data, schema, encoding, separator)
    try:
        with live_progress("Exploring", quiet or as_json) as progress:
            frontier = study.explore(
                *(names or [""]),
                suppress=suppress,
                space=space,
                search=search,
                settings=parameters,
                at_least=required[0],
                at_most=required[1],
                time=time,
                problem=paper,
                threads=threads,
                tuning=tuning,
                progress=progress,
                state=progress.state,
                remark=lambda text: note(text, quiet or as_json),
            )
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise typer.Exit(130) from None
    if out is not None:
        frontier.save(out, force)
    if as_json:
        print_json({**frontier.as_json(), "run": str(out) if out is not None else None})
    else:
        _show(frontier, out, quiet)
    if frontier.search.interrupted:
        note("\nInterrupted: this is the frontier found so far, it is not complete.")
        raise typer.Exit(130)


def _paper(
    problem: int | None, prefer: str | None, sound: bool, space: str, objectives: str
) -> PaperProblem | None:
    """One of the four problems of the trade-offs paper, if one is asked for."""
    from paretonym.errors import InputError
    from paretonym.search.cuts.four_problems import PaperProblem

    if problem is None:
        if prefer is not None or sound:
            option = "--sound" if sound else "--prefer"
            raise InputError.of(option, "it says how one of the four problems is meant", "add --problem")
        return None
    if space != "cuts":
        raise InputError.of("--problem", "the four problems are about the space of cuts", "add --space cuts")
    if objectives != OBJECTIVES:
        raise InputError.of("--objectives", "a problem names its own objectives", "leave one of the two out")
    return PaperProblem(problem, prefer, sound)  # type: ignore[arg-type]


def _study(data: str, schema: Path, encoding: str | None, separator: str | None) -> Study:
    from paretonym.schema.reading import read_schema
    from paretonym.source.opening import open_table
    from paretonym.study import Study

    # The schema first: it is read at once, and its mistakes should not wait for a long file.
    described = read_schema(schema)
    return Study(open_table(data, encoding=encoding, separator=separator), described)


def _show(frontier: Frontier, out: Path | None, quiet: bool) -> None:
    """The frontier, and what was done with it."""
    from paretonym.cli.tables import frontier_view

    output().print(frontier_view(frontier))
    note(f"{frontier}.", quiet)
    note(f"Saved in {out}." if out is not None else "Not saved: give -o RUN to keep it.", quiet)
