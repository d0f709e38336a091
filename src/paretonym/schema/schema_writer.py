"""A schema written into a folder of its own, with its hierarchy files beside it."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

import tomli_w

from paretonym.errors import Bug, InputError
from paretonym.schema.model import Schema, as_mapping
from paretonym.schema.schema_parser import schema_from_text

SCHEMA_FILE = "schema.toml"


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
    text = tomli_w.dumps(as_mapping(schema, lambda file: names[file.content]))
    if not _reads_back(text, schema, names):
        raise Bug("a schema does not read back as it was written")
    return text


def _free_name(path: PurePath, taken: set[str]) -> str:
    # Names must not differ in case alone: some file systems hold those to be one file.
    name, number = path.name, 1
    while name.lower() in taken:
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"
    return name


def _with_names(text: str, schema: Schema, names: dict[str, str]) -> str:
    """The text with each hierarchy file's name, where it stands as the value of its key, replaced."""
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
