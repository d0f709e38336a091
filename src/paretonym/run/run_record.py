"""How a frontier was made: what `run.json` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paretonym.schema.model import Schema
from paretonym.version import __version__

RUN_FORMAT = "paretonym.run/1"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """How a frontier was made. `path` is where the data was, `fingerprint` what it was, `releases`
    what has been made of it since. Besides those evaluated, a few rows of `in_part` more were counted."""

    path: str | None
    fingerprint: str
    schema: Schema
    options: Mapping[str, Any]
    seconds: float
    evaluated: int
    version: str = __version__
    releases: tuple[Mapping[str, Any], ...] = field(default=())
    in_part: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "format": RUN_FORMAT,
            "audience": "publisher",
            "data": {"path": self.path, "fingerprint": self.fingerprint},
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
