"""The files that are one finished table: a file, or the parts of it that lie in a folder or fit a pattern.

Whoever gets a folder gets all of it. So an audit reads all of it, or refuses: a file that readers pass over
(`_old.parquet`, `.part.crc`), a folder inside and a part with other columns are mistakes, not details.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from paretonym.data_address import check_local
from paretonym.errors import InputError, printable

PARQUET = b"PAR1"
ENDINGS = (".parquet", ".csv")
PATTERN_MARKS = "*?["
# What Spark leaves behind when it is done: an empty file.
DONE = "_SUCCESS"
BLOCK = 1 << 20
GIVEN = "give a CSV or Parquet file, or a folder of them"
ALL_OF_IT = "an audit must cover everything that is handed over: move it away, or audit it separately"


def part_files(path: Path) -> tuple[Path, ...]:
    """The files of a finished table, in the order of their names; a file is its own only part."""
    if path.is_dir():
        parts = _inside(path)
    elif not path.exists() and _is_pattern(path):
        parts = sorted(Path(name) for name in glob.glob(str(path)))  # noqa: PTH207 - it may be absolute
        if not parts:
            raise InputError.of(str(path), "no file matches this pattern", "check the path")
    else:
        parts = [path]
    for part in parts:
        _check_file(part)
    if len({is_parquet(part) for part in parts}) > 1:
        raise InputError.of(str(path), "there are CSV and Parquet files in it", "give parts of one kind")
    return tuple(parts)


def is_folder(path: Path) -> bool:
    """Whether a table may consist of several files."""
    return path.is_dir() or (not path.exists() and _is_pattern(path))


def is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def digest_of_parts(digests: Mapping[str, str]) -> str:
    """The SHA-256 of a folder, given those of its parts by name: that of the lines which `sha256sum *` prints
    there.

    >>> digest_of_parts({"a": "0" * 64})[:8]
    '53d743f3'
    """
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()


def _is_pattern(path: Path) -> bool:
    return any(mark in str(path) for mark in PATTERN_MARKS)


def _inside(folder: Path) -> list[Path]:
    """The parts in a folder, which has nothing else."""
    parts = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name == DONE and entry.is_file() and not entry.stat().st_size:
            continue
        name = printable(entry.name)
        if entry.is_dir():
            wrong = f"it contains the folder '{name}', whose name and files are not read"
            raise InputError.of(str(folder), wrong, ALL_OF_IT)
        if entry.name.startswith((".", "_")) or not entry.name.lower().endswith(ENDINGS):
            wrong = f"it contains the file '{name}', which is not read as a part of the table"
            raise InputError.of(str(folder), wrong, ALL_OF_IT)
        parts.append(folder / entry.name)
    if not parts:
        raise InputError.of(str(folder), "there is no CSV or Parquet file in this folder", "check the path")
    return parts


def _check_file(path: Path) -> None:
    """Refuse what is not a file."""
    check_local(path, GIVEN)
    if not path.is_file():
        wrong = "this file does not exist" if not path.exists() else "this is not a file"
        raise InputError.of(str(path), wrong, GIVEN)
    if not os.access(path, os.R_OK):
        raise InputError.of(
            str(path), "there is no permission to read the file", "ask its owner for permission"
        )
    if any(mark in str(path) for mark in PATTERN_MARKS):
        raise InputError.of(str(path), "the path contains '*', '?' or '['", "give the file another name")


def check_alike(parts: Sequence[Path], shapes: Sequence[object]) -> None:
    """Refuse a part whose columns, by name and type, are not those of the first."""
    for part, shape in zip(parts, shapes, strict=True):
        if shape != shapes[0]:
            raise InputError.of(
                str(part),
                f"its columns or their types are not those of {parts[0].name}",
                "write all parts with the same columns in the same order",
            )
