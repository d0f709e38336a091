"""Schema files edited in place, so that comments and layout stay: roles and keys that somebody sets, and
values and columns of newer data that the schema lacks, which are added with a mark."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit
from tomlkit.items import InlineTable, KeyType, SingleKey

from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.sentence_parts import several
from paretonym.tables.schema.draft.column_profile import profile
from paretonym.tables.schema.draft.draft_schema import DECIDE, column_lines
from paretonym.tables.schema.draft.role_guess import CHOICES, guess
from paretonym.tables.schema.missing_values import missing_texts, omitted_by
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.role_choices import columns_like, role_named
from paretonym.tables.schema.roles import ROLE_RULES, ROLES
from paretonym.tables.schema.schema_file import file_loader, read_schema, schema_from_text
from paretonym.tables.schema.schema_keys import COLUMN_KEYS, SCHEMA_KEYS
from paretonym.tables.schema.toml_text import header, one_line, quoted, statements
from paretonym.tables.source import Counts

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _parsed(path: Path) -> Any:
    return tomlkit.parse(path.read_bytes().decode("utf-8-sig"))


def _encoded(path: Path, text: str) -> bytes:
    """The new content of a file; the byte-order mark of one that has it stays."""
    marked = path.read_bytes().startswith(BYTE_ORDER_MARK)
    return text.encode("utf-8-sig" if marked else "utf-8")


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
    schema, document = read_schema(path), _parsed(path)
    done = [_setting(text, schema.names) for text in settings]
    for setting in done:
        for entry in [document["columns"][name] for name in setting.columns] or [document]:
            _apply(entry, setting)
    new = {one.key: one.value for one in done if not one.columns and one.key not in document}
    lines = tomlkit.dumps(document).splitlines(keepends=True)
    for setting in done:
        lines = list(_without_questions(lines, setting))
    text = _with_count("".join(_with_keys(lines, new)))
    schema_from_text(text, path.name, file_loader(path.parent))
    return _encoded(path, text), done


def _setting(text: str, names: tuple[str, ...]) -> Setting:
    place = str(Field("changes", text))
    left, separator, value = text.rpartition("=")
    if not separator:
        raise InputError.of(place, "there is no =", "write NAME=ROLE, NAME.KEY=VALUE or KEY=VALUE")
    pattern, _, key = left.rpartition(".")
    if pattern and left not in names and (key in COLUMN_KEYS or key == "hierarchy"):
        return Setting(columns_like(pattern, names, place), key, _value(value))
    if pattern in names and left not in names:
        raise InputError.of(place, f"the key '{key}' is unknown", did_you_mean(key, COLUMN_KEYS))
    if left in SCHEMA_KEYS and left not in names:
        return Setting((), left, _value(value))
    return Setting(columns_like(left, names, place), "role", role_named(value, place))


def _value(text: str) -> Any:
    """A value as TOML writes it, or else a text; None if there is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"] if text else None
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


def _without_questions(lines: Sequence[str], setting: Setting) -> Iterator[str]:
    """The lines without the comments in which the draft asked what is set now, and offered it."""
    heads = [header(name) for name in setting.columns]
    inside, place = not heads, 0
    while place < len(lines):
        line, after = lines[place], place + 1
        if line.startswith("["):
            inside = line.strip() in heads
        if inside and line.startswith(f"# {DECIDE}"):
            # A question ends with its sentence.
            while not lines[after - 1].rstrip().endswith((".", ":")) and lines[after].startswith("# "):
                after += 1
            comment = takewhile(lambda part: part.startswith("# "), lines[place:])
            question = " ".join(part.removeprefix("# ").strip() for part in comment)
            answered = _is_about(question, setting.key)
        else:
            answered = inside and line.startswith(f"# {setting.key} =")
        if not answered:
            yield from lines[place:after]
        place = after


def _is_about(question: str, key: str) -> bool:
    """True if a question of the draft asks for a role, or for a key."""
    if key == "role":
        return any(f'"{role}"' in question.partition(". ")[0] for role in ROLES)
    return f"{key} = " in question


def _with_keys(lines: list[str], keys: dict[str, Any]) -> list[str]:
    """The lines with further keys of the schema, before the first table."""
    place = next((at for at, line in enumerate(lines) if line.startswith("[")), len(lines))
    added = [line + "\n" for line in statements({name: one for name, one in keys.items() if one is not None})]
    return [*lines[:place], *added, *(["\n"] if added else []), *lines[place:]]


def _with_count(text: str) -> str:
    """The text, whose head says how many decisions are left."""
    number = text.count(f"# {DECIDE}")
    count = several(number, "thing is", "things are") if number else "Nothing is"
    head = f"# {count} left to decide" + (f": search for {DECIDE}.\n" if number else ".\n")
    lines = text.splitlines(keepends=True)
    return "".join(head if line.startswith("# ") and "left to decide" in line else line for line in lines)


@dataclass(frozen=True)
class Update:
    """Numbers of values added to each column, the new columns, those that the data lack, and the new texts
    of the changed files."""

    values: dict[str, int]
    columns: list[str]
    gone: list[str]
    texts: dict[Path, bytes]


