"""The schema file: from its text, or a mapping that says the same, to a `Schema`, with all problems at once;
and back into a folder of its own, with its hierarchy files beside it."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path, PurePath
from typing import Any, TypeAlias, get_args

from paretonym.base.errors import MOST_VALUES_SHOWN, ColumnPlace, InputError, Problem, did_you_mean
from paretonym.base.files import read_regular_file
from paretonym.tables.data_address import check_local
from paretonym.tables.schema.hierarchies.hierarchy_builder import read_hierarchy
from paretonym.tables.schema.hierarchies.hierarchy_kind import LoadFile
from paretonym.tables.schema.model import ColumnSpec, Schema, as_mapping
from paretonym.tables.schema.purposes import Analysis, read_purposes
from paretonym.tables.schema.roles import ROLE_RULES, ROLES, Role
from paretonym.tables.schema.schema_keys import COLUMN_KEYS, SCHEMA_KEYS, Key, SuppressUnit
from paretonym.tables.schema.toml_section import Section, described
from paretonym.tables.schema.toml_text import header, statements

SCHEMA_NAME = "the schema"
SCHEMA_FILE = "schema.toml"
# How data files begin: Parquet, workbooks and other archives, what is packed, JSON lines.
TABLES = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b'{"')
LONG_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
LONGEST_HEADER = 1 << 16
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
        raise InputError.of(SCHEMA_NAME, f"it is {described(mapping)}", "give a path or a mapping")
    schema = _schema(mapping, SCHEMA_NAME, None, load or file_loader(folder or Path()))
    if load is not None:
        return schema
    return replace(schema, sources=_files_of(schema, folder or Path()))


def schema_from_text(text: str, name: str, load: LoadFile) -> Schema:
    """The schema in a TOML text; `load` gives the content of a hierarchy file by its name."""
    return _schema(toml_mapping(text, name, Decimal), name, text, load)


def toml_mapping(text: str, name: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Read a TOML text. Keys of more than a hundred parts are refused before it is read: the time for a
    key grows with the square of its parts."""
    if LONG_KEY.search(text):
        raise InputError.of(name, "a key has more than 100 parts", "shorten it")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise broken_toml(text, name, error) from None
    except (RecursionError, ValueError, ArithmeticError):
        raise InputError.of(
            name, "it cannot be read as TOML", "shorten its deepest lists and numbers"
        ) from None


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
    """True if a text begins as tables do: it names its separator, or its first two lines have one, and the
    first is neither a key nor a section of TOML."""
    lines = [line for line in begin.splitlines() if line.strip() and not line.startswith(b"#")][:2]
    first = lines[0] if lines else b""
    if first.strip(b'" ').lower().startswith(b"sep="):
        return True
    divided = any(all(mark in line for line in lines) for mark in SEPARATORS)
    return bool(first) and divided and b"=" not in first and not first.startswith(b"[")


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


def broken_toml(text: str, name: str, error: tomllib.TOMLDecodeError) -> InputError:
    """The error for a text that is no TOML. tomllib says "… (at line 3, column 5)" or "… (at end of
    document)"."""
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
    section.refuse_unknown((*SCHEMA_KEYS, "suppress", "purpose", "columns"))
    specs = _columns(section, name, load)
    schema = Schema(
        columns=specs,
        purposes=_purposes(section, specs, name),
        **_values(section, SCHEMA_KEYS),
        suppress_unit=_suppress_unit(section, name),
        name=name,
        text=text,
    )
    for role, rules in ROLE_RULES.items():
        columns = [column.name for column in schema.with_role(role)]
        if rules.second is not None and len(columns) > 1:
            section.complain(
                f"{len(columns)} columns have the role {role}: {', '.join(columns[:MOST_VALUES_SHOWN])}",
                f'give one column the role {role}, and the others the role "{rules.second}"',
            )
    unit = schema.suppress_unit
    if unit != "row" and not schema.with_role(unit):
        section.complain(
            f'suppress.unit is "{unit}", but no column has the role {unit}',
            f"give the role {unit} to the column that says which {unit} a row belongs to, or omit "
            "suppress.unit",
            "suppress",
        )
    if problems:
        raise InputError(problems)
    return schema


