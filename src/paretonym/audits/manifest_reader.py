"""The manifest beside a release: what it claims, read with care since anyone may have written it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paretonym.audits import manifest_form as form
from paretonym.audits.manifest_form import Form, Misshapen
from paretonym.audits.spreadsheet_cells import meant
from paretonym.audits.table_file import is_parquet
from paretonym.errors import Field, InputError

FORMATS = {"paretonym.manifest/1": 1, "paretonym.manifest/2": 2}
SUFFIX = ".manifest.json"
# What rows are that are not people.
EVENTS = "events"

_KEEP = {"keep": form.each(form.text)}
# Classes had to be close to the input's distribution too; how close is not published.
_CLOSENESS = {"further": form.text}
# Each space's recoding, by the key that only it has.
RECODINGS: Mapping[str, Form] = {
    "levels": form.keys({"levels": form.each(form.count), **_KEEP}, _CLOSENESS),
    "space": form.keys({"space": form.text, "labels": form.each(form.texts), **_KEEP}, _CLOSENESS),
    "buckets": form.keys({"buckets": form.text, "column": form.text}),
}
MEANT: Mapping[str, tuple[str, ...]] = {
    "levels": ("levels", "keep", "further"),
    "space": ("space", "labels", "keep", "further"),
    "buckets": ("buckets", "column"),
}


def _recoding_form(value: Any, place: str, faults: list[str]) -> None:
    form.each(form.anything)(value, place, faults)
    kinds = [key for key in RECODINGS if key in value]
    if not kinds:
        raise Misshapen("it names no levels, no space and no buckets")
    RECODINGS[kinds[0]](value, place, faults)


_PARTS = {
    "format": form.text,
    "output": form.keys({"sha256": form.digest, "rows": form.count}, {"files": form.each(form.digest)}),
    "roles": form.each(form.text),
    "recoding": _recoding_form,
    "claims": form.each(form.anything),
    "statements": form.each(form.anything),
    "version": form.version,
}


def _rows_form(value: Any, place: str, faults: list[str]) -> None:
    form.text(value, place, faults)
    if value != EVENTS:
        faults.append(f"'{place}' is not \"{EVENTS}\"; where rows are people it is left out")


_BESIDE = {"beside": form.count, "k": form.count}
DOCUMENTS: Mapping[int, Form] = {
    1: form.keys(
        _PARTS,
        {
            "applied": form.keys(_BESIDE, {"holds": form.anything}),
            "settings": form.each(form.each(form.anything)),
        },
    ),
    2: form.keys(_PARTS, {"applied": form.keys(_BESIDE), "rows": _rows_form}),
}


@dataclass(frozen=True, eq=False)
class Manifest:
    """What a release says of itself. Numbers are as written, and what is no number is not a number. `faults`
    are what its form has that a manifest must not have."""

    path: Path
    sha256: str
    version: int
    output_sha256: str
    rows: int
    roles: Mapping[str, str]
    recoding: Mapping[str, Any]
    claims: Mapping[str, float]
    statements: Mapping[str, float]
    settings: Mapping[str, Mapping[str, float]]
    files: Mapping[str, str] = field(default_factory=dict)
    # New rows that lie beside an older release, and keep what they promise together with it: k of both.
    applied: Mapping[str, int] | None = None
    faults: tuple[str, ...] = ()
    # Whether one person may be several rows, so that k counts no people.
    events: bool = False

    @property
    def keep(self) -> Mapping[str, str]:
        """What a class must have to stay, as far as it is published."""
        found: Mapping[str, str] = self.recoding.get("keep", {})
        return found

    @property
    def sensitive(self) -> tuple[str, ...]:
        return tuple(name for name, role in self.roles.items() if role == "sensitive")


def manifest_path(release: Path) -> Path:
    return release.with_name(release.name + SUFFIX)


def read_manifest(release: Path) -> Manifest | None:
    """The manifest beside a file, if there is one."""
    path = manifest_path(release)
    if not path.exists():
        return None
    if not path.is_file():
        raise _no_manifest(path, "it is not a file")
    try:
        content = path.read_bytes()
    except OSError:
        raise _no_manifest(path, "it may not be read") from None
    try:
        document, faults = form.parse(content)
        return _manifest(path, content, document, faults, _naming(release))
    except Misshapen as reason:
        raise _no_manifest(path, str(reason)) from None


def _no_manifest(path: Path, why: str) -> InputError:
    return InputError.of(
        str(path),
        f"this is no manifest of the form paretonym.manifest/2: {why}",
        f"get the manifest again from whoever made the release, or move it away and use {Field('require')}",
    )


def _manifest(
    path: Path, content: bytes, document: dict[str, Any], faults: list[str], named: Callable[[str], str]
) -> Manifest:
    said = document.get("format")
    if not isinstance(said, str) or said not in FORMATS:
        raise Misshapen("it has no 'format'" if said is None else "its format is another one")
    version = FORMATS[said]
    DOCUMENTS[version](document, "", faults)
    output, applied = document["output"], document.get("applied")
    claims = _numbers({_of_column(name, named): value for name, value in document["claims"].items()})
    _check_k(claims)
    return Manifest(
        path,
        hashlib.sha256(content).hexdigest(),
        version,
        output["sha256"],
        output["rows"],
        {named(name): role for name, role in document["roles"].items()},
        _recoding(document["recoding"], named),
        claims,
        _numbers(document["statements"]),
        {name: _finite(name, values) for name, values in document.get("settings", {}).items()},
        output.get("files", {}),
        None if applied is None else {"beside": applied["beside"], "k": applied["k"]},
        tuple(faults),
        version > 1 and document.get("rows") == EVENTS,
    )


def _check_k(claims: Mapping[str, float]) -> None:
    """Whoever reads a manifest relies on it: rows in a class are at least one, and a whole number."""
    k = claims.get("k", 1)
    if not (1 <= k < form.LARGEST and k == int(k)):
        raise Misshapen("'claims.k' is not a whole number from 1 on")


def _naming(release: Path) -> Callable[[str], str]:
    """How a name in the manifest is meant: it stands there as in the file."""
    return str if release.is_file() and is_parquet(release) else meant


def _recoding(entry: Mapping[str, Any], named: Callable[[str], str]) -> dict[str, Any]:
    """The keys that have a meaning, the names of columns as they are meant. Labels are those of the cells
    before they were made harmless: they stand in the manifest as they are."""
    kind = next(key for key in RECODINGS if key in entry)
    own = {key: value for key, value in entry.items() if key in MEANT[kind]}
    for part in ("levels", "labels"):
        if part in own:
            own[part] = {named(name): value for name, value in own[part].items()}
    return own


def _of_column(name: str, named: Callable[[str], str]) -> str:
    measure, at, column = name.partition("@")
    return f"{measure}{at}{named(column)}"


def _numbers(entries: Mapping[str, Any]) -> dict[str, float]:
    """Every value as a number; "inf" is infinite, and what is no number is not a number."""
    return {name: _number(value) for name, value in entries.items()}


def _finite(name: str, entries: Mapping[str, Any]) -> dict[str, float]:
    values = _numbers(entries)
    if not all(math.isfinite(value) for value in values.values()):
        raise Misshapen(f"'settings.{name}' has a value that is no finite number")
    return values


def _number(value: Any) -> float:
    if isinstance(value, str):
        return float(value) if value in ("inf", "-inf") else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    # A float that is written with too many digits is infinite, and so are such whole numbers.
    return float(value) if -1e300 < value < 1e300 else math.nan
