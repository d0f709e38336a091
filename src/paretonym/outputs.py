"""What an output may replace: nothing without force, with it only what this program wrote, and never an
input.

An output that is also an input is refused under whatever name: a link, a hard link, `..`, or another case of
letters if the file system ignores case. So is one inside a folder that is read, and a folder that contains an
input. Outputs appear completely or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from paretonym.atomic_files import (
    alone,
    failed,
    flush_folders,
    mode_for,
    move_new,
    new_draft,
    reported,
    restore,
    settle,
    swap_folders,
    taken,
    waiting_name,
)
from paretonym.authorship import INDEX, Foreign, Kind, index_of
from paretonym.errors import Field, InputError

Inputs: TypeAlias = Iterable[str | os.PathLike[str]]
PRIVATE = 0o600
# What a folder of a release holds.
_ANY_PART = "part-00000.parquet"


@dataclass(frozen=True, slots=True)
class Output:
    """Where something is to be written, what it is, and the option that names it."""

    path: Path
    kind: Kind
    option: str = "out"
    private: bool = False

    @property
    def place(self) -> Field:
        return Field(self.option, str(self.path))

    def refusal(self, wrong: str, remedy: str = "give another name") -> InputError:
        return InputError.of(self.place, wrong, remedy)


def check_outputs(outputs: Sequence[Output], force: bool, inputs: Inputs = ()) -> None:
    """Refuse outputs that may not or cannot be written, before any work is done for them."""
    read = [Path(each) for each in inputs]
    for output in outputs:
        _check_apart_from(output, read)
    for output in outputs:
        _check_place(output)
        _check_free(output, force)
    for one, other in combinations(outputs, 2):
        if _holds(one.path, other.path) or _holds(other.path, one.path):
            raise other.refusal(f"this conflicts with {one.place}", "give each a different name")


@contextmanager
def new_folder(output: Output, force: bool = False, inputs: Inputs = ()) -> Iterator[Path]:
    """A private folder (mode 0700) to fill; it gets its name only once it is complete.

    Anything that goes wrong before that leaves no trace.
    """
    with new_folder_beside((), output, force, inputs) as (draft,):
        yield draft


@contextmanager
def new_folder_beside(
    files: Sequence[Output], output: Output, force: bool = False, inputs: Inputs = ()
) -> Iterator[tuple[Path, ...]]:
    """Drafts of files, as of `new_files`, and then of a folder; the files get their names first. If the
    folder cannot get its own, they have none either, and what they replaced is back."""
    outputs, read = [*files, output], list(inputs)
    check_outputs(outputs, force, read)
    path, targets = output.path.absolute(), [Path(os.path.realpath(each.path)) for each in files]
    drafts: list[Path] = []
    placing = False

    def put() -> None:
        nonlocal placing
        placing = True
        _put(folder, path, output.kind)

    with reported(*(each.path for each in outputs)):
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
        try:
            drafts.extend(map(new_draft, targets))
            yield (*drafts, folder)
            _finish(folder, output.kind)
            for draft, target in zip(drafts, targets, strict=True):
                settle(draft, mode_for(target))
            with alone(path.parent):
                # What is there may have changed while the work was done.
                check_outputs(outputs, force, read)
                _put_beside(drafts, targets, put)
        except BaseException:
            # Once it is being placed, the draft may hold what was there before: `_put` deals with that.
            if not placing:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            for draft in drafts:
                draft.unlink(missing_ok=True)
        flush_folders([path / INDEX, path, *targets])


@contextmanager
def new_files(
    outputs: Sequence[Output], force: bool = False, inputs: Inputs = ()
) -> Iterator[tuple[Path, ...]]:
    """Private drafts (mode 0600) to fill, one for each output; once all are complete and on the disk, they
    get their names. Anything that goes wrong before that leaves no trace.

    New files appear in the order given: if the last one is there, all are. If the last one replaces another,
    the rest are moved away first and appear after it: no old file is ever beside a new one, and what a killed
    process leaves can still be recognized by what was moved away.
    """
    read = list(inputs)
    check_outputs(outputs, force, read)
    paths = [output.path for output in outputs]
    targets = [Path(os.path.realpath(path)) for path in paths]
    drafts: list[Path] = []
    try:
        # One at a time: if the second fails, the first must be known.
        drafts.extend(map(new_draft, targets))
        yield tuple(drafts)
        for output, draft, target in zip(outputs, drafts, targets, strict=True):
            settle(draft, PRIVATE if output.private else mode_for(target))
        with alone(targets[0].parent):
            # What is there may have changed while the work was done.
            check_outputs(outputs, force, read)
            _name(drafts, targets)
        flush_folders(targets)
    except OSError as error:
        raise failed(paths, error) from None
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


@contextmanager
def new_files_and(
    files: Sequence[Output], then: Callable[[], None], force: bool = False, inputs: Inputs = ()
) -> Iterator[tuple[Path, ...]]:
    """Drafts of files, as of `new_files`; when they have their names, `then` is called. If that fails, they
    have none, and what they replaced is back."""
    read = list(inputs)
    check_outputs(files, force, read)
    targets = [Path(os.path.realpath(each.path)) for each in files]
    drafts: list[Path] = []
    with reported(*(each.path for each in files)):
        try:
            drafts.extend(map(new_draft, targets))
            yield tuple(drafts)
            for draft, target in zip(drafts, targets, strict=True):
                settle(draft, mode_for(target))
            with alone(targets[0].parent):
                # What is there may have changed while the work was done.
                check_outputs(files, force, read)
                _put_beside(drafts, targets, then)
        finally:
            for draft in drafts:
                draft.unlink(missing_ok=True)
        flush_folders(targets)


def write_output(output: Output, content: bytes, force: bool = False, inputs: Inputs = ()) -> None:
    """Write one file, completely or not at all."""
    with new_files([output], force, inputs) as (draft,):
        draft.write_bytes(content)


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


def check_changed(paths: Iterable[Path], inputs: Inputs) -> None:
    """Refuse to change a file that the command reads as something else, or the same file twice."""
    changed = list(paths)
    for path in changed:
        for read in map(Path, inputs):
            if same_file(path, read):
                raise InputError.of(
                    Field("update", str(path)), f"this is {read}, which the command reads", SEPARATE
                )
    for one, other in combinations(changed, 2):
        if same_file(one, other):
            raise InputError.of(Field("update", str(other)), f"this is the same file as {one}", SEPARATE)


SEPARATE = "let the schema use a separate file"


def same_file(one: Path, other: Path) -> bool:
    """Whether two names lead to one file or folder."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _holds(folder: Path, path: Path) -> bool:
    """Whether `path` is `folder` or lies below it."""
    real = Path(os.path.realpath(path))
    if Path(os.path.realpath(folder)) in (real, *real.parents):
        return True
    try:
        there = folder.stat()
    except (OSError, ValueError):
        return False
    return any(_leads_to(each, there) for each in (path, *real.parents))


