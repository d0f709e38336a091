"""The manifest of a release, read with care, because anyone may have written it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.audits.part_files import is_parquet, part_files
from paretonym.audits.stated_form import DECIMALS, ENCODINGS, SEPARATORS, UNSTATED, StatedForm
from paretonym.audits.stated_recoding import StatedRecoding, meant_recoding, written_form
from paretonym.audits.table_file import meant
from paretonym.errors import Field, InputError, printable

# What an entry may be; it complains by raising `Misshapen`, and adds faults to the list.
Form: TypeAlias = Callable[[Any, str, "list[str]"], None]

# A whole number that every reader of JSON understands alike.
LARGEST = 2**53
DIGEST = re.compile(r"[0-9a-f]{64}")
VERSION = re.compile(r"[0-9]{1,6}(\.[0-9a-z]{1,8}){0,5}([+-][0-9a-z.]{1,20})?")
SHARE = re.compile(r"[01](\.[0-9]{1,30})?")
LONGEST_DOCUMENT = 1 << 26
LONGEST_QUOTE = 60


class Misshapen(Exception):
    """An entry that cannot be read, and why."""


def parse_document(content: bytes) -> tuple[dict[str, Any], list[str]]:
    """The document, and its faults so far: keys that occur twice."""
    if len(content) > LONGEST_DOCUMENT:
        raise Misshapen("it is too long for a manifest")
    faults: list[str] = []

    def entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                faults.append(f"the key {_quoted(key)} occurs twice")
            found[key] = value
        return found

    try:
        text = content.decode("utf-8")
        document = json.loads(text, object_pairs_hook=entries, parse_constant=_no_constant)
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


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def is_text(value: Any, place: str, faults: list[str]) -> None:
    _require(isinstance(value, str), value, place, "a text")


def is_count(value: Any, place: str, faults: list[str]) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST
    _require(whole, value, place, "a whole number of at least 0")


def is_anything(value: Any, place: str, faults: list[str]) -> None:
    """What is judged elsewhere."""


def is_digest(value: Any, place: str, faults: list[str]) -> None:
    is_text(value, place, faults)
    if not DIGEST.fullmatch(value):
        faults.append(f"{place} is not a sha256")


def is_version(value: Any, place: str, faults: list[str]) -> None:
    is_text(value, place, faults)
    if not VERSION.fullmatch(value):
        faults.append(f"{place} is not a version")


def are_texts(value: Any, place: str, faults: list[str]) -> None:
    listed = isinstance(value, list) and all(isinstance(each, str) for each in value)
    _require(listed, value, place, "a list of texts")


def each_value(form: Form) -> Form:
    """An object whose keys are names, with one kind of value."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        _require(isinstance(value, dict), value, place, "an object")
        for key, entry in value.items():
            form(entry, f"{place}.{_quoted(key)}", faults)

    return check


def list_of(form: Form) -> Form:
    """A list with at least one entry, all of one form."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        _require(isinstance(value, list) and bool(value), value, place, "a list of nodes")
        for number, entry in enumerate(value):
            form(entry, f"{place}.{number}", faults)

    return check


def with_keys(needed: Mapping[str, Form], further: Mapping[str, Form] | None = None) -> Form:
    """An object with these keys and no others, save the further ones."""
    known = {**needed, **(further or {})}

    def check(value: Any, place: str, faults: list[str]) -> None:
        _require(isinstance(value, dict), value, place, "an object")
        for key in needed:
            if key not in value:
                raise Misshapen(f"it has no '{f'{place}.{key}'.lstrip('.')}'")
        for key, entry in value.items():
            if key not in known:
                inside = f" of '{place}'" if place else ""
                faults.append(f"the key {_quoted(key)}{inside} has no meaning")
            else:
                known[key](entry, f"{place}.{key}".lstrip("."), faults)

    return check


def _require(right: bool, value: Any, place: str, expected: str) -> None:
    if not right:
        raise Misshapen(f"{_kind(value)} is at '{place}' where {expected} is expected")


def _quoted(key: str) -> str:
    short = key if len(key) <= LONGEST_QUOTE else f"{key[:LONGEST_QUOTE]}…"
    return f"'{printable(short)}'"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number of another kind")


FORMATS = {"paretonym.manifest/1": 1, "paretonym.manifest/2": 2}
SUFFIX = ".manifest.json"
# What rows are that are not people: events of somebody unknown, or rows of persons who may have several.
EVENTS = "events"
PERSONS = "persons"
SUPPRESSED = ("row", "person", "household")

_KEEP = {"keep": each_value(is_text)}
# Classes had to be close to the input's distribution too; how close is not published.
_CLOSENESS = {"further": is_text}
# What stands in each form in which a recoding is written.
RECODINGS: Mapping[str, Form] = {
    "levels": with_keys({"levels": each_value(is_count), **_KEEP}, _CLOSENESS),
    "chain": with_keys({"chain": list_of(each_value(is_count)), **_KEEP}, _CLOSENESS),
    "space": with_keys({"space": is_text, "labels": each_value(are_texts), **_KEEP}, _CLOSENESS),
    "buckets": with_keys({"buckets": is_text, "column": is_text}),
}


def _recoding_form(value: Any, place: str, faults: list[str]) -> None:
    each_value(is_anything)(value, place, faults)
    written = written_form(value)
    if written is None:
        raise Misshapen("it names no levels, no chain, no space and no buckets")
    RECODINGS[written](value, place, faults)


def one_of(known: Sequence[str]) -> Form:
    """One of some texts."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        is_text(value, place, faults)
        _require(value in known, value, place, f"one of {', '.join(map(repr, known))}")

    return check


