"""Files that are read as one table: one file, those of a folder, or those that a pattern matches."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from paretonym.base.errors import InputError, printable
from paretonym.tables.arrow import pa
from paretonym.tables.source.data_file import DataFile, check_text, kind_of, unpacked_name
from paretonym.tables.source.data_source import USUAL_FORM, TableForm
from paretonym.tables.source.text_stream import TextFile

Kind: TypeAlias = Literal["CSV", "JSON lines", "Parquet"]

ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson")
PATTERN_MARKS = "*?["
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
FIRST_OBJECT = re.compile(rb'\{\s*(?:"|\}|\Z)')
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class DataPart:
    """One file, and what the names of its folders say of its rows (`year=2024`)."""

    file: DataFile
    partition: Mapping[str, str | None]

    @property
    def path(self) -> Path:
        return self.file.path

    def cells(self, columns: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
        """These columns of some of its rows, in Arrow: `columns` are read from the file, the others are what
        its folders say."""
        rows = len(next(iter(columns.values())))
        folders = {
            name: pa.repeat(pa.scalar(text or None, pa.string()), rows)
            for name, text in self.partition.items()
        }
        return [{**columns, **folders}[name] for name in names]


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files of one kind and one set of columns; `path` is the file, folder or pattern that the user named."""

    path: str
    kind: Kind
    parts: tuple[DataPart, ...]

    @classmethod
    def at(cls, path: str | os.PathLike[str], form: TableForm = USUAL_FORM) -> FileSet:
        """The files of a path: itself, those in and below a folder, or those that a pattern matches."""
        root = Path(path)
        parts = tuple(DataPart(DataFile(file), _partition(root, file)) for file in _paths(root))
        kinds = {_kind(part.file, form) for part in parts}
        if len(kinds) > 1:
            wrong = f"there are {' and '.join(sorted(kinds))} files in it"
            raise InputError.of(str(path), wrong, "give the files of one kind: 'data/*.parquet'")
        for part in parts:
            if list(part.partition) != list(parts[0].partition):
                raise InputError.of(
                    str(part.path),
                    f"its folders name {_columns(part)}, those of {parts[0].path} name {_columns(parts[0])}",
                    "put every file into folders that name the same columns",
                )
        return cls(str(path), kinds.pop(), parts)

    @classmethod
    def of_file(cls, file: DataFile, form: TableForm) -> FileSet:
        """One file, which may be held open under no path."""
        return cls(str(file.path), _kind(file, form), (DataPart(file, {}),))

    @property
    def partitions(self) -> tuple[str, ...]:
        """The columns that folders name."""
        return tuple(self.parts[0].partition)

    @property
    def base(self) -> Path:
        """The folder below which names of folders may name columns (`year=2024`)."""
        return _base(Path(self.path))

    def check_partitions(self, names: Collection[str]) -> None:
        """Refuse columns that stand both in the files and in the names of folders."""
        folded = {name.casefold() for name in names}
        for name in self.partitions:
            if name.casefold() in folded:
                wrong = f"column '{name}' is both in the files and in the names of their folders"
                raise InputError.of(self.path, wrong, "rename one of them")

    def state(self) -> object:
        """A value that changes when somebody writes to one of the files, or puts another in its place; None
        for a file that is held open."""
        if self.parts[0].file.held is not None:
            return None
        paths = _paths(Path(self.path))
        return paths, [(s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for s in map(Path.stat, paths)]

    def check_unchanged(self, before: object) -> None:
        """Refuse files whose state is no longer what it was before they were counted."""
        if self.state() != before:
            wrong = "the data were changed while they were counted"
            raise InputError.of(
                self.path, wrong, "wait until nothing writes to them any more, then try again"
            )


def check_same_columns(first: Path, expected: object, path: Path, columns: object) -> None:
    """Refuse a file whose columns are not those of the first."""
    if columns != expected:
        raise InputError.of(
            str(path),
            f"its columns are not those of {first}",
            "give files that have the same columns, of the same types, in the same order",
        )


def is_folder_or_pattern(path: str | os.PathLike[str]) -> bool:
    """True if a path is that of a folder, or a pattern."""
    return Path(path).is_dir() or (not Path(path).exists() and _is_pattern(path))


def _is_pattern(path: str | os.PathLike[str]) -> bool:
    return any(mark in str(path) for mark in PATTERN_MARKS)


def _paths(root: Path) -> list[Path]:
    if root.is_dir():
        paths = _below(root)
        wrong = "there is no CSV, JSON lines or Parquet file in this folder"
    elif not root.exists() and _is_pattern(root):
        matches = glob.glob(str(root), recursive=True)  # noqa: PTH207 - a pattern may be absolute
        paths = sorted(Path(name) for name in matches if Path(name).is_file())
        wrong = "no file matches this pattern"
    else:
        return [root]
    if not paths:
        raise InputError.of(str(root), wrong, "check the path")
    return paths


def _below(root: Path) -> list[Path]:
    """The data files in and below a folder; names that begin with a dot or an underscore are those of other
    programs' notes."""

    def refuse(error: OSError) -> None:
        raise error

    paths = []
    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        data = (name for name in names if not name.startswith((".", "_")))
        paths += [Path(folder) / name for name in data if unpacked_name(Path(name)).endswith(ENDINGS)]
    return sorted(paths)


def _kind(file: DataFile, form: TableForm) -> Kind:
    """The kind of a file of rows, which may be read together with others; other files are refused."""
    first = file.first()
    kind = kind_of(first)
    if kind == "Parquet":
        return kind
    if kind != "text":
        wrong = "a workbook or a file of a statistics program can be read only by itself"
        raise InputError.of(str(file.path), wrong, "give the file itself")
    check_text(file.path, first)
    if form.separator is not None or form.cuts:
        # What has a separator or a header is not JSON, whatever it begins with.
        return "CSV"
    text = TextFile.of(file, form)
    may_be_json = text.sample()[0].lstrip().startswith((b"{", b"["))
    return "JSON lines" if may_be_json and is_json_lines(text) else "CSV"


def _base(root: Path) -> Path:
    """The folder that was named, that of a file, or that before the first part of a pattern with a mark."""
    if root.is_dir():
        return root
    marked = (place for place, part in enumerate(root.parts) if _is_pattern(part))
    return Path(*root.parts[: next(marked, len(root.parts) - 1)])


def _partition(root: Path, path: Path) -> dict[str, str | None]:
    """The columns that folders between the base and a file name, with their values."""
    base = _base(root)
    folders = path.parent.relative_to(base).parts if path.is_relative_to(base) else ()
    pairs = (folder.split("=", 1) for folder in folders if "=" in folder)
    return {unquote(key): None if value == HIVE_NULL else unquote(value) for key, value in pairs}


def _columns(part: DataPart) -> str:
    """The columns that the folders of a file name, in words."""
    return ", ".join(f"'{printable(key)}'" for key in part.partition) or "no column"


def is_json_lines(text: TextFile) -> bool:
    """True if a text begins with an object of JSON; a single JSON document is refused."""
    sample, whole = text.sample()
    start = sample.lstrip()
    line = start.partition(b"\n")[0].rstrip()
    begins_with_object = FIRST_OBJECT.match(start) is not None
    is_list = start.startswith(b"[") and text.path.name.lower().endswith(JSON_ENDINGS)
    if is_list or (whole and _is_json(start) and not (begins_with_object and _is_json(line))):
        raise InputError.of(
            str(text.path),
            "this is one JSON document, and rows are read from JSON lines: one object per line",
            "write it as JSON lines (jq -c '.[]' FILE), as CSV or as Parquet",
        )
    return begins_with_object


def _is_json(content: bytes) -> bool:
    try:
        return isinstance(json.loads(content), dict | list)
    except (ValueError, RecursionError):
        return False
