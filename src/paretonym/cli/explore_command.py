"""`paretonym explore`: find the frontier."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from paretonym.cli import explore_options
from paretonym.cli.common_options import (
    DATA,
    SCHEMA,
    USUAL_COUNT,
    CountOptions,
    Force,
    Json,
    Out,
    Quiet,
    check_address,
    inputs_of,
)
from paretonym.cli.console import live_progress, note, output, print_json, warn
from paretonym.cli.option_flags import in_shell
from paretonym.data_address import local_file
from paretonym.outputs import Kind, Output, check_outputs, is_unfinished

if TYPE_CHECKING:
    from paretonym.run import Run, Study

EXAMPLES = """Examples:

\b
  paretonym explore patients.csv --schema patients.toml -o run
  paretonym explore patients.csv --schema patients.toml -o run --objectives k,gl,sl --suppress 5%
  paretonym explore patients.csv --schema patients.toml -o run --objectives k,l,loss --at-least k=5 --time 60s
  paretonym explore patients.parquet --schema patients.toml --suppress any:0.05 --json
  paretonym explore sample.csv --schema s.toml --population-file all.csv --objectives k-map,loss --suppress 0
  paretonym explore survey.csv --schema s.toml --objectives k-map-estimated,loss --set loss.weights=1
  paretonym explore visits/ --schema visits.toml -o run --engine duckdb --memory 4GB
  paretonym explore sqlite:///clinic.db --table patients --schema patients.toml -o run
  paretonym explore patients.csv --schema patients.toml -o run --space local
  paretonym explore patients.csv --schema patients.toml -o parts --space mondrian --sweep k=5,10,20
  paretonym explore patients.csv --schema patients.toml --search pbg --seed 1 --box k=5,loss=0.01
  paretonym explore patients.csv --schema patients.toml -o run --space cuts --suppress 5%
  paretonym explore patients.csv --schema patients.toml --space cuts --set cuts.problem=2 --suppress 10%
"""


# Options that may differ when a run is resumed.
FREE = ("data", "schema", "population_file", "out", "resume", "time", "force", "as_json", "quiet")


def explore(
    context: click.Context,
    data: Annotated[str | None, DATA] = None,
    schema: Annotated[Path | None, SCHEMA] = None,
    out: Out = None,
    resume: explore_options.Resume = None,
    objectives: explore_options.Objectives = None,
    suppress: explore_options.Suppress = "any:0.1",
    at_least: explore_options.AtLeast = None,
    at_most: explore_options.AtMost = None,
    settings: explore_options.Set = None,
    space: explore_options.Space = None,
    search: explore_options.Search = None,
    time: explore_options.Time = None,
    seed: explore_options.Seed = None,
    box: explore_options.Box = None,
    sweep: explore_options.Sweep = None,
    population_file: explore_options.PopulationFile = None,
    sampling_fraction: explore_options.SamplingFraction = None,
    source: CountOptions = USUAL_COUNT,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the Pareto frontier: every release that no other release dominates (is nowhere worse and
    somewhere better)."""
    given = dict(context.params)
    if resume is not None:
        given = _resumed(context, resume)
    for name, called in (("data", "argument 'DATA'"), ("schema", "option '--schema'")):
        if given[name] is None:
            context.fail(f"Missing {called}.")
    _explore(given)


def _explore(given: Mapping[str, Any]) -> None:
    """Explore as the options say."""
    data, schema, resume = given["data"], given["schema"], given["resume"]
    out, force, quiet, as_json = (given[name] for name in ("out", "force", "quiet", "as_json"))
    if out is not None:
        check_outputs(
            [Output(out, Kind.RUN)], force, _read(data, schema, *inputs_of(given["population_file"]))
        )
    question = _question(given)
    note("Reading …", quiet or as_json)
    check_address(data)
    named = ("memory", "table", "query", "population_file", "sampling_fraction")
    form = {name: given[name] for name in named}
    study = _opened(data, schema, {**form, "engine": given["engine"] or "auto"}, out, force)
    if resume is not None:
        question["resume"] = resume
    elif out is not None:
        question["checkpoint"] = _kept_at(given)
    frontier = _found(study, _names(given["objectives"]), question, out, quiet, as_json)
    warn(*frontier.table.cautions)
    if out is not None:
        frontier.save(out, force)
    _show(frontier, out, quiet, as_json)
    if frontier.interrupted:
        note("\nInterrupted: this is the frontier found so far; it is not complete.")
        raise click.exceptions.Exit(130)


