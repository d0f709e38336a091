"""The manifest of a release as one frozen value, read with care, because anyone may have written it; and
whether it says what it must, and nothing else: an empty manifest would hold for any file, and one that says
more can disclose what the release does not show."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.audit.checks import Check, passes
from paretonym.audit.sql_formulas import names_of
from paretonym.audit.stated_form import DECIMALS, ENCODINGS, SEPARATORS, UNSTATED, CsvForm
from paretonym.errors import Field, InputError, printable, shown

FORMAT = "paretonym.manifest/2"
SUFFIX = ".manifest.json"
# A whole number that every reader of JSON understands alike.
LARGEST = 2**53
LONGEST_DOCUMENT = 1 << 26
LONGEST_QUOTE = 60
EVENTS, PERSONS = "events", "persons"
UNITS = ("row", "person", "household")
# The spaces that list labels: groups of a column's values, regions, or a class of its own for some tuples.
GROUPS, REGIONS, LOCAL = "cuts", "mondrian", "local"
ANATOMY = "anatomy"
CLOSENESS = "closeness"
# Statements that the original or the population proves, not the file.
PERSONS_STATED, HOUSEHOLDS_STATED, POPULATION_STATED = "k-persons", "k-household", "k-map"
SHARES_STATED = ("presence-max", "presence-min")
STATEMENTS = LOSS, GENERALIZATION, SUPPRESSION = names_of(lambda line: line.stated)
STATED_DECIMALS, UNIT = 3, 0.001
RELEASED = ("quasi", "sensitive", "class", "other", "weight")


class Misshapen(Exception):
    """An entry that cannot be read, and why."""


@dataclass(frozen=True)
class Recoding:
    """How a release says that it was recoded: by one `nodes` entry of levels, by a chain of them, by a
    `space` that lists `labels`, or by buckets made in a `way` whose numbers stand in the column `bucket`.
    `keep` is what a class must have to stay, `further` that there was another condition."""

    nodes: tuple[Mapping[str, int], ...] = ()
    chained: bool = False
    space: str = ""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    way: str = ""
    bucket: str | None = None
    keep: Mapping[str, str] = field(default_factory=dict)
    further: str | None = None

    @property
    def levels(self) -> Mapping[str, int] | None:
        """The one level of each column, if that is how it was recoded."""
        return self.nodes[0] if self.nodes and not self.chained else None

    @property
    def smallest_class(self) -> int | None:
        """The k that a class must have to stay, if it is the only condition."""
        bound = self.keep.get("k", "")
        alone = list(self.keep) == ["k"] and self.further is None
        return int(bound[2:]) if alone and re.fullmatch(r">=[0-9]{1,15}", bound) else None

    def faults(self, quasi: Sequence[str]) -> Iterator[str]:
        """Whatever no recoding of these quasi-identifiers says."""
        for node in self.nodes:
            yield from (f"it names no level of '{name}'" for name in quasi if name not in node)
            if further := [name for name in node if name not in quasi]:
                yield f"it names levels of columns that are not quasi-identifiers: {shown(further)}"
        if any(
            before == after or any(after.get(name, -1) < level for name, level in before.items())
            for before, after in pairwise(self.nodes)
        ):
            yield "a node of the chain is not more general than the one before it"
        if self.chained and "k" not in self.keep:
            yield "it states a chain, but not how large a class must be to be shown"
        if self.space and self.space not in (GROUPS, REGIONS, LOCAL):
            yield f"{shown([self.space])} is not a known space"
        if self.bucket is not None and self.way not in (REGIONS, ANATOMY):
            yield f"{shown([self.way])} is not a known bucketization method"
        if self.further not in (None, CLOSENESS):
            yield "'further' of the recoding cannot be read"
        yield from _conditions(self.keep)
        if self.space == REGIONS and (self.keep or self.further is not None):
            yield "it states a requirement for classes to stay, but all parts stay: they were made to meet it"


def _conditions(keep: Mapping[str, str]) -> Iterator[str]:
    shown_by_the_file = names_of(lambda line: bool(line.of_class))
    for name, condition in keep.items():
        measures = [part.partition("@")[0] for part in name.split(",")]
        bounds = condition[2:].split(",")
        numbers = [_number_of(text) for text in bounds]
        if not all(measure in shown_by_the_file for measure in measures):
            yield f"'keep' names {shown([name])}, which the file alone does not show"
        elif (
            condition[:2] not in (">=", "<=")
            or len(bounds) != len(measures)
            or not all(map(math.isfinite, numbers))
        ):
            yield f"the condition of {shown([name])} in 'keep' cannot be read"


def _number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@dataclass(frozen=True)
class StatedEstimates:
    """Estimates of the population that rows were drawn from: whether rows have weights, the sampling
    fraction, if there is one, what is assumed, and the numbers."""

    weights: bool
    fraction: Fraction | None
    assumes: tuple[str, ...]
    values: Mapping[str, float]

    @property
    def scaled(self) -> bool:
        """Whether weights are scaled to a sampling fraction: an estimate then depends on suppressed rows."""
        return self.weights and self.fraction is not None


@dataclass(frozen=True)
class Applied:
    """New rows beside an older release of so many rows, and k of both together."""

    beside: int
    k: int


@dataclass(frozen=True)
class Manifest:
    """Everything that a release says about itself. Numbers are as written; anything else is NaN. `faults` are
    violations of the form that leave it readable. `unit` is what was suppressed as a whole, if stated."""

    path: Path
    sha256: str
    output_sha256: str
    rows: int
    roles: Mapping[str, str]
    recoding: Recoding
    claims: Mapping[str, float]
    statements: Mapping[str, float]
    files: Mapping[str, str] = field(default_factory=dict)
    content: str | None = None
    form: CsvForm = UNSTATED
    applied: Applied | None = None
    counts: str | None = None
    unit: str | None = None
    estimates: StatedEstimates | None = None
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
        return [name for name, own_role in self.roles.items() if own_role == role]

    @property
    def block_size(self) -> int:
        """Suppressed rows are published in blocks of this size: k, of added rows k of both releases."""
        return max(int(self.claims.get("k", 1)) if self.applied is None else self.applied.k, 1)

    def published_block(self, most_rows: int) -> int:
        """The size of a block if of one person up to `most_rows` stay: so many of fewer people than a class
        has must look like none."""
        persons = self.statements.get(PERSONS_STATED, 1.0)
        if not self.persons or not 1 <= persons < 1e9:
            return self.block_size
        return self.block_size * math.ceil(persons * most_rows / self.block_size)


# What an entry may be: raises `Misshapen`, or adds to the list of faults.
Form: TypeAlias = Callable[[Any, str, list[str]], None]


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number of another kind")


def _of(test: Callable[[Any], bool], expected: str) -> Form:
    """A value that passes a test, or nothing can be read."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        if not test(value):
            raise Misshapen(f"{_kind(value)} is at '{place}' where {expected} is expected")

    return check


