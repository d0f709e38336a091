"""The manifest in a file, read with care, because anyone may have written it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from paretonym.audit.manifest import EVENTS, PERSONS, Applied, Manifest, Recoding
from paretonym.audit.released_table import (
    UNSTATED,
    CsvForm,
    bucket_files,
    is_escaped,
    released_files,
    unescaped,
)
from paretonym.base.errors import Field, InputError, printable
from paretonym.tables.data_address import DataAddress
from paretonym.tables.data_kinds import Data

FORMAT, SUFFIX = "paretonym.manifest/2", ".manifest.json"
# A whole number that every reader of JSON understands alike.
LARGEST = 2**53
LONGEST_DOCUMENT = 1 << 26
LONGEST_QUOTE = 60


class Misshapen(Exception):
    """An entry that cannot be read, and why."""


class Leaf(NamedTuple):
    """An entry that passes a test."""

    test: Callable[[Any], bool]
    expected: str


class Named(NamedTuple):
    """An object whose keys are names, with one form of value."""

    form: Any


def _matching(pattern: str, expected: str) -> Leaf:
    return Leaf(lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None, expected)


def _one_of(*choices: str) -> Leaf:
    return Leaf(lambda value: value in choices, f"one of {', '.join(map(repr, choices))}")


TEXT = Leaf(lambda value: isinstance(value, str), "a text")
TEXTS = Leaf(
    lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value), "a list of texts"
)
COUNT = Leaf(
    lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST,
    "a whole number of at least 0",
)
# What is no number is not a number, and no claim holds for it.
ANYTHING = Leaf(lambda value: True, "anything")
DIGEST = _matching("[0-9a-f]{64}", "a sha256")
KEEP = {"keep": Named(TEXT), "further?": TEXT}
# The forms of a recoding, by the key that tells them apart; a question mark is behind what may be left out.
RECODINGS: Mapping[str, Any] = {
    "levels": {"levels": Named(COUNT), **KEEP},
    "space": {"space": TEXT, "labels": Named(TEXTS), **KEEP},
    "buckets": {"buckets": TEXT, "column": TEXT},
}
DOCUMENT: Mapping[str, Any] = {
    "format": TEXT,
    "output": {
        "sha256": DIGEST,
        "rows": COUNT,
        "files?": Named(DIGEST),
        "form?": {
            "separator": _one_of(",", ";", "\t", "|"),
            "encoding": _one_of("utf-8", "utf-8-sig", "cp1252"),
            "decimal": _one_of(".", ","),
        },
    },
    "roles": Named(TEXT),
    "recoding": Named(ANYTHING),
    "claims": Named(ANYTHING),
    "statements": Named(ANYTHING),
    "domain?": _one_of("gl and loss count the values of the rows that stay"),
    "version": _matching(r"[0-9]{1,6}(\.[0-9a-z]{1,8}){0,5}([+-][0-9a-z.]{1,20})?", "a version"),
    "applied?": {"beside": COUNT, "k": COUNT},
    # Left out where rows are people.
    "rows?": _one_of(EVENTS, PERSONS),
    "suppress?": {"unit": _one_of("row", "person", "household")},
}


def _check_form(value: Any, form: Any, place: str, faults: list[str]) -> None:
    """Compare a value with its form; raises `Misshapen`, or adds keys without a meaning to the faults."""
    if isinstance(form, Leaf):
        if not form.test(value):
            raise Misshapen(f"{_kind(value)} is at '{place}' where {form.expected} is expected")
        return
    if not isinstance(value, dict):
        raise Misshapen(f"{_kind(value)} is at '{place}' where an object is expected")
    if isinstance(form, Named):
        for key, entry in value.items():
            _check_form(entry, form.form, f"{place}.{_quoted(key)}", faults)
        return
    forms = {key.removesuffix("?"): entry for key, entry in form.items()}
    for key in form:
        if not key.endswith("?") and key not in value:
            raise Misshapen(f"it has no '{f'{place}.{key}'.lstrip('.')}'")
    for key, entry in value.items():
        if key in forms:
            _check_form(entry, forms[key], f"{place}.{key}".lstrip("."), faults)
        else:
            faults.append(f"the key {_quoted(key)}{f' of {place!r}' if place else ''} has no meaning")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number of another kind")


def _quoted(key: str) -> str:
    return f"'{printable(key if len(key) <= LONGEST_QUOTE else f'{key[:LONGEST_QUOTE]}…')}'"


def manifest_of(data: Data, named: str | os.PathLike[str] | None = None) -> Manifest | None:
    """The manifest that is named, or the one beside a file; None if there is none."""
    if named is not None and not Path(named).is_file():
        raise InputError.of(Field("manifest", str(named)), "this file does not exist", "check the path")
    if not isinstance(data, str | os.PathLike) or DataAddress.of(data) is not None:
        return None if named is None else read_manifest(Path(named), str)
    path = Path(data)
    files = released_files(data) or tuple(file for file in bucket_files(path) if file.is_file())
    return read_manifest(
        _path_beside(path) if named is None else Path(named), unescaped if is_escaped(files) else str
    )


def _path_beside(release: Path) -> Path:
    """The place of the manifest of a file or of a folder."""
    place = release if release.name not in ("", "..") else release.resolve()
    return place.with_name(place.name + SUFFIX)


def read_manifest(path: Path, meant: Callable[[str], str]) -> Manifest | None:
    """The manifest in a file, None if there is none. `meant` gives the name of a column as it is meant:
    in a manifest it stands as in the file."""
    if not path.exists():
        return None
    try:
        if not path.is_file():
            raise Misshapen("it is not a file")
        try:
            content = path.read_bytes()
        except OSError:
            raise Misshapen("there is no permission to read it") from None
        document, faults = _parsed(content)
        if document.get("format") != FORMAT:
            raise Misshapen("it has another format" if "format" in document else "it has no 'format'")
        _check_form(document, DOCUMENT, "", faults)
        forms = [RECODINGS[key] for key in RECODINGS if key in document["recoding"]]
        if not forms:
            raise Misshapen("it names no levels, no space and no buckets")
        _check_form(document["recoding"], forms[0], "recoding", faults)
        return _manifest(hashlib.sha256(content).hexdigest(), document, faults, meant)
    except Misshapen as reason:
        remedy = f"get the manifest again from the publisher, or move it away and use {Field('require')}"
        wrong = f"this is not a manifest of the format {FORMAT}: {reason}"
        raise InputError.of(str(path), wrong, remedy) from None


def _parsed(content: bytes) -> tuple[dict[str, Any], list[str]]:
    """The document, and its faults so far: keys that occur twice."""
    if len(content) > LONGEST_DOCUMENT:
        raise Misshapen("it is too long for a manifest")
    faults: list[str] = []

    def entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entry = dict(pairs)
        if len(entry) < len(pairs):
            names = [key for key, _ in pairs]
            faults.extend(f"the key {_quoted(key)} occurs twice" for key in entry if names.count(key) > 1)
        return entry

    def constant(name: str) -> Any:
        raise ValueError(name)

    try:
        document = json.loads(content.decode("utf-8"), object_pairs_hook=entries, parse_constant=constant)
        # Half a character is in no text; a message that quotes it could not be written.
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise Misshapen("it is not UTF-8") from None
    except UnicodeEncodeError:
        raise Misshapen("a text contains half a character") from None
    except (ValueError, RecursionError):
        raise Misshapen("it is not JSON") from None
    if not isinstance(document, dict):
        raise Misshapen(f"{_kind(document)} is where an object is expected")
    return document, faults


def _manifest(
    digest: str, document: Mapping[str, Any], faults: list[str], meant: Callable[[str], str]
) -> Manifest:
    """The value of a document whose form was checked: names of columns as they are meant."""

    def by_name(entries: Mapping[str, Any]) -> dict[str, Any]:
        return {meant(name): entry for name, entry in entries.items()}

    def claim(name: str) -> str:
        measure, at, column = name.partition("@")
        return f"{measure}{at}{meant(column)}"

    output, entry = document["output"], document["recoding"]
    claims = {claim(name): _number(value) for name, value in document["claims"].items()}
    k = claims.get("k", 1)
    if not (1 <= k < LARGEST and k == int(k)):
        raise Misshapen("'claims.k' is not a whole number of at least 1")
    conditions = {"keep": entry.get("keep", {}), "further": entry.get("further")}
    if "levels" in entry:
        recoding = Recoding(by_name(entry["levels"]), **conditions)
    elif "space" in entry:
        recoding = Recoding(space=entry["space"], labels=by_name(entry["labels"]), **conditions)
    else:
        recoding = Recoding(way=entry["buckets"], bucket=meant(entry["column"]))
    return Manifest(
        sha256=digest,
        output_sha256=output["sha256"],
        rows=output["rows"],
        roles=by_name(document["roles"]),
        recoding=recoding,
        claims=claims,
        statements={name: _number(value) for name, value in document["statements"].items()},
        files=output.get("files", {}),
        form=CsvForm(**output["form"]) if "form" in output else UNSTATED,
        applied=Applied(**document["applied"]) if "applied" in document else None,
        counts=document.get("rows"),
        unit=document.get("suppress", {}).get("unit"),
        version=document["version"],
        faults=tuple(faults),
    )


def _number(value: Any) -> float:
    """A value as a number; "inf" is infinite, and what is no number is not a number."""
    if isinstance(value, str):
        return float(value) if value in ("inf", "-inf") else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    # A number that is written with too many digits is infinite for some readers.
    return float(value) if -1e300 < value < 1e300 else math.nan
