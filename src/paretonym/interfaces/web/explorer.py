"""The state of the server while it runs: open runs, an upload, a job, files to download."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from paretonym.base.errors import InputError, Phrase
from paretonym.base.language import current_language
from paretonym.interfaces.web.column_values import column_values
from paretonym.interfaces.web.downloads import Shelf
from paretonym.interfaces.web.open_runs import OpenRun, Runs
from paretonym.interfaces.web.release_detail import point_facts
from paretonym.interfaces.web.schema_drafts import (
    MOST_FILES,
    Upload,
    hierarchy_text,
    last_part,
    review,
    schema_in,
    schema_of,
)
from paretonym.interfaces.web.uploads import Bounds, file_label, file_name, named_by_content, receive
from paretonym.interfaces.web.web_jobs import Jobs, JobState
from paretonym.release import manifest_path
from paretonym.tables.schema import Schema
from paretonym.tables.source import TableForm

EXAMPLE = "adult"


class Explorer:
    """The state. `folder` is private (mode 0700) and is removed when `close` is called. `shell` writes the
    options of commands that the page shows."""

    def __init__(self, shell: Phrase, bounds: Bounds | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="paretonym-serve-"))
        self.shell = shell
        self.runs = Runs()
        self.jobs = Jobs(self._job_ended)
        self.shelf = Shelf(self.folder)
        self.bounds = bounds or Bounds()
        # The files that were sent and are still here.
        self._files: set[Path] = set()
        self.upload: Upload | None = None
        # The file that was sent last, even if it could not be read yet.
        self.sent: Upload | None = None
        self.draft: dict[str, Any] | None = None
        # The manifest of the file that is audited next, and where a file lies while it is measured.
        self.manifest: bytes | None = None
        self._measured: Path | None = None
        # The hierarchy files that came with a schema.
        self.hierarchies: dict[str, str] = {}
        # Tables are read and counted, and files written, one at a time.
        self.lock = threading.RLock()
        self._known_points = lru_cache(maxsize=256)(self._point)

    def close(self) -> None:
        self.jobs.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self) -> None:
        """Compute what is drawn for each run before anybody waits for it. Tables are read later: the page
        asks for the candidates behind a frontier once the frontier is on the screen."""
        for run in self.runs:
            run.facts  # noqa: B018

    def point(self, key: str, name: str) -> dict[str, Any]:
        """Everything about one release, in the current language."""
        return self._known_points(key, name, current_language())

    def _point(self, key: str, name: str, _language: str) -> dict[str, Any]:
        run = self.runs[key]
        with self.lock:
            return point_facts(run, run.frontier.pick(name), self.shell)

    async def take_in(self, chunks: AsyncIterator[bytes], name: str) -> JobState:
        """Keep an upload and begin to draft its schema; the previous upload is removed."""
        self._check_idle()
        folder = self.shelf.place()
        path = folder / file_name(name)
        await receive(chunks, path, self.bounds)
        return self._drafted(self._sent(named_by_content(path)))

    def read_again(self, written: Mapping[str, Any]) -> JobState:
        """Read the file that was sent last in another way: its form, and the mark of decimals."""
        self._check_idle()
        if self.sent is None:
            raise InputError.of("the upload", "no file has been uploaded yet", "choose a file first")
        return self._drafted(self.sent, asked=written)

    def take_example(self) -> JobState:
        """The built-in example, as if it had been uploaded."""
        from paretonym.tables.source.example_data import write_adult_csv

        self._check_idle()
        path = self.shelf.place() / f"{EXAMPLE}.csv"
        write_adult_csv(path)
        return self._drafted(self._sent(path), EXAMPLE)

    async def take_audit(self, chunks: AsyncIterator[bytes], name: str, key: str | None) -> JobState:
        """Begin to audit a released file: by the manifest that was sent before it, or that was made of it
        here; otherwise it is only measured, with the roles of an open run."""
        self._check_idle()
        run = None if key is None else self.runs[key]
        folder = self.shelf.place()
        await receive(chunks, folder / file_name(name), self.bounds)
        path = named_by_content(folder / file_name(name))
        content, self.manifest = self.manifest, None
        manifest, by = self.shelf.manifest_of(path), "made"
        if content is not None:
            manifest, by = manifest_path(path), "sent"
            manifest.write_bytes(content)
        arguments = {
            "path": str(path),
            "name": file_label(name),
            "manifest": None if manifest is None else str(manifest),
            "run": None if run is None or manifest is not None else str(run.folder),
        }
        self._measured = folder
        compared = {"by": by if manifest else "roles", "run": "" if run is None else run.label}
        return self.jobs.start("audit", arguments, lambda result: {**result, **compared})

    async def take_comparison(self, chunks: AsyncIterator[bytes], name: str, run: OpenRun) -> JobState:
        """Begin to measure a file about the same people beside releases of a run and its control."""
        self._check_idle()
        folder = self.shelf.place()
        await receive(chunks, folder / file_name(name), self.bounds)
        path = named_by_content(folder / file_name(name))
        self._measured = folder
        arguments = {"path": str(path), "name": file_label(name), "folder": str(run.folder)}
        return self.jobs.start("compare", {**arguments, "source": run.source, "label": run.label})

    def ask_purpose(self, run: OpenRun, purpose: str, limits: list[dict[str, Any]]) -> JobState:
        """Begin to find out whether a purpose of a run can be achieved."""
        arguments = {"folder": str(run.folder), "source": run.source, "name": purpose, "limits": limits}
        return self.jobs.start("measure", {**arguments, "language": current_language()})

    def _sent(self, path: Path) -> Upload:
        self._files.add(path)
        return Upload(path, path.name)

    def _job_ended(self, state: JobState) -> None:
        """Forget a file that was measured, and an upload that was refused, unless another way to read it can
        be chosen."""
        if state.kind in ("audit", "compare") and self._measured is not None:
            shutil.rmtree(self._measured, ignore_errors=True)
        if state.kind == "draft" and state.state != "done" and state.reading is None:
            self.sent = self.upload
        self._remove_unused()

    def _remove_unused(self) -> None:
        """Remove every file that was sent and that neither the editor nor an open run needs any more."""
        needed = {upload.path.resolve() for upload in (self.upload, self.sent) if upload is not None}
        needed |= {Path(run.record.path).resolve() for run in self.runs if run.record.path is not None}
        for path in [path for path in self._files if path.resolve() not in needed]:
            self._files.remove(path)
            path.unlink(missing_ok=True)

    def _check_idle(self) -> None:
        if self.jobs.state.state == "running":
            raise InputError.of("the upload", "a job is running", "wait for it, or cancel it")

    def _drafted(
        self, upload: Upload, example: str | None = None, asked: Mapping[str, Any] | None = None
    ) -> JobState:
        def finish(result: dict[str, Any]) -> dict[str, Any]:
            number = self.jobs.state.number
            detected = replace(upload, form=TableForm(**result.pop("form")))
            self.upload, self.draft = detected, {**result, "name": upload.name, "number": number}
            # Read again here, while the person reads the draft, so that the first review is quick.
            threading.Thread(target=self._read, args=(detected,), daemon=True).start()
            return self.draft

        arguments = {"path": str(upload.path), "asked": dict(asked or {}), "example": example}
        try:
            state = self.jobs.start("draft", arguments, finish)
        except InputError:
            # Another upload was quicker.
            self._remove_unused()
            raise
        if self.sent is not upload:
            # A schema for another table must not find a file of the same name that belongs to the last one.
            self.hierarchies.clear()
        self.sent = upload
        return state

    def _read(self, upload: Upload) -> None:
        with self.lock, suppress(InputError):
            upload.table  # noqa: B018

    def known_upload(self) -> Upload:
        if self.upload is None:
            raise InputError.of("the upload", "no file has been uploaded yet", "choose a file first")
        return self.upload

    def review(self, mapping: Mapping[str, Any]) -> dict[str, Any]:
        with self.lock:
            return review(self.known_upload(), mapping, self.hierarchies)

    def load_schema(self, content: bytes, name: str) -> dict[str, Any]:
        """The schema in a schema file, to edit."""
        return {"schema": schema_in(content, Path(file_label(name)), self.hierarchies)}

    def take_hierarchy(self, content: bytes, name: str) -> dict[str, Any]:
        """Keep a hierarchy file for the schema that names it."""
        file = last_part(name)
        texts = {file: hierarchy_text(content, file)}
        if len(self.hierarchies | texts) > MOST_FILES:
            wrong = f"there are more than {MOST_FILES} hierarchy files"
            raise InputError.of("the hierarchy files", wrong, "reload the page, and choose fewer")
        self.hierarchies |= texts
        return {"files": sorted(self.hierarchies)}

    def schema(self, mapping: Mapping[str, Any]) -> Schema:
        """The schema that is edited."""
        return schema_of(mapping, self.hierarchies)

    def values(self, mapping: Mapping[str, Any], column: str) -> dict[str, Any]:
        with self.lock:
            return column_values(self.known_upload(), mapping, column, self.hierarchies)

    def explore(
        self, mapping: Mapping[str, Any], objectives: list[str], question: Mapping[str, Any]
    ) -> JobState:
        """Begin to explore the upload; the run is opened when it is done."""
        upload = self.known_upload()
        self.schema(mapping)
        folder = self.shelf.place() / "run"
        arguments = {
            "path": str(upload.path),
            "form": upload.form.as_json(),
            "schema": dict(mapping),
            "hierarchies": dict(self.hierarchies),
            "folder": str(folder),
            "objectives": objectives,
            "question": dict(question),
        }

        def finish(result: dict[str, Any]) -> dict[str, Any]:
            run: OpenRun = self.runs.open(folder, label=f"{upload.name} ({', '.join(objectives)})", own=False)
            return {"run": run.key, "text": result["text"]}

        return self.jobs.start("explore", arguments, finish)