def _matching(pattern: str, expected: str) -> Form:
    """A text; one that does not match a pattern is a fault."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        TEXT(value, place, faults)
        if not re.fullmatch(pattern, value):
            faults.append(f"'{place}' is not {expected}")

    return check


def _one_of(*choices: str) -> Form:
    return _of(lambda value: value in choices, f"one of {', '.join(map(repr, choices))}")


def _each(form: Form) -> Form:
    """An object whose keys are names, with one kind of value."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        OBJECT(value, place, faults)
        for key, entry in value.items():
            form(entry, f"{place}.{_quoted(key)}", faults)

    return check


def _keys(needed: Mapping[str, Form], further: Mapping[str, Form] | None = None) -> Form:
    """An object with these keys and no others, save the further ones."""
    forms = {**needed, **(further or {})}

    def check(value: Any, place: str, faults: list[str]) -> None:
        OBJECT(value, place, faults)
        for key in needed:
            if key not in value:
                raise Misshapen(f"it has no '{f'{place}.{key}'.lstrip('.')}'")
        for key, entry in value.items():
            if key in forms:
                forms[key](entry, f"{place}.{key}".lstrip("."), faults)
            else:
                faults.append(f"the key {_quoted(key)}{f' of {place!r}' if place else ''} has no meaning")

    return check


