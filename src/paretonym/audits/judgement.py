"""What was stated or required, judged by what is measured; and the audit as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from paretonym.audits.checks import Audit, Check, Requirement, audit_warnings, same
from paretonym.audits.content_digest import OF_ROWS, content_digest
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.population_estimates import ESTIMATE
from paretonym.audits.schema_adapter import SchemaLike, has_events, has_persons
from paretonym.audits.sql_formulas import line_of
from paretonym.audits.sql_measures import FROM_THE_INPUT, KnownMeasures, NotMeasurable
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field, InputError, did_you_mean


def chosen_measurer(
    own: KnownMeasures, beside: KnownMeasures | None, name: str, costs: bool = False
) -> KnownMeasures:
    """The measurer: the original gives the distribution of values in the input, and the costs."""
    from_original = name.partition("@")[0] in FROM_THE_INPUT or (costs and beside and name in beside.further)
    return beside if beside is not None and from_original else own


def outcome(
    file: TableFile,
    rows: int,
    roles: Mapping[str, str],
    checks: Sequence[Check],
    manifest: Manifest | None,
    schema: SchemaLike | None,
) -> Audit:
    events = has_events(schema) or (manifest is not None and manifest.events)
    persons = has_persons(schema) or (manifest is not None and manifest.persons)
    added = manifest is not None and manifest.applied is not None
    warnings = audit_warnings(manifest.version if manifest else None, events, persons, added)
    of_manifest = manifest.sha256 if manifest else None
    measured = (rows, dict(roles), tuple(checks), warnings)
    if not file.in_database:
        return Audit(file.place, file.sha256, of_manifest, *measured)
    known = (str(check.found) for check in checks if check.name == OF_ROWS)
    return Audit(file.place, next(known, None) or content_digest(file), of_manifest, *measured, "rows")


def check_claim(measurer: KnownMeasures, name: str, said: float) -> Check:
    """Whether a claim of the manifest is what is measured."""
    try:
        found = measurer.value(name)
    except NotMeasurable as reason:
        return Check("claim", name, said, None, False, f"cannot be measured: {reason}")
    return Check("claim", name, said, found, same(said, found))


def check_requirement(measurer: KnownMeasures, requirement: Requirement, known: Iterable[str]) -> Check:
    """Whether what is measured is what somebody requires; `known` are the names that could be meant."""
    name = requirement.measure
    try:
        found = measurer.value(name)
    except NotMeasurable as reason:
        raise InputError.of(
            Field("require", str(requirement)),
            f"'{name}' cannot be measured: {reason}",
            reason.remedy or did_you_mean(name.partition("@")[0], sorted(set(known))),
        ) from None
    line = line_of(name)
    why = ESTIMATE if line is not None and line.source == "estimate" else ""
    return Check("requirement", str(requirement), None, found, requirement.holds(found), why)
