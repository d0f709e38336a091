"""Whether a manifest says what it must about the columns of the file and the schema, and nothing else. An
empty manifest would hold for any file; one that says more can disclose what the release does not show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paretonym.audits.checks import Check
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.schema_adapter import (
    LEFT_OUT,
    SchemaLike,
    has_events,
    has_persons,
    schema_roles,
    suppressed_unit,
)
from paretonym.audits.sql_formulas import names_of
from paretonym.audits.stated_recoding import CLOSENESS
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field, InputError, did_you_mean, shown

CLAIMS = names_of(lambda line: line.claimed and line.source == "sizes")
# They cannot be computed from counts of rows if one person may have several rows.
CLAIMS_OF_PEOPLE = names_of(lambda line: line.of_people)
SENSITIVE_CLAIMS = names_of(lambda line: line.claimed and line.source != "sizes")
STATEMENTS = LOSS, GENERALIZATION, SUPPRESSION = names_of(lambda line: line.stated)
STATEMENTS_OF_ADDED_ROWS = (SUPPRESSION,)
# The smallest number of persons in a class, where a person may have several rows.
PERSONS_STATED = "k-persons"
HOUSEHOLDS_STATED = "k-household"
# What is suppressed as a whole, also where everybody has one row.
HOUSEHOLD = "household"
# The fewest people of the population who look like somebody in the release, where a table of it was given.
POPULATION_STATED = "k-map"
# Stated beside it; manifests that were written before hold without them.
SHARES_STATED = ("presence-max", "presence-min")
# What a class can be required to have that the file shows by itself.
CONDITIONS = names_of(lambda line: bool(line.of_class))
# The digits of a statement, and the last of them.
DECIMALS = 3
UNIT = 0.001


def check_complete(manifest: Manifest) -> list[Check]:
    """Checks of the form of a manifest, with a failure for each thing that it lacks."""
    faults = [
        *manifest.faults, *_recoding(manifest), *_claims_of_people(manifest), *_beside_buckets(manifest)
    ]  # fmt: skip
    checks = [Check("file", "manifest", None, None, not faults, "; ".join(faults))]
    why = "a release must claim it"
    checks += [Check("claim", name, None, None, False, why) for name in missing_claims(manifest)]
    return checks + list(_statements(manifest) if manifest.version > 1 else ())


def _claims_of_people(manifest: Manifest) -> Iterator[str]:
    claimed = [name for name in CLAIMS_OF_PEOPLE if name in manifest.claims]
    if _no_people(manifest) and claimed:
        rows = "rows of persons who may have several" if manifest.persons else "events"
        yield f"it claims a risk of people, but its rows are {rows}: {shown(claimed)}"
    by_household = manifest.suppressed_with == HOUSEHOLD
    if not by_household and manifest.persons != (manifest.suppressed_with is not None):
        yield "it must say 'suppress.unit' where a person may have several rows, and only there"


def _beside_buckets(manifest: Manifest) -> Iterator[str]:
    """What no release in buckets says, since nothing could check it there."""
    said = {
        "applied": manifest.applied is not None,
        "estimates": manifest.estimates is not None,
        "suppress": manifest.suppressed_with is not None,
        "rows of persons": manifest.persons,
    }
    wrong = [word for word, there in said.items() if there]
    if manifest.recoding.bucket is not None and wrong:
        yield f"a release in buckets does not have {shown(wrong)}"


def _no_people(manifest: Manifest) -> bool:
    """Whether a row of the file is not a person."""
    return manifest.events or manifest.persons


def missing_claims(manifest: Manifest) -> list[str]:
    """The claims that every release makes; with several sensitive columns also for each of them."""
    names = [name for name in CLAIMS if not (_no_people(manifest) and name in CLAIMS_OF_PEOPLE)]
    if manifest.sensitive:
        names += SENSITIVE_CLAIMS
    if len(manifest.sensitive) > 1:
        names += [f"{name}@{column}" for name in SENSITIVE_CLAIMS for column in manifest.sensitive]
    return [name for name in names if name not in manifest.claims]


def check_labels(file: TableFile, manifest: Manifest) -> list[Check]:
    """Whether the labels that a manifest lists are those of the file, whose cells are as they are meant."""
    if not manifest.recoding.space:
        return []
    listed = manifest.recoding.labels
    wrong = []
    for name in [name for name, role in manifest.roles.items() if role == "quasi" and name in file.names]:
        cells = file.engine.rows(f"select distinct {file.column(name)} from {file.view}")
        if list(listed.get(name, ())) != sorted(text for (text,) in cells):
            wrong.append(name)
    wrong += [name for name in listed if manifest.roles.get(name) != "quasi"]
    why = f"the listed labels are not those of the file: {shown(wrong)}" if wrong else ""
    return [Check("file", "labels", None, None, not wrong, why)]


def _recoding(manifest: Manifest) -> Iterator[str]:
    """What is wrong with what it says of the recoding."""
    recoding = manifest.recoding
    yield from recoding.faults()
    if recoding.levels is not None:
        yield from _levels(recoding.levels, manifest.roles)
    for node in recoding.chain:
        yield from _levels(node, manifest.roles)
    if recoding.chain and "k" not in manifest.keep:
        yield "it states a chain, but not how large a class must be to be shown"
    if recoding.further is not None and (recoding.further != CLOSENESS or manifest.version == 1):
        yield "'further' of the recoding cannot be read"
    if manifest.version > 1:
        yield from _conditions(manifest.keep)
        if recoding.in_regions and (manifest.keep or recoding.further is not None):
            yield (
                "it states a requirement for classes to stay, but all parts stay: they were made to meet it"
            )


def _levels(levels: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[str]:
    quasi = [name for name, role in roles.items() if role == "quasi"]
    for name in quasi:
        if name not in levels:
            yield f"it names no level of '{name}'"
    further = [name for name in levels if name not in quasi]
    if further:
        yield f"it names levels of columns that are not quasi-identifiers: {shown(further)}"


def _conditions(keep: Mapping[str, str]) -> Iterator[str]:
    for name, condition in keep.items():
        measures = [each.partition("@")[0] for each in name.split(",")]
        if not all(measure in CONDITIONS for measure in measures):
            yield f"'keep' names {shown([name])}, which the file alone does not show"
        elif not _is_condition(condition, len(measures)):
            yield f"the condition of {shown([name])} in 'keep' cannot be read"


def _is_condition(text: str, bounds: int) -> bool:
    try:
        found = [float(each) for each in text[2:].split(",")]
    except ValueError:
        return False
    return text[:2] in (">=", "<=") and len(found) == bounds and all(map(math.isfinite, found))


def _statements(manifest: Manifest) -> Iterator[Check]:
    """Check the statements: those that every release makes and no others; they must be consistent, and as
    coarse as required."""
    said = manifest.statements
    expected = STATEMENTS if manifest.applied is None else STATEMENTS_OF_ADDED_ROWS
    elsewhere = _proven_elsewhere(manifest)
    for name in expected:
        if name not in said:
            yield Check("statement", name, None, None, False, "a release must state it")
    for name in said:
        if name not in (*expected, *elsewhere):
            yield Check(
                "statement", name, said[name], None, False, "a manifest of version 2 does not state it"
            )
    if all(name in said for name in STATEMENTS):
        total = said[GENERALIZATION] + said[SUPPRESSION]
        right = abs(total - said[LOSS]) < UNIT / 2
        why = "" if right else "sl is not loss minus gl"
        yield Check("file", "loss = gl + sl", said[LOSS], total, right, why)
    for name in (name for name in (*expected, *SHARES_STATED) if name in said):
        if said[name] != round(said[name], DECIMALS):
            why = f"it has more than {DECIMALS} decimals, which could reveal what blocks of k hide"
            yield Check("statement", name, said[name], None, False, why)
    if SUPPRESSION in said:
        right = _in_blocks(said[SUPPRESSION], manifest)
        why = (
            ""
            if right
            else (
                "no multiple of k suppressed rows gives this value: suppressed rows are "
                "published in blocks of k"
            )
        )
        yield Check("file", "sl in blocks of k", said[SUPPRESSION], None, right, why)


def _proven_elsewhere(manifest: Manifest) -> list[str]:
    """Statements that are judged by themselves, because only the original or the population proves them. Of
    the population nothing is known where a column is not shown at one level, of buckets nothing at all."""
    if manifest.recoding.bucket is not None:
        return []
    found = [PERSONS_STATED] if manifest.persons else []
    if manifest.applied is None:
        found.append(HOUSEHOLDS_STATED)
        if manifest.recoding.levels is not None and not manifest.persons:
            found.append(POPULATION_STATED)
            found += SHARES_STATED if POPULATION_STATED in manifest.statements else ()
    return found


def block_size(manifest: Manifest) -> int:
    """Suppressed rows are published in blocks of this size: k, of rows that were added k of both
    releases."""
    return max(int(manifest.claims.get("k", 1)) if manifest.applied is None else manifest.applied["k"], 1)


def published_block(manifest: Manifest, most_rows: int) -> int:
    """In blocks of how many rows suppressed rows are counted. If of one person up to `most_rows` stay, so
    many of fewer people than a class has must look like none: a multiple of the block size that is not
    less."""
    k = block_size(manifest)
    if not manifest.persons:
        return k
    persons = manifest.statements.get(PERSONS_STATED, 1.0)
    return k * math.ceil(persons * most_rows / k) if 1 <= persons < 1e9 else k


def _in_blocks(share: float, manifest: Manifest) -> bool:
    """Whether suppressing some multiple of k rows beside those that stay gives this share."""
    if not 0 <= share < 1:
        return False
    k = block_size(manifest)
    low, high = (
        each * manifest.rows / (1 - each)
        for each in (max(share - UNIT / 2, 0.0), min(share + UNIT / 2, 1 - 1e-9))
    )
    return math.ceil(low / k - 1e-6) <= math.floor(high / k + 1e-6)


RELEASED = ("quasi", "sensitive", "class", "other", "weight")


def given_roles(file: TableFile, quasi: Sequence[str], sensitive: Sequence[str]) -> dict[str, str]:
    """Roles as the options name them; every other column is kept as it is."""
    for option, names in ((Field("quasi"), quasi), (Field("sensitive"), sensitive)):
        for name in names:
            if name not in file.names:
                raise InputError.of(
                    option, f"{file.place} has no column '{name}'", did_you_mean(name, file.names)
                )
    both = sorted(set(quasi) & set(sensitive))
    if both:
        raise InputError.of(
            Field("sensitive"), f"'{both[0]}' is also in {Field('quasi')}", "name each column once"
        )
    return {
        name: "quasi" if name in quasi else "sensitive" if name in sensitive else "other"
        for name in file.names
    }


def check_manifest_roles(file: TableFile, manifest: Manifest, bucket: str | None = None) -> Check:
    """Whether the manifest lists exactly the file's columns, in their order, each with a role; `bucket` is
    the column of a bucket's number."""
    said, found = list(manifest.roles), list(file.names)
    wrong = [name for name in said if name not in found] + [name for name in found if name not in said]
    unknown = [
        name
        for name, role in manifest.roles.items()
        if (role != "bucket" and role not in RELEASED) or (role == "bucket") != (name == bucket)
    ]
    why = ""
    if wrong:
        why = f"not in both: {', '.join(wrong)}"
    elif said != found:
        why = "the order differs"
    elif unknown:
        why = f"not the role of a released column: {', '.join(unknown)}"
    return Check("file", "columns", ", ".join(said), ", ".join(found), not why, why)


