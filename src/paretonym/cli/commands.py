"""Every command of `paretonym`, in the order in which a person goes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from paretonym.cli import apply_command as apply
from paretonym.cli import ask_command as ask
from paretonym.cli import attack_command as attack
from paretonym.cli import audit_command as audit
from paretonym.cli import compare_command as compare
from paretonym.cli import demo_command as demo
from paretonym.cli import explore_command as explore
from paretonym.cli import init_command as init
from paretonym.cli import measures_command as measures
from paretonym.cli import release_command as release
from paretonym.cli import report_command as report
from paretonym.cli import reproduce_command as reproduce
from paretonym.cli import schema_command as schema
from paretonym.cli import serve_command as serve
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
    ("demo", demo, "See the main job on a built-in census table."),
    ("init", init, "Draft a schema: what each column means."),
    ("schema", schema, "Review what a schema makes of a table."),
    ("explore", explore, "Find every release that no other beats."),
    ("ask", ask, "Ask a frontier for the release you can afford."),
    ("report", report, "Write a page for those who decide, or for everybody."),
    ("release", release, "Write the chosen release and its manifest."),
    ("audit", audit, "Measure a finished table again and check its claims."),
    ("attack", attack, "Try to break a release, or several of one table together."),
    ("apply", apply, "Recode new rows as a release shows the old ones."),
    ("serve", serve, "Look and choose in the browser, on this machine."),
    ("compare", compare, "Put runs of several methods on the same axes."),
    ("reproduce", reproduce, "Make the papers' tables and figures again."),
    ("measures", measures, "List every measure and the question it answers."),
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
