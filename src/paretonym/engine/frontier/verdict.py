"""The verdict on one release in three sentences that can be quoted: what was done, what an attacker could
still do, what is not covered."""

from __future__ import annotations

from paretonym.base.errors import InputError
from paretonym.base.language import _, format_number, ngettext
from paretonym.base.sentence_parts import listed, percent
from paretonym.engine.frontier.microdata import Microdata
from paretonym.engine.frontier.release_facts import ReleaseFacts
from paretonym.engine.frontier.solution import Solution, describe
from paretonym.tables.schema import Schema, Unit

# So many removed columns are named.
MOST_NAMED = 12


def verdict(solution: Solution, data: Microdata | None) -> tuple[str, ...]:
    """The three sentences about a release; none if the data cannot be read. They name columns, no value."""
    if data is None:
        return ()
    try:
        facts = data.facts(solution.recoding)
    except InputError:
        return ()
    described = describe(solution, data)
    done = _("Quasi-identifiers: {shown}. {suppressed}", shown=described.shown, suppressed=described.left_out)
    if removed := [column.name for column in data.schema.columns if not column.released]:
        done += " " + _removed(removed)
    attacker = [_found(facts, data.unit), _learned(facts, data)]
    if facts.households is not None:
        attacker.append(str(facts.households))
    return done, " ".join(attacker), _uncovered(data.schema)


def _removed(names: list[str]) -> str:
    """Words for the columns that no release shows; of many, the first."""
    further = len(names) - MOST_NAMED
    columns = ", ".join(names[:MOST_NAMED])
    if further <= 0:
        return _("Removed: {columns}.", columns=columns)
    return ngettext(
        "Removed: {columns} and {number} more.",
        "Removed: {columns} and {number} more.",
        further,
        columns=columns,
    )


def _found(facts: ReleaseFacts, unit: Unit) -> str:
    """Words for what linking by the quasi-identifiers finds."""
    if facts.mixed:
        return _(
            "Whoever knows somebody's quasi-identifiers finds that they are in the table, and their bucket."
        )
    if facts.smallest == 1:
        alone = unit.alone(facts.in_smallest)
        return _("{alone}: whoever knows their quasi-identifiers finds their row.", alone=alone)
    k = format_number(facts.smallest)
    if not unit.is_person:
        return _(
            "Whoever knows a person's quasi-identifiers finds at least {k} rows that look the same; all of "
            "them may be that person's, so no re-identification risk follows.",
            k=k,
        )
    return _(
        "Whoever knows a person's quasi-identifiers finds at least {k} people who look the same: the "
        "re-identification risk is at most 1 in {k} ({risk}).",
        k=k,
        risk=percent(1 / facts.smallest),
    )


def _learned(facts: ReleaseFacts, data: Microdata) -> str:
    """For how many people a sensitive value is certain."""
    if not data.schema.with_role("sensitive"):
        return _("No column is declared sensitive.")
    certain = [f"'{fact.column}' ({data.unit.count(fact.certain)})" for fact in facts.known if fact.certain]
    if not certain:
        return _("No sensitive value is certain for anybody in it.")
    return _("A sensitive value is certain for some: {columns}.", columns=listed(certain, _("and")))


def _uncovered(schema: Schema) -> str:
    others = [f"'{column.name}'" for column in schema.columns if column.released and column.role != "quasi"]
    knowledge = _("knowledge of other columns")
    if others:
        knowledge = _("knowledge of columns that are not generalized ({columns})", columns=", ".join(others))
    return _(
        "Not covered: {known}, other tables or releases about the same people, and whether somebody is in "
        "the table at all.",
        known=knowledge,
    )
