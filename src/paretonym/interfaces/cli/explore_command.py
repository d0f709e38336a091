"""`paretonym explore`: find the frontier."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paretonym.base.files import Kind, Output, check_outputs, is_unfinished
from paretonym.interfaces.cli.command_inputs import SOURCE, Source, check_address, inputs_of, names_in
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, note
from paretonym.tables.data_address import local_file

if TYPE_CHECKING:
    from paretonym.study import Run, Study

EXAMPLES = """Examples:

\b
  paretonym explore patients.csv --schema patients.toml -o run
  paretonym explore patients.csv --schema patients.toml -o run --objectives k,gl,sl --suppress 5%
  paretonym explore patients.csv --schema patients.toml -o run --objectives k,l,loss --at-least k=5 --time 60s
  paretonym explore patients.csv --schema patients.toml -o run --policy house.toml
  paretonym explore patients.parquet --schema patients.toml --suppress any:0.05 --json
  paretonym explore sample.csv --schema s.toml --population-file all.csv --objectives k-map,loss --suppress 0
  paretonym explore survey.csv --schema s.toml --objectives k-map-estimated,loss --set loss.weights=1
  paretonym explore visits/ --schema visits.toml -o run --engine duckdb --memory 4GB
  paretonym explore sqlite:///clinic.db --table patients --schema patients.toml -o run
  paretonym explore patients.csv --schema patients.toml -o run --space local
  paretonym explore patients.csv --schema patients.toml -o run --control 10%
  paretonym explore patients.csv --schema patients.toml -o parts --space mondrian --sweep k=5,10,20
  paretonym explore patients.csv --schema patients.toml --search pbg --seed 1 --set box.k=5
  paretonym explore patients.csv --schema patients.toml -o run --space cuts --suppress 5%
  paretonym explore patients.csv --schema patients.toml --space cuts --set cuts.problem=2 --suppress 10%
"""


# The sides of a box are set like parameters: --set box.loss=1%.
BOX = "box."
# Options that may differ when a run is resumed.
FREE = (
    "data", "schema", "population_file", "out", "resume", "time", "force", "details", "as_json", "quiet",
)  # fmt: skip


def explore(
    context: click.Context,
    data: str | None = None,
    schema: Path | None = None,
    out: Path | None = None,
    resume: Path | None = None,
    objectives: str | None = None,
    suppress: str = "any:0.1",
    at_least: list[str] | None = None,
    at_most: list[str] | None = None,
    settings: list[str] | None = None,
    space: str | None = None,
    search: str | None = None,
    time: str | None = None,
    seed: int | None = None,
    sweep: list[str] | None = None,
    population_file: str | None = None,
    sampling_fraction: str | None = None,
    control: str | None = None,
    source: Source = SOURCE,
    force: bool = False,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Find the Pareto frontier: every release that no other release dominates (is nowhere worse and
    somewhere better)."""
    options = dict(context.params)
    if resume is not None:
        options = _resumed(context, resume)
    for name, called in (("data", "argument 'DATA'"), ("schema", "option '--schema'")):
        if options[name] is None:
            context.fail(f"Missing {called}.")
    frontier = _explored(options, screen)
    view, interrupted = _view(frontier, options), frontier.interrupted
    screen.show(view)
    if interrupted:
        note("\nInterrupted: this is the frontier found so far; it is not complete.")
        raise click.exceptions.Exit(130)


def _explored(options: Mapping[str, Any], screen: DetailedScreen) -> Run:
    """The frontier that the options ask for, saved if they say where."""
    data, schema, out = options["data"], options["schema"], options["out"]
    if out is not None:
        check_outputs(
            [Output(out, Kind.RUN)],
            options["force"],
            _read(data, schema, *inputs_of(options["population_file"])),
        )
    question = _question(options)
    screen.note("Reading …")
    check_address(data)
    study = _opened(options, screen)
    if options["resume"] is not None:
        question["resume"] = options["resume"]
    elif out is not None:
        question["checkpoint"] = _kept_at(options)
    names = None if options["objectives"] is None else names_in(options["objectives"]) or [""]
    frontier = _found(study, names or [], question, out, screen)
    if out is not None:
        frontier.save(out, options["force"])
    return frontier


def _question(options: Mapping[str, Any]) -> dict[str, Any]:
    """The question to the table. Options first: their mistakes are reported before a long file is read."""
    from paretonym.base.errors import Field, InputError
    from paretonym.engine.measures import Limit
    from paretonym.engine.spaces import Assignments
    from paretonym.tables.schema.policies import is_policy, read_policy

    entries = options["settings"] or ()
    sides = [entry.removeprefix(BOX) for entry in entries if entry.startswith(BOX)]
    least = options["at_least"] or ()
    policies = [read_policy(Path(entry)) for entry in least if is_policy(entry)]
    house = [Limit.parsed(requirement) for policy in policies for requirement in policy.requirements]
    assignments = Assignments.parse([entry for entry in entries if not entry.startswith(BOX)])
    parameters = assignments.used(options["space"], options["search"])
    if "problem" in parameters and options["objectives"] is not None:
        wrong = f"{Field('problem')} sets the objectives"
        raise InputError.of(Field("objectives"), wrong, "give only one of the two")
    return {
        **{name: options[name] for name in ("suppress", "space", "search", "time", "seed")},
        "box": ",".join(sides) or None,
        **parameters,
        "settings": assignments.settings,
        "sweep": options["sweep"] or (),
        "at_least": (
            *Limit.several([entry for entry in least if not is_policy(entry)], "at-least"),
            *(limit for limit in house if limit.sense == "at-least"),
        ),
        "at_most": (
            *Limit.several(options["at_most"] or (), "at-most"),
            *(limit for limit in house if limit.sense == "at-most"),
        ),
    }