def _leads_to(path: Path, there: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), there)
    except (OSError, ValueError):
        return False


def _check_apart_from(output: Output, inputs: Sequence[Path]) -> None:
    if _holds(output.path, Path.cwd()):
        raise output.refusal(
            "this is the working folder, or one that contains it", "give the name of a new one"
        )
    for read in inputs:
        if any(same_file(output.path, file) for file in (read, *_files_in(read))):
            raise output.refusal(f"this is {read}, which the command reads")
        if _holds(read, output.path):
            raise output.refusal(f"this lies inside {read}, which the command reads")
        if _holds(output.path, read):
            raise output.refusal(f"{read}, which the command reads, lies inside this folder")
        if _fits(read, output.path) or (output.kind.folder and _fits(read, output.path / _ANY_PART)):
            raise output.refusal(f"this fits {read}, which the command reads, and would be read with it")


def _fits(pattern: Path, path: Path) -> bool:
    """Whether a new file of that name would be among those that a pattern (`visits/*.csv`) reads."""
    if not any(mark in str(pattern) for mark in "*?[") or taken(pattern):
        return False
    whole = pattern.absolute()
    fixed = next(parent for parent in whole.parents if not any(mark in str(parent) for mark in "*?["))
    real, below = Path(os.path.realpath(path)), whole.relative_to(fixed)
    try:
        rest = real.relative_to(os.path.realpath(fixed))
    except ValueError:
        return False
    return _matches(rest.parts, below.parts)


