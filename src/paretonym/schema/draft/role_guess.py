"""A guess at a column's role, with its reason: by its name, then by its values.

A guess never releases a column unchanged. Ambiguous columns are left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from typing import TypeAlias

from paretonym.schema.direct_identifiers import sign_of_values
from paretonym.schema.draft.column_profile import FEWEST_ROWS, Profile
from paretonym.schema.draft.hierarchy_proposals import (
    FLAT,
    age_lines,
    category_lines,
    code_lines,
    date_lines,
    number_lines,
    ready_lines,
)
from paretonym.schema.hierarchies.exact_numbers import parse_number
from paretonym.schema.name_vocabulary import Meaning, ends_like_a_key, meaning_of
from paretonym.schema.roles import ROLE_RULES, Role
from paretonym.schema.schema_binding import MOST_SENSITIVE_NUMBERS
from paretonym.schema.toml_text import quoted

FEW_CODES = 10
NEVER_PROSE = ("key", "person", "contact", "person name", "place of one person")
# How a sensitive column of many numbers is published; the first is better, if it is enough.
INTERVALS = "# release_level = 1  # publish these intervals, and measure l and t by them"
EXACT = "# level = 1  # publish the exact numbers; only l and t are measured by these intervals"
PUBLISH = (
    "publish it in intervals (release_level = 1) or exactly (level = 1, by which it is only measured in "
    "intervals)"
)
CHOICES = (
    '"quasi" if others may know it about a person, "sensitive" if nobody should learn it, "other" '
    'to release it unchanged, "drop" to remove it'
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A role, why it was guessed, and the lines of TOML (comments too) that follow the role.

    `decide` says what a person must decide: the role if it is undecided, or how the column is published.
    """

    name: str
    role: Role
    reason: str
    lines: tuple[str, ...] = ()
    decide: str = ""


def guess(profile: Profile) -> Suggestion:
    """The first rule that has an opinion."""
    meaning = meaning_of(profile.name)
    opinions = (rule(profile, meaning) for rule in RULES)
    return next((opinion for opinion in opinions if opinion is not None), None) or _unclear(profile)


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
        return _several_formats(profile)
    if len(profile.layouts) > 1:
        return _two_formats(profile)
    identifying = meaning is not None and meaning.form in NEVER_PROSE
    return _doubtful_numbers(profile) if profile.doubtful_commas and not identifying else None


