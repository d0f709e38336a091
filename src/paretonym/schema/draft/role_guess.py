"""Which role a column may have, and why: by its name, then by what stands in it.

A guess never releases a column as it is. What could as well be something else is left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from paretonym.schema.draft.column_profile import FEWEST_ROWS, Profile
from paretonym.schema.draft.hierarchy_proposals import code_lines, date_lines, number_lines
from paretonym.schema.draft.name_proposals import NAMED
from paretonym.schema.draft.name_vocabulary import Meaning, ends_like_a_key, meaning_of
from paretonym.schema.draft.suggestion import Suggestion
from paretonym.schema.draft.undecided_columns import several_formats, two_formats, unclear, unreadable_numbers

Rule = Callable[[Profile, Meaning | None], Suggestion | None]
NEVER_PROSE = ("key", "contact", "person name", "place of one person")


def guess(profile: Profile) -> Suggestion:
    """The first rule that has an opinion."""
    meaning = meaning_of(profile.name)
    opinions = (rule(profile, meaning) for rule in RULES)
    return next((found for found in opinions if found is not None), None) or unclear(profile)


def _empty(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    if profile.texts:
        return None
    return Suggestion(profile.name, "drop", "no row has a value")


def _prose(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    if not profile.is_prose or (meaning is not None and meaning.form in NEVER_PROSE):
        return None
    reason = "free text: it may disclose anything, so it is dropped"
    return Suggestion(profile.name, "drop", reason)


def _unreadable(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Dates and numbers that cannot be read as they are written."""
    if profile.mixed:
        return several_formats(profile)
    if len(profile.layouts) > 1:
        return two_formats(profile)
    identifying = meaning is not None and meaning.form in NEVER_PROSE
    return unreadable_numbers(profile) if profile.has_commas and not identifying else None


def _named(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    return None if meaning is None else NAMED[meaning.form](profile, meaning)


def _dated(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    if profile.type != "date":
        return None
    reason = "dates: others may know when something happened to a person"
    return Suggestion(profile.name, "quasi", reason, tuple(date_lines(profile)))


def _unique(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Nearly every row has a value of its own: it points to a person, unless it is something measured."""
    if not profile.near_unique or profile.type == "decimal":
        return None
    share = f"{profile.distinct:,} values in {profile.present:,} rows: each identifies one person"
    if not profile.repeats:
        return Suggestion(profile.name, "identifier", share)
    return Suggestion(profile.name, "drop", f"nearly unique, {share}, so it is dropped")


def _numbered(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """An id that repeats often: of a person with several rows, or of something else."""
    repeated = profile.present >= FEWEST_ROWS and 10 * profile.distinct > profile.present
    if not ends_like_a_key(profile.name) or not repeated or profile.type == "decimal":
        return None
    return Suggestion(profile.name, "identifier", "the name suggests the number of something or somebody")


def _constant(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    if profile.distinct > 1 or profile.missing or profile.rows < 2:
        return None
    return Suggestion(profile.name, "drop", "every row has the same value, so it distinguishes nothing")


def _shaped(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Nothing is known but the shape: a person must say what it is, the hierarchy is ready."""
    if profile.numeric and profile.distinct > 2:
        return unclear(profile, tuple(number_lines(profile, open_values=False)))
    if profile.is_code and profile.distinct > 20:
        return unclear(profile, tuple(code_lines(profile)))
    return None


RULES: tuple[Rule, ...] = (
    _empty, _prose, _unreadable, _named, _dated, _unique, _numbered, _constant, _shaped,
)  # fmt: skip


def repeating_keys(profiles: Mapping[str, Profile], suggestions: tuple[Suggestion, ...]) -> tuple[str, ...]:
    """The identifiers that stand in more than one row: perhaps rows are not people."""
    return tuple(one.name for one in suggestions if one.role == "identifier" and profiles[one.name].repeats)
