"""The manifest of a release as one frozen value, read with care, because anyone may have written it; and
whether it says what it must, and nothing else: an empty manifest would hold for any file, and one that says
more can disclose what the release does not show."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from paretonym.audit.checks import Check, passes
from paretonym.audit.released_table import (
    UNSTATED,
    CsvForm,
    bucket_files,
    is_escaped,
    released_files,
    unescaped,
)
from paretonym.audit.sql_formulas import names_of
from paretonym.data_address import DataAddress
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError, printable, shown

FORMAT, SUFFIX = "paretonym.manifest/2", ".manifest.json"
# A whole number that every reader of JSON understands alike.
LARGEST = 2**53
LONGEST_DOCUMENT = 1 << 26
LONGEST_QUOTE = 60
EVENTS, PERSONS = "events", "persons"
# The spaces that list labels: groups of a column's values, regions, or classes of their own for some tuples.
GROUPS, REGIONS, LOCAL, MEANS = "cuts", "mondrian", "local", "microaggregation"
ANATOMY, CLOSENESS = "anatomy", "closeness"
# Statements that the original or the population proves, not the file.
PERSONS_STATED, HOUSEHOLDS_STATED = "k-persons", "k-household"
POPULATION_STATED = ("k-map", "presence-max", "presence-min")
STATEMENTS = LOSS, GENERALIZATION, SUPPRESSION = names_of(lambda line: line.stated)
STATED_DECIMALS, UNIT = 3, 0.001
RELEASED = ("quasi", "sensitive", "class", "other", "weight")


class Misshapen(Exception):
    """An entry that cannot be read, and why."""


@dataclass(frozen=True)
class Recoding:
    """How a release says that it was recoded: by one of the `levels` of each column, by a `space` that lists
    `labels`, or by buckets made in a `way` whose numbers stand in the column `bucket`. `keep` is what a class
    must have to stay, `further` that there was another condition."""

    levels: Mapping[str, int] | None = None
    space: str = ""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    way: str = ""
    bucket: str | None = None
    keep: Mapping[str, str] = field(default_factory=dict)
    further: str | None = None

    @property
    def smallest_class(self) -> int | None:
        """The k that a class must have to stay, if it is the only condition; 1 if every class meets all."""
        bounds = [bound for text in self.keep.values() for bound in text[2:].split(",")]
        if self.further is None and self.keep and all(bound in ("0", "1") for bound in bounds):
            return 1
        bound = self.keep.get("k", "")
        alone = list(self.keep) == ["k"] and self.further is None
        return int(bound[2:]) if alone and re.fullmatch(r">=[0-9]{1,15}", bound) else None

    def faults(self, quasi: Sequence[str]) -> Iterator[str]:
        """Whatever no recoding of these quasi-identifiers says."""
        if self.levels is not None:
            yield from (f"it names no level of '{name}'" for name in quasi if name not in self.levels)
            if further := [name for name in self.levels if name not in quasi]:
                yield f"it names levels of columns that are not quasi-identifiers: {shown(further)}"
        if self.space and self.space not in (GROUPS, REGIONS, LOCAL, MEANS):
            yield f"{shown([self.space])} is not a known space"
        if self.bucket is not None and self.way not in (REGIONS, ANATOMY):
            yield f"{shown([self.way])} is not a known bucketization method"
        if self.further not in (None, CLOSENESS):
            yield "'further' of the recoding cannot be read"
        for name, condition in self.keep.items():
            yield from _condition_faults(name, condition)
        if self.space in (REGIONS, MEANS) and (self.keep or self.further is not None):
            yield "it states a requirement for classes to stay, but all parts stay: they were made to meet it"


def _condition_faults(name: str, condition: str) -> Iterator[str]:
    measures = [part.partition("@")[0] for part in name.split(",")]
    bounds = condition[2:].split(",")
    if not set(measures) <= set(names_of(lambda line: bool(line.of_class))):
        yield f"'keep' names {shown([name])}, which the file alone does not show"
    elif (
        condition[:2] not in (">=", "<=")
        or len(bounds) != len(measures)
        or not all(re.fullmatch(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?", bound) for bound in bounds)
    ):
        yield f"the condition of {shown([name])} in 'keep' cannot be read"


@dataclass(frozen=True)
class Applied:
    """New rows beside an older release of so many rows, and k of both together."""

    beside: int
    k: int


@dataclass(frozen=True)
class Manifest:
    """Everything that a release says about itself. Numbers are as written; anything else is NaN. `faults` are
    keys that have no meaning or occur twice. `unit` is what was suppressed as a whole, if stated."""

    sha256: str
    output_sha256: str
    rows: int
    roles: Mapping[str, str]
    recoding: Recoding
    claims: Mapping[str, float]
    statements: Mapping[str, float]
    files: Mapping[str, str] = field(default_factory=dict)
    form: CsvForm = UNSTATED
    applied: Applied | None = None
    counts: str | None = None
    unit: str | None = None
    faults: tuple[str, ...] = ()

    @property
    def events(self) -> bool:
        """Whether one person may be several rows, so that k counts no people."""
        return self.counts == EVENTS

    @property
    def persons(self) -> bool:
        """Whether a person may have several rows, though the file does not say whose a row is."""
        return self.counts == PERSONS

    def with_role(self, role: str) -> list[str]:
        return [name for name in self.roles if self.roles[name] == role]

    @property
    def block_size(self) -> int:
        """Suppressed rows are published in blocks of this size: k, of added rows k of both releases."""
        return max(int(self.claims.get("k", 1)) if self.applied is None else self.applied.k, 1)

    def published_gone(self, original_rows: int, most_rows: int) -> int:
        """The number of suppressed rows as it is published; none if the release has more rows than the
        original. If of one person up to `most_rows` stay, so many of fewer people than a class has must look
        like none."""
        block, persons = self.block_size, self.statements.get(PERSONS_STATED, 1.0)
        if self.persons and 1 <= persons < 1e9:
            block *= math.ceil(persons * most_rows / block)
        return max(original_rows - self.rows, 0) // block * block


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


def check_manifest(manifest: Manifest) -> Iterator[Check]:
    """The form of a manifest, a failure for each claim that it lacks, and its statements."""
    faults = [
        *manifest.faults,
        *manifest.recoding.faults(manifest.with_role("quasi")),
        *_claims_of_people(manifest),
        *_beside_buckets(manifest),
    ]
    yield passes("file", "manifest", "; ".join(faults))
    for name in required_claims(manifest):
        if name not in manifest.claims:
            yield Check("claim", name, holds=False, reason="a release must claim it")
    yield from _check_statements(manifest)


def _claims_of_people(manifest: Manifest) -> Iterator[str]:
    claimed = [name for name in names_of(lambda line: line.of_people) if name in manifest.claims]
    if manifest.counts is not None and claimed:
        rows = "rows of persons who may have several" if manifest.persons else "events"
        yield f"it claims a risk of people, but its rows are {rows}: {shown(claimed)}"
    if manifest.unit != "household" and manifest.persons != (manifest.unit is not None):
        yield "it must say 'suppress.unit' where a person may have several rows, and only there"


def _beside_buckets(manifest: Manifest) -> Iterator[str]:
    """Whatever no release in buckets says, since nothing could check it there."""
    entries = {
        "applied": manifest.applied is not None,
        "suppress": manifest.unit is not None,
        "rows of persons": manifest.persons,
    }
    wrong = [word for word, present in entries.items() if present]
    if manifest.recoding.bucket is not None and wrong:
        yield f"a release in buckets does not have {shown(wrong)}"


def required_claims(manifest: Manifest) -> list[str]:
    """The claims that every release makes; with several sensitive columns also for each of them."""
    rows_are_people, sensitive = manifest.counts is None, manifest.with_role("sensitive")
    of_sizes = names_of(
        lambda line: line.claimed and line.source == "sizes" and (rows_are_people or not line.of_people)
    )
    of_values = names_of(lambda line: line.claimed and line.source != "sizes") if sensitive else ()
    several = sensitive if len(sensitive) > 1 else ()
    return [*of_sizes, *of_values, *(f"{name}@{column}" for name in of_values for column in several)]


def _check_statements(manifest: Manifest) -> Iterator[Check]:
    """The statements that every release makes and no others; consistent, and as coarse as required."""
    stated = manifest.statements
    expected = STATEMENTS if manifest.applied is None else (SUPPRESSION,)
    for name in expected:
        if name not in stated:
            yield Check("statement", name, holds=False, reason="a release must state it")
    for name, value in stated.items():
        if name not in (*expected, *_proven_elsewhere(manifest)):
            yield Check("statement", name, value, None, False, "a manifest of version 2 does not state it")
        elif name in (*expected, *POPULATION_STATED[1:]) and value != round(value, STATED_DECIMALS):
            reason = f"it has more than {STATED_DECIMALS} decimals, which could reveal what blocks of k hide"
            yield Check("statement", name, value, None, False, reason)
    if all(name in stated for name in STATEMENTS):
        total = stated[GENERALIZATION] + stated[SUPPRESSION]
        right = abs(total - stated[LOSS]) < UNIT / 2
        reason = "" if right else "sl is not loss minus gl"
        yield Check("file", "loss = gl + sl", stated[LOSS], total, right, reason)
    if SUPPRESSION in stated:
        right = _in_blocks(stated[SUPPRESSION], manifest)
        reason = "no multiple of k suppressed rows gives this value: they are published in blocks of k"
        yield Check("file", "sl in blocks of k", stated[SUPPRESSION], None, right, "" if right else reason)


def _proven_elsewhere(manifest: Manifest) -> list[str]:
    """Statements that are judged by themselves. Of the population nothing is known where a column is not
    shown at one level, of buckets nothing at all."""
    if manifest.recoding.bucket is not None:
        return []
    names = [PERSONS_STATED] if manifest.persons else []
    if manifest.applied is None:
        names.append(HOUSEHOLDS_STATED)
        if manifest.recoding.levels is not None and not manifest.persons:
            names += POPULATION_STATED
    return names


def _in_blocks(share: float, manifest: Manifest) -> bool:
    """Whether suppressing some multiple of k rows beside those that stay gives this share."""
    if not 0 <= share < 1:
        return False
    ends = max(share - UNIT / 2, 0.0), min(share + UNIT / 2, 1 - 1e-9)
    low, high = (end * manifest.rows / (1 - end) / manifest.block_size for end in ends)
    return math.ceil(low - 1e-6) <= math.floor(high + 1e-6)