def _kept_at(options: Mapping[str, Any]) -> Any:
    """Where the search keeps its state, with the options that resume it."""
    from paretonym.study import KeptAt
    from paretonym.tables.data_address import lasting_place

    command = {name: value for name, value in options.items() if name not in FREE}
    command |= {"data": lasting_place(options["data"]), "schema": str(options["schema"].absolute())}
    if options["population_file"] is not None:
        command["population_file"] = lasting_place(options["population_file"])
    return KeptAt(options["out"], command, options["force"])


def _resumed(context: click.Context, folder: Path) -> dict[str, Any]:
    """The options of an unfinished run; others than it was started with are refused."""
    from paretonym.base.errors import InputError
    from paretonym.study import read_checkpoint

    options, stored = dict(context.params), read_checkpoint(folder)["command"]
    for name, value in options.items():
        source = context.get_parameter_source(name)
        stated = source is not None and source.name == "COMMANDLINE"
        if stated and name not in FREE and stored.get(name) != value:
            raise InputError.of(
                f"--{name.replace('_', '-')}", "the unfinished run was started with something else", "omit it"
            )
    if options["out"] is not None and options["out"] != folder:
        raise InputError.of("--out", f"--resume continues the run in {folder}, and saves it there", "omit it")
    again = {name: stored.get(name, value) for name, value in options.items() if name not in FREE}
    place = {name: options[name] or stored.get(name) for name in ("data", "population_file")}
    place |= {"out": folder, "force": True}
    schema = options["schema"] or (Path(stored["schema"]) if "schema" in stored else None)
    return {**options, **again, **place, "schema": schema}


def _read(data: str, *further: Path) -> list[Path]:
    """The files that the command reads; a folder may be the table."""
    return [*filter(None, [local_file(data)]), *inputs_of(*further)]


def _opened(options: Mapping[str, Any], screen: DetailedScreen) -> Study:
    """The table with its schema. The schema comes first: it is short, and its mistakes are reported before a
    long file is read."""
    from paretonym.study import Study
    from paretonym.tables.schema import read_schema
    from paretonym.tables.source import source_warnings

    named = ("memory", "table", "query", "population_file", "sampling_fraction", "control")
    form = {name: options[name] for name in named}
    described = read_schema(options["schema"])
    if (out := options["out"]) is not None:
        further = [*map(Path, described.sources), *inputs_of(options["population_file"])]
        check_outputs([Output(out, Kind.RUN)], options["force"], _read(options["data"], *further))
    study = Study(options["data"], described, **form, engine=options["engine"] or "auto")
    if warnings := source_warnings(study.source):
        screen.warn(*warnings)
    return study


def _found(
    study: Study, names: list[str], question: Mapping[str, Any], out: Path | None, screen: DetailedScreen
) -> Run:
    """The frontier. Remarks, such as that the compiled kernels are missing, are printed with --json too."""
    try:
        with screen.progress("Exploring") as progress:
            return study.explore(
                *names,
                **question,
                progress=progress,
                remark=lambda text: None if screen.quiet else note(text.said(in_shell)),
            )
    except KeyboardInterrupt:
        if out is not None and is_unfinished(out):
            note(f"\nInterrupted: 'paretonym explore --resume {out}' continues from the last saved state.")
        else:
            note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None


def _view(frontier: Run, options: Mapping[str, Any]) -> View:
    """The number of releases, and a few of them in words."""
    from paretonym.engine.frontier.queries import shortlist
    from paretonym.interfaces.cli.frontier_view import MOST_CHOICES, choice_lines, frontier_details

    # The floor of all generalizations says more than the bound of one method.
    bounds = [frontier.least_cost] if frontier.least_cost else [frontier.search.bound]
    lines = [f"{frontier}."]
    proven = [bound.about((), frontier.solutions) for bound in bounds if bound]
    lines += [f"Proven so far: {sentence}." for sentence in proven if sentence]
    lines += choice_lines(frontier, shortlist(frontier, MOST_CHOICES))
    out = options["out"]
    document = {
        **frontier.as_json(),
        "warnings": list(frontier.warnings),
        "run": str(out) if out is not None else None,
    }
    hint = "Not saved; use -o FOLDER to keep it."
    if out is not None:
        hint = f"Saved in {out}. Next: paretonym release {out} --pick ID -o FILE, or paretonym serve {out}"
    return View(document, lines, frontier.warnings, hint, lambda: frontier_details(frontier))
