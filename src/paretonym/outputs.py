"""Outputs appear whole or not at all, and never in place of something that was there before."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from paretonym.errors import InputError


def check_free(path: Path, force: bool, option: str = "--out") -> None:
    """Refuse an output that exists or cannot be written, before any work is done for it."""
    if _taken(path) and not force:
        raise InputError.of(
            f"{option} {path}", "this exists already", "give another name, or --force to replace it"
        )
    parent = path.absolute().parent
    if not parent.is_dir():
        raise InputError.of(
            f"{option} {path}",
            f"there is no folder '{parent}'",
            "make the folder first, or give another name",
        )
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError.of(
            f"{option} {path}",
            f"the folder '{parent}' cannot be written to",
            "give a name in a folder of your own",
        )


@contextmanager
def new_folder(path: Path, force: bool = False) -> Iterator[Path]:
    """A private folder (mode 0700) to fill; it takes the name `path` only once it is whole.

    Anything that goes wrong before that leaves no trace.
    """
    check_free(path, force)
    path = path.absolute()
    draft = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        yield draft
        _replace(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def new_files(*paths: Path, force: bool = False) -> Iterator[tuple[Path, ...]]:
    """Private drafts (mode 0600) to fill, one for each path; once all are whole and on the disk they take
    their names. Anything that goes wrong before that leaves no trace.

    New ones come in the order given: whoever sees the last one sees all of them. If the last one replaces
    another, the rest go away first and come after it: at no moment does an old file lie beside a new one.
    """
    for path in paths:
        check_free(path, force)
    targets = [Path(os.path.realpath(path)) for path in paths]
    drafts: list[Path] = []
    try:
        # One by one: if the second fails, the first must be known.
        drafts.extend(map(_empty_draft, targets))
        yield tuple(drafts)
        for draft, target in zip(drafts, targets, strict=True):
            _settle(draft, target)
        pairs = list(zip(drafts, targets, strict=True))
        if _taken(targets[-1]):
            for target in targets[:-1]:
                target.unlink(missing_ok=True)
            pairs.reverse()
        for draft, target in pairs:
            draft.replace(target)
        _flush_folders(targets)
    except OSError as error:
        raise _writing_failed(paths, error) from None
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def write_files(texts: Mapping[Path, bytes], private: bool = False) -> None:
    """Write files, each whole or not at all, in place of what stood there; modes and links stay.

    All are written under other names first, so that a full disk changes none of them. A new `private` file
    can be read by its owner alone.
    """
    drafts: dict[Path, Path] = {}
    try:
        for path, content in texts.items():
            # A link stays a link: the file that it names is replaced.
            target = Path(os.path.realpath(path))
            drafts[target] = _draft_file(target, content, private)
        for target, draft in drafts.items():
            draft.replace(target)
    except OSError as error:
        raise _writing_failed(texts, error) from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _draft_file(target: Path, content: bytes, private: bool) -> Path:
    draft = _empty_draft(target)
    try:
        draft.write_bytes(content)
        if target.exists() or not private:  # a draft is private already
            _take_mode(draft, target)
    except BaseException:
        draft.unlink()
        raise
    return draft


def _empty_draft(target: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    os.close(handle)
    return Path(name)


def _take_mode(draft: Path, target: Path) -> None:
    draft.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_mask())


def _settle(draft: Path, target: Path) -> None:
    """A finished draft on the disk, with the mode that its name asks for."""
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
    _take_mode(draft, target)


def _flush_folders(targets: Iterable[Path]) -> None:
    """Let the new names outlive a power cut, where folders can be opened at all."""
    for folder in {target.parent for target in targets}:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _writing_failed(paths: Iterable[Path], error: OSError) -> InputError:
    reason = error.strerror or "it cannot be written"
    places = ", ".join(str(path) for path in paths)
    return InputError.of(places, f"writing failed: {reason}", "check the disk and the folder")


def _mask() -> int:
    """What the user takes away from the mode of new files; it can only be asked by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _replace(draft: Path, path: Path) -> None:
    """Move a finished folder to its name, what stood there out of the way first."""
    if not _taken(path):
        draft.rename(path)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}-old-", dir=path.parent))
    try:
        path.rename(aside / path.name)
        draft.rename(path)
    except BaseException:
        # An interrupt too must not leave the old folder under another name.
        if _taken(aside / path.name) and not _taken(path):
            (aside / path.name).rename(path)
        raise
    finally:
        if _taken(path):
            shutil.rmtree(aside, ignore_errors=True)


def _taken(path: Path) -> bool:
    """Whether something has that name, even a link to nothing."""
    return os.path.lexists(path)