def _matches(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path match those of a pattern; `**` stands for any number of folders.

    >>> _matches(("a", "b", "c.csv"), ("**", "*.csv")), _matches(("a", "c.csv"), ("*.csv",))
    (True, False)
    """
    if not pattern:
        return not names
    if pattern[0] == "**":
        return any(_matches(names[i:], pattern[1:]) for i in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], pattern[0]) and _matches(names[1:], pattern[1:])


def _files_in(path: Path) -> list[Path]:
    try:
        return list(path.iterdir()) if path.is_dir() else []
    except OSError:
        return []


def _check_place(output: Output) -> None:
    parent = output.path.absolute().parent
    if not parent.is_dir():
        raise output.refusal(
            f"the folder '{parent}' does not exist", "create the folder first, or give another name"
        )
    if not os.access(parent, os.W_OK | os.X_OK):
        raise output.refusal(
            f"the folder '{parent}' cannot be written to", "give a name in a folder of your own"
        )


def _check_free(output: Output, force: bool) -> None:
    path, kind = output.path, output.kind
    if kind.folder:
        restore(path.absolute())
    if not taken(path) or (kind.folder and _is_empty(path)):
        return
    try:
        what = _recognized(path, kind)
    except Foreign as reason:
        if not force:
            wrong = f"already exists, and is not {kind.noun} that can be replaced ({reason})"
            raise output.refusal(wrong) from None
        wrong = f"{Field('force', True)} replaces only what paretonym wrote, and not this ({reason})"
        raise output.refusal(wrong, "give another name, or remove it yourself") from None
    if not force:
        remedy = f"give another name, or use {Field('force', True)} to replace it"
        raise output.refusal(f"already exists ({what})", remedy)


def _recognized(path: Path, kind: Kind) -> str:
    """What is there, in words, if this program wrote it."""
    if path.is_symlink():
        raise Foreign("it is a link")
    if kind.folder != path.is_dir() or not (path.is_dir() or path.is_file()):
        raise Foreign("it is a folder" if path.is_dir() else "it is a file")
    try:
        return kind.known(path)
    except OSError as error:
        raise Foreign(f"it cannot be read: {error.strerror}") from None


def _is_empty(path: Path) -> bool:
    try:
        return path.is_dir() and not path.is_symlink() and not any(path.iterdir())
    except OSError:
        return False


def _finish(draft: Path, kind: Kind) -> None:
    """Write the index by which the folder can be recognized, and flush it to the disk."""
    if kind.index == INDEX:
        text = json.dumps(index_of(draft, kind.noun), indent=1, ensure_ascii=False)
        (draft / INDEX).write_text(text + "\n", encoding="utf-8")
    for file in _below(draft)[0]:
        settle(file, mode_for(file))
    if kind.public:
        # Who may read a new file may read a new folder.
        readable = mode_for(draft / "new") & 0o444
        draft.chmod(0o700 | readable | readable >> 2)


def _put(draft: Path, path: Path, kind: Kind) -> None:
    """Give a finished folder its name, or its files the one of an empty folder, which stays."""
    try:
        if not taken(path):
            move_new(draft, path)
        elif _is_empty(path):
            _fill(draft, path, kind)
        else:
            if taken(waiting_name(path)):
                _remove(waiting_name(path), kind)
            swap_folders(draft, path)
    finally:
        # What is no longer needed is here: the old folder, or the new one if it could not be placed.
        if taken(draft):
            _remove(draft, kind)
        if taken(path) and taken(waiting_name(path)):
            _remove(waiting_name(path), kind)


def _fill(draft: Path, folder: Path, kind: Kind) -> None:
    """The index first: what a killed process leaves is then known as ours."""
    if not kind.public:
        folder.chmod(0o700)
    moved: list[Path] = []
    try:
        for entry in sorted(draft.iterdir(), key=lambda entry: entry.name != kind.index):
            moved.append(folder / entry.name)
            move_new(entry, moved[-1])
    except BaseException:
        for entry in moved:
            if taken(entry):
                entry.rename(draft / entry.name)
        raise
    draft.rmdir()


def _remove(folder: Path, kind: Kind) -> None:
    """Remove a folder that this program wrote, file by file; it stays if somebody has put something into it
    meanwhile."""
    files, folders = _below(folder)
    try:
        # The last that a killed process had to remove was the folder itself.
        if not _is_empty(folder):
            kind.known(folder)
    except Foreign as reason:
        wrong = f"the output to be replaced is kept here because it changed in the meantime ({reason})"
        raise InputError.of(str(folder), wrong, "check it, then remove it yourself") from None
    # The index last: by it the rest is known.
    for file in sorted(files, key=lambda file: file.name == kind.index):
        file.unlink()
    for inner in folders:
        inner.rmdir()


def _below(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files and folders in a folder, the folder itself included, the innermost first."""
    files, folders = [], []
    for place, _, names in os.walk(folder, topdown=False):
        files += [Path(place) / name for name in names]
        folders.append(Path(place))
    return files, folders


def _put_beside(drafts: Sequence[Path], targets: Sequence[Path], put: Callable[[], None]) -> None:
    """Give files their names, then a folder its own, or a table; if that fails, everything is as before."""
    aside: dict[Path, Path] = {}
    named: list[Path] = []
    try:
        for draft, target in zip(drafts, targets, strict=True):
            if taken(target):
                aside[target] = _moved_aside(target)
            move_new(draft, target)
            named.append(target)
        put()
    except BaseException:
        for target in named:
            target.unlink(missing_ok=True)
        for target, old in aside.items():
            old.rename(target)
        raise
    for old in aside.values():
        old.unlink()


def _name(drafts: Sequence[Path], targets: Sequence[Path]) -> None:
    """Give drafts their names, in an order that never leaves an old file beside a new one."""
    pairs = list(zip(drafts, targets, strict=True))
    if not taken(targets[-1]):
        for draft, target in pairs:
            # A manifest may be there without its release.
            draft.replace(target) if taken(target) else move_new(draft, target)
        return
    aside = [_moved_aside(target) for target in targets[:-1] if taken(target)]
    for draft, target in reversed(pairs):
        draft.replace(target)
    for old in aside:
        old.unlink()


def _moved_aside(target: Path) -> Path:
    aside = new_draft(target)
    target.replace(aside)
    return aside
