"""An updated schema: values and columns of new data that it lacks are added, with a mark."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.items import InlineTable, KeyType, SingleKey

from paretonym.errors import InputError
from paretonym.schema.draft.column_profile import profile
from paretonym.schema.draft.draft_schema import column_lines
from paretonym.schema.draft.role_guess import CHOICES, guess
from paretonym.schema.hierarchies import with_lines
from paretonym.schema.hierarchies.hierarchy_kind import AttachedFile
from paretonym.schema.missing_values import missing_texts, omitted_by
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.schema_file import file_loader, read_schema, schema_from_text
from paretonym.schema.toml_text import one_line, quoted
from paretonym.source import DataSource


@dataclass(frozen=True)
class Update:
    """How many values were added to each column, the new columns, those that the data lack, and the new texts
    of the changed files."""

    values: dict[str, int]
    columns: list[str]
    gone: list[str]
    texts: dict[Path, bytes]


@dataclass
class _Work:
    """The schema as it is edited, the hierarchy files in the making, and the values that each of these
    gets."""

    path: Path
    document: tomlkit.TOMLDocument
    mark: str
    files: dict[str, str] = field(default_factory=dict)
    further: dict[str, list[str]] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the schema, with the entries of new columns behind it."""
        written = tomlkit.dumps(self.document)
        return "\n\n".join([written.rstrip("\n"), *self.columns]) + "\n" if self.columns else written


def update_schema(path: Path, source: DataSource) -> Update:
    """What must be written so that every value and column of the table is known to the schema.

    Comments and layout stay. A new value is a group of its own below the top, with a mark, until a person
    moves it.
    """
    schema = read_schema(path)
    written = path.read_bytes().decode("utf-8-sig")
    work = _Work(path, tomlkit.parse(written), f"new in {one_line(source.name)}: decide where it belongs")
    fresh = _new_values(schema, source)
    for column in schema.columns:
        if column.name in fresh:
            _add_values(work, column, fresh[column.name])
    added = [name for name in source.names if name not in schema.names]
    for name in added:
        _add_column(work, source, name)
    gone = [name for name in schema.names if name not in source.names]
    texts = _texts(work) if fresh or added else {}
    if texts:
        _check(work, schema, fresh, added)
    return Update({name: len(values) for name, values in fresh.items()}, added, gone, texts)


def _new_values(schema: Schema, source: DataSource) -> dict[str, tuple[str, ...]]:
    """By column, the values in rows that stay that a list, a tree or a file of the schema lacks."""
    remaining = source.omitting(omitted_by(schema, source))
    fresh = {}
    for column in (column for column in schema.columns if column.name in source.names):
        leaves = _leaves(column)
        if leaves is None or column.unknown_to_top or column.role not in ("quasi", "sensitive"):
            continue
        counted = remaining.column(column.name)
        occurring = (counted.counts > 0) & ~missing_texts(counted, schema.null_of(column.name))
        present = compress(counted.texts, occurring.tolist())
        if lacking := tuple(sorted(text for text in present if text not in leaves)):
            fresh[column.name] = lacking
    return fresh


def _leaves(column: ColumnSpec) -> frozenset[str] | None:
    """The values that the schema lists for a column, or None if it lists none."""
    leaves = column.kind.leaves or column.order
    return None if leaves is None else frozenset(leaves)


def _add_values(work: _Work, column: ColumnSpec, values: tuple[str, ...]) -> None:
    kind, entry = column.kind, cast(Any, work.document)["columns"][column.name]
    if (file := kind.attached) is not None:
        mark = _add_to_file(work, column, file, values)
        _remark(entry["hierarchy"][kind.key], mark)
    elif kind.height:
        _add_leaves(entry["hierarchy"], kind.key, values, work.mark)
    if column.order is not None:
        _add_lines(entry["order"], values, work.mark)


def _add_leaves(hierarchy: Any, key: str, values: tuple[str, ...], mark: str) -> None:
    """Add leaves right below the top of a tree, which is a list, or a table in braces or not."""
    tree = hierarchy[key]
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


def _no_place(work: _Work, name: str) -> InputError:
    return InputError.of(
        f"{work.path.name}, column '{name}'",
        "new values cannot be added to a hierarchy that is written this way",
        f"give the tree its own table, [columns.{name}.hierarchy.tree], or add them by hand",
    )


def _add_to_file(work: _Work, column: ColumnSpec, file: AttachedFile, values: tuple[str, ...]) -> str:
    """Add lines at the end of the file; the mark for the schema, since the file has no comments."""
    further = [*work.further.get(file.name, ()), *values]
    work.further[file.name] = list(dict.fromkeys(further))
    work.files[file.name] = with_lines(file.content, work.further[file.name])
    named = f": {', '.join(map(quoted, values))}" if column.role == "quasi" else ""
    return f"{work.mark} (at the end of {one_line(file.name)}){named}"


def _add_column(work: _Work, source: DataSource, name: str) -> None:
    described = profile(source.column(name))
    guessed = guess(described)
    decide = guessed.decide or f'new in {one_line(source.name)}; "{guessed.role}" was guessed. {CHOICES}'
    # Nobody has declared it a quasi-identifier yet: no template may show its values.
    lines = tuple(line for line in guessed.lines if not line.startswith("#"))
    entry = column_lines(replace(guessed, role="undecided", decide=decide, lines=lines), described)
    work.columns.append("\n".join(entry))


def _texts(work: _Work) -> dict[Path, bytes]:
    """The new content of each file; marks of Windows files stay."""
    ends = "\r\n" if "\r\n" in work.text else "\n"
    text = work.text.replace("\r\n", "\n").replace("\n", ends)
    files = {work.path.parent / name: _with_mark(work, name, content) for name, content in work.files.items()}
    return {**files, work.path: _with_mark(work, work.path.name, text)}


def _with_mark(work: _Work, name: str, content: str) -> bytes:
    """Keep the byte-order mark of a file that has one."""
    marked = (work.path.parent / name).read_bytes().startswith(b"\xef\xbb\xbf")
    return content.encode("utf-8-sig" if marked else "utf-8")


def _check(work: _Work, before: Schema, fresh: dict[str, tuple[str, ...]], added: list[str]) -> None:
    """Check the new texts: they must contain what the old ones did, and the new values."""
    load = file_loader(work.path.parent)
    try:
        after = schema_from_text(work.text, work.path.name, lambda name: work.files.get(name) or load(name))
        same = after.names == (*before.names, *added)
    except InputError:
        raise _no_place(work, next(iter([*fresh, *added]))) from None
    for column in before.columns:
        if not same or not _grown(column, after.column(column.name), fresh.get(column.name, ())):
            raise _no_place(work, column.name)


def _grown(before: ColumnSpec, after: ColumnSpec, values: tuple[str, ...]) -> bool:
    if before == after and not values:
        return True
    # Two columns may share a file, so that one grows with the other.
    wanted = (_leaves(before) or frozenset()) | set(values)
    grown = wanted <= (_leaves(after) or frozenset())
    return grown and replace(after, hierarchy=before.hierarchy, order=before.order) == before
