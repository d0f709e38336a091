"""The manifest beside a release: what it claims, read with care since anyone may have written it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paretonym.errors import InputError, shown
from paretonym.release.audit.escaping import meant
from paretonym.release.audit.tablefile import is_parquet, sha256

FORMAT = "paretonym.manifest/1"
SUFFIX = ".manifest.json"
PARTS = {"output": dict, "roles": dict, "recoding": dict, "claims": dict, "statements": dict}


@dataclass(frozen=True, eq=False)
class Manifest:
    """What a release says of itself. Numbers are as written; `recoding` is not looked into here."""

    path: Path
    sha256: str
    output_sha256: str
    rows: int
    roles: Mapping[str, str]
    recoding: Mapping[str, Any]
    claims: Mapping[str, float]
    statements: Mapping[str, float]
    settings: Mapping[str, Mapping[str, float]]
    files: Mapping[str, str] = field(default_factory=dict)
    # New rows that lie beside an older release, and keep what they promise together with it.
    applied: bool = False


def manifest_path(release: Path) -> Path:
    return release.with_name(release.name + SUFFIX)


def read_manifest(release: Path) -> Manifest | None:
    """The manifest beside a file, if there is one."""
    path = manifest_path(release)
    if not path.exists():
        return None
    try:
        return _manifest(path, json.loads(path.read_text(encoding="utf-8")), _naming(release))
    except KeyError as missing:
        raise _no_manifest(path, f": it has no {shown([str(missing.args[0])])}") from None
    except (OSError, ValueError, TypeError, AttributeError):
        raise _no_manifest(path) from None


def _no_manifest(path: Path, why: str = "") -> InputError:
    return InputError.of(
        str(path),
        f"this is no manifest of the form {FORMAT}{why}",
        "get the manifest again from whoever made the release, or move it away and use --require",
    )


def required_manifest(release: Path) -> Manifest:
    """The manifest beside a file; its absence is a mistake."""
    manifest = read_manifest(release)
    if manifest is None:
        raise InputError.of(
            str(release),
            f"there is no {manifest_path(release).name} beside it",
            "an attack needs to know how the release was recoded: put its manifest there",
        )
    return manifest


def _manifest(path: Path, document: Mapping[str, Any], named: Callable[[str], str]) -> Manifest:
    if document["format"] != FORMAT:
        raise ValueError(document["format"])
    if not all(isinstance(document[part], kind) for part, kind in PARTS.items()):
        raise TypeError(FORMAT)
    return Manifest(
        path,
        sha256(path),
        str(document["output"]["sha256"]),
        int(document["output"]["rows"]),
        {named(str(name)): str(role) for name, role in document["roles"].items()},
        _recoding(document["recoding"], named),
        _numbers({_of_column(name, named): value for name, value in document["claims"].items()}),
        _numbers(document["statements"]),
        {name: _finite(values) for name, values in (document.get("settings") or {}).items()},
        {str(name): str(digest) for name, digest in (document["output"].get("files") or {}).items()},
        "applied" in document,
    )


def _naming(release: Path) -> Callable[[str], str]:
    """How a name in the manifest is meant: it stands there as in the file."""
    return str if release.is_file() and is_parquet(release) else meant


def _recoding(entry: Mapping[str, Any], named: Callable[[str], str]) -> dict[str, Any]:
    levels = entry.get("levels")
    if not isinstance(levels, dict):
        return dict(entry)
    return {**entry, "levels": {named(name): level for name, level in levels.items()}}


def _of_column(name: str, named: Callable[[str], str]) -> str:
    measure, at, column = name.partition("@")
    return f"{measure}{at}{named(column)}"


def _numbers(entries: Mapping[str, Any]) -> dict[str, float]:
    """Every value as a number; "inf" is infinite, and what is no number is not a number."""
    return {name: _number(value) for name, value in entries.items()}


def _finite(entries: Mapping[str, Any]) -> dict[str, float]:
    values = {name: float(value) for name, value in entries.items()}
    if not all(math.isfinite(value) for value in values.values()):
        raise ValueError(FORMAT)
    return values


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    return float(value) if not isinstance(value, str) or value in ("inf", "-inf") else math.nan
