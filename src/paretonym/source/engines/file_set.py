"""The files that an engine reads as one table: a file, a folder, or a pattern, with hive partitions."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import unquote

from paretonym.errors import Field, InputError, printable
from paretonym.source.data_file import DataFile, unpacked_name
from paretonym.source.table_reader import PARQUET, WORKBOOKS, check_text

Kind: TypeAlias = Literal["csv", "parquet", "json"]

ENDINGS: Mapping[str, Kind] = {
    ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv",
    ".jsonl": "json", ".ndjson": "json",
}  # fmt: skip
KINDS: Mapping[Kind, str] = {"csv": "CSV", "json": "JSON lines", "parquet": "Parquet"}
PATTERN_MARKS = "*?["
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
State: TypeAlias = tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class DataPart:
    """One file, and what the names of its folders say of its rows (`year=2024`)."""

    path: Path
    partition: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files of one kind and one set of columns; `given` is what the user named."""

    given: str
    kind: Kind
    parts: tuple[DataPart, ...]

    @classmethod
    def at(cls, given: str | os.PathLike[str]) -> FileSet:
        """The files of a path: itself, those in and below a folder, or those that a pattern finds."""
        root = Path(given)
        paths = _found(root)
        parts = tuple(DataPart(path, _partition(root, path)) for path in paths)
        kinds = {_kind(part.path) for part in parts}
        if len(kinds) > 1:
            raise InputError.of(
                str(given),
                f"there are {' and '.join(KINDS[kind] for kind in sorted(kinds))} files in it",
                "give the files of one kind: 'data/*.parquet'",
            )
        _check_partitions(parts)
        return cls(str(given), kinds.pop(), parts)

    @property
    def partitions(self) -> tuple[str, ...]:
        """The columns that folders name."""
        return tuple(self.parts[0].partition)

    @property
    def base(self) -> Path:
        """The folder below which the names of folders speak of columns."""
        root = Path(self.given)
        return root if root.is_dir() else _fixed_folder(root)

    @property
    def size(self) -> int:
        return sum(part.path.stat().st_size for part in self.parts)

    def state(self) -> State:
        """What changes when somebody writes to one of the files, or puts another in its place."""
        found = (part.path.stat() for part in self.parts)
        return tuple((each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for each in found)

    def check_unchanged(self, before: State) -> None:
        if self.state() != before or tuple(part.path for part in self.parts) != tuple(
            _found(Path(self.given))
        ):
            raise changed(self.given)


def changed(place: str) -> InputError:
    return InputError.of(
        place,
        "the data were changed while they were counted",
        "wait until nothing writes to them any more, then try again",
    )


def is_several(given: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder or a pattern."""
    return Path(given).is_dir() or (not Path(given).exists() and _is_pattern(given))


def _is_pattern(given: str | os.PathLike[str]) -> bool:
    return any(mark in str(given) for mark in PATTERN_MARKS)


def _found(root: Path) -> list[Path]:
    if root.is_dir():
        found = _below(root)
        wrong = "there is no CSV, JSON lines or Parquet file in this folder"
    elif not root.exists() and _is_pattern(root):
        matches = glob.glob(str(root), recursive=True)  # noqa: PTH207 - a pattern may be absolute
        found = sorted(Path(name) for name in matches if Path(name).is_file())
        wrong = "no file matches this pattern"
    else:
        return [root]
    if not found:
        raise InputError.of(str(root), wrong, "check the path")
    return found


def _below(root: Path) -> list[Path]:
    """The data files in and below a folder; names that begin with a dot or an underscore are those of other
    programs' notes."""

    def refused(error: OSError) -> None:
        raise error

    found = []
    for folder, folders, names in os.walk(root, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        data = (name for name in names if not name.startswith((".", "_")) and _ending(name))
        found += [Path(folder) / name for name in data]
    return sorted(found)


def _ending(name: str) -> Kind | None:
    unpacked = unpacked_name(Path(name))
    return next((kind for ending, kind in ENDINGS.items() if unpacked.endswith(ending)), None)


def _kind(path: Path) -> Kind:
    """By the first bytes: a name may say anything."""
    from paretonym.source.json_lines import is_json_lines
    from paretonym.source.text_stream import TextFile

    with DataFile.at(path) as file:
        first = file.read(0, 16)
        if first.startswith(PARQUET):
            return "parquet"
        if first.startswith(WORKBOOKS):
            raise InputError.of(
                str(path),
                "an Excel workbook can be read only by itself, into memory",
                f"give the workbook itself, with {Field('engine', 'memory')}",
            )
        check_text(path, first)
        return "json" if is_json_lines(TextFile.of(file, None)) else "csv"


def _partition(root: Path, path: Path) -> dict[str, str | None]:
    """What the folders say between the one that was named and the file."""
    base = root if root.is_dir() else _fixed_folder(root)
    folders = path.parent.relative_to(base).parts if path.is_relative_to(base) else ()
    pairs = (folder.split("=", 1) for folder in folders if "=" in folder)
    return {unquote(key): None if value == HIVE_NULL else unquote(value) for key, value in pairs}


def _fixed_folder(pattern: Path) -> Path:
    """The folder in front of the first mark of a pattern."""
    fixed = []
    for part in pattern.parts[:-1]:
        if _is_pattern(part):
            break
        fixed.append(part)
    return Path(*fixed)


def _check_partitions(parts: Sequence[DataPart]) -> None:
    """Every file lies in folders that name the same columns."""
    for part in parts:
        if list(part.partition) != list(parts[0].partition):
            raise InputError.of(
                str(part.path),
                f"its folders name {_named(part)}, those of {parts[0].path} name {_named(parts[0])}",
                "put every file into folders that name the same columns",
            )


def _named(part: DataPart) -> str:
    return ", ".join(f"'{printable(key)}'" for key in part.partition) or "no column"
