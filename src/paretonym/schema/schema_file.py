"""The schema file: from its text, or a mapping that says the same, to a `Schema`, with all problems at once;
and back into a folder of its own, with its hierarchy files beside it."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from paretonym.atomic_files import read_regular_file
from paretonym.data_address import check_local
from paretonym.errors import MOST_VALUES_SHOWN, Bug, ColumnPlace, InputError, Problem, did_you_mean
from paretonym.schema.hierarchies.hierarchy_kind import LoadFile
from paretonym.schema.hierarchies.hierarchy_registry import read_hierarchy
from paretonym.schema.model import (
    DECIMAL_MARKS,
    MISSING,
    SUPPRESS_UNITS,
    TYPES,
    ColumnSpec,
    Schema,
    SuppressUnit,
    as_mapping,
    entry_of,
)
from paretonym.schema.roles import ROLE_RULES, ROLES, Role
from paretonym.schema.toml_section import Section, described
from paretonym.schema.toml_text import header, statements

TOP_KEYS = ("null", "missing", "rows", "decimal", "encoding", "separator", "suppress", "columns")
# What can be written can be read, and nothing else.
COLUMN_KEYS = tuple(entry_of(ColumnSpec("", "undecided"), lambda file: file.name))
SCHEMA_NAME = "the schema"
MOST_INTEGERS = 1_000_000
LEAST_IMPORTANCE, MOST_IMPORTANCE = Decimal("0.000001"), Decimal(1_000_000)
SCHEMA_FILE = "schema.toml"
# How data files begin: Parquet, workbooks and other archives, what is packed, JSON lines.
TABLES = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b'{"')
LONGEST_HEADER = 1 << 16
# How the first line of TOML begins that is neither blank nor a comment: with a section, or a key.
KEY = rb"""(?:[\w-]+|"[^"]*"|'[^']*')"""
PATH = rb"%b(?:\s*\.\s*%b)*\s*" % (KEY, KEY)
HEADING = re.compile(rb"\[\[?\s*%b\]\]?\s*(?:#|$)|%b=" % (PATH, PATH))
# What a text of TOML quotes or remarks, and what ends a key or begins and ends what is nested.
QUOTED = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'|" r"#[^\n]*", re.DOTALL
)
MARKS = re.compile(r"[\[\]{}=,\n]|\Z")
MOST_PARTS = 100
MOST_NESTED = 100
SEPARATOR_LINE = re.compile(rb'"?sep=[^\r\n"]"?', re.IGNORECASE)
SEPARATORS = (b",", b";", b"\t", b"|")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Mapped: TypeAlias = Mapping[str, Any]


def read_schema(path: Path) -> Schema:
    """The schema in a TOML file; paths of hierarchy files are relative to it."""
    check_local(path, "download the schema to a file")
    check_no_table(path)
    schema = schema_from_text(read_text(path, path.name), path.name, file_loader(path.parent))
    return replace(schema, sources=(str(path.absolute()), *_files_of(schema, path.parent)))


def schema_from(mapping: Mapped, folder: Path | None = None, load: LoadFile | None = None) -> Schema:
    """The schema that a mapping holds (what a TOML file would parse to). Hierarchy files lie in a folder, or
    `load` gives their contents by their names.

    >>> schema = schema_from({"columns": {"sex": {"role": "quasi", "hierarchy": {"flat": True}}}})
    >>> schema.column("sex").role
    'quasi'
    """
    if not isinstance(mapping, Mapping):
        raise InputError.of(
            SCHEMA_NAME,
            f"it is {described(mapping)}",
            "give a path or a mapping",
        )
    schema = _schema(mapping, SCHEMA_NAME, None, load or file_loader(folder or Path()))
    if load is not None:
        return schema
    return replace(schema, sources=_files_of(schema, folder or Path()))


def schema_from_text(text: str, name: str, load: LoadFile) -> Schema:
    """The schema in a TOML text; `load` gives the content of a hierarchy file by its name."""
    return _schema(toml_mapping(text, name, Decimal), name, text, load)


def toml_mapping(text: str, name: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """What a TOML text says. Keys of too many parts and values nested too deeply are refused before it is
    read: the time for a key grows with the square of its parts."""
    _check_bounds(text, name)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise _broken_toml(text, name, error) from None
    except (RecursionError, ValueError, ArithmeticError):
        raise InputError.of(
            name, "it cannot be read as TOML", "shorten its deepest lists and numbers"
        ) from None


def _check_bounds(text: str, name: str) -> None:
    bare = QUOTED.sub(lambda found: "\n" * found[0].count("\n"), text)
    depth, start = 0, 0
    for mark in MARKS.finditer(bare):
        parts = bare.count(".", start, mark.start()) + 1
        start = mark.end()
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark[0], 0)
        if parts <= MOST_PARTS and depth <= MOST_NESTED:
            continue
        place = f"{name}, line {bare.count(chr(10), 0, mark.start()) + 1}"
        if parts > MOST_PARTS:
            wrong = f"a key has {parts:,} parts, more than {MOST_PARTS}"
            raise InputError.of(place, wrong, "use short keys, such as columns.age.role")
        wrong = f"lists or tables are nested more than {MOST_NESTED} deep"
        raise InputError.of(place, wrong, "nest them less; a tree has as many levels as it is deep")


