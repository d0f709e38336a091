"""Every command of `paretonym`, in the order in which people use them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from paretonym.cli import (
    apply_command,
    ask_command,
    attack_command,
    audit_command,
    compare_command,
    demo_command,
    explore_command,
    init_command,
    measures_command,
    project_command,
    release_command,
    report_command,
    reproduce_command,
    risk_command,
    schema_command,
    serve_command,
    utility_command,
)
from paretonym.cli.option_flags import learn_flags
from paretonym.version import __version__

_app = typer.Typer(
    name="paretonym",
    help="Publish a table about people: see the whole trade-off between privacy and utility first.",
    epilog="Start with: paretonym demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# From a table to a release, then what checks a release, then the rest.
STEPS = (
    ("demo", demo_command, "Try everything on a built-in census table."),
    ("init", init_command, "Draft a schema, which says what each column means."),
    ("schema", schema_command, "Review how a schema reads a table."),
    ("risk", risk_command, "See which columns make people unique, before any release."),
    ("explore", explore_command, "Find the Pareto frontier of releases."),
    ("ask", ask_command, "Find the best release within your limits."),
    ("utility", utility_command, "See what analysts can still do with a release."),
    ("report", report_command, "Write a page for those who decide, or for the public."),
    ("release", release_command, "Write the chosen release and its manifest."),
    ("audit", audit_command, "Check a finished table against its claims."),
    ("attack", attack_command, "Try to break one or several releases of a table."),
    ("apply", apply_command, "Recode new rows as a release shows the old ones."),
    ("serve", serve_command, "Explore and choose in the browser, on this machine."),
    ("project", project_command, "Pack a schema and a run into one file for a colleague."),
    ("compare", compare_command, "Compare runs of several methods by the same measures."),
    ("reproduce", reproduce_command, "Reproduce tables and figures of the papers."),
    ("measures", measures_command, "List every measure and the question it answers."),
)
for _name, _module, _short in STEPS:
    _app.command(_name, epilog=_module.EXAMPLES, short_help=_short)(getattr(_module, _name))


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"paretonym {__version__}\n")
        raise typer.Exit


@_app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Publish a table about people: see the whole trade-off between privacy and utility first."""


# Made once: reading the signatures of all commands takes longer than most of the commands do.
program = typer.main.get_command(_app)
learn_flags(program)
