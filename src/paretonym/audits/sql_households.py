"""Households counted by SQL: how many of an original show the same members in a release, which does not say
which rows belong together."""

from __future__ import annotations

from paretonym.audits.checks import Check, same
from paretonym.audits.manifest_completeness import HOUSEHOLDS_STATED as STATED
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.row_comparison import Recoded, count_texts
from paretonym.audits.shown_sets import NOWHERE
from paretonym.audits.sql_engine import listed
from paretonym.audits.sql_measures import KnownMeasures
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field
from paretonym.sql_literals import sql_text

ROWS = "household_rows"
UNSHOWN = (
    "cannot be verified: the file does not say which rows belong to one household: give "
    f"{Field('original')} and {Field('schema')}"
)
MATTERS = "it matters only where members of a household stay linkable in the release"
OF_BOTH = "cannot be decided: it counts the households of the older release too"


def smallest_household(file: TableFile, recoded: Recoded) -> float | None:
    """The smallest number of households with the same members in the classes that the file shows; None if
    the original does not say which rows belong together, or which class a row is in."""
    original = recoded.original
    if original.households is None or recoded.perhaps is not None:
        return None
    codes = {file.column(column.name): column.codes for column in recoded.shown.columns}
    texts = {file.column(column.name): (*column.labels, NOWHERE) for column in recoded.shown.columns}
    keys = list(codes)
    number = int(original.households.max(initial=0)) + 1
    codes["home"], texts["home"] = original.households, tuple(map(str, range(number)))
    count_texts(file.engine, ROWS, codes, texts, original.weights)
    known = " and ".join(f"own.{key} <> {sql_text(NOWHERE)}" for key in keys)
    same_keys = " and ".join(f"own.{key} = other.{key}" for key in keys)
    member = ", ".join(f"'{key}': {key}" for key in (*keys, "n"))
    homes = (
        f"select list({{{member}}} order by {listed(keys)}, n) as members from {ROWS} as own "
        f"where {known} and exists (select 1 from {file.view} as other where {same_keys}) group by home"
    )
    return file.engine.number(
        f"select min(homes) from (select count(*) as homes from ({homes}) group by members)"
    )


def check_households(
    manifest: Manifest, rows: float, beside: KnownMeasures | None, expected: bool | None
) -> list[Check]:
    """The stated number of households beside the original's; a file alone can only refute a number above
    that of its `rows`. It must be stated where it is `expected`, and only there; None if that is unknown."""
    said = manifest.statements.get(STATED)
    if said is None:
        if not expected or manifest.applied is not None:
            return []
        return [Check("statement", STATED, None, None, False, "a release must state it")]
    if manifest.applied is not None:
        return [Check("statement", STATED, said, None, None, OF_BOTH)]
    if expected is False:
        return [Check("statement", STATED, said, None, False, "the schema has no households")]
    if not (1 <= said <= rows and said == int(said)):
        why = f"the file has {rows:,.0f} rows, so it has no more households"
        return [Check("statement", STATED, said, rows, False, why)]
    if beside is None or STATED not in beside.further:
        return [Check("statement", STATED, said, None, None, UNSHOWN)]
    found = beside.further[STATED]
    return [Check("statement", STATED, said, found, same(said, found), MATTERS)]