def _values(section: Section, keys: Mapping[str, Key]) -> dict[str, Any]:
    """The values of the keys that are there and right, by their attributes."""
    values = {rule.attribute: section.read(key, rule.read, rule.expected) for key, rule in keys.items()}
    return {attribute: value for attribute, value in values.items() if value is not None}


def _suppress_unit(section: Section, name: str) -> SuppressUnit:
    inner = section.inner("suppress", name)
    if inner is None:
        return "row"
    inner.refuse_unknown(("unit",))
    units: Mapping[Any, SuppressUnit] = {unit: unit for unit in get_args(SuppressUnit)}
    return inner.read("unit", units.get, 'one of "row", "person", "household"') or "row"


def _purposes(section: Section, columns: tuple[ColumnSpec, ...], name: str) -> tuple[Analysis, ...]:
    if "purpose" not in section.mapping:
        return ()
    return read_purposes(section, {column.name: column.role for column in columns}, name)


def _columns(section: Section, name: str, load: LoadFile) -> tuple[ColumnSpec, ...]:
    table = section.inner("columns", name)
    if table is None:
        if "columns" not in section.mapping:
            remedy = "add a table [columns.NAME] with a role for each column"
            section.complain("no column is described", remedy)
        return ()
    columns = (_column(table, key, name, load) for key in table.mapping)
    return tuple(column for column in columns if column is not None)


def _column(table: Section, name: object, schema: str, load: LoadFile) -> ColumnSpec | None:
    if not isinstance(name, str):
        table.complain(f"the column name {name} is not a text", "write it in quotes")
        return None
    place, entry = ColumnPlace(schema, name), table.mapping[name]
    if not isinstance(entry, Mapping):
        remedy = f'make it a table: [columns.{name}] with role = "…"'
        table.problems.append(Problem(place, f"its entry is {described(entry)}", remedy))
        return None
    section = Section(place, entry, table.problems)
    section.refuse_unknown(("role", "hierarchy", *COLUMN_KEYS))
    role = _role(section)
    hierarchy = read_hierarchy(section, load, not ROLE_RULES[role].open_values)
    column = ColumnSpec(name, role, hierarchy=hierarchy, **_values(section, COLUMN_KEYS))
    for key, wrong, remedy in _contradictions(column):
        section.complain(wrong, remedy, key)
    for key, remedy in column.rules.unused.items():
        if key in entry:
            section.complain(f"{key} has no meaning for the role {role}", remedy, key)
    return column


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
        section.complain(f"role is {described(value)}", f"give one of {', '.join(ROLES)}", "role")
    return "undecided"


def _contradictions(column: ColumnSpec) -> Iterator[tuple[str, str, str]]:
    """Keys whose values are valid alone, but not together: the key, what is wrong, and the remedy."""
    if column.order == ():
        yield "order", "order is an empty list", "list all values, or omit it"
    twice = [value for value, count in Counter(column.order or ()).items() if count > 1]
    for value in twice[:MOST_VALUES_SHOWN]:
        named = "a value" if column.secret else f"'{value}'"
        yield "order", f"order lists {named} twice", "list each value once"
    if column.bottom is not None and column.top is not None and column.bottom >= column.top:
        wrong = f"bottom {column.bottom} is not below top {column.top}"
        yield "bottom", wrong, "give a bottom below the top"
    if column.round is not None and column.role == "weight" and not column.release:
        wrong = "round is given, but the weights are not released"
        yield "round", wrong, "set release = true, or omit round"
    published = column.release_level or 0
    if column.role == "sensitive" and published > column.measured_level:
        wrong = f"it is published at level {published}, but measured at level {column.level}, which the file "
        remedy = f"set level = {published} or more, or publish it at level {column.level}"
        yield "release_level", f"{wrong}does not show", remedy


def write_schema(schema: Schema, folder: Path) -> None:
    """Write `schema.toml` and copies of its hierarchy files into an existing folder.

    Reading the folder gives an equal schema. Hierarchy files lie beside it; a schema that came from a file
    keeps its text, comments included, if they did before.
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
    """The TOML text of this schema when its hierarchy files have these names: its own, comments included, if
    these are the names in it."""
    if schema.text is not None and all(names[file.content] == file.name for file in schema.attached):
        return schema.text
    return _written(as_mapping(schema, lambda file: names[file.content]))


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
