"""The fields of messages as the flags of the commands."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from paretonym.base.errors import Field

# How to get the parameters of each command.
COMMANDS: dict[str, Callable[[], Sequence[object]]] = {}

# What most commands read from the schema.
OF_SCHEMA = ("encoding", "separator", "header_row", "footer_rows")


def learn_commands(parameters: Mapping[str, Callable[[], Sequence[object]]]) -> None:
    """Take the commands of a program; each is loaded when its flags are first asked for."""
    COMMANDS.update(parameters)


@cache
def flags_of(command: str) -> Mapping[str, str]:
    """The flag of each option of a command, also by its other names, and the name of each argument."""
    parameters = COMMANDS[command]()
    others = {_name(flag): flag for parameter in parameters for flag in _flags(parameter)[1:]}
    return {**others, **{getattr(parameter, "name", ""): _written(parameter) for parameter in parameters}}


def _name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _flags(parameter: object) -> list[str]:
    return [option for option in getattr(parameter, "opts", ()) if option.startswith("--")]


def _written(parameter: object) -> str:
    flags = _flags(parameter)
    return flags[0] if flags else str(getattr(parameter, "metavar", None) or "").removesuffix("…")


def in_shell(field: Field) -> str:
    """A field as a flag with its value; a parameter of a space or search as `--set`.

    >>> in_shell(Field("suppress", "0.01")), in_shell(Field("force", True))
    ('--suppress 0.01', '--force')
    >>> in_shell(Field("require", "k>=5"))
    "--require 'k>=5'"
    """
    if field.name == "box":
        return "--set box.MEASURE=SIDE"
    flag = _flag(field.name)
    if field.name in OF_SCHEMA and flag not in _running_flags():
        value = field.value if isinstance(field.value, int) else str(field.value or "…")
        return f"{field.name} = {json.dumps(value, ensure_ascii=False)} in the schema"
    if flag is None:
        return _assignment(field)
    if field.value is None or str(field.value) == str(True):
        return flag
    return f"{flag} {shlex.quote(str(field.value))}"


def _assignment(field: Field) -> str:
    """A parameter of a space or search, which has no flag of its own."""
    from paretonym.engine.spaces import owned_parameters

    owners = [owner for owner, options in owned_parameters().items() if field.name in options]
    owner = owners[0] if len(owners) == 1 else "SEARCH"
    value = "" if field.value is None else f"={field.value}"
    return f"--set {shlex.quote(owner + '.' + field.name.replace('_', '-') + value)}"


def _running() -> list[str]:
    return [word for word in sys.argv[1:] if word in COMMANDS][:1]


def _running_flags() -> set[str]:
    """The flags of the running command; those of all if none runs."""
    return {flag for command in _running() or COMMANDS for flag in flags_of(command).values()}


def _flag(name: str) -> str | None:
    """The flag of the running command, or else of the first command that has it."""
    flags = map(flags_of, (*_running(), *COMMANDS))
    return next((flags_by_name[name] for flags_by_name in flags if name in flags_by_name), None)