@dataclass(frozen=True)
class _Work:
    """The document of a schema as it is edited, and the contents of hierarchy files in the making. Entries of
    new `columns` are texts that follow it."""

    document: Any
    mark: str
    files: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the schema; lines end as they did."""
        text = tomlkit.dumps(self.document)
        if self.columns:
            text = "\n\n".join([text.rstrip("\n"), *self.columns]) + "\n"
        return text.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else text


def update_schema(path: Path, source: Counts) -> Update:
    """Edits by which every value and column of the table becomes known to the schema.

    Comments and layout stay. A new value is a group of its own below the top, with a mark, until a person
    moves it.
    """
    schema, fresh = read_schema(path), dict[str, tuple[str, ...]]()
    remaining = source.omitting(omitted_by(schema, source))
    work = _Work(_parsed(path), f"new in {one_line(source.name)}: decide where it belongs")
    for column in schema.columns:
        if column.name in source.names and (values := _new_values(schema, column, remaining)):
            fresh[column.name] = values
            _add_values(work, column, values)
    added = [name for name in source.names if name not in schema.names]
    work.columns.extend(_new_column(source, name) for name in added)
    gone = [name for name in schema.names if name not in source.names]
    texts: dict[Path, bytes] = {}
    if fresh or added:
        _check(work, path, schema, fresh, added)
        contents = {**work.files, path.name: work.text}
        texts = {path.parent / name: _encoded(path.parent / name, text) for name, text in contents.items()}
    return Update({name: len(values) for name, values in fresh.items()}, added, gone, texts)


def _listed(column: ColumnSpec) -> frozenset[str] | None:
    """The values that the schema lists for a column, or None if it lists none."""
    leaves = column.kind.leaves or column.order
    return None if leaves is None else frozenset(leaves)


def _new_values(schema: Schema, column: ColumnSpec, remaining: Counts) -> tuple[str, ...]:
    """The values in rows that stay that a list, a tree or a file of the schema lacks."""
    listed = _listed(column)
    if listed is None or column.unknown_to_top or column.role not in ("quasi", "sensitive"):
        return ()
    counted = remaining.column(column.name)
    occurring = (counted.counts > 0) & ~missing_texts(counted, schema.null_of(column.name))
    return tuple(sorted(set(compress(counted.texts, occurring.tolist())) - listed))


def _add_values(work: _Work, column: ColumnSpec, values: tuple[str, ...]) -> None:
    kind, entry, file = column.kind, work.document["columns"][column.name], column.kind.attached
    if file is not None:
        # Another column may have added lines to the same file; a file has no comments, so the schema has.
        content = work.files.get(file.name, file.content)
        work.files[file.name] = kind.with_values(content, values)
        named = f": {', '.join(map(quoted, values))}" if column.role == "quasi" else ""
        _remark(entry["hierarchy"][kind.key], f"{work.mark} (at the end of {one_line(file.name)}){named}")
    elif kind.height:
        _add_leaves(entry["hierarchy"][kind.key], values, work.mark)
    if column.order is not None:
        _add_lines(entry["order"], values, work.mark)


def _add_leaves(tree: Any, values: tuple[str, ...], mark: str) -> None:
    """Add leaves right below the top of a tree, which is a list, or a table in braces or not."""
    if isinstance(tree, list):
        _add_lines(tree, values, mark)
        return
    for value in values:
        name = SingleKey(value, KeyType.Basic, original=quoted(value))
        tree[name] = tomlkit.array()
        if not isinstance(tree, InlineTable):
            tree[value].comment(mark)
    if isinstance(tree, InlineTable):
        _remark(tree, mark)


def _add_lines(items: Any, values: tuple[str, ...], mark: str) -> None:
    for value in values:
        items.add_line(tomlkit.value(quoted(value)), comment=mark, indent="  ")


def _remark(item: Any, mark: str) -> None:
    """Add to the comment behind a value."""
    before = item.trivia.comment.lstrip("# ")
    item.comment(f"{before}; {mark}" if before else mark)


def _new_column(source: Counts, name: str) -> str:
    described = profile(source.every_value(name))
    guessed = guess(described)
    decide = guessed.decide or f'new in {one_line(source.name)}; "{guessed.role}" was guessed. {CHOICES}'
    # Nobody has declared it a quasi-identifier yet: no template may show its values.
    lines = tuple(line for line in guessed.lines if not line.startswith("#"))
    return "\n".join(column_lines(replace(guessed, role="undecided", decide=decide, lines=lines), described))


def _check(
    work: _Work, path: Path, before: Schema, fresh: dict[str, tuple[str, ...]], added: list[str]
) -> None:
    """Check the new texts: they must contain what the old ones did, and the new values."""
    load = file_loader(path.parent)
    try:
        after = schema_from_text(work.text, path.name, lambda name: work.files.get(name) or load(name))
    except InputError:
        raise _no_place(path, next(iter([*fresh, *added]))) from None
    for column in before.columns:
        same = after.names == (*before.names, *added)
        if not same or not _grown(column, after.column(column.name), fresh.get(column.name, ())):
            raise _no_place(path, column.name)


def _grown(before: ColumnSpec, after: ColumnSpec, values: tuple[str, ...]) -> bool:
    # Two columns may share a file, so that one grows with the other.
    grown = (_listed(before) or frozenset()) | set(values) <= (_listed(after) or frozenset())
    return grown and replace(after, hierarchy=before.hierarchy, order=before.order) == before


def _no_place(path: Path, name: str) -> InputError:
    return InputError.of(
        f"{path.name}, column '{name}'",
        "new values cannot be added to a hierarchy that is written this way",
        f"give the tree its own table, [columns.{name}.hierarchy.tree], or add them by hand",
    )
