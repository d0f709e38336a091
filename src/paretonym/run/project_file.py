"""A project in one file (`.paretonym`): schema, hierarchy files and, if there is one, a run, to hand to a
colleague who has the data. Never rows, the place of the data, the query that selected them, the key
or the release log.

The file is a zip archive with a list of its files and their digests. Whatever else an archive may hold (other
files, paths, links, what unpacks to more than a project has) is refused before anything is written.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paretonym.authorship import PROJECT, PROJECT_FILE, PROJECT_FORMAT, PROJECT_INDEX
from paretonym.errors import InputError
from paretonym.outputs import Output, new_folder, write_output
from paretonym.run.population_table import OPTION
from paretonym.run.run_folder import LoadedRun, load_run
from paretonym.schema import Schema, read_schema, write_schema
from paretonym.version import __version__

SUFFIX = ".paretonym"
RUN = "run"
RUN_FILES = ("frontier.json", "run.json")
SCHEMA_FILE = "schema.toml"
# More than any project has: what unpacks to more was made to do harm.
MOST_FILES = 200
MOST_BYTES = 128 << 20
# One plain name; a run's own two files lie in a folder.
PLAIN = re.compile(r"(?!\.)[^/\\:\x00-\x1f]{1,200}")
EARLIEST = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project: those of the schema by name, and the two of the run, if there is one."""

    schema: Mapping[str, bytes]
    run: Mapping[str, bytes] | None

    @classmethod
    def of_schema(cls, schema: Schema) -> Project:
        """A project without a run."""
        with tempfile.TemporaryDirectory(prefix="paretonym-") as folder:
            write_schema(schema, Path(folder))
            return cls(_files(Path(folder)), None)

    @classmethod
    def of_run(cls, folder: Path) -> Project:
        """The project of a run that was saved: its schema, its frontier and how it was made, without the
        place of the data, without the query that selected them, which may hold values, and without what was
        released of it."""
        _, record, _ = load_run(folder)
        made = _without_places(json.loads((folder / "run.json").read_bytes()))
        text = json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        run = {"frontier.json": (folder / "frontier.json").read_bytes(), "run.json": text.encode()}
        names = {SCHEMA_FILE, *(file.name for file in record.schema.attached)}
        return cls({name: (folder / name).read_bytes() for name in sorted(names)}, run)

    @classmethod
    def opened(cls, path: Path) -> Project:
        """The project in a file; anything else is refused."""
        try:
            if path.stat().st_size > MOST_BYTES:
                raise _foreign(path, "it is too large for a project")
            content = path.read_bytes()
        except OSError:
            raise _foreign(path, "it cannot be read") from None
        return cls.read(content, path)

    @classmethod
    def read(cls, content: bytes, path: Path) -> Project:
        """The project in the bytes of a file, which is called `path` in messages. Its schema and its run are
        read as they would be from a folder, so that all their rules hold."""
        files = _unpacked(content, path)
        run = {name.removeprefix(f"{RUN}/"): text for name, text in files.items() if "/" in name}
        schema = {name: text for name, text in files.items() if "/" not in name}
        project = cls(schema, run or None)
        with project.unpacked() as folder:
            try:
                found = read_schema(folder / SCHEMA_FILE)
                if project.run is not None:
                    load_run(folder)
            except InputError as error:
                # The folder is ours, and soon gone.
                raise InputError([replace(problem, place=str(path)) for problem in error.problems]) from None
        if set(schema) != {SCHEMA_FILE, *(file.name for file in found.attached)}:
            raise _foreign(path, "it contains files that its schema does not name")
        if run and (made := json.loads(run["run.json"])) != _without_places(made):
            # Whoever made the file would choose what is opened on this machine, and with which query.
            raise _foreign(path, "its run says where data or releases are")
        return project

    def packed(self) -> bytes:
        """The file of the project: the same bytes for the same content."""
        run = {f"{RUN}/{name}": content for name, content in (self.run or {}).items()}
        files = {**self.schema, **run}
        index = {
            "format": PROJECT_FORMAT,
            "audience": "publisher",
            "version": __version__,
            "files": {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)},
        }
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {PROJECT_INDEX: json.dumps(index, indent=1).encode(), **files}.items():
                archive.writestr(zipfile.ZipInfo(name, EARLIEST), content, zipfile.ZIP_DEFLATED)
        return packed.getvalue()

    def save(self, path: Path, force: bool = False, inputs: Sequence[str | Path] = ()) -> None:
        """Write the file; an existing one is replaced only with `force`, and only if it is a project."""
        if path.suffix != SUFFIX:
            raise InputError.of(
                str(path),
                f"a project is a file whose name ends in {SUFFIX}",
                "rename it",
            )
        write_output(Output(path, PROJECT_FILE, private=True), self.packed(), force, inputs)

    def unpack(self, folder: Path, force: bool = False, inputs: Sequence[str | Path] = ()) -> None:
        """Write the files into a new folder: the schema, and the run in a folder in it."""
        with new_folder(Output(folder, PROJECT), force, inputs) as draft:
            _write(self.schema, draft)
            if self.run is not None:
                (draft / RUN).mkdir(mode=0o700)
                _write({**self.schema, **self.run}, draft / RUN)

    @contextmanager
    def unpacked(self) -> Iterator[Path]:
        """A private folder with the schema, and the run if there is one, for a while."""
        with tempfile.TemporaryDirectory(prefix="paretonym-") as name:
            _write({**self.schema, **(self.run or {})}, Path(name))
            yield Path(name)