def _quoted(key: str) -> str:
    return f"'{printable(key if len(key) <= LONGEST_QUOTE else f'{key[:LONGEST_QUOTE]}…')}'"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST


TEXT = _of(lambda value: isinstance(value, str), "a text")
COUNT = _of(_is_count, "a whole number of at least 0")
OBJECT = _of(lambda value: isinstance(value, dict), "an object")
TRUTH = _of(lambda value: isinstance(value, bool), "true or false")
TEXTS = _of(
    lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value), "a list of texts"
)
ANYTHING = _of(lambda value: True, "anything")
DIGEST = _matching("[0-9a-f]{64}", "a sha256")
_KEEP: Mapping[str, Form] = {"keep": _each(TEXT)}
_CLOSE: Mapping[str, Form] = {"further": TEXT}


def _chain(value: Any, place: str, faults: list[str]) -> None:
    _of(lambda nodes: isinstance(nodes, list) and bool(nodes), "a list of nodes")(value, place, faults)
    for number, node in enumerate(value):
        _each(COUNT)(node, f"{place}.{number}", faults)


# The forms of a recoding, by the key that tells them apart.
RECODINGS: Mapping[str, Form] = {
    "levels": _keys({"levels": _each(COUNT), **_KEEP}, _CLOSE),
    "chain": _keys({"chain": _chain, **_KEEP}, _CLOSE),
    "space": _keys({"space": TEXT, "labels": _each(TEXTS), **_KEEP}, _CLOSE),
    "buckets": _keys({"buckets": TEXT, "column": TEXT}),
}


def _recoding_form(value: Any, place: str, faults: list[str]) -> None:
    OBJECT(value, place, faults)
    form = next((form for key, form in RECODINGS.items() if key in value), None)
    if form is None:
        raise Misshapen("it names no levels, no chain, no space and no buckets")
    form(value, place, faults)


def _share_form(value: Any, place: str, faults: list[str]) -> None:
    if (
        not (isinstance(value, str) and re.fullmatch(r"[01](\.[0-9]{1,30})?", value))
        or not 0 < float(value) <= 1
    ):
        raise Misshapen(f"'{place}' is not a decimal above 0 and at most 1")


DOCUMENT = _keys(
    {
        "format": TEXT,
        "output": _keys(
            {"sha256": DIGEST, "rows": COUNT},
            {
                "files": _each(DIGEST),
                "content": DIGEST,
                "form": _keys(
                    {
                        "separator": _one_of(*SEPARATORS),
                        "encoding": _one_of(*ENCODINGS),
                        "decimal": _one_of(*DECIMALS),
                    }
                ),
            },
        ),
        "roles": _each(TEXT),
        "recoding": _recoding_form,
        "claims": _each(ANYTHING),
        "statements": _each(ANYTHING),
        "version": _matching(r"[0-9]{1,6}(\.[0-9a-z]{1,8}){0,5}([+-][0-9a-z.]{1,20})?", "a version"),
    },
    {
        "applied": _keys({"beside": COUNT, "k": COUNT}),
        "rows": _matching(
            f"{EVENTS}|{PERSONS}", f'"{EVENTS}" or "{PERSONS}"; where rows are people it is left out'
        ),
        "suppress": _keys({"unit": _matching("|".join(UNITS), f"one of {', '.join(UNITS)}")}),
        "estimates": _keys(
            {"weights": TRUTH, "assumes": TEXTS, "values": _each(ANYTHING)},
            {"sampling_fraction": _share_form},
        ),
    },
)


def manifest_path(release: Path) -> Path:
    """Where the manifest of a file or of a folder lies: beside it."""
    named = release if release.name not in ("", "..") else release.resolve()
    return named.with_name(named.name + SUFFIX)


