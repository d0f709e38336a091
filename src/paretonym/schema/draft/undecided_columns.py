"""Columns that a person must decide on, with the choices."""

from __future__ import annotations

from paretonym.schema.draft.column_profile import Profile
from paretonym.schema.draft.hierarchy_proposals import FLAT, date_lines
from paretonym.schema.draft.suggestion import Suggestion
from paretonym.schema.draft.toml_text import quoted

CHOICES = (
    '"quasi" if others may know it about a person, "sensitive" if nobody should learn it, '
    '"other" to release it unchanged, "drop" to remove it'
)


def unclear(profile: Profile, lines: tuple[str, ...] = (FLAT,)) -> Suggestion:
    """Neither name nor values say what it is."""
    number = "1 value" if profile.distinct == 1 else f"{profile.distinct:,} different values"
    reason = f"neither the name nor its {number} show what it is"
    level = (
        ("# level = 1  # if it is sensitive: where it is measured",) if "intervals" in "".join(lines) else ()
    )
    return Suggestion(profile.name, "undecided", reason, (*lines, *level), CHOICES)


def two_formats(profile: Profile) -> Suggestion:
    """Every date could be read two ways."""
    formats = [layout for layout in profile.layouts if layout is not None]
    lines = [line for line in date_lines(profile) if not line.startswith("format")]
    choices = tuple(f"# format = {quoted(layout)}" for layout in formats)
    decide = 'uncomment the right format, then set role = "quasi" (or "sensitive", or "drop")'
    reason = "dates that can be read in more than one way"
    return Suggestion(profile.name, "undecided", reason, (*choices, *lines), decide)


def several_formats(profile: Profile) -> Suggestion:
    formats = " and ".join("2020-03-31" if layout is None else layout for layout in profile.layouts[:3])
    reason = f"dates written in several ways ({formats})"
    decide = 'write all of them in one format and draft again, or set "drop"; a column has one format'
    return Suggestion(profile.name, "undecided", reason, (), decide)


def unreadable_numbers(profile: Profile) -> Suggestion:
    decide = f"write them with a decimal point and draft again, or read them as text: {CHOICES}"
    return Suggestion(
        profile.name, "undecided", "numbers with a decimal comma cannot be read as numbers", (FLAT,), decide
    )


def not_sure(profile: Profile, reason: str, decide: str, lines: tuple[str, ...]) -> Suggestion:
    return Suggestion(profile.name, "undecided", reason, lines, decide)