def check_no_table(path: Path) -> None:
    """Refuse a table where a schema is expected: the two are easily swapped. Nothing of its content is
    shown."""
    try:
        with path.open("rb") as file:
            begin = file.read(LONGEST_HEADER)
    except OSError:
        return
    if begin.startswith(TABLES) or _is_divided(begin.removeprefix(BYTE_ORDER_MARK)):
        wrong = "this is a table, not a schema"
        raise InputError.of(path.name, wrong, "give the schema as SCHEMA (TOML) and the table as DATA")


def _is_divided(begin: bytes) -> bool:
    """Whether a text begins as tables do: it names its separator, or its first line is a header and the lines
    below it are divided, too."""
    lines = [line.strip() for line in begin.splitlines()]
    if lines and SEPARATOR_LINE.fullmatch(lines[0]):
        return True
    first, *below = [line for line in lines if line and not line.startswith(b"#")][:3] or [b""]
    return any(
        mark in first and all(mark in line for line in below) and not HEADING.match(first)
        for mark in SEPARATORS
    )


def read_text(path: Path, name: str) -> str:
    """The text of a file; what is wrong with the file is an InputError that calls it `name`."""
    try:
        return read_regular_file(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError.of(name, "this file does not exist", f"check the path {path}") from None
    except UnicodeDecodeError as error:
        raise InputError.of(name, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of(
            name,
            f"it cannot be read ({reason})",
            f"check the path {path}",
        ) from None


def _files_of(schema: Schema, folder: Path) -> tuple[str, ...]:
    """The paths of the hierarchy files that a schema names."""
    return tuple(str((folder / file.name).absolute()) for file in schema.attached)


def file_loader(folder: Path) -> LoadFile:
    """Reads hierarchy files that lie in, or relative to, a folder."""
    return lambda name: read_text(folder / name, name)


def _broken_toml(text: str, name: str, error: tomllib.TOMLDecodeError) -> InputError:
    """tomllib says "… (at line 3, column 5)" or "… (at end of document)"."""
    position = re.fullmatch(
        r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL
    )
    what, line, column = position.groups() if position else (str(error), None, None)
    if line is None:
        lines = text.splitlines() or [""]
        line, column = str(len(lines)), str(len(lines[-1]) + 1)
    return InputError.of(
        f"{name}, line {line}, column {column}",
        f"not valid TOML: {what}",
        "fix this line; strings need quotes",
    )


def _schema(mapping: Mapped, name: str, text: str | None, load: LoadFile) -> Schema:
    problems: list[Problem] = []
    section = Section(name, mapping, problems)
    section.refuse_unknown(TOP_KEYS)
    schema = Schema(
        columns=_columns(section, name, load),
        null=section.texts("null") or (),
        missing=section.choice("missing", MISSING),
        rows=section.choice("rows", ("people", "events")) or "people",
        suppress_unit=_suppress_unit(section, name),
        decimal=section.choice("decimal", DECIMAL_MARKS) or ".",
        encoding=section.text("encoding"),
        separator=section.text("separator"),
        name=name,
        text=text,
    )
    for role, rules in ROLE_RULES.items():
        if rules.second is not None:
            _check_one_column(section, schema, role, rules.second)
    _check_suppressed_unit(section, schema)
    if problems:
        raise InputError(problems)
    return schema


def _suppress_unit(section: Section, name: str) -> SuppressUnit:
    inner = section.inner("suppress", name)
    if inner is None:
        return "row"
    inner.refuse_unknown(("unit",))
    return inner.choice("unit", SUPPRESS_UNITS) or "row"


def _check_one_column(section: Section, schema: Schema, role: Role, others: str) -> None:
    """At most one column says whose a row is, to which household it belongs, or for how many it stands."""
    named = [column.name for column in schema.with_role(role)]
    if len(named) > 1:
        section.complain(
            f"{len(named)} columns have the role {role}: {', '.join(named[:MOST_VALUES_SHOWN])}",
            f'give one column the role {role}, and the others the role "{others}"',
        )


def _check_suppressed_unit(section: Section, schema: Schema) -> None:
    """Whole persons or households are suppressed only where a column says which rows are theirs."""
    unit = schema.suppress_unit
    if unit == "row" or schema.with_role(unit):
        return
    section.complain(
        f'suppress.unit is "{unit}", but no column has the role {unit}',
        f"give the role {unit} to the column that says which {unit} a row belongs to, or omit suppress.unit",
        "suppress",
    )


def _columns(section: Section, name: str, load: LoadFile) -> tuple[ColumnSpec, ...]:
    table = section.inner("columns", name)
    if table is None:
        if "columns" not in section.mapping:
            section.complain(
                "no column is described", "add a table [columns.NAME] with a role for each column"
            )
        return ()
    return tuple(
        column for key in table.mapping if (column := _column_entry(table, key, name, load)) is not None
    )


def _column_entry(table: Section, key: object, name: str, load: LoadFile) -> ColumnSpec | None:
    place = ColumnPlace(name, str(key))
    if not isinstance(key, str):
        table.complain(f"the column name {key} is not a text", "write it in quotes")
        return None
    if not isinstance(table.mapping[key], Mapping):
        wrong = f"its entry is {described(table.mapping[key])}"
        table.problems.append(Problem(place, wrong, f'make it a table: [columns.{key}] with role = "…"'))
        return None
    return _column(Section(place, table.mapping[key], table.problems), key, load)


def _column(section: Section, name: str, load: LoadFile) -> ColumnSpec:
    section.refuse_unknown(COLUMN_KEYS)
    role = _role(section)
    secret = not ROLE_RULES[role].open_values
    column = ColumnSpec(
        name=name,
        role=role,
        type=section.choice("type", TYPES),
        hierarchy=read_hierarchy(section, load, secret),
        order=_order(section, secret),
        bottom=section.number("bottom"),
        top=section.number("top"),
        levels=_levels(section),
        importance=_importance(section),
        granularity=section.positive("granularity"),
        domain=_domain(section),
        format=section.text("format"),
        missing=section.choice("missing", MISSING),
        unknown_to_top=section.choice("unknown", ("top",)) is not None,
        level=section.whole("level"),
        kept=section.choice("kept", ("yes", "no")) == "yes",
        release_level=section.whole("release_level"),
        release=section.truth("release") or False,
        round=section.positive("round"),
        decimal=section.choice("decimal", DECIMAL_MARKS),
    )
    _check_together(section, column)
    return column


def _importance(section: Section) -> Fraction:
    """The importance of a column beside the others; beyond these bounds one column would count alone."""
    value = section.positive("importance")
    if value is not None and not LEAST_IMPORTANCE <= value <= MOST_IMPORTANCE:
        section.complain(
            f"importance {value} is not between {LEAST_IMPORTANCE} and {MOST_IMPORTANCE}",
            "give a number such as 2 for twice as important as a column without one",
            "importance",
        )
        return Fraction(1)
    return Fraction(value or 1)


def _role(section: Section) -> Role:
    """The role; `undecided` in place of one that is wrong, so that reading can go on."""
    value = section.mapping.get("role")
    if value in ROLES:
        return next(role for role in ROLES if role == value)
    if value is None:
        section.complain("no role is given", f"set role to one of {', '.join(ROLES)}", "role")
    elif isinstance(value, str):
        section.complain(f"the role '{value}' is unknown", did_you_mean(value, ROLES), "role")
    else:
        section.complain(
            f"role is {described(value)}",
            f"give one of {', '.join(ROLES)}",
            "role",
        )
    return "undecided"


def _order(section: Section, secret: bool) -> tuple[str, ...] | None:
    """The leaves in their order; each once."""
    order = section.texts("order")
    if order is None:
        return None
    if not order:
        section.complain("order is an empty list", "list all values, or omit it", "order")
        return None
    twice = [value for value, count in Counter(order).items() if count > 1]
    for value in twice[:MOST_VALUES_SHOWN]:
        named = "a value" if secret else f"'{value}'"
        section.complain(f"order lists {named} twice", "list each value once", "order")
    return None if twice else order


def _levels(section: Section) -> tuple[int, int] | None:
    bounds = section.wholes("levels")
    if bounds is None:
        return None
    if len(bounds) != 2 or bounds[0] > bounds[1]:
        remedy = "give the lowest and the highest level, such as [1, 3]"
        section.complain(f"levels is {list(bounds)}", remedy, "levels")
        return None
    return bounds[0], bounds[1]


def _domain(section: Section) -> tuple[int, int] | None:
    """The lowest and the highest integer that can occur."""
    ends = section.numbers("domain")
    if ends is None:
        return None
    whole = [int(end) for end in ends if end == end.to_integral_value()]
    if len(whole) != 2 or len(ends) != 2 or not whole[0] <= whole[1] < whole[0] + MOST_INTEGERS:
        wrong = f"domain is [{', '.join(map(str, ends[:MOST_VALUES_SHOWN]))}]"
        remedy = f"give the lowest and the highest integer, such as [17, 90], at most {MOST_INTEGERS:,} apart"
        section.complain(wrong, remedy, "domain")
        return None
    return whole[0], whole[1]


def _check_together(section: Section, column: ColumnSpec) -> None:
    """Check keys that are valid alone, but not together."""
    for rule in (_coding_in_order, _keys_fit_role, _shown_as_measured):
        rule(section, column)


def _coding_in_order(section: Section, column: ColumnSpec) -> None:
    if column.bottom is not None and column.top is not None and column.bottom >= column.top:
        section.complain(
            f"bottom {column.bottom} is not below top {column.top}",
            "give a bottom below the top",
            "bottom",
        )


def _shown_as_measured(section: Section, column: ColumnSpec) -> None:
    if column.role == "sensitive" and (column.release_level or 0) > column.measured_level:
        section.complain(
            f"it is published at level {column.release_level}, but measured at level {column.level}, "
            "which the file does not show",
            f"set level = {column.release_level} or more, or publish it at level {column.level}",
            "release_level",
        )


def _keys_fit_role(section: Section, column: ColumnSpec) -> None:
    for key, remedy in column.rules.unused.items():
        if key in section.mapping:
            section.complain(f"{key} has no meaning for the role {column.role}", remedy, key)
    if column.round is not None and not 1e-9 <= column.round <= 1e9:
        section.complain(f"round is {column.round}", "give a number such as 10", "round")
    if column.round is not None and column.role == "weight" and not column.release:
        wrong = "round is given, but the weights are not released"
        section.complain(wrong, "set release = true, or omit round", "round")


def write_schema(schema: Schema, folder: Path) -> None:
    """Write `schema.toml` and copies of its hierarchy files into an existing folder.

    A schema that came from a file keeps its text, comments included; only the paths of hierarchy files
    change. Reading the folder gives an equal schema.
    """
    names = file_names(schema)
    for content, name in names.items():
        (folder / name).write_bytes(content.encode())
    (folder / SCHEMA_FILE).write_bytes(schema_text(schema, names).encode())


def file_names(schema: Schema) -> dict[str, str]:
    """By content, the name that each hierarchy file gets in the folder: its own, numbered where two clash."""
    names: dict[str, str] = {}
    taken = {SCHEMA_FILE}
    for file in schema.attached:
        if file.content not in names:
            names[file.content] = _free_name(PurePath(file.name), taken)
            taken.add(names[file.content].lower())
    return names


def schema_text(schema: Schema, names: dict[str, str]) -> str:
    """The TOML text that reads back as this schema when its hierarchy files have these names."""
    if schema.text is not None:
        rewritten = _with_names(schema.text, schema, names)
        if _reads_back(rewritten, schema, names):
            return rewritten
    text = _written(as_mapping(schema, lambda file: names[file.content]))
    if not _reads_back(text, schema, names):
        raise Bug("a schema does not read back as it was written")
    return text


def toml_of(schema: Schema) -> str:
    """The text of a schema file; hierarchy files keep their names."""
    return _written(as_mapping(schema, lambda file: file.name))


def _written(mapping: Mapped) -> str:
    settings = {key: value for key, value in mapping.items() if key != "columns"}
    entries = [[header(name), *statements(entry)] for name, entry in mapping["columns"].items()]
    parts = [[*statements(settings)], *(entries or [["[columns]"]])]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _free_name(path: PurePath, taken: set[str]) -> str:
    # Names must not differ in case alone: on some file systems these are one file.
    name, number = path.name, 1
    while name.lower() in taken:
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"
    return name


def _with_names(text: str, schema: Schema, names: dict[str, str]) -> str:
    """The text with each hierarchy file's name replaced wherever it is the value of its key."""
    for kind in (column.kind for column in schema.columns):
        if (file := kind.attached) is not None:
            named = f'"{names[file.content]}"'
            pattern = rf"(\b{kind.key}[\"']?\s*=\s*)([\"']){re.escape(file.name)}\2"
            text = re.sub(pattern, lambda found, name=named: found[1] + name, text)  # type: ignore[misc]
    return text


def _reads_back(text: str, schema: Schema, names: dict[str, str]) -> bool:
    contents = {name: content for content, name in names.items()}
    try:
        return schema_from_text(text, schema.name, contents.__getitem__) == schema
    except (InputError, KeyError):
        return False