def _without_places(made: Mapping[str, Any]) -> dict[str, Any]:
    """How a run was made, without the place of its data, the query that selected them, the place of the
    population and what was released."""
    options = {**made["options"]}
    if "query" in options:
        options["query"] = None
    if isinstance(population := options.get(OPTION), dict):
        options[OPTION] = {**population, "path": None}
    return {**made, "data": {**made["data"], "path": None}, "options": options, "releases": []}


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _unpacked(content: bytes, path: Path) -> dict[str, bytes]:
    """The files of an archive, which are exactly those that its index lists."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            _check_entries(entries, path)
            files = {entry.filename: _content(archive, entry, path) for entry in entries}
        index = json.loads(files.pop(PROJECT_INDEX))
        listed: Any = index["files"]
        known = isinstance(listed, dict) and index["format"] == PROJECT_FORMAT
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError):
        raise _foreign(path, "it is not an archive, or it is damaged") from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise _foreign(path, "its index is missing or damaged") from None
    if not known:
        raise _foreign(path, f"its format is not '{PROJECT_FORMAT}'")
    if {name: hashlib.sha256(text).hexdigest() for name, text in files.items()} != listed:
        raise _foreign(path, "its files are not those that it lists")
    return files


def _check_entries(entries: list[zipfile.ZipInfo], path: Path) -> None:
    """Refuse names that lead elsewhere, links, and sizes that no project has; nothing is unpacked yet."""
    names = [entry.filename for entry in entries]
    in_run = {f"{RUN}/{name}" for name in RUN_FILES}
    strange = [name for name in names if name not in in_run and not PLAIN.fullmatch(name)]
    links = any(stat.S_ISLNK(entry.external_attr >> 16) or entry.is_dir() for entry in entries)
    if strange or links or len({name.lower() for name in names}) < len(names):
        raise _foreign(path, "it contains files under names that no project has")
    if "key" in names or not 0 <= len(in_run & set(names)) != 1 or SCHEMA_FILE not in names:
        raise _foreign(path, "it does not hold what a project has")
    if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise _foreign(path, "it would be too large once unpacked")


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> bytes:
    """At most as many bytes as the entry claims, whatever is packed in it."""
    if entry.flag_bits & 1:
        raise _foreign(path, "it is encrypted")
    with archive.open(entry) as file:
        return file.read(entry.file_size + 1)


def _foreign(path: Path, why: str) -> InputError:
    return InputError.of(str(path), f"this is not a project: {why}", "give a file that paretonym saved")


def load_project(path: Path) -> LoadedRun:
    """The run in a project, as `load_run` reads it from a folder. Where its data are, it does not say."""
    project = Project.opened(path)
    if project.run is None:
        raise InputError.of(str(path), "this project has no run", "unpack it, and explore with its schema")
    with project.unpacked() as folder:
        frontier, record, stored = load_run(folder)
    made = replace(record, schema=replace(record.schema, name=str(path), sources=()))
    return LoadedRun(replace(frontier, record=made), made, stored)