def _question(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of the table. Options first: their mistakes are reported before a long file is read."""
    from paretonym.errors import Field, InputError
    from paretonym.measures import Limit
    from paretonym.spaces import Assignments

    assignments = Assignments.parse(given["settings"] or ())
    parameters = assignments.used(given["space"], given["search"])
    if "problem" in parameters and given["objectives"] is not None:
        wrong = f"{Field('problem')} sets the objectives"
        raise InputError.of(Field("objectives"), wrong, "give only one of the two")
    return {
        **{name: given[name] for name in ("suppress", "space", "search", "time", "seed", "box")},
        **parameters,
        "settings": assignments.settings,
        "sweep": given["sweep"] or (),
        "at_least": Limit.several(given["at_least"] or (), "at-least"),
        "at_most": Limit.several(given["at_most"] or (), "at-most"),
    }


def _kept_at(given: Mapping[str, Any]) -> Any:
    """Where the search keeps its state, with the options that resume it."""
    from paretonym.data_address import lasting_place
    from paretonym.run import KeptAt

    command = {name: value for name, value in given.items() if name not in FREE}
    command |= {"data": lasting_place(given["data"]), "schema": str(given["schema"].absolute())}
    if given["population_file"] is not None:
        command["population_file"] = lasting_place(given["population_file"])
    return KeptAt(given["out"], command, given["force"])


def _resumed(context: click.Context, folder: Path) -> dict[str, Any]:
    """The options of an unfinished run; others than it was started with are refused."""
    from paretonym.errors import InputError
    from paretonym.run import read_checkpoint

    given, kept = dict(context.params), read_checkpoint(folder)["command"]
    for name, value in given.items():
        source = context.get_parameter_source(name)
        stated = source is not None and source.name == "COMMANDLINE"
        if stated and name not in FREE and kept.get(name) != value:
            raise InputError.of(
                f"--{name.replace('_', '-')}", "the unfinished run was started with something else", "omit it"
            )
    if given["out"] is not None and given["out"] != folder:
        raise InputError.of("--out", f"--resume continues the run in {folder}, and saves it there", "omit it")
    options = {name: kept.get(name, value) for name, value in given.items() if name not in FREE}
    place = {name: given[name] or kept.get(name) for name in ("data", "population_file")}
    place |= {"out": folder, "force": True}
    schema = given["schema"] or (Path(kept["schema"]) if "schema" in kept else None)
    return {**given, **options, **place, "schema": schema}


def _read(data: str, *further: Path) -> list[Path]:
    """What the command reads; a folder may be the table."""
    return [*filter(None, [local_file(data)]), *inputs_of(*further)]


def _opened(data: str, schema: Path, form: Mapping[str, Any], out: Path | None, force: bool) -> Study:
    """The table with its schema. The schema comes first: it is short, and its mistakes are reported before a
    long file is read."""
    from paretonym.run import Study
    from paretonym.schema import read_schema
    from paretonym.source import header_warning

    described = read_schema(schema)
    if out is not None:
        further = [*map(Path, described.sources), *inputs_of(form["population_file"])]
        check_outputs([Output(out, Kind.RUN)], force, _read(data, *further))
    study = Study(data, described, **form)
    warn(*study.schema.unit.warnings)
    if warning := header_warning(study.source):
        warn(f"{warning}.")
    return study


def _names(objectives: str | None) -> list[str]:
    """The names of the measures; one empty name if the option is given but names none."""
    if objectives is None:
        return []
    return [name.strip() for name in objectives.split(",") if name.strip()] or [""]


def _found(
    study: Study,
    names: list[str],
    question: Mapping[str, Any],
    out: Path | None,
    quiet: bool,
    as_json: bool,
) -> Run:
    """The frontier. Remarks, such as that the compiled kernels are missing, are printed with --json too."""
    try:
        with live_progress("Exploring", quiet or as_json) as progress:
            return study.explore(
                *names,
                **question,
                progress=progress,
                state=progress.state,
                remark=lambda text: note(text.said(in_shell), quiet),
            )
    except KeyboardInterrupt:
        if out is not None and is_unfinished(out):
            note(f"\nInterrupted: 'paretonym explore --resume {out}' continues from the last saved state.")
        else:
            note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None


def _show(frontier: Run, out: Path | None, quiet: bool, as_json: bool) -> None:
    """The frontier, and what was done with it."""
    if as_json:
        run = str(out) if out is not None else None
        print_json({**frontier.as_json(), "warnings": list(frontier.warnings), "run": run})
        return
    from paretonym.cli.frontier_tables import frontier_view

    output().print(frontier_view(frontier))
    note(f"{frontier}.", quiet)
    for bound in filter(None, (*(method.bound for method in frontier.methods), frontier.least_cost)):
        note(f"Proven so far: {bound.about((), frontier.solutions)}.", quiet)
    note(f"Saved in {out}." if out is not None else "Not saved; use -o FOLDER to keep it.", quiet)
