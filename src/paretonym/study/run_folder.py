"""The folder of a run: the frontier, how it was made, and the schema. For the publisher alone; never rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from paretonym.base.errors import Bug, Field, InputError
from paretonym.base.files import Kind, Output, digest_of, is_unfinished, new_folder, restore
from paretonym.base.state import KEY_FILE, write_key
from paretonym.engine.frontier import Frontier, Microdata, RunFiles, RunRecord, Solution, StoredFacts
from paretonym.engine.frontier.queries import shortlist
from paretonym.engine.recoding import digest
from paretonym.engine.spaces import SPACES
from paretonym.study.stored_shape import stored_run_fits
from paretonym.tables.data_address import check_local
from paretonym.tables.schema import read_schema, write_schema

# The most tuples that are counted again, so that later questions need no data: about a second.
MOST_COUNTED = 1_000_000


class LoadedRun(NamedTuple):
    """Content of the folder of a run: the frontier, how it was made, and what is known of its releases
    without the data."""

    frontier: Frontier
    record: RunRecord
    stored: StoredFacts | None


def save_run(frontier: Frontier, data: Microdata | None, folder: Path, force: bool = False) -> None:
    """Write the folder of a run, completely or not at all; it never replaces what it was made from."""
    if frontier.record is None:
        raise Bug("a frontier without a record cannot be saved")
    key = None if data is None else _draw_key(frontier, frontier.record, data, folder)
    facts = None if data is None else _facts(frontier, data)
    inputs = (*frontier.record.inputs, *(() if data is None else data.inputs))
    # The state of this very search is replaced by its result.
    force = force or (frontier.record.kept_in == folder.absolute() and is_unfinished(folder))
    with new_folder(Output(folder, Kind.RUN), force, inputs) as draft:
        RunFiles(draft).write_frontier(frontier.as_json())
        write_schema(frontier.record.schema, draft)
        files = {path.name: digest_of(path) for path in sorted(draft.iterdir())}
        stored_facts = {} if facts is None else {"facts": facts}
        RunFiles(draft).write_record({**frontier.record.as_json(), **stored_facts, "files": files})
        if key is not None:
            write_key(draft / KEY_FILE, key)


def _draw_key(frontier: Frontier, record: RunRecord, data: Microdata, folder: Path) -> bytes | None:
    """The key for random draws of a run's releases, if it needs one. A run of the same data that is being
    replaced may have the only copy."""
    from paretonym.release import draw_key

    recodings = [solution.recoding for solution in (*frontier.solutions, *frontier.candidates)]
    return draw_key(data, recodings, folder if _is_of(folder, record.fingerprint) else None)


def _is_of(folder: Path, fingerprint: str) -> bool:
    """True if a folder holds a run of these data."""
    try:
        return bool(RunFiles(folder).record()["data"]["fingerprint"] == fingerprint)
    except (InputError, KeyError, TypeError):
        return False


def _facts(frontier: Frontier, data: Microdata) -> dict[str, Any] | None:
    """Facts that answers state about releases besides their values, stored so that they need no data. If too
    many, those of the shortlist come first; the others read the data when they are needed."""
    listed = [choice.solution for choice in shortlist(frontier)]
    recodings = {digest(s.recoding): s.recoding for s in (*listed, *frontier.solutions)}
    facts = data.facts_to_store(tuple(recodings.values()), MOST_COUNTED)
    return None if facts is None else facts.as_json(_ids(frontier))


def _ids(frontier: Frontier) -> dict[str, str]:
    """The ids of releases, by the digests of their recodings."""
    return {digest(solution.recoding): solution.id for solution in frontier}


def load_run(folder: Path) -> LoadedRun:
    """Read the folder of a run back."""
    check_local(folder, "give the folder that explore wrote")
    restore(folder.absolute())
    if not folder.is_dir():
        raise InputError.of(
            str(folder), "this run does not exist", "create it with 'paretonym explore … -o RUN'"
        )
    if is_unfinished(folder):
        raise InputError.of(
            str(folder),
            "this run has not ended",
            f"explore with {Field('resume', str(folder))} to continue it",
        )
    frontier, record = RunFiles(folder).frontier(), RunFiles(folder).record()
    try:
        if not stored_run_fits(frontier, record):
            raise ValueError("not the content of a run")
        _check_unchanged(folder, record.get("files", {}))
        described = folder / "schema.toml"
        schema = replace(read_schema(described), name=str(described))
        made = RunRecord.from_json(record, schema)
        loaded = Frontier.from_json(frontier, SPACES, made)
        further = tuple(
            Solution.from_json(entry, entry["space"], SPACES[entry["space"]].recoding.from_json)
            for entry in record.get("further", ())
        )
        loaded = replace(loaded, further=further)
        solutions = (*loaded.solutions, *loaded.candidates, *further)
        if not all(s.id and digest(s.recoding).startswith(s.id) for s in solutions):
            raise ValueError("an id that is not computed from its recoding")
        facts = record.get("facts")
        stored = None if facts is None else StoredFacts.from_json(facts, _ids(loaded))
        return LoadedRun(loaded, made, stored)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError.of(
            str(folder), "the files of this run are damaged", "run 'paretonym explore' again"
        ) from None


def _check_unchanged(folder: Path, files: Mapping[str, str]) -> None:
    """Refuse files that are not those that were saved: the frontier would answer another question. Older runs
    have no digests, and a missing file is reported when it is read."""
    for name, stored in files.items():
        path = folder / name
        if path.is_file() and digest_of(path) != stored:
            raise InputError.of(str(path), "it has changed since the run was made", "explore again")
