"""How a frontier was made: the content of `run.json`, and the releases recorded in it since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paretonym.atomic_files import read_regular_file
from paretonym.errors import InputError
from paretonym.measures import Limit, parse_limit
from paretonym.outputs import write_files
from paretonym.schema import Schema
from paretonym.source import TUPLES
from paretonym.version import __version__

RUN_FORMAT = "paretonym.run/1"
RUN_FILE = "run.json"
# The copy, in the folder of a run, of the key for random draws.
KEY_FILE = "key"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """How a frontier was made. `path` is where the data was, `fingerprint` what it was, `releases` what has
    been made of it since. In addition to the nodes evaluated, `in_part` more were evaluated in part: only
    some of their rows were counted."""

    path: str | None
    fingerprint: str
    schema: Schema
    options: Mapping[str, Any]
    seconds: float
    evaluated: int
    version: str = __version__
    releases: tuple[Mapping[str, Any], ...] = field(default=())
    in_part: int = 0

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that the frontier was made from."""
        return (*filter(None, [self.path]), *self.schema.sources)

    @property
    def required(self) -> tuple[Limit, ...]:
        """What was required of every release."""
        return tuple(map(parse_limit, self.options.get("require", ())))

    def as_json(self) -> dict[str, Any]:
        return {
            "format": RUN_FORMAT,
            "audience": "publisher",
            "data": {"path": self.path, "fingerprint": self.fingerprint, **_of_what(self.fingerprint)},
            "options": dict(self.options),
            "version": self.version,
            "seconds": round(self.seconds, 3),
            "evaluated": self.evaluated,
            "evaluated_in_part": self.in_part,
            "releases": [dict(release) for release in self.releases],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], schema: Schema) -> RunRecord:
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
        )


def _of_what(fingerprint: str) -> dict[str, str]:
    """What a fingerprint was made of, where that is not a file's bytes or a dataframe's rows."""
    return {"fingerprint_of": "counted tuples"} if fingerprint.startswith(TUPLES) else {}


def releases_of(run: Path) -> list[dict[str, Any]]:
    """The releases of a run so far."""
    found: list[dict[str, Any]] = read_document(run / RUN_FILE, RUN_FORMAT)["releases"]
    return found


def record_release(run: Path, entry: Mapping[str, Any]) -> None:
    """Record a release in a run's folder; writing the same one again replaces its entry."""
    path = run / RUN_FILE
    record = read_document(path, RUN_FORMAT)
    same = ("recoding", "file", "sha256")
    others = [r for r in record["releases"] if any(r.get(key) != entry[key] for key in same)]
    write_files({path: document_text({**record, "releases": [*others, dict(entry)]}).encode()})


def document_text(entry: Mapping[str, Any]) -> str:
    """A document as it is stored in the folder of a run."""
    return json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_document(path: Path, form: str) -> dict[str, Any]:
    """A document of a run, in this format."""
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
            "use the version of paretonym that wrote it, or explore again",
        )
    return entry
