"""The checkpoint of a long search: its state in the folder of the run, from which it can go on after a crash.

It holds nodes, and of a walk that evaluates few of them the measures of those evaluated; no rows. Only the
same question to the same data and schema can go on from it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from paretonym.base.budget import SearchState
from paretonym.base.errors import Field, InputError
from paretonym.base.files import CHECKPOINT_FILE, PRIVATE, is_unfinished, new_draft, read_regular_file, settle
from paretonym.engine.frontier import Microdata
from paretonym.engine.spaces import Question
from paretonym.tables.schema import Schema, write_schema
from paretonym.version import __version__

FORMAT = "paretonym.checkpoint/1"
# Seconds between two states; the first is kept when a search has taken as long.
INTERVAL = "PARETONYM_CHECKPOINT_SECONDS"
_USUAL = 60.0


def question_digest(question: Question, data: Microdata) -> str:
    """Digest of what a state belongs to: question, rows and their counts, schema, and this version."""
    sha256 = hashlib.sha256(FORMAT.encode())
    population = "" if data.population is None else data.population.fingerprint
    drawn = f"{population} {data.sampling_fraction or ''}".rstrip()
    for part in (__version__, repr(question), data.source.fingerprint, data.cube.digest, drawn):
        sha256.update(hashlib.sha256(part.encode()).digest())
    sha256.update(_schema_digest(data.schema))
    return sha256.hexdigest()


def _schema_digest(schema: Schema) -> bytes:
    sha256 = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        write_schema(schema, Path(folder))
        for path in sorted(Path(folder).iterdir()):
            sha256.update(hashlib.sha256(path.name.encode()).digest())
            sha256.update(hashlib.sha256(path.read_bytes()).digest())
    return sha256.digest()


class KeptAt(NamedTuple):
    """Where a state is kept, and how the search was asked for; with `force`, another state there is
    replaced."""

    folder: str | os.PathLike[str]
    command: Mapping[str, Any]
    force: bool = False


class RunCheckpoint:
    """The state of one search, in the folder of its run. `command` is how the search was asked for, so that
    it can be asked for again. The digest of the question is computed when it is needed."""

    def __init__(
        self,
        folder: Path,
        digest: Callable[[], str],
        command: Mapping[str, Any],
        remark: Callable[[str], None],
        kept: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder, self._digest, self._command, self._remark = folder, digest, command, remark
        self._state = None if kept is None else kept["state"]
        self._last, self._interval, self._failed = time.monotonic(), _interval(), False

    @classmethod
    def at(
        cls, place: KeptAt | str | os.PathLike[str], digest: Callable[[], str], remark: Callable[[str], None]
    ) -> RunCheckpoint:
        """The place for a new state; another state there is not replaced unless that is asked for."""
        target = place if isinstance(place, KeptAt) else KeptAt(place, {})
        folder = Path(target.folder)
        if is_unfinished(folder) and not target.force:
            wrong = "it contains the state of a search that has not ended"
            remedy = f"go on with {Field('resume', str(folder))}, or give another folder"
            raise InputError.of(str(folder), wrong, remedy)
        return cls(folder, digest, target.command, remark)

    @classmethod
    def continued(
        cls, place: str | os.PathLike[str], digest: Callable[[], str], remark: Callable[[str], None]
    ) -> RunCheckpoint:
        """The state that a folder holds; that of another question is refused."""
        folder = Path(place)
        stored = read_checkpoint(folder)
        if stored["question"] != digest():
            raise InputError.of(
                Field("resume", str(folder)),
                "this run was started with other data, another schema, other options or another version",
                "give the same ones, or start again in a new folder",
            )
        return cls(folder, digest, stored.get("command", {}), remark, stored)

    def resumed(self, kind: str) -> SearchState | None:
        return self._state if self._state is not None and self._state["kind"] == kind else None

    def offer(self, state: Callable[[], SearchState]) -> None:
        if self._failed or time.monotonic() - self._last < self._interval:
            return
        entry = {
            "format": FORMAT,
            "audience": "publisher",
            "version": __version__,
            "question": self._digest(),
            "command": dict(self._command),
            "state": state(),
        }
        try:
            self._write(json.dumps(entry, ensure_ascii=False).encode())
        except OSError as error:
            # The search is worth more than its state.
            self._failed = True
            self._remark(
                f"The state of this search cannot be kept in {self.folder} ({error.strerror}): it cannot be "
                "resumed if it is stopped."
            )
        self._last = time.monotonic()

    def _write(self, content: bytes) -> None:
        if not (is_unfinished(self.folder) or _is_free(self.folder)):
            raise FileExistsError(errno.EEXIST, "an earlier output is there until this search has ended")
        # Beside the folder: a draft that a killed process leaves must not be in it.
        draft = new_draft(self.folder.absolute())
        try:
            draft.write_bytes(content)
            settle(draft, PRIVATE)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            draft.replace(self.folder / CHECKPOINT_FILE)
        finally:
            draft.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the state of a search that has ended without a run to save."""
        if is_unfinished(self.folder):
            (self.folder / CHECKPOINT_FILE).unlink()
            with suppress(OSError):
                self.folder.rmdir()


def _is_free(folder: Path) -> bool:
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """Read what a folder holds of a run that has not ended."""
    place = Field("resume", str(folder))
    if (folder / "frontier.json").exists() or (folder / "run.json").exists():
        raise InputError.of(place, "this run has ended", "open it with 'paretonym ask' or 'paretonym report'")
    try:
        entry = json.loads(read_regular_file(folder / CHECKPOINT_FILE).decode("utf-8"))
    except FileNotFoundError:
        raise InputError.of(
            place,
            "there is no unfinished run here; a search keeps its state once it has run for a minute",
            f"start one with {Field('out', str(folder))}",
        ) from None
    except (OSError, ValueError, RecursionError):
        entry = None
    if not _is_whole(entry):
        wrong = f"its '{CHECKPOINT_FILE}' is not a state that this version can go on from"
        raise InputError.of(place, wrong, "start again in a new folder")
    checked: dict[str, Any] = entry
    return checked


def _is_whole(entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.get("format") != FORMAT:
        return False
    return isinstance(entry.get("question"), str) and _is_state(entry.get("state"))


def _is_state(state: Any) -> bool:
    if not isinstance(state, dict):
        return False
    numbers = {"sweep": ("done",), "boxes": ("evaluated",), "walk": ()}.get(str(state.get("kind")))
    lists = {"sweep": ("best",), "boxes": ("beginning", "best")}.get(str(state.get("kind")), ())
    boxes = [box for part in ("ranked", "stack") for box in state.get(part, ())]
    return (
        numbers is not None
        and isinstance(state.get("evaluations", ""), str)
        and ("evaluations" in state) == (state["kind"] == "walk")
        and all(isinstance(state.get(name), int) for name in numbers)
        and all(isinstance(state.get(name), list) and _all_whole(state[name]) for name in lists)
        and all(isinstance(box, list) and len(box) == 5 and _all_whole(box) for box in boxes)
    )


def _all_whole(numbers: list[Any]) -> bool:
    return all(isinstance(number, int) for number in numbers)


def _interval() -> float:
    try:
        return float(os.environ.get(INTERVAL, _USUAL))
    except ValueError:
        return _USUAL
