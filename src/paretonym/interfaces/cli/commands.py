"""Every command of `paretonym`, in the order in which people use them; then those of other packages."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module

import click

from paretonym.base.plug_ins import COMMANDS, plug_ins, plugged
from paretonym.interfaces.cli.option_flags import learn_commands
from paretonym.interfaces.cli.options import HELP, command_of
from paretonym.version import __version__

# From a table to a release, then what checks a release, then the rest.
STEPS = {
    "demo": "Try everything on a built-in census table.",
    "init": "Draft a schema, which says what each column means.",
    "schema": "Review how a schema reads a table.",
    "risk": "See which columns make people unique, before any release.",
    "explore": "Find the Pareto frontier of releases.",
    "ask": "Find the best release within your limits.",
    "report": "Write a page for those who decide, or for the public.",
    "release": "Write the chosen release and its manifest.",
    "audit": "Check a finished table against its claims.",
    "attack": "Try to break one or several releases of a table.",
    "apply": "Recode new rows as a release shows the old ones.",
    "serve": "Explore and choose in the browser, on this machine.",
    "compare": "Compare runs, and anybody's tables, by the same measures.",
    "measures": "List every measure and the question it answers.",
}


@cache
def command(name: str) -> click.Command:
    """The command of that name. Its module `NAME_command` is loaded when it is called: to load all of them
    takes longer than most commands do."""
    if name not in STEPS:
        added: click.Command = plugged(COMMANDS, name)
        return added
    module = import_module(f"paretonym.interfaces.cli.{name}_command")
    return command_of(name, getattr(module, name), module.EXAMPLES, STEPS[name])


def _parameters(name: str) -> list[click.Parameter]:
    return command(name).params


def _names() -> list[str]:
    return list(dict.fromkeys((*STEPS, *plug_ins(COMMANDS))))


class _Program(click.Group):
    """All commands; only the one that is called is loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return _names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command(cmd_name) if cmd_name in STEPS or cmd_name in _names() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        added = {name: command(name).get_short_help_str(100) for name in _names() if name not in STEPS}
        with formatter.section("Commands"):
            formatter.write_dl([*STEPS.items(), *added.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in STEPS and name not in _names() and not name.startswith("-"):
            near = get_close_matches(name, _names())
            choices = " or ".join(f"'{command}'" for command in near)
            ctx.fail(f"No such command '{name}'." + (f" Did you mean {choices}?" if near else ""))
        return super().resolve_command(ctx, args)


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"paretonym {__version__}\n")
        context.exit()


program = _Program(
    "paretonym",
    help="Publish a table about people: see the whole trade-off between privacy and utility first.",
    epilog="Start with: paretonym demo",
    no_args_is_help=True,
    context_settings=HELP,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Show the version.",
        )
    ],
)
learn_commands({name: partial(_parameters, name) for name in STEPS})