_CSV_FORM = with_keys(
    {"separator": one_of(SEPARATORS), "encoding": one_of(ENCODINGS), "decimal": one_of(DECIMALS)}
)
_PARTS = {
    "format": is_text,
    "output": with_keys(
        {"sha256": is_digest, "rows": is_count},
        {"files": each_value(is_digest), "content": is_digest, "form": _CSV_FORM},
    ),
    "roles": each_value(is_text),
    "recoding": _recoding_form,
    "claims": each_value(is_anything),
    "statements": each_value(is_anything),
    "version": is_version,
}


def _rows_form(value: Any, place: str, faults: list[str]) -> None:
    is_text(value, place, faults)
    if value not in (EVENTS, PERSONS):
        known = f'"{EVENTS}" or "{PERSONS}"'
        faults.append(f"'{place}' is not {known}; where rows are people it is left out")


def _suppressed_form(value: Any, place: str, faults: list[str]) -> None:
    is_text(value, place, faults)
    if value not in SUPPRESSED:
        faults.append(f"'{place}' is not one of {', '.join(SUPPRESSED)}")


def _is_truth(value: Any, place: str, faults: list[str]) -> None:
    _require(isinstance(value, bool), value, place, "true or false")


def _share_form(value: Any, place: str, faults: list[str]) -> None:
    is_text(value, place, faults)
    if not SHARE.fullmatch(value) or not 0 < Fraction(value) <= 1:
        raise Misshapen(f"'{place}' is not a decimal above 0 and at most 1")


_ESTIMATES = with_keys(
    {"weights": _is_truth, "assumes": are_texts, "values": each_value(is_anything)},
    {"sampling_fraction": _share_form},
)
_BESIDE = {"beside": is_count, "k": is_count}
DOCUMENTS: Mapping[int, Form] = {
    1: with_keys(
        _PARTS,
        {
            "applied": with_keys(_BESIDE, {"holds": is_anything}),
            "settings": each_value(each_value(is_anything)),
        },
    ),
    2: with_keys(
        _PARTS,
        {
            "applied": with_keys(_BESIDE),
            "rows": _rows_form,
            "suppress": with_keys({"unit": _suppressed_form}),
            "estimates": _ESTIMATES,
        },
    ),
}


@dataclass(frozen=True, slots=True)
class StatedEstimates:
    """What a manifest says about the population that its rows were drawn from: whether they have weights, the
    sampling fraction, if there is one, what is assumed, and the numbers."""

    weights: bool
    fraction: Fraction | None
    assumes: tuple[str, ...]
    values: Mapping[str, float]

    @property
    def scaled(self) -> bool:
        """Whether weights are scaled to a sampling fraction: then an estimate depends on suppressed rows
        too."""
        return self.weights and self.fraction is not None


@dataclass(frozen=True, eq=False)
class Manifest:
    """What a release says about itself. Numbers are as written; anything else becomes NaN. `faults` are
    violations of the form."""

    path: Path
    sha256: str
    version: int
    output_sha256: str
    rows: int
    roles: Mapping[str, str]
    recoding: StatedRecoding
    claims: Mapping[str, float]
    statements: Mapping[str, float]
    settings: Mapping[str, Mapping[str, float]]
    files: Mapping[str, str] = field(default_factory=dict)
    # New rows that lie beside an older release, and keep what they promise together with it: k of both.
    applied: Mapping[str, int] | None = None
    faults: tuple[str, ...] = ()
    # Whether one person may be several rows, so that k counts no people.
    events: bool = False
    # Whether a person may have several rows and k counts persons, though the file does not say whose a row
    # is; and what was suppressed with a row: nothing, or the other rows of its person or household.
    persons: bool = False
    suppressed_with: str | None = None
    # The digest of the rows, whatever files they are in; folders have it, except those of older versions.
    content: str | None = None
    # How CSV is written.
    form: StatedForm = UNSTATED
    estimates: StatedEstimates | None = None

    @property
    def keep(self) -> Mapping[str, str]:
        """What a class must have to stay, as far as it is published."""
        return self.recoding.keep

    @property
    def sensitive(self) -> tuple[str, ...]:
        return tuple(name for name, role in self.roles.items() if role == "sensitive")


