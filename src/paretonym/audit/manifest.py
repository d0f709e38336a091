"""The manifest of a release as one frozen value, and whether it says what it must, and nothing else: an empty
manifest would hold for any file, and one that says more can disclose what the release does not show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paretonym.audit.checks import Check, passes
from paretonym.audit.released_table import UNSTATED, CsvForm
from paretonym.audit.sql_formulas import names_of
from paretonym.base.errors import shown
from paretonym.version import __version__

EVENTS, PERSONS = "events", "persons"
# The spaces that list labels: groups of a column's values, regions, or classes of their own for some tuples.
GROUPS, REGIONS, LOCAL, MEANS = "cuts", "mondrian", "local", "microaggregation"
ANATOMY, CLOSENESS = "anatomy", "closeness"
# Statements that the original or the population proves, not the file.
PERSONS_STATED, HOUSEHOLDS_STATED = "k-persons", "k-household"
POPULATION_STATED = ("k-map", "presence-max", "presence-min")
STATEMENTS = LOSS, GENERALIZATION, SUPPRESSION = names_of(lambda line: line.stated)
RELEASED = ("quasi", "sensitive", "class", "other", "weight")
STATED_DECIMALS, UNIT = 3, 0.001


@dataclass(frozen=True)
class Recoding:
    """The recoding that a release states: by one of the `levels` of each column, by a `space` that lists
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
    if not set(measures) <= set(names_of(lambda line: line.conditional)):
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
    version: str = ""
    faults: tuple[str, ...] = ()

    @property
    def events(self) -> bool:
        """True if one person may be several rows, so that k counts no people."""
        return self.counts == EVENTS

    @property
    def persons(self) -> bool:
        """True if a person may have several rows, though the file does not say whose a row is."""
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


def check_manifest(manifest: Manifest) -> Iterator[Check]:
    """The form of a manifest, a failure for each claim that it lacks, and its statements."""
    faults = [
        *manifest.faults,
        *manifest.recoding.faults(manifest.with_role("quasi")),
        *_claims_of_people(manifest),
        *_beside_buckets(manifest),
        *_unexplained(manifest),
        *_later_version(manifest),
    ]
    yield passes("file", "manifest", "; ".join(faults))
    for name in required_claims(manifest):
        if name not in manifest.claims:
            yield Check("claim", name, holds=False, reason="a release must claim it")
    yield from _check_statements(manifest)


def _later_version(manifest: Manifest) -> Iterator[str]:
    """A version whose manifests this one may not understand."""
    written, running = (_release_of(text) for text in (manifest.version, __version__))
    if written > running:
        yield f"paretonym {manifest.version} wrote it, and this is {__version__}: audit it with that version"


def _release_of(version: str) -> list[int]:
    """The first two numbers of a version."""
    return [int(number) for number in re.findall(r"[0-9]+", version)[:2]]


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


def _unexplained(manifest: Manifest) -> Iterator[str]:
    """Suppressed rows where no class has to meet anything."""
    recoding, suppressed = manifest.recoding, manifest.statements.get(SUPPRESSION, 0)
    if suppressed > 0 and not recoding.keep and recoding.further is None and manifest.applied is None:
        yield "it states suppressed rows, but no condition that classes had to meet"


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
    """True if suppressing some multiple of k rows beside those that stay gives this share."""
    if not 0 <= share < 1:
        return False
    ends = max(share - UNIT / 2, 0.0), min(share + UNIT / 2, 1 - 1e-9)
    low, high = (end * manifest.rows / (1 - end) / manifest.block_size for end in ends)
    return math.ceil(low - 1e-6) <= math.floor(high + 1e-6)
