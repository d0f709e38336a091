"""Options and arguments of all commands, declared once in `TABLE`, and commands made from plain functions.

A parameter of a command's function is the option or argument that the table has under its name, or under
"COMMAND.name" where a command means something of its own. Its annotation says the type, and whether it may
be repeated; without a default it must be given. A parameter whose type is a dataclass receives one made from
the options that its fields name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import click

from paretonym.base.random_seed import LARGEST_SEED

__all__ = ["Option", "command_of"]

# The flags that show the help of the program and of every command.
HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


@dataclass(frozen=True)
class Option:
    """An option: its help, how help calls its value, its flags (`--` and the name unless given), its range;
    an argument if its flags are empty."""

    help: str
    metavar: str | None = None
    flags: tuple[str, ...] | None = None
    low: int | None = None
    high: int | None = None


def _argument(metavar: str, text: str) -> Option:
    return Option(text, metavar, ())


_DATA_KINDS = "a file, a folder of files, a pattern in quotes, a database, or - for the standard input"
_DATA = _argument(
    "DATA",
    "A CSV, Parquet, JSON lines, Excel, SPSS, Stata or SAS file, a folder of files, a pattern in quotes, a "
    "database such as sqlite:///people.db, or - for the standard input.",
)
_OUT = ("--out", "-o")
_SCHEMA = Option("What the columns mean (TOML).", "FILE")
_CSV = Option("Write CSV in utf-8, utf-8-sig or cp1252.", "NAME")
_MARK = Option("Separate the cells of CSV by this: , ; | or tab.", "MARK")
_POINT = Option("Write numbers in CSV with . or ,", "MARK")

TABLE: Mapping[str, Option] = {
    # What every command has.
    "as_json": Option("Print one JSON document, nothing else.", flags=("--json",)),
    "quiet": Option("Print no progress and no notes, only warnings.", flags=("--quiet", "-q")),
    "details": Option("Print everything behind the answer, and warnings in full.", flags=("--details", "-d")),
    "force": Option("Overwrite output that paretonym wrote."),
    # Where rows are and how they are read.
    "data": Option("Read the run's data from here if they have moved.", "PATH"),
    "init.data": _DATA,
    "explore.data": _DATA,
    "risk.data": _DATA,
    "schema.data": Option(f"A table: {_DATA_KINDS}.", "DATA"),
    "schema": _SCHEMA,
    "audit.schema": Option("Read roles and hierarchies from here (TOML).", "FILE"),
    "attack.schema": Option("Read roles and hierarchies from here.", "FILE"),
    "encoding": Option("Set the encoding of a CSV file that is not UTF-8, such as cp1252.", "NAME"),
    "separator": Option("Set the separator of a CSV file if it cannot be detected.", "CHARACTER"),
    "header_row": Option("Set the row of the header, counted from 1, if titles lie above it.", "ROW", low=1),
    "footer_rows": Option("Leave out this many rows at the end, such as sums.", "NUMBER", low=0),
    "engine": Option(
        "Count rows in memory, in duckdb (for files larger than memory) or in spark; auto chooses by the "
        "input.",
        "NAME",
    ),
    "memory": Option(
        "Limit the memory of the engine, such as 4GB; half of the machine's unless given.", "SIZE"
    ),
    "audit.memory": Option(
        "Limit the memory of DuckDB; 1200MB unless given, and half of the machine's while --original is "
        "counted.",
        "SIZE",
    ),
    "table": Option(
        "Read this table of a database, such as people or s.people, or this sheet of a workbook.",
        "NAME",
        ("--table", "--sheet"),
    ),
    "query": Option("Read what this query selects from a database.", "SELECT"),
    "population_file": Option(
        "Read the population that the rows were drawn from here, for k-map and presence; any kind of DATA, "
        "with the same quasi-identifiers.",
        "FILE",
    ),
    "audit.population_file": Option(
        "Measure k-map and presence in this table of the population; needs --schema.", "FILE"
    ),
    "sampling_fraction": Option(
        "Estimate the population for k-map-estimated; the table is this share of it, such as 2%. Weights are "
        "scaled to it.",
        "SHARE",
    ),
    "risk.sampling_fraction": Option(
        "Estimate the risk in the population, of which the table is this share, such as 2%. Weights are "
        "scaled to it.",
        "SHARE",
    ),
    # Where output goes.
    "out": Option(
        "Write to this new file, .csv, .parquet or .xlsx; without an ending, a folder of Parquet files.",
        "FILE",
        _OUT,
    ),
    "init.out": Option("Write the schema here (TOML).", "FILE", _OUT),
    "explore.out": Option("Save the run in this new folder.", "FOLDER", _OUT),
    "demo.out": Option("Keep everything in this new folder.", "FOLDER", _OUT),
    "report.out": Option("Write the page here (HTML or PDF; of a permit also JSON).", "FILE", _OUT),
    "compare.out": Option(
        "Write a page (.html; with files or a control) or all numbers (JSON) here.", "FILE", _OUT
    ),
    "release.separator": _MARK,
    "release.encoding": _CSV,
    "decimal": _POINT,
    "out_separator": _MARK,
    "out_encoding": _CSV,
    "out_decimal": _POINT,
    "figure": Option("Write a figure here (.svg, .png or .pdf).", "FILE"),
    # Which release.
    "run": _argument("RUN", "The folder that explore wrote."),
    "runs": _argument("RUN…", "Folders that explore wrote."),
    "serve.runs": _argument("RUN", "Folders that explore wrote; give none to start from a file."),
    "pick": Option("Choose the release with this id.", "ID"),
    "at_most": Option("Allow at most this, such as loss=25%; may be repeated.", "MEASURE=NUMBER"),
    "at_least": Option(
        "Require at least this, such as k=5, or what a policy file (TOML) says; may be repeated.",
        "MEASURE=NUMBER",
        ("--at-least", "--policy"),
    ),
    "explore.at_least": Option(
        "Exclude releases below this, such as k=5, or outside a policy file (TOML); may be repeated.",
        "MEASURE=NUMBER",
        ("--at-least", "--policy"),
    ),
    "explore.at_most": Option(
        "Exclude releases above this, such as loss=25%; may be repeated.", "MEASURE=NUMBER"
    ),
    "where": Option('Write a limit as "k>=5" or "loss<=25%"; may be repeated.', "CONDITION"),
    "best": Option("Optimize this measure within the limits.", "MEASURE"),
    "allow_unproven": Option("Answer even if the frontier cannot prove the answer."),
    "allow_second_release": Option("Allow a second, different release of the same table."),
    "withdraw": Option("Take the release out of the log, for it was never passed on: why.", "REASON"),
    "apply.allow_second_release": Option("Write the new rows even if they were released differently before."),
    # init
    "update": Option("Add new values and columns of DATA to this schema.", "SCHEMA"),
    "init.quasi": Option("Generalize these columns; patterns such as q* too.", "NAMES"),
    "init.sensitive": Option("Protect these columns; patterns too.", "NAMES"),
    "person": Option("Count persons by this column, which says whose a row is.", "NAME"),
    "drop": Option("Leave these columns out; patterns too.", "NAMES"),
    # schema
    "schema.file": _argument("SCHEMA", "What the columns mean (TOML)."),
    "changes": Option(
        'Change the schema first: "q*=drop" gives a role, age.top=90 sets a key of columns, missing=value '
        "one of the table; may be repeated.",
        "NAME=VALUE",
        ("--set",),
    ),
    # risk
    "size": Option("Search combinations of at most this many columns (default 3).", low=1),
    # explore
    "objectives": Option(
        "Trade off these measures (default: k,loss; for microaggregation k,sse; for mondrian and buckets "
        "privacy-loss,utility-loss); 'paretonym measures' lists them.",
        "NAMES",
    ),
    "suppress": Option(
        "Suppress small equivalence classes, at most this share of the rows (1%), or classes below any "
        "threshold of k, l, t … that costs at most this share (any:0.1).",
        "RULE",
    ),
    "settings": Option(
        "Set a parameter of a measure (l-recursive.c=2), a search (poka.depth=3) or a space "
        "(cuts.problem=2); 'paretonym measures --searches' lists them; or keep one release per box of these "
        "sides (box.k=5); may be repeated.",
        "NAME.PARAMETER=VALUE",
        ("--set",),
    ),
    "space": Option(
        "Search these recodings alone: lattice (full-domain generalization), local (rows of small "
        "equivalence classes are generalized further), cuts (boundaries anywhere in a column), mondrian, "
        "microaggregation (means in place of numbers) or buckets (default: every method that can answer, on "
        "one frontier).",
        "NAME",
    ),
    "search": Option(
        "Use this search: for the lattice exact (proven, skips most nodes), exhaustive (proven), poka or pbg "
        "(not proven); for local clusters; for cuts hybrid or nsga2; for mondrian sweep or improve (loses "
        "less, takes longer); for buckets sweep.",
        "NAME",
    ),
    "time": Option("Stop after 60s, 5m or 1h, and keep what was found by then.", "TIME"),
    "seed": Option("Random seed (default 0).", low=0, high=LARGEST_SEED),
    "sweep": Option(
        "Require this of every part, one release for each number: k=10,50,100; two requirements together: "
        "k=5+t-js=0.1,0.2; may be repeated.",
        "MEASURE=NUMBERS",
    ),
    "explore.control": Option(
        "Keep this share of the people, such as 10%, out of everything that is released, so that attacks can "
        "be compared on them; whole persons and households, chosen once per table.",
        "SHARE",
    ),
    "resume": Option(
        "Continue a run of the lattice that was stopped before it ended; no other option is needed.", "FOLDER"
    ),
    # ask
    "purpose": Option("Say whether this purpose of the schema can be achieved within the limits.", "NAME"),
    "report.purpose": Option("Decide about this purpose of the schema, if it has several.", "NAME"),
    # report
    "reader": Option(
        "Write for officer (confidential), public, or permit: a paper that decides about a purpose.",
        "READER",
        ("--for",),
    ),
    "checklists": Option(
        "Hold the release against hipaa-safe-harbor, ema-0070, wp216 or a checklist of your own (TOML); may "
        "be repeated.",
        "NAME",
        ("--checklist",),
    ),
    "language": Option("Write in English (en) or German (de).", "CODE"),
    # audit and attack
    "audit.file": _argument(
        "FILE", "The finished table: CSV or Parquet, a folder of parts, or whatever else explore reads."
    ),
    "require": Option(
        'Check a requirement such as "k>=5" or "alpha<=50%", or a policy file (TOML); may be repeated.',
        "REQUIREMENT",
        ("--require", "--policy"),
    ),
    "audit.original": Option(
        "Also compare with the table that it was made from: a file, a folder, a pattern, a database, or a "
        "run, whose control group is left out.",
        "DATA",
    ),
    "old": Option("For a file that 'apply' wrote: give the table of the old rows.", "DATA"),
    "audit.table": Option(
        "Read this table of whatever is a database, or sheet of a workbook.", "NAME", ("--table", "--sheet")
    ),
    "manifest": Option("Read the manifest from here if it is elsewhere; one for each FILE.", "FILE"),
    "quasi": Option("Name the quasi-identifiers, instead of a manifest and schema.", "NAMES"),
    "sensitive": Option("Name the sensitive columns, instead of a manifest and schema.", "NAMES"),
    "files": _argument("FILE…", "One release, or several made from one table: files or folders of parts."),
    "original": Option(
        "Search for everybody in this table, from which the files were made; or in that of a run, beside its "
        "control group.",
        "DATA",
    ),
    "control": Option(
        "Measure singling out, linkability and inference beside these people of the same population, from "
        "whom the files were not made.",
        "DATA",
    ),
    # apply
    "new_data": _argument(
        "NEWDATA", "The new rows: a file, a folder of files, a pattern in quotes, or a database."
    ),
    # compare
    "tables": _argument("RUN|FILE…", "Runs, and any tables about the same people."),
    "measures": Option(
        "Compare by these measures; with files by one risk and one utility (default: inference,pmse).",
        "NAMES",
    ),
    "compare.original": Option("The table that the files were made from, if no run says it.", "DATA"),
    "compare.control": Option("People whom no table was made from, in the same columns.", "DATA"),
    "stated": Option('Show a guarantee beside a file: "mst.csv: ε = 1"; nothing checks it.', "FILE:TEXT"),
    "compare.settings": Option(
        "Set a parameter of a measure: utility-loss.minsup=0.1.", "MEASURE.PARAMETER=NUMBER", ("--set",)
    ),
    "compare.seed": Option("Random seed, for measures such as query-error.", low=0, high=LARGEST_SEED),
    # serve
    "port": Option("Listen on this port (0: any free one).", low=0, high=65535),
    "host": Option("Listen on this address.", "ADDRESS"),
    "expose": Option("Let others connect; needed with a --host other than this machine."),
    "no_browser": Option("Print the address; do not open it in your browser."),
    "names": Option("Accept this host name from browsers; may be repeated.", "NAME", ("--name",)),
    # measures
    "searches": Option("List spaces and searches instead, with their parameters."),
}


class _Integer(click.IntRange):
    """An integer within a range, called so in help and messages."""

    name = "integer"


class _Argument(click.Argument):
    """An argument that the help describes."""

    def __init__(self, names: list[str], text: str, **attributes: Any) -> None:
        super().__init__(names, **attributes)
        self.text = text

    def make_metavar(self, ctx: click.Context) -> str:
        name = str(self.metavar) if self.required else f"[{self.metavar}]"
        return f"{name}..." if self.nargs == -1 and not name.endswith("…") else name

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return str(self.metavar), f"{self.text}  [required]" if self.required else self.text


class _Command(click.Command):
    """A command whose help describes its arguments before its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [one for one in self.get_params(ctx) if isinstance(one, _Argument)]
        options = [one for one in self.get_params(ctx) if not isinstance(one, _Argument)]
        for title, parameters in (("Arguments", arguments), ("Options", options)):
            records = [record for one in parameters if (record := one.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def command_of(
    name: str,
    function: Callable[..., None],
    examples: str,
    short: str,
    own: Mapping[str, Option] = MappingProxyType({}),
) -> click.Command:
    """The command that calls the function, whose docstring is the help. A parameter of type `click.Context`
    receives the context. Options that no other command has may be its `own`."""
    hints = get_type_hints(function)
    contexts = [parameter for parameter, hint in hints.items() if hint is click.Context]
    groups: dict[str, Any] = {parameter: hint for parameter, hint in hints.items() if is_dataclass(hint)}

    def called(**values: Any) -> None:
        around: dict[str, Any] = dict.fromkeys(contexts, click.get_current_context())
        for parameter, group in groups.items():
            around[parameter] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        function(**around, **values)

    return _Command(
        name,
        context_settings=HELP,
        callback=called,
        params=[_parameter(name, own, *declared) for declared in _declared(function)],
        help=inspect.getdoc(function),
        short_help=short,
        epilog=examples,
    )


def _declared(function: Callable[..., None]) -> Iterator[tuple[str, Any, Any]]:
    """The name, type and default of every option and argument of a command."""
    hints = get_type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if is_dataclass(hint):
            types = get_type_hints(hint)
            for field in fields(hint):
                default = inspect.Parameter.empty if field.default is MISSING else field.default
                yield field.name, types[field.name], default
        elif hint is not click.Context:
            yield parameter.name, hint, parameter.default


def _parameter(
    command: str, own: Mapping[str, Option], name: str, hint: Any, default: Any
) -> click.Parameter:
    option = own.get(name) or TABLE.get(f"{command}.{name}") or TABLE[name]
    plain = (
        next(one for one in get_args(hint) if one is not type(None)) if isinstance(hint, UnionType) else hint
    )
    several = get_origin(plain) is list
    of = get_args(plain)[0] if several else plain
    required = default is inspect.Parameter.empty
    common: dict[str, Any] = {
        "type": _type(of, option),
        "metavar": option.metavar,
        "callback": _as_list if several else None,
        "required": required,
        **({} if required else {"default": default}),
    }
    if option.flags == ():
        return _Argument([name], option.help, nargs=-1 if several else 1, **common)
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    return click.Option(
        [name, *flags],
        help=option.help,
        is_flag=of is bool or None,
        multiple=several,
        show_default=of is not bool and default not in (None, "", inspect.Parameter.empty),
        **common,
    )


def _type(of: type, option: Option) -> click.ParamType[Any]:
    if of is int:
        return _Integer(option.low, option.high)
    if of is Path:
        return click.Path(path_type=Path)
    return click.BOOL if of is bool else click.STRING


def _as_list(context: click.Context, parameter: click.Parameter, values: tuple[Any, ...]) -> list[Any] | None:
    """Several values as a list; None if none was given."""
    return list(values) or None