def manifest_path(release: Path) -> Path:
    """Where the manifest of a file or of a folder lies: beside it."""
    named = release if release.name not in ("", "..") else release.resolve()
    return named.with_name(named.name + SUFFIX)


def read_manifest(release: Path, given: Path | None = None, unchanged_names: bool = False) -> Manifest | None:
    """The manifest beside a file, or another one that is given, if there is one. Names of columns in a
    database are unchanged."""
    path = given or manifest_path(release)
    if not path.exists():
        return None
    if not path.is_file():
        raise _no_manifest(path, "it is not a file")
    try:
        content = path.read_bytes()
    except OSError:
        raise _no_manifest(path, "there is no permission to read it") from None
    try:
        document, faults = parse_document(content)
        named = str if unchanged_names else _naming(release)
        return _manifest(path, content, document, faults, named)
    except Misshapen as reason:
        raise _no_manifest(path, str(reason)) from None


def _no_manifest(path: Path, why: str) -> InputError:
    return InputError.of(
        str(path),
        f"this is not a manifest of the format paretonym.manifest/2: {why}",
        f"get the manifest again from the publisher, or move it away and use {Field('require')}",
    )


def _manifest(
    path: Path, content: bytes, document: dict[str, Any], faults: list[str], named: Callable[[str], str]
) -> Manifest:
    said = document.get("format")
    if not isinstance(said, str) or said not in FORMATS:
        raise Misshapen("it has no 'format'" if said is None else "it has another format")
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
        meant_recoding(document["recoding"], named),
        claims,
        _numbers(document["statements"]),
        {name: _finite(name, values) for name, values in document.get("settings", {}).items()},
        output.get("files", {}),
        None if applied is None else {"beside": applied["beside"], "k": applied["k"]},
        tuple(faults),
        version > 1 and document.get("rows") == EVENTS,
        version > 1 and document.get("rows") == PERSONS,
        document.get("suppress", {}).get("unit"),
        output.get("content"),
        StatedForm.of(output.get("form")),
        _estimates(document.get("estimates")) if version > 1 else None,
    )


def _estimates(entry: Mapping[str, Any] | None) -> StatedEstimates | None:
    if entry is None:
        return None
    said = entry.get("sampling_fraction")
    if said is None and not entry["weights"]:
        raise Misshapen("'estimates' has neither weights nor a sampling fraction")
    fraction = None if said is None else Fraction(said)
    return StatedEstimates(entry["weights"], fraction, tuple(entry["assumes"]), _numbers(entry["values"]))


def _check_k(claims: Mapping[str, float]) -> None:
    """Check k, on which readers of a manifest rely: a whole number of at least one."""
    k = claims.get("k", 1)
    if not (1 <= k < LARGEST and k == int(k)):
        raise Misshapen("'claims.k' is not a whole number of at least 1")


def _naming(release: Path) -> Callable[[str], str]:
    """How a name in the manifest is meant: it stands there as in the file."""
    there = release.is_file() or release.is_dir()
    return str if there and is_parquet(part_files(release)[0]) else meant


def _of_column(name: str, named: Callable[[str], str]) -> str:
    measure, at, column = name.partition("@")
    return f"{measure}{at}{named(column)}"


def _numbers(entries: Mapping[str, Any]) -> dict[str, float]:
    """Every value as a number; "inf" is infinite, and what is no number is not a number."""
    return {name: _number(value) for name, value in entries.items()}


def _finite(name: str, entries: Mapping[str, Any]) -> dict[str, float]:
    values = _numbers(entries)
    if not all(math.isfinite(value) for value in values.values()):
        raise Misshapen(f"'settings.{name}' has a value that is not a finite number")
    return values


def _number(value: Any) -> float:
    if isinstance(value, str):
        return float(value) if value in ("inf", "-inf") else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    # A float that is written with too many digits is infinite, and so are such whole numbers.
    return float(value) if -1e300 < value < 1e300 else math.nan
