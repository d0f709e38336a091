"""Downloads: release, manifest and report, made in the private folder and handed out once."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.audit import audit
from paretonym.base.errors import InputError
from paretonym.base.files import Output, write_output
from paretonym.engine.frontier import Solution
from paretonym.interfaces.web.open_runs import OpenRun
from paretonym.interfaces.web.release_detail import release_name
from paretonym.release import SecondRelease, manifest_path, publish_release
from paretonym.report import tell
from paretonym.report.pages import report_page
from paretonym.tables.schema import Schema, write_schema

TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".toml": "application/toml",
}


class Shelf:
    """Files that the page may fetch, by names that cannot be guessed; no path ever comes from a request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, Path] = {}

    def place(self) -> Path:
        """A new private folder."""
        path = self._folder / secrets.token_hex(8)
        path.mkdir(mode=0o700)
        return path

    def put(self, path: Path) -> dict[str, Any]:
        key = secrets.token_urlsafe(16)
        self._files[key] = path
        return {"name": path.name, "href": f"/api/files/{key}", "bytes": path.stat().st_size}

    def manifest_of(self, path: Path) -> Path | None:
        """The manifest of a release that was made here, if a file is one."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        manifests = (made for made in self._files.values() if made.name.endswith(".manifest.json"))
        return next((m for m in manifests if json.loads(m.read_bytes())["output"]["sha256"] == digest), None)

    def __getitem__(self, key: str) -> Path:
        if key not in self._files:
            raise InputError.of("the file", "no file has that name", "make it again")
        return self._files[key]


def take_release(
    shelf: Shelf, run: OpenRun, solution: Solution, kind: str, allow_second_release: bool
) -> dict[str, Any]:
    """Make the release and its manifest; the release log records what was made of a table."""
    path = shelf.place() / release_name(run, solution, kind)
    try:
        manifest = publish_release(
            run.data, solution.recoding, path, allow_second_release=allow_second_release
        )
    except SecondRelease as error:
        remedy = "publish only one of them; if you never passed on the first, you may make this one too"
        problems = [replace(p, place="a second release", remedy=remedy) for p in error.problems]
        raise SecondRelease(problems) from None
    # A release of some spaces is more than one file; the manifest comes last.
    made = sorted(path.parent.iterdir(), key=lambda file: (file == manifest_path(path), file.name))
    return {
        "files": [shelf.put(file) for file in made],
        "rows": manifest["output"]["rows"],
        "sha256": manifest["output"]["sha256"],
        "claims": manifest["claims"],
        "audit": _audited(path) if path.exists() else None,
    }


def _audited(path: Path) -> dict[str, Any]:
    """The second opinion about the file that was just made."""
    verdict = audit(path)
    return {
        "holds": verdict.passed,
        "checks": [{"kind": c.kind, "name": c.name, "holds": c.holds} for c in verdict.checks],
    }


def take_report(shelf: Shelf, run: OpenRun, solution: Solution, reader: str) -> dict[str, Any]:
    """Make the report about one release as a page of HTML, which the reader's browser can print."""
    story = tell(run.frontier, run.data, solution.id)
    if not run.own and story.record.path is not None:
        # The uploaded file, not where it is kept meanwhile.
        story = replace(story, record=replace(story.record, path=Path(story.record.path).name))
    page = report_page(story, reader)
    path = shelf.place() / f"{Path(release_name(run, solution, 'x')).stem}-{reader}.html"
    write_output(Output(path, private=True), page.encode())
    return {"files": [shelf.put(path)]}


def take_schema(shelf: Shelf, schema: Schema) -> dict[str, Any]:
    """A schema, with its hierarchy files."""
    folder = shelf.place()
    write_schema(schema, folder)
    return {"files": [shelf.put(path) for path in sorted(folder.iterdir())]}
