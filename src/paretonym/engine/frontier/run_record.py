"""Record of how a frontier was made: the content of `run.json`, and the releases recorded in it since."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.files import read_regular_file, write_files
from paretonym.engine.measures import Limit, MeasureName, card_of
from paretonym.tables.data_address import DataAddress, local_file
from paretonym.tables.schema import Schema
from paretonym.tables.source import is_workbook
from paretonym.tables.source.engines import ENGINES
from paretonym.version import __version__

RUN_FORMAT, FRONTIER_FORMAT = "paretonym.run/1", "paretonym.frontier/1"
RUN_FILE, FRONTIER_FILE = "run.json", "frontier.json"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Record of a run. `path` is where the data was, `fingerprint` what it was, `releases` what has
    been made of it since. In addition to the nodes evaluated, `in_part` more were evaluated in part: only
    some of their rows were counted. `counted` is the digest of the cube; earlier versions stored none."""

    path: str | None
    fingerprint: str
    schema: Schema
    options: Mapping[str, Any]
    seconds: float
    evaluated: int
    version: str = __version__
    releases: tuple[Mapping[str, Any], ...] = field(default=())
    in_part: int = 0
    counted: str | None = None
    # Where the state of the search was kept while it ran; not stored.
    kept_in: Path | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that the frontier was made from."""
        file = None if self.path is None else local_file(self.path)
        return (*([] if file is None else [str(file)]), *self.schema.sources)

    def is_of_same_data(self, other: RunRecord) -> bool:
        """True if two runs with one schema were made of the same data, wherever these were counted."""
        same = self.counted is not None and self.counted == other.counted
        return same or self.fingerprint == other.fingerprint

    @property
    def engine(self) -> str:
        """Where the rows were counted; a frame of the caller's, or a database, counts where it is."""
        name = str(self.options.get("engine", "auto"))
        return name if name in ENGINES else "auto"

    def selection_at(self, place: Any) -> dict[str, str | None]:
        """The part of a database or a workbook that was read, where the data are in one."""
        if DataAddress.of(place) is None:
            table = self.options.get("table")
            path = Path(place) if table is not None and isinstance(place, str | os.PathLike) else None
            return {"table": table} if path is not None and path.is_file() and is_workbook(path) else {}
        return {name: self.options.get(name) for name in ("table", "query")}

    @property
    def required(self) -> tuple[Limit, ...]:
        """Limits that were required of every release."""
        return tuple(map(Limit.parsed, self.options.get("require", ())))

    def parameters(self, measure: str) -> tuple[str, ...]:
        """The parameters of a measure that were set, as they are given: `loss.weights=1`."""
        name, card = MeasureName.parsed(measure).measure, card_of(measure)
        chosen = (self.options.get("settings") or {}).get(name, {}).items()
        usual = {} if card is None else card.defaults
        return tuple(f"{name}.{key}={value}" for key, value in chosen if value != usual.get(key))

    def as_json(self) -> dict[str, Any]:
        return {
            "format": RUN_FORMAT,
            "audience": "publisher",
            "data": {
                "path": self.path,
                "fingerprint": self.fingerprint,
                **({} if self.counted is None else {"counted": self.counted}),
            },
            "options": dict(self.options),
            "version": self.version,
            "seconds": round(self.seconds, 3),
            "evaluated": self.evaluated,
            "evaluated_in_part": self.in_part,
            "releases": [dict(release) for release in self.releases],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], schema: Schema) -> RunRecord:
        """The record in a document; a damaged one raises whatever its parts do."""
        if not all(isinstance(values, dict) for values in (entry["options"].get("settings") or {}).values()):
            raise TypeError("parameters of a measure have names")
        return cls(
            entry["data"]["path"],
            entry["data"]["fingerprint"],
            schema,
            entry["options"],
            entry["seconds"],
            entry["evaluated"],
            entry["version"],
            tuple(entry["releases"]),
            entry.get("evaluated_in_part", 0),
            entry["data"].get("counted"),
        )


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The documents in the folder of a run: the frontier, and how it was made."""

    folder: Path

    def frontier(self) -> dict[str, Any]:
        return _read(self.folder / FRONTIER_FILE, FRONTIER_FORMAT)

    def record(self) -> dict[str, Any]:
        return _read(self.folder / RUN_FILE, RUN_FORMAT)

    def write_frontier(self, entry: Mapping[str, Any]) -> None:
        (self.folder / FRONTIER_FILE).write_text(_text(entry), encoding="utf-8")

    def write_record(self, entry: Mapping[str, Any]) -> None:
        (self.folder / RUN_FILE).write_text(_text(entry), encoding="utf-8")

    def releases(self) -> list[dict[str, Any]]:
        """The releases of the run so far."""
        made: list[dict[str, Any]] = self.record()["releases"]
        return made

    def add_release(self, entry: Mapping[str, Any]) -> None:
        """Write down that a release was made; the same one again takes the place of itself, unless that was
        withdrawn."""
        same = ("recoding", "file", "sha256")
        others = [
            r for r in self.releases() if "withdrawn" in r or any(r.get(key) != entry[key] for key in same)
        ]
        self.write_releases([*others, entry])

    def criteria(self, name: str) -> dict[str, Any]:
        """Results measured of a release beside the control group, by criterion."""
        entry: dict[str, Any] = self.record().get("criteria", {}).get(name, {})
        return entry

    def write_criteria(self, name: str, entry: Mapping[str, Any]) -> None:
        """Keep what was measured of a release."""
        record = self.record()
        text = _text({**record, "criteria": {**record.get("criteria", {}), name: dict(entry)}})
        write_files({self.folder / RUN_FILE: text.encode()})

    def keep(self, entry: Mapping[str, Any]) -> None:
        """Keep a release that was found in answer to a purpose, so that it can be picked."""
        record = self.record()
        text = _text({**record, "further": [*record.get("further", ()), dict(entry)]})
        write_files({self.folder / RUN_FILE: text.encode()})

    def write_releases(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Replace what was written down about releases."""
        text = _text({**self.record(), "releases": [dict(entry) for entry in entries]})
        write_files({self.folder / RUN_FILE: text.encode()})


def _text(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _read(path: Path, form: str) -> dict[str, Any]:
    """A document of a run, in this format."""
    try:
        entry = json.loads(read_regular_file(path).decode("utf-8"))
    except FileNotFoundError:
        if not any((path.parent / name).exists() for name in (FRONTIER_FILE, RUN_FILE)):
            wrong = f"this folder is not a run: it has no {path.name}"
            raise InputError.of(str(path.parent), wrong, "give a folder that explore wrote") from None
        raise InputError.of(
            str(path), "this file of the run is missing", "run 'paretonym explore' again"
        ) from None
    except (OSError, ValueError, RecursionError):
        raise InputError.of(str(path), "this file cannot be read", "run 'paretonym explore' again") from None
    if not isinstance(entry, dict) or entry.get("format") != form:
        raise InputError.of(
            str(path),
            f"the format is not '{form}'",
            "use the version of paretonym that wrote it, or explore again",
        )
    return entry
