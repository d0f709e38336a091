"""Commands from annotated functions: every option and argument is declared once, beside its type.

`size: Annotated[int | None, Option(min=1, help="Count up to this size.")] = None` is an option `--size`
that takes an integer from 1 on; mypy checks what the function does with it. A parameter whose type is a
dataclass receives one made from the options that its fields declare.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import click

# The flags that show the help of the program and of every command.
HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class Option:
    """An option: its flags (unless given, `--` and the parameter's name), its help, a number's range."""

    def __init__(
        self,
        *flags: str,
        help: str,  # noqa: A002
        metavar: str | None = None,
        min: int | None = None,  # noqa: A002
        max: int | None = None,  # noqa: A002
    ) -> None:
        self.flags = flags
        self.help = help
        self.metavar = metavar
        self.range = (min, max)

    def parameter(self, name: str, kind: _Kind, default: Any) -> click.Parameter:
        flags = self.flags or (f"--{name.replace('_', '-')}",)
        switch = kind.of is bool and self.metavar is None
        return click.Option(
            [name, *flags],
            type=kind.accepted(self.range),
            help=self.help,
            metavar=self.metavar,
            is_flag=switch or None,
            multiple=kind.several,
            callback=_as_list if kind.several else None,
            show_default=default not in (None, "") and (not switch or "/" in "".join(flags)),
            **_needed(default),
        )


class Argument:
    """An argument: how help calls it, and what it is."""

    def __init__(self, *, metavar: str, help: str) -> None:  # noqa: A002
        self.metavar = metavar
        self.help = help

    def parameter(self, name: str, kind: _Kind, default: Any) -> click.Parameter:
        return _ShownArgument(
            [name],
            self.help,
            type=kind.accepted((None, None)),
            metavar=self.metavar,
            nargs=-1 if kind.several else 1,
            callback=_as_list if kind.several else None,
            **_needed(default),
        )


def _needed(default: Any) -> dict[str, Any]:
    """Without a default, a parameter must be given."""
    return (
        {"required": True} if default is inspect.Parameter.empty else {"required": False, "default": default}
    )


class _Integer(click.IntRange):
    """An integer within a range, called so in help and messages."""

    name = "integer"


class _Kind:
    """The type of a parameter: of one value, and whether there may be several."""

    def __init__(self, hint: Any) -> None:
        given = [each for each in get_args(hint) if each is not type(None)]
        plain = given[0] if isinstance(hint, UnionType) else hint
        self.several = get_origin(plain) is list
        self.of: type = get_args(plain)[0] if self.several else plain

    def accepted(self, within: tuple[int | None, int | None]) -> click.ParamType[Any]:
        if self.of is int:
            return click.INT if within == (None, None) else _Integer(*within)
        if self.of is Path:
            return click.Path(path_type=Path)
        return click.BOOL if self.of is bool else click.STRING


class _ShownArgument(click.Argument):
    """An argument that the help describes."""

    def __init__(self, names: list[str], text: str, **attributes: Any) -> None:
        super().__init__(names, **attributes)
        self.text = text

    def make_metavar(self, ctx: click.Context) -> str:
        shown = str(self.metavar) if self.required else f"[{self.metavar}]"
        return f"{shown}..." if self.nargs == -1 and not shown.endswith("…") else shown

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return str(self.metavar), f"{self.text}  [required]" if self.required else self.text


class _Command(click.Command):
    """A command whose help describes its arguments before its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [each for each in self.get_params(ctx) if isinstance(each, _ShownArgument)]
        options = [each for each in self.get_params(ctx) if not isinstance(each, _ShownArgument)]
        for title, parameters in (("Arguments", arguments), ("Options", options)):
            records = [record for each in parameters if (record := each.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def command_of(name: str, function: Callable[..., None], examples: str, short: str) -> click.Command:
    """The command that calls the function, whose docstring is the help. A parameter of type `click.Context`
    receives the context."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[click.Parameter] = []
    groups: dict[str, Any] = {}
    context = None
    for each in inspect.signature(function).parameters.values():
        hint = hints[each.name]
        if hint is click.Context:
            context = each.name
        elif is_dataclass(hint):
            groups[each.name] = hint
            parameters += _of_group(hint)
        else:
            parameters.append(_declared(each.name, hint, each.default))

    def called(**given: Any) -> None:
        around = {} if context is None else {context: click.get_current_context()}
        for name, group in groups.items():
            around[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        function(**around, **given)

    return _Command(
        name,
        context_settings=HELP,
        callback=called,
        params=parameters,
        help=inspect.getdoc(function),
        short_help=short,
        epilog=examples,
    )


def _declared(name: str, hint: Any, default: Any) -> click.Parameter:
    kind, declared = get_args(hint)
    parameter: click.Parameter = declared.parameter(name, _Kind(kind), default)
    return parameter


def _of_group(group: Any) -> Iterator[click.Parameter]:
    """The options that the fields of a dataclass declare."""
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield _declared(each.name, hints[each.name], default)


def _as_list(context: click.Context, parameter: click.Parameter, values: tuple[Any, ...]) -> list[Any] | None:
    """Several values as a list; None if none was given."""
    return list(values) or None
