"""The fields of messages as the flags of the commands."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping

from paretonym.errors import Field

# For every command, the flag of each of its options and the name of each argument.
FLAGS: dict[str, Mapping[str, str]] = {}


def learn_flags(program: object) -> None:
    """Take the flags from the commands of a program."""
    commands = getattr(program, "commands", {})
    FLAGS.update({name: {p.name: _written(p) for p in each.params} for name, each in commands.items()})


def _written(parameter: object) -> str:
    flags = [option for option in getattr(parameter, "opts", ()) if option.startswith("--")]
    return flags[0] if flags else str(getattr(parameter, "metavar", None) or "").removesuffix("…")


def in_shell(field: Field) -> str:
    """A field as a flag with its value.

    >>> in_shell(Field("suppress", "0.01")), in_shell(Field("force", True))
    ('--suppress 0.01', '--force')
    >>> in_shell(Field("require", "k>=5"))
    "--require 'k>=5'"
    """
    flag = _flag(field.name)
    if field.value is None or str(field.value) == str(True):
        return flag
    return f"{flag} {shlex.quote(str(field.value))}"


def _flag(name: str) -> str:
    """The flag of the running command, or else of the first command that has it."""
    running = [FLAGS[word] for word in sys.argv[1:] if word in FLAGS][:1]
    known = (flags[name] for flags in (*running, *FLAGS.values()) if name in flags)
    return next(known, f"--{name.replace('_', '-')}")