def check_schema_roles(file: TableFile, schema: SchemaLike, roles: Mapping[str, str]) -> Check:
    """Whether the roles are those of the schema, and nothing is shown that it leaves out."""
    described = schema_roles(schema, file.names, file.place)
    open_ones = [name for name, role in described.items() if role in LEFT_OUT]
    other = [name for name, role in roles.items() if described.get(name, role) != role]
    why = ""
    if open_ones:
        why = f"the schema does not release these: {', '.join(open_ones)}"
    elif other:
        why = f"the schema gives another role to: {', '.join(other)}"
    return Check("file", "roles", _told(described), _told(roles), not why, why)


def check_schema_rows(schema: SchemaLike, manifest: Manifest) -> list[Check]:
    """Whether manifest and schema agree on what a row is, k of events being no k of people, and on what is
    suppressed as a whole. A manifest of version 1 does not say."""
    if manifest.version == 1:
        return []
    said = _words(manifest.events, manifest.persons)
    found = _words(has_events(schema), has_persons(schema))
    why = "" if said == found else f"the schema says that rows are {found}"
    checks = [Check("file", "what a row is", said, found, not why, why)]
    unit, own = manifest.suppressed_with or "row", suppressed_unit(schema)
    if manifest.recoding.bucket is None and unit != own:
        why = f"the schema says that it is a {own}"
        checks.append(Check("file", "what is suppressed", unit, own, False, why))
    return checks


def _words(events: bool, persons: bool) -> str:
    return "rows of persons" if persons else "events" if events else "people"


def _told(roles: Mapping[str, str]) -> str:
    quasi = [name for name, role in roles.items() if role == "quasi"]
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    return f"quasi: {', '.join(quasi) or 'none'}; sensitive: {', '.join(sensitive) or 'none'}"


def published_gone(rows: int, released: int, k: int) -> int:
    """The number of suppressed rows as it is published; none if the release has more rows than the original.

    >>> published_gone(100, 93, 5), published_gone(4, 5, 5)
    (5, 0)
    """
    return max(rows - released, 0) // k * k


def published(spent: float, rows: int, released: int, k: int) -> dict[str, float]:
    """`gl`, `sl` and `loss` as they are to be stated. Of the `rows` of the original `released` stay;
    generalization costs these `spent`, in rows. Of no row they are no numbers."""
    gone = published_gone(rows, released, k)
    seen = released + gone or math.nan
    return {GENERALIZATION: spent / seen, SUPPRESSION: gone / seen, LOSS: (spent + gone) / seen}
