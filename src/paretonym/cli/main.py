"""The command `paretonym`: where errors become exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from paretonym.cli import (
    apply,
    ask,
    attack,
    audit,
    compare,
    demo,
    explore,
    init,
    measures,
    release,
    report,
    reproduce,
    schema,
    serve,
)
from paretonym.cli.console import write_anyway
from paretonym.errors import InputError, NoSolution
from paretonym.version import __version__

NO, USAGE, OURS = 1, 2, 70

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


def main() -> None:
    """Run the command; a mistake is one message, a bug of ours says so without showing data."""
    write_anyway()
    try:
        app()
    except InputError as error:
        sys.exit(_say(f"error: {error}", USAGE))
    except NoSolution as error:
        sys.exit(_say(str(error), NO))
    except SystemExit as stop:
        # Whoever read our output has seen enough; typer would end with 1, which is our answer "no".
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        # Nothing is left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
    except MemoryError:
        sys.exit(_say("error: memory ran out; use fewer quasi-identifiers or coarser lowest levels", USAGE))
    except Exception as error:
        if os.environ.get("PARETONYM_DEBUG"):
            raise
        sys.exit(_say(_report(error), OURS))


def _say(text: str, code: int) -> int:
    sys.stderr.write(text + "\n")
    return code


def _report(error: Exception) -> str:
    """Where it happened, without any text that could hold data."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "unknown"
    if trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}, line {trace.tb_lineno}, in {code.co_name}"  # noqa: PTH119
    return (
        f"bug: this is a mistake of paretonym {__version__}, not yours: {type(error).__name__} at {place}.\n"
        "Please report it with this line and the command you gave, without any data. "
        "PARETONYM_DEBUG=1 shows the whole trace; it may hold values of your table."
    )
