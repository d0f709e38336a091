"""Every command of `paretonym`, in the order in which a person goes."""

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
    release_command,
    report_command,
    reproduce_command,
    schema_command,
    serve_command,
)
from paretonym.cli.option_flags import learn_flags
from paretonym.version import __version__

app = typer.Typer(
    name="paretonym",
    help="Publish a table about people: see the whole trade-off between privacy and utility first.",
    epilog="Start with: paretonym demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# In the order in which a person goes: from a table to a release, then what was made, then the rest.
STEPS = (
    ("demo", demo_command, "See the main job on a built-in census table."),
    ("init", init_command, "Draft a schema: what each column means."),
    ("schema", schema_command, "Review what a schema makes of a table."),
    ("explore", explore_command, "Find every release that no other beats."),
    ("ask", ask_command, "Ask a frontier for the release you can afford."),
    ("report", report_command, "Write a page for those who decide, or for everybody."),
    ("release", release_command, "Write the chosen release and its manifest."),
    ("audit", audit_command, "Measure a finished table again and check its claims."),
    ("attack", attack_command, "Try to break a release, or several of one table together."),
    ("apply", apply_command, "Recode new rows as a release shows the old ones."),
    ("serve", serve_command, "Look and choose in the browser, on this machine."),
    ("compare", compare_command, "Put runs of several methods on the same axes."),
    ("reproduce", reproduce_command, "Make the papers' tables and figures again."),
    ("measures", measures_command, "List every measure and the question it answers."),
)
for _name, _module, _short in STEPS:
    app.command(_name, epilog=_module.EXAMPLES, short_help=_short)(getattr(_module, _name))
learn_flags(app)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"paretonym {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Publish a table about people: see the whole trade-off between privacy and utility first."""