def _recognizable(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Values with the shape of names, addresses or numbers of people, in a column whose name does not say
    so."""
    if meaning is not None and meaning.form in NEVER_PROSE:
        return None
    sign = sign_of_values(profile.texts, profile.present)
    if sign is None:
        return None
    return Suggestion(profile.name, "drop" if profile.repeats else "identifier", sign)


def _named(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    return None if meaning is None else NAMED[meaning.form](profile, meaning)


def _dated(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    if profile.type != "date":
        return None
    reason = "dates: others may know when something happened to a person"
    return Suggestion(profile.name, "quasi", reason, tuple(date_lines(profile)))


def _unique(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Nearly every row has a value of its own: it identifies a person, unless it is a measurement."""
    if not profile.near_unique or profile.type == "decimal":
        return None
    reason = f"{profile.distinct:,} values in {profile.present:,} rows: each identifies one person"
    if not profile.repeats:
        return Suggestion(profile.name, "identifier", reason)
    return Suggestion(profile.name, "drop", f"nearly unique, {reason}, so it is dropped")


def _numbered(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """An id that repeats often: that of a person with several rows, or of something else."""
    repeated = profile.present >= FEWEST_ROWS and 10 * profile.distinct > profile.present
    if not ends_like_a_key(profile.name) or not repeated or profile.type == "decimal":
        return None
    return Suggestion(profile.name, "identifier", "the name suggests the number of something or somebody")


def _constant(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    if profile.distinct > 1 or profile.missing or profile.rows < 2:
        return None
    return Suggestion(profile.name, "drop", "every row has the same value, so it distinguishes nothing")


def _shaped(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Only the shape is known: a person must say what it is; the hierarchy is prepared."""
    if ready := ready_lines(profile):
        return _unclear(profile, tuple(ready))
    if profile.numeric and profile.distinct > 2:
        lines = tuple(number_lines(profile, open_values=False))
        return _unclear(profile, lines, measured=lines != (FLAT,))
    if profile.is_code and profile.distinct > 20:
        return _unclear(profile, tuple(code_lines(profile)))
    return None


def one_of_each(suggestions: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """The same suggestions, with one column each that says whose a row is, which household's, or its weight:
    a schema has no more. The first of them stays."""
    seen: set[Role] = set()
    distinct = []
    for one in suggestions:
        second = ROLE_RULES[one.role].second if one.role in seen else None
        seen.add(one.role)
        reason = f"{_named_reason(one)}; another column is taken for that"
        distinct.append(one if second is None else replace(one, role=second, reason=reason))
    return tuple(distinct)


def _named_reason(suggestion: Suggestion) -> str:
    """The reason without what follows from it."""
    meaning = meaning_of(suggestion.name)
    return suggestion.reason if meaning is None else _said(meaning)


def repeating_keys(profiles: Mapping[str, Profile], suggestions: tuple[Suggestion, ...]) -> tuple[str, ...]:
    """The identifiers that occur in more than one row: perhaps rows are not people."""
    return tuple(one.name for one in suggestions if one.role == "identifier" and profiles[one.name].repeats)


def _unclear(profile: Profile, lines: tuple[str, ...] = (FLAT,), measured: bool = False) -> Suggestion:
    """Neither name nor values say what it is; numbers in intervals would be `measured` by these."""
    reason = (
        "neither the name nor its 1 value show what it is"
        if profile.distinct == 1
        else f"neither the name nor its {profile.distinct:,} different values show what it is"
    )
    levels = ("# If it is sensitive, one of:", INTERVALS, EXACT) if measured else ()
    return Suggestion(profile.name, "undecided", reason, (*lines, *levels), CHOICES)


def _two_formats(profile: Profile) -> Suggestion:
    """Every date could be read in two ways."""
    formats = [layout for layout in profile.layouts if layout is not None]
    lines = [line for line in date_lines(profile) if not line.startswith("format")]
    choices = tuple(f"# format = {quoted(layout)}" for layout in formats)
    decide = 'uncomment the right format, then set role = "quasi" (or "sensitive", or "drop")'
    reason = "dates that can be read in more than one way"
    return Suggestion(profile.name, "undecided", reason, (*choices, *lines), decide)


SOME_DAY = datetime(2020, 3, 31, 23, 59)


def _several_formats(profile: Profile) -> Suggestion:
    examples = [SOME_DAY.strftime(layout or "%Y-%m-%d") for layout in profile.layouts]
    reason = f"dates written in several ways (31 March 2020 as {reduce(_and_as, examples)})"
    decide = 'write all its dates in one way and draft again, or set "drop"; a column has one date format'
    return Suggestion(profile.name, "undecided", reason, (), decide)


def _and_as(first: str, second: str) -> str:
    return f"{first} and as {second}"


def _doubtful_numbers(profile: Profile) -> Suggestion:
    decide = (
        f'does the comma mark decimals? Then set decimal = "," and {CHOICES}; if it marks thousands, '
        "remove it from the data and draft again"
    )
    reason = "numbers in which the comma marks decimals or thousands"
    return Suggestion(profile.name, "undecided", reason, (FLAT,), decide)


def _not_sure(profile: Profile, reason: str, decide: str, lines: tuple[str, ...]) -> Suggestion:
    return Suggestion(profile.name, "undecided", reason, lines, decide)


def _said(meaning: Meaning, further: str = "") -> str:
    return f"the name suggests {meaning.says}{further}"


def _identifier(profile: Profile, meaning: Meaning) -> Suggestion:
    return Suggestion(profile.name, "identifier", _said(meaning))


def _person(profile: Profile, meaning: Meaning) -> Suggestion | None:
    """A number of a person: an identifier or, if it repeats and no row lacks it, what says whose a row is. A
    word alone, with few values that repeat, may be anything."""
    alone = not ends_like_a_key(profile.name) and profile.repeats and profile.distinct <= FEW_CODES
    if alone or profile.type == "decimal":
        return None
    if not profile.repeats or profile.missing:
        return _identifier(profile, meaning)
    further = ", and it repeats: then k counts persons, and it is not released"
    return Suggestion(profile.name, "person", _said(meaning, further))


def _pointing(profile: Profile, meaning: Meaning) -> Suggestion:
    """What identifies but may be shared, such as a first name: an identifier must not repeat."""
    if not profile.repeats:
        return _identifier(profile, meaning)
    return Suggestion(profile.name, "drop", _said(meaning, "; it repeats, so it is not released"))


def _place(profile: Profile, meaning: Meaning) -> Suggestion:
    return Suggestion(
        profile.name,
        "drop",
        _said(meaning, ": not released; keep the postal code or region instead"),
    )


def _weight(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return None
    if profile.missing or not _above_zero(profile):
        further = '; some rows have none above 0, which the role "weight" needs, so it is not released'
        return Suggestion(profile.name, "drop", _said(meaning, further))
    further = ": the population is estimated from it, and it is not released"
    return Suggestion(profile.name, "weight", _said(meaning, further))


def _above_zero(profile: Profile) -> bool:
    """Whether all numbers are above 0, as weights are."""
    return all(number is not None and number > 0 for number in map(parse_number, profile.texts))


def _body_weight(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return None
    decide = '"quasi" or "sensitive" if it is body weight, "weight" if it is a sampling weight'
    lines = tuple(number_lines(profile, open_values=False))
    return _not_sure(profile, _said(meaning), decide, lines)


def _household(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if profile.present >= FEWEST_ROWS and profile.distinct <= FEW_CODES:
        return _category(profile, meaning)
    if profile.missing or not profile.repeats:
        further = '; the role "household" measures whether households are unique, without releasing it either'
        return Suggestion(profile.name, "drop", _said(meaning, further))
    further = ": whether households are unique is measured, and it is not released"
    return Suggestion(profile.name, "household", _said(meaning, further))


def _birth(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if profile.type == "date":
        return Suggestion(profile.name, "quasi", _said(meaning), tuple(date_lines(profile, born=True)))
    return _number(profile, meaning) or _category(profile, meaning)


def _age(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return _category(profile, meaning)
    return Suggestion(profile.name, "quasi", _said(meaning), tuple(age_lines(profile)))


def _postal(profile: Profile, meaning: Meaning) -> Suggestion:
    zeros = any(text.startswith("0") for text in profile.texts)
    further = "; read as text, not as a number"
    if zeros:
        further = "; read as text to keep leading zeros"
    if profile.numeric and len(set(map(len, profile.texts))) > 1:
        further = "; some are shorter than others, so leading zeros may have been lost before: check"
    return Suggestion(profile.name, "quasi", _said(meaning, further), tuple(code_lines(profile)))


def _category(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if profile.near_unique:
        return None
    if profile.type == "date":
        return Suggestion(profile.name, "quasi", _said(meaning), tuple(date_lines(profile)))
    if profile.numeric and profile.distinct > FEW_CODES:
        return _number(profile, meaning)
    if profile.is_code and profile.distinct > FEW_CODES:
        return Suggestion(profile.name, "quasi", _said(meaning), tuple(code_lines(profile)))
    return Suggestion(profile.name, "quasi", _said(meaning), tuple(category_lines(profile)))


def _place_of_many(profile: Profile, meaning: Meaning) -> Suggestion | None:
    """A hospital, a region; but a small number under such a name may count nights or visits."""
    if not profile.numeric:
        return _category(profile, meaning)
    decide = (
        '"quasi" if others may know it about a person, "sensitive" if it counts or measures something private'
    )
    further = ", its values are numbers: codes of places, or a count"
    return _not_sure(
        profile, _said(meaning, further), decide, tuple(number_lines(profile, open_values=False))
    )


def _number(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return None if profile.near_unique else _category(profile, meaning)
    return Suggestion(profile.name, "quasi", _said(meaning), tuple(number_lines(profile)))


def _date(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if profile.type != "date":
        return None
    return Suggestion(profile.name, "quasi", _said(meaning), tuple(date_lines(profile)))


def _private(profile: Profile, meaning: Meaning) -> Suggestion | None:
    """Sensitive; none of its values is written into the schema."""
    if profile.numeric and profile.distinct > MOST_SENSITIVE_NUMBERS:
        lines = number_lines(profile, open_values=False)
        if lines != [FLAT]:
            return Suggestion(profile.name, "sensitive", _said(meaning), (*lines, INTERVALS, EXACT), PUBLISH)
    if profile.near_unique and not profile.numeric:
        return None
    return Suggestion(profile.name, "sensitive", _said(meaning), tuple(_coarser(profile)))


def _coarser(profile: Profile) -> list[str]:
    """How to publish fewer details of a sensitive column, in a comment; nothing where no hierarchy is found
    that names none of its values."""
    lines = [FLAT]
    if profile.type == "date":
        lines = date_lines(profile)
    elif profile.numeric and not profile.odd:
        lines = number_lines(profile)
    elif not profile.numeric:
        lines = code_lines(profile) if profile.is_code else ready_lines(profile) or [FLAT]
    if lines == [FLAT]:
        return []
    notes = [line for line in lines if line.startswith("#")]
    offered = [f"# {line}" for line in (*lines, "release_level = 1") if line not in notes]
    return [*notes, "# It is published exactly. To publish coarser values, uncomment:", *offered]


def _free_text(profile: Profile, meaning: Meaning) -> Suggestion:
    further = ": free text may disclose anything, so it is dropped"
    return Suggestion(profile.name, "drop", _said(meaning, further))


def _label(profile: Profile, meaning: Meaning) -> Suggestion | None:
    decide = '"class" to release it unchanged, "sensitive" if nobody should learn it, "drop" to remove it'
    return None if profile.near_unique else _not_sure(profile, _said(meaning), decide, (FLAT,))


def _class(profile: Profile, meaning: Meaning) -> Suggestion | None:
    decide = '"quasi" if it is a class of a school, "class" or "sensitive" if it is a label to predict'
    return None if profile.near_unique else _not_sure(profile, _said(meaning), decide, (FLAT,))


Proposal: TypeAlias = Callable[[Profile, Meaning], Suggestion | None]
NAMED: Mapping[str, Proposal] = {
    "key": _identifier,
    "person": _person,
    "contact": _pointing,
    "person name": _pointing,
    "place of one person": _place,
    "weight": _weight,
    "body weight": _body_weight,
    "household": _household,
    "birth": _birth,
    "year": _number,
    "age": _age,
    "postal": _postal,
    "place": _place_of_many,
    "category": _category,
    "number": _number,
    "date": _date,
    "private": _private,
    "free text": _free_text,
    "label": _label,
    "class": _class,
}

Rule: TypeAlias = Callable[[Profile, Meaning | None], Suggestion | None]
RULES: tuple[Rule, ...] = (
    _empty, _prose, _unreadable, _recognizable, _named, _dated, _unique, _numbered, _constant, _shaped,
)  # fmt: skip