def read_manifest(path: Path, unescaped: Callable[[str], str]) -> Manifest | None:
    """The manifest in a file, None if there is none. `unescaped` gives the name of a column as it is meant:
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
        DOCUMENT(document, "", faults)
        return _manifest(path, content, document, faults, unescaped)
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
        names = [key for key, _ in pairs]
        twice = dict.fromkeys(name for name in names if names.count(name) > 1) if len(names) < 1000 else {}
        faults.extend(f"the key {_quoted(key)} occurs twice" for key in twice)
        return dict(pairs)

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
    path: Path,
    content: bytes,
    document: Mapping[str, Any],
    faults: list[str],
    unescaped: Callable[[str], str],
) -> Manifest:
    def of_column(name: str) -> str:
        measure, at, column = name.partition("@")
        return f"{measure}{at}{unescaped(column)}"

    output, claims = document["output"], _numbers(document["claims"])
    k = claims.get("k", 1)
    if not (1 <= k < LARGEST and k == int(k)):
        raise Misshapen("'claims.k' is not a whole number of at least 1")
    return Manifest(
        path=path,
        sha256=hashlib.sha256(content).hexdigest(),
        output_sha256=output["sha256"],
        rows=output["rows"],
        roles={unescaped(name): role for name, role in document["roles"].items()},
        recoding=_recoding(document["recoding"], unescaped),
        claims={of_column(name): value for name, value in claims.items()},
        statements=_numbers(document["statements"]),
        files=output.get("files", {}),
        content=output.get("content"),
        form=CsvForm(**output["form"]) if "form" in output else UNSTATED,
        applied=Applied(**document["applied"]) if "applied" in document else None,
        counts=document.get("rows"),
        unit=document.get("suppress", {}).get("unit"),
        estimates=_estimates(document.get("estimates")),
        faults=tuple(faults),
    )


def _recoding(entry: Mapping[str, Any], unescaped: Callable[[str], str]) -> Recoding:
    """Names of columns as they are meant; labels stand in the manifest as they are."""
    nodes = [entry["levels"]] if "levels" in entry else entry.get("chain", [])
    return Recoding(
        nodes=tuple({unescaped(name): level for name, level in node.items()} for node in nodes),
        chained="levels" not in entry and "chain" in entry,
        space="" if nodes else entry.get("space", ""),
        labels={
            unescaped(name): tuple(texts)
            for name, texts in (entry.get("labels", {}) if "space" in entry else {}).items()
        },
        way=entry.get("buckets", ""),
        bucket=unescaped(entry["column"]) if "column" in entry and "buckets" in entry else None,
        keep={} if "buckets" in entry else entry.get("keep", {}),
        further=None if "buckets" in entry else entry.get("further"),
    )


def _estimates(entry: Mapping[str, Any] | None) -> StatedEstimates | None:
    if entry is None:
        return None
    fraction = entry.get("sampling_fraction")
    if fraction is None and not entry["weights"]:
        raise Misshapen("'estimates' has neither weights nor a sampling fraction")
    fraction = None if fraction is None else Fraction(fraction)
    return StatedEstimates(entry["weights"], fraction, tuple(entry["assumes"]), _numbers(entry["values"]))


def _numbers(entries: Mapping[str, Any]) -> dict[str, float]:
    """Every value as a number; "inf" is infinite, and what is no number is not a number."""
    return {name: _number(value) for name, value in entries.items()}


def _number(value: Any) -> float:
    if isinstance(value, str):
        return float(value) if value in ("inf", "-inf") else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    # A number that is written with too many digits is infinite for some readers.
    return float(value) if -1e300 < value < 1e300 else math.nan


def check_manifest(manifest: Manifest) -> list[Check]:
    """The form of a manifest, a failure for each claim that it lacks, and its statements."""
    faults = [
        *manifest.faults,
        *manifest.recoding.faults(manifest.with_role("quasi")),
        *_claims_of_people(manifest),
        *_beside_buckets(manifest),
    ]
    missing = [
        Check("claim", name, holds=False, reason="a release must claim it")
        for name in required_claims(manifest)
        if name not in manifest.claims
    ]
    return [passes("file", "manifest", "; ".join(faults)), *missing, *_statements(manifest)]


def _of_people() -> tuple[str, ...]:
    """The measures that have no meaning if one person may have several rows."""
    return names_of(lambda line: line.of_people)


def _claims_of_people(manifest: Manifest) -> Iterator[str]:
    claimed = [name for name in _of_people() if name in manifest.claims]
    if manifest.counts is not None and claimed:
        rows = "rows of persons who may have several" if manifest.persons else "events"
        yield f"it claims a risk of people, but its rows are {rows}: {shown(claimed)}"
    if manifest.unit != "household" and manifest.persons != (manifest.unit is not None):
        yield "it must say 'suppress.unit' where a person may have several rows, and only there"


def _beside_buckets(manifest: Manifest) -> Iterator[str]:
    """Whatever no release in buckets says, since nothing could check it there."""
    entries = {
        "applied": manifest.applied is not None,
        "estimates": manifest.estimates is not None,
        "suppress": manifest.unit is not None,
        "rows of persons": manifest.persons,
    }
    wrong = [word for word, present in entries.items() if present]
    if manifest.recoding.bucket is not None and wrong:
        yield f"a release in buckets does not have {shown(wrong)}"


def required_claims(manifest: Manifest) -> list[str]:
    """The claims that every release makes; with several sensitive columns also for each of them."""
    people = () if manifest.counts is None else _of_people()
    sizes = names_of(lambda line: line.claimed and line.source == "sizes")
    names = [name for name in sizes if name not in people]
    of_values = names_of(lambda line: line.claimed and line.source != "sizes")
    sensitive = manifest.with_role("sensitive")
    names += of_values if sensitive else ()
    several = sensitive if len(sensitive) > 1 else ()
    return [*names, *(f"{name}@{column}" for name in of_values for column in several)]


def _statements(manifest: Manifest) -> Iterator[Check]:
    """The statements that every release makes and no others; consistent, and as coarse as required."""
    stated = manifest.statements
    expected = STATEMENTS if manifest.applied is None else (SUPPRESSION,)
    for name in expected:
        if name not in stated:
            yield Check("statement", name, holds=False, reason="a release must state it")
    for name, value in stated.items():
        if name not in (*expected, *_proven_elsewhere(manifest)):
            yield Check("statement", name, value, None, False, "a manifest of version 2 does not state it")
    if all(name in stated for name in STATEMENTS):
        total = stated[GENERALIZATION] + stated[SUPPRESSION]
        right = abs(total - stated[LOSS]) < UNIT / 2
        why = "" if right else "sl is not loss minus gl"
        yield Check("file", "loss = gl + sl", stated[LOSS], total, right, why)
    for name in (name for name in (*expected, *SHARES_STATED) if name in stated):
        if stated[name] != round(stated[name], STATED_DECIMALS):
            why = f"it has more than {STATED_DECIMALS} decimals, which could reveal what blocks of k hide"
            yield Check("statement", name, stated[name], None, False, why)
    if SUPPRESSION in stated:
        right = _in_blocks(stated[SUPPRESSION], manifest)
        why = "no multiple of k suppressed rows gives this value: they are published in blocks of k"
        name = "sl in blocks of k"
        yield Check("file", name, stated[SUPPRESSION], None, right, "" if right else why)


def _proven_elsewhere(manifest: Manifest) -> list[str]:
    """Statements that are judged by themselves. Of the population nothing is known where a column is not
    shown at one level, of buckets nothing at all."""
    if manifest.recoding.bucket is not None:
        return []
    names = [PERSONS_STATED] if manifest.persons else []
    if manifest.applied is None:
        names.append(HOUSEHOLDS_STATED)
        if manifest.recoding.levels is not None and not manifest.persons:
            names.append(POPULATION_STATED)
            names += SHARES_STATED if POPULATION_STATED in manifest.statements else ()
    return names


def _in_blocks(share: float, manifest: Manifest) -> bool:
    """Whether suppressing some multiple of k rows beside those that stay gives this share."""
    if not 0 <= share < 1:
        return False
    ends = max(share - UNIT / 2, 0.0), min(share + UNIT / 2, 1 - 1e-9)
    low, high = (end * manifest.rows / (1 - end) / manifest.block_size for end in ends)
    return math.ceil(low - 1e-6) <= math.floor(high + 1e-6)


def published_gone(rows: int, released: int, block: int) -> int:
    """The number of suppressed rows as it is published; none if the release has more rows than the original.

    >>> published_gone(100, 93, 5), published_gone(4, 5, 5)
    (5, 0)
    """
    return max(rows - released, 0) // block * block
