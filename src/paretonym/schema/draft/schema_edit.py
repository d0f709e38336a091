"""A schema file edited in place: roles and keys are set; comments and layout stay."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit

from paretonym.errors import Field, InputError
from paretonym.schema.role_choices import columns_like, role_named
from paretonym.schema.roles import ROLE_RULES, ROLES
from paretonym.schema.schema_file import file_loader, read_schema, schema_from_text
from paretonym.schema.schema_keys import COLUMN_KEYS, SCHEMA_KEYS
from paretonym.schema.toml_text import header, statements
from paretonym.sentence_parts import several

DECIDE = "# DECIDE"
HEAD = "left to decide"


class Setting(NamedTuple):
    """A key of the columns that a name or pattern means, or of the schema (`columns` is empty); a value of
    None removes it."""

    columns: tuple[str, ...]
    key: str
    value: Any


def edit_schema(path: Path, settings: Iterable[str]) -> tuple[bytes, list[Setting]]:
    """The new text of a schema file, and what was set: `q*=drop` gives a role, `age.top=90` sets a key of
    columns, `missing=drop` one of the schema; nothing behind = removes a key. A question of the draft is
    removed with its answer."""
    schema = read_schema(path)
    written = path.read_bytes()
    document = tomlkit.parse(written.decode("utf-8-sig"))
    done = [_setting(text, schema.names) for text in settings]
    for setting in done:
        entries = [document["columns"][name] for name in setting.columns]
        for entry in entries or [document]:
            _apply(entry, setting)
    new = {one.key: one.value for one in done if not one.columns and one.key not in document}
    lines = tomlkit.dumps(document).splitlines(keepends=True)
    for setting in done:
        lines = _without_questions(lines, setting)
    text = _with_count("".join(_with_keys(lines, new)))
    schema_from_text(text, path.name, file_loader(path.parent))
    marked = written.startswith(b"\xef\xbb\xbf")
    return text.encode("utf-8-sig" if marked else "utf-8"), done


def _setting(text: str, names: tuple[str, ...]) -> Setting:
    place = str(Field("changes", text))
    left, separator, value = text.rpartition("=")
    if not separator:
        raise InputError.of(place, "there is no =", "write NAME=ROLE, NAME.KEY=VALUE or KEY=VALUE")
    pattern, _, key = left.rpartition(".")
    if pattern and left not in names and (key in COLUMN_KEYS or key == "hierarchy"):
        return Setting(columns_like(pattern, names, place), key, _value(value))
    if left in SCHEMA_KEYS and left not in names:
        return Setting((), left, _value(value))
    return Setting(columns_like(left, names, place), "role", role_named(value, place))


def _value(text: str) -> Any:
    """A value as TOML writes it, or else a text; None if there is none."""
    if not text:
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _apply(entry: Any, setting: Setting) -> None:
    if setting.value is None:
        entry.pop(setting.key, None)
    elif setting.key in entry:
        entry[setting.key] = setting.value
    elif setting.columns:
        entry.append(setting.key, setting.value)
    if setting.key == "role":
        for unused in set(ROLE_RULES[setting.value].unused) & set(entry):
            entry.pop(unused)


def _without_questions(lines: list[str], setting: Setting) -> list[str]:
    """The lines without the comments in which the draft asked what is set now, and offered it."""
    heads = [header(name) for name in setting.columns]
    kept, inside, asks = list[str](), not heads, False
    for line in lines:
        if line.startswith("["):
            inside = line.strip() in heads
        start = inside and line.startswith(DECIDE)
        asks = (start and _is_about(_question(lines, line), setting.key)) or (asks and line.startswith("# "))
        offers = inside and line.startswith(f"# {setting.key} =")
        if not (offers or asks):
            kept.append(line)
        # A question ends with its sentence.
        asks = asks and not line.rstrip().endswith((".", ":"))
    return kept


def _question(lines: list[str], first: str) -> str:
    """The question that begins with a line."""
    place = lines.index(first)
    rest = takewhile(lambda line: line.startswith("# "), lines[place:])
    return " ".join(line.removeprefix("# ").strip() for line in rest)


def _is_about(question: str, key: str) -> bool:
    """Whether a question of the draft asks for a role, or for a key."""
    sentence = question.partition(". ")[0]
    if key == "role":
        return any(f'"{role}"' in sentence for role in ROLES)
    return f"{key} = " in question


def _with_keys(lines: list[str], keys: dict[str, Any]) -> list[str]:
    """The lines with further keys of the schema, before the first table."""
    place = next((at for at, line in enumerate(lines) if line.startswith("[")), len(lines))
    added = [line + "\n" for line in statements({name: one for name, one in keys.items() if one is not None})]
    return [*lines[:place], *added, *(["\n"] if added else []), *lines[place:]]


def _with_count(text: str) -> str:
    """The text, whose head says how many decisions are left."""
    number = text.count(DECIDE)
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        if line.startswith("# ") and HEAD in line:
            left = several(number, "thing is", "things are") if number else "Nothing is"
            search = f": search for {DECIDE.removeprefix('# ')}." if number else "."
            lines[place] = f"# {left} {HEAD}{search}\n"
    return "".join(lines)
