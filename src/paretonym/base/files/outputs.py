"""Outputs: written under a temporary name, then given their own, completely or not at all.

An existing output is refused. With force, the one file that is named is replaced if it is empty, has the
mark of this program, or is a release as its manifest describes it; files that belong to it (the manifest, the
tables of buckets) alike; and a folder only if its marker lists everything in it, unchanged. An input is never
replaced, under whatever name: a link, a hard link, `..`, or another case of letters where the file system
ignores case.
"""

from __future__ import annotations

import enum
import json
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from paretonym.base.errors import Field, InputError, printable
from paretonym.base.files.atomic_files import (
    MARKER,
    PRIVATE,
    RUN_MARKER,
    alone,
    digest_of,
    discard,
    failed,
    flush_folders,
    give_new_name,
    is_empty,
    mode_for,
    moved_aside,
    new_draft,
    place_folder,
    restore,
    settle,
    taken,
)
from paretonym.base.files.own_mark import has_mark, is_companion, is_described, marked, read_json

Inputs: TypeAlias = Iterable[str | os.PathLike[str]]
MARKER_FORMAT = "paretonym.folder/1"
CHECKPOINT_FILE = "checkpoint.json"
# In the folder of a run, but in no list: the key of random draws.
KEY_FILE = "key"
_ANY_PART = "part-00000.parquet"


class Kind(enum.Enum):
    """The kinds of outputs; those of folders that can be replaced have the name of their marker as value."""

    FILE = "file"
    COMPANION = "companion"
    RUN = RUN_MARKER
    FOLDER = MARKER
    PARTS = "parts"

    @property
    def is_folder(self) -> bool:
        return self in (Kind.RUN, Kind.FOLDER, Kind.PARTS)


class Foreign(Exception):
    """Something that is not replaced; the text says why."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where something is to be written, what it is, and the option that names it. Others may not read it if
    it is private, as every folder but that of a release is."""

    path: Path
    kind: Kind = Kind.FILE
    option: str = "out"
    private: bool = False

    @property
    def place(self) -> Field:
        return Field(self.option, str(self.path))

    def refusal(self, wrong: str, remedy: str = "give another name") -> InputError:
        return InputError.of(self.place, wrong, remedy)


# --- what may be written ------------------------------------------------------------------------------------


def check_outputs(outputs: Sequence[Output], force: bool, inputs: Inputs = ()) -> None:
    """Refuse outputs that may not or cannot be written, before any work is done for them."""
    read = [Path(path) for path in inputs]
    for output in outputs:
        _check_apart_from(output, read)
    for output in outputs:
        _check_place(output)
        _check_free(output, force)
    for one, other in combinations(outputs, 2):
        if _holds(one.path, other.path) or _holds(other.path, one.path):
            raise other.refusal(f"this conflicts with {one.place}", "give each a different name")


def check_changed(paths: Iterable[Path], inputs: Inputs) -> None:
    """Refuse to change a file that the command reads as something else, or the same file twice."""
    remedy = "let the schema use a separate file"
    changed = list(paths)
    for path in changed:
        for read in map(Path, inputs):
            if same_file(path, read):
                place = Field("update", str(path))
                raise InputError.of(place, f"this is {read}, which the command reads", remedy)
    for one, other in combinations(changed, 2):
        if same_file(one, other):
            raise InputError.of(Field("update", str(other)), f"this is the same file as {one}", remedy)


