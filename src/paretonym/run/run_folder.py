"""The folder of a run: the frontier, how it was made, and the schema. For the publisher alone; never rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.atomic_files import read_regular_file, restore
from paretonym.authorship import RUN, digest_of
from paretonym.errors import Bug, InputError
from paretonym.frontier.pareto_frontier import FORMAT, Frontier
from paretonym.outputs import Output, new_folder, write_files
from paretonym.run.run_record import RUN_FORMAT, RunRecord
from paretonym.run.stored_shape import is_named_by_its_recoding, stored_run_fits
from paretonym.schema.schema_parser import read_schema
from paretonym.schema.schema_writer import write_schema
from paretonym.spaces.registry import SPACES
from paretonym.state import write_key

# The copy of the key that what hides is drawn with.
KEY_FILE = "key"


def save_run(frontier: Frontier, folder: Path, force: bool = False) -> None:
    """Write the folder of a run, whole or not at all; never in the place of what it was made from."""
    if frontier.record is None:
        raise Bug("a frontier without a record cannot be saved")
    key = _draw_key(frontier, folder)
    with new_folder(Output(folder, RUN), force, inputs_of(frontier.record)) as draft:
        _write(draft / "frontier.json", frontier.as_json())
        write_schema(frontier.record.schema, draft)
        files = {path.name: digest_of(path) for path in sorted(draft.iterdir())}
        _write(draft / "run.json", {**frontier.record.as_json(), "files": files})
        if key is not None:
            write_key(draft / KEY_FILE, key)


def _draw_key(frontier: Frontier, folder: Path) -> bytes | None:
    """What the releases of a run are drawn with, if they are. A run of the same data that is replaced may
    have the only copy of the key."""
    solutions = (*frontier.solutions, *frontier.candidates)
    origin = next((solution.origin for solution in solutions), None)
    if origin is None or frontier.record is None:
        return None
    same = _is_of(folder, frontier.record.fingerprint)
    return origin.draw_key([solution.recoding for solution in solutions], folder if same else None)


def _is_of(folder: Path, fingerprint: str) -> bool:
    """Whether a folder holds a run of these data."""
    try:
        return bool(_read(folder / "run.json", RUN_FORMAT)["data"]["fingerprint"] == fingerprint)
    except (InputError, KeyError, TypeError):
        return False


def inputs_of(record: RunRecord) -> tuple[str, ...]:
    """The files that a frontier was made from."""
    return (*filter(None, [record.path]), *record.schema.sources)


def load_run(folder: Path) -> Frontier:
    """Read the folder of a run back."""
    restore(folder.absolute())
    if not folder.is_dir():
        raise InputError.of(str(folder), "there is no such run", "make one with 'paretonym explore … -o RUN'")
    frontier = _read(folder / "frontier.json", FORMAT)
    record = _read(folder / "run.json", RUN_FORMAT)
    try:
        if not stored_run_fits(frontier, record):
            raise ValueError("not what a run holds")
        _check_unchanged(folder, record.get("files", {}))
        described = folder / "schema.toml"
        schema = replace(read_schema(described), name=str(described))
        space = SPACES[frontier["space"]["kind"]]
        loaded = Frontier.from_json(frontier, space, RunRecord.from_json(record, schema))
        if not all(map(is_named_by_its_recoding, (*loaded.solutions, *loaded.candidates))):
            raise ValueError("a recoding that is not the one that was found")
        return loaded
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError.of(
            str(folder), "the files of this run are damaged", "run 'paretonym explore' again"
        ) from None


def _check_unchanged(folder: Path, files: Mapping[str, str]) -> None:
    """Refuse files that are not those that were saved: the frontier would answer another question. Runs of
    before have no digests, and a file that is missing is told where it is read."""
    for name, digest in files.items():
        path = folder / name
        if path.is_file() and digest_of(path) != digest:
            raise InputError.of(str(path), "it was changed since the run was made", "explore again")


def releases_of(folder: Path) -> list[dict[str, Any]]:
    """What has been released of a run so far."""
    found: list[dict[str, Any]] = _read(folder / "run.json", RUN_FORMAT)["releases"]
    return found


def record_release(folder: Path, entry: Mapping[str, Any]) -> None:
    """Write down in a run's folder that a release was made; the same one again takes the place of itself."""
    path = folder / "run.json"
    record = _read(path, RUN_FORMAT)
    same = ("recoding", "file", "sha256")
    others = [r for r in record["releases"] if any(r.get(key) != entry[key] for key in same)]
    write_files({path: _text({**record, "releases": [*others, dict(entry)]}).encode()})


def _text(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _write(path: Path, entry: Mapping[str, Any]) -> None:
    path.write_text(_text(entry), encoding="utf-8")


def _read(path: Path, form: str) -> dict[str, Any]:
    try:
        entry = json.loads(read_regular_file(path).decode("utf-8"))
    except FileNotFoundError:
        raise InputError.of(
            str(path), "this file of the run is missing", "run 'paretonym explore' again"
        ) from None
    except (OSError, ValueError, RecursionError):
        raise InputError.of(str(path), "this file cannot be read", "run 'paretonym explore' again") from None
    if not isinstance(entry, dict) or entry.get("format") != form:
        raise InputError.of(
            str(path),
            f"the format is not '{form}'",
            "use the version of paretonym that made it, or explore again",
        )
    return entry