def same_file(one: Path, other: Path) -> bool:
    """True if two names lead to one file or folder."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _holds(folder: Path, path: Path) -> bool:
    """True if `path` is `folder` or lies below it."""
    real = Path(os.path.realpath(path))
    return any(same_file(folder, place) for place in (path, real, *real.parents))


def _check_apart_from(output: Output, inputs: Sequence[Path]) -> None:
    if _holds(output.path, Path.cwd()):
        wrong = "this is the working folder, or one that contains it"
        raise output.refusal(wrong, "give the name of a new one")
    for read in inputs:
        if any(same_file(output.path, file) for file in (read, *_entries(read))):
            raise output.refusal(f"this is {read}, which the command reads")
        if _holds(read, output.path):
            raise output.refusal(f"this lies inside {read}, which the command reads")
        if _holds(output.path, read):
            raise output.refusal(f"{read}, which the command reads, lies inside this folder")
        if _fits(read, output.path) or (output.kind.is_folder and _fits(read, output.path / _ANY_PART)):
            raise output.refusal(f"this fits {read}, which the command reads, and would be read with it")


def _entries(path: Path) -> list[Path]:
    """The entries of a folder; nothing if it is none, or cannot be read."""
    try:
        return sorted(path.iterdir()) if path.is_dir() else []
    except OSError:
        return []


def _fits(pattern: Path, path: Path) -> bool:
    """True if a new file of that name would be among those that a pattern (`visits/*.csv`) reads."""
    if not any(mark in str(pattern) for mark in "*?[") or taken(pattern):
        return False
    whole = pattern.absolute()
    fixed = next(parent for parent in whole.parents if not any(mark in str(parent) for mark in "*?["))
    place = Path(os.path.realpath(path))
    if not place.is_relative_to(os.path.realpath(fixed)):
        return False
    names, marks = place.relative_to(os.path.realpath(fixed)), whole.relative_to(fixed)
    # Two stars stand for any folders.
    as_deep = len(names.parts) == len(marks.parts) and names.match(str(marks))
    return names.match(marks.name) if "**" in marks.parts else as_deep


def _check_place(output: Output) -> None:
    parent = output.path.absolute().parent
    if not parent.is_dir():
        wrong = f"the folder '{parent}' does not exist"
        raise output.refusal(wrong, "create the folder first, or give another name")
    if not os.access(parent, os.W_OK | os.X_OK):
        wrong = f"the folder '{parent}' cannot be written to"
        raise output.refusal(wrong, "give a name in a folder of your own")


def _check_free(output: Output, force: bool) -> None:
    if output.kind.is_folder:
        restore(output.path.absolute())
    if not taken(output.path) or (output.kind.is_folder and is_empty(output.path)):
        return
    try:
        _check_replaceable(output.path, output.kind)
    except Foreign as reason:
        if not force:
            raise output.refusal(f"already exists, and is not replaced ({reason})") from None
        wrong = f"{Field('force', True)} does not replace this ({reason})"
        raise output.refusal(wrong, "give another name, or remove it yourself") from None
    if not force:
        remedy = f"give another name, or use {Field('force', True)} to replace it"
        raise output.refusal("already exists", remedy)


def _check_replaceable(path: Path, kind: Kind) -> None:
    """Raise `Foreign` for what force does not replace."""
    if path.is_symlink():
        raise Foreign("it is a link")
    if kind.is_folder != path.is_dir() or not (path.is_dir() or path.is_file()):
        raise Foreign("it is a folder" if path.is_dir() else "it is a file")
    if kind is Kind.PARTS:
        raise Foreign("a folder of a release is never replaced")
    if kind.is_folder:
        _check_marked(path, kind.value)
    elif kind is Kind.COMPANION and not is_companion(path):
        raise Foreign("no manifest of paretonym there lists it")
    elif kind is Kind.FILE and not (has_mark(path) or is_described(path)):
        raise Foreign("paretonym did not write it, or it has changed since")


def _check_marked(folder: Path, marker: str) -> None:
    """Refuse a folder that holds anything but what its marker lists, unchanged, and folders of which the same
    is true; the state of a search that has not ended, alone in its folder, is a run too."""
    if marker == RUN_MARKER and is_unfinished(folder):
        return
    files = _listed(folder / marker)
    for entry in _entries(folder):
        name = printable(entry.name)
        if entry.name in (marker, KEY_FILE) and entry.is_file():
            continue
        if entry.is_dir() and not entry.is_symlink() and (entry / RUN_MARKER).is_file():
            _check_marked(entry, RUN_MARKER)
        elif entry.name not in files or not stat.S_ISREG(entry.lstat().st_mode):
            raise Foreign(f"'{name}' in it was not written by paretonym")
        elif digest_of(entry) != files[entry.name]:
            raise Foreign(f"'{name}' in it has changed since")


def _listed(marker: Path) -> dict[str, str]:
    """The files that a marker lists, with their digests."""
    entry = read_json(marker)
    if not str(entry.get("format")).startswith("paretonym.") or not isinstance(entry.get("files"), dict):
        raise Foreign(f"there is no '{marker.name}' written by paretonym")
    files: dict[str, str] = entry["files"]
    return files


def is_unfinished(folder: Path) -> bool:
    """True if a folder holds the state of a search that has not ended, and nothing else."""
    alone = not folder.is_symlink() and [entry.name for entry in _entries(folder)] == [CHECKPOINT_FILE]
    return alone and str(read_json(folder / CHECKPOINT_FILE).get("format")).startswith(
        "paretonym.checkpoint/"
    )


# --- writing ------------------------------------------------------------------------------------------------


@contextmanager
def new_files(
    outputs: Sequence[Output], force: bool = False, inputs: Inputs = ()
) -> Iterator[tuple[Path, ...]]:
    """Private drafts to fill, one for each output; at most the last is a folder. Once all are complete and on
    the disk, they get their names. Anything that goes wrong before that leaves no trace.

    New files appear in the order given: if the last one is there, all are. If the last one replaces another,
    the rest are moved away first and appear after it: no old file is ever beside a new one.
    """
    read = list(inputs)
    check_outputs(outputs, force, read)
    targets = [
        output.path.absolute() if output.kind.is_folder else Path(os.path.realpath(output.path))
        for output in outputs
    ]
    drafts: list[Path] = []
    try:
        # One at a time: if the second fails, the first must be known.
        for output, target in zip(outputs, targets, strict=True):
            drafts.append(_new_folder(target) if output.kind.is_folder else new_draft(target))
        yield tuple(drafts)
        for output, draft, target in zip(outputs, drafts, targets, strict=True):
            _finish(output, draft, target)
        with alone(targets[-1].parent):
            # What is there may have changed while the work was done.
            check_outputs(outputs, force, read)
            _place(outputs, drafts, targets)
        flush_folders([*targets, *(target / MARKER for target in targets)])
    except OSError as error:
        raise failed([output.path for output in outputs], error) from None
    finally:
        for draft in drafts:
            discard(draft)


@contextmanager
def new_folder(output: Output, force: bool = False, inputs: Inputs = ()) -> Iterator[Path]:
    """A private folder (mode 0700) to fill; it gets its name only once it is complete."""
    with new_files([output], force, inputs) as (draft,):
        yield draft


def write_output(output: Output, content: bytes, force: bool = False, inputs: Inputs = ()) -> None:
    """Write one file with the mark of this program, completely or not at all."""
    with new_files([output], force, inputs) as (draft,):
        draft.write_bytes(marked(content))


def write_files(texts: Mapping[Path, bytes]) -> None:
    """Change files, all of them or none, where a change was requested; modes and links stay.

    All are written under other names first, so that a full disk changes none of them.
    """
    drafts: dict[Path, Path] = {}
    try:
        for path, content in texts.items():
            # A link stays a link: the file that it names is replaced.
            target = Path(os.path.realpath(path))
            drafts[target] = new_draft(target)
            drafts[target].write_bytes(content)
            settle(drafts[target], mode_for(target))
        for target, draft in drafts.items():
            draft.replace(target)
    except OSError as error:
        raise failed(texts, error) from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _new_folder(target: Path) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))


def _finish(output: Output, draft: Path, target: Path) -> None:
    """Put a filled draft on the disk, with its mode; a folder with the marker that lists its files."""
    if not output.kind.is_folder:
        settle(draft, PRIVATE if output.private else mode_for(target))
        return
    if output.kind is Kind.FOLDER:
        files = {entry.name: digest_of(entry) for entry in _entries(draft) if entry.is_file()}
        text = json.dumps({"format": MARKER_FORMAT, "files": files}, indent=1, ensure_ascii=False)
        (draft / MARKER).write_text(text + "\n", encoding="utf-8")
    for file in draft.rglob("*"):
        if file.is_file():
            settle(file, mode_for(file))
    if output.kind is Kind.PARTS:
        # Who may read a new file may read a new folder.
        readable = mode_for(draft / "new") & 0o444
        draft.chmod(0o700 | readable | readable >> 2)


def _place(outputs: Sequence[Output], drafts: Sequence[Path], targets: Sequence[Path]) -> None:
    """Give drafts their names; if one cannot have its own, everything is as before."""
    aside: dict[Path, Path] = {}
    placed: list[Path] = []
    order = list(zip(outputs, drafts, targets, strict=True))
    replacing = taken(targets[-1]) and not outputs[-1].kind.is_folder
    try:
        for target in targets[:-1]:
            if taken(target):
                aside[target] = moved_aside(target)
        for output, draft, target in reversed(order) if replacing else order:
            _place_one(output, draft, target)
            placed.append(target)
    except BaseException:
        for target in placed:
            if target != targets[-1]:
                target.unlink(missing_ok=True)
        for target, old in aside.items():
            old.replace(target)
        raise
    for old in aside.values():
        old.unlink()


def _place_one(output: Output, draft: Path, target: Path) -> None:
    if output.kind.is_folder:
        place_folder(draft, target, lambda folder: _check_replaced(folder, output.kind))
    elif taken(target):
        draft.replace(target)
    else:
        give_new_name(draft, target)


def _check_replaced(folder: Path, kind: Kind) -> None:
    """Refuse to remove a folder that somebody has put something into meanwhile."""
    try:
        _check_replaceable(folder, kind)
    except Foreign as reason:
        wrong = f"the output to be replaced is still here because it changed in the meantime ({reason})"
        raise InputError.of(str(folder), wrong, "check it, then remove it yourself") from None
