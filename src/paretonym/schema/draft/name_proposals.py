"""What to propose for a column whose name says something."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from paretonym.schema.draft.column_profile import FEWEST_ROWS, Profile
from paretonym.schema.draft.hierarchy_proposals import (
    FLAT,
    age_lines,
    category_lines,
    code_lines,
    date_lines,
    number_lines,
)
from paretonym.schema.draft.name_vocabulary import Form, Meaning
from paretonym.schema.draft.suggestion import Suggestion
from paretonym.schema.draft.undecided_columns import not_sure
from paretonym.schema.schema_rules import MOST_SENSITIVE_NUMBERS

FEW_CODES = 10
Proposal = Callable[[Profile, Meaning], Suggestion | None]


def _said(meaning: Meaning, further: str = "") -> str:
    return f"the name suggests {meaning.says}{further}"


def _identifier(profile: Profile, meaning: Meaning) -> Suggestion:
    return Suggestion(profile.name, "identifier", _said(meaning))


def _pointing(profile: Profile, meaning: Meaning) -> Suggestion:
    """What identifies, but may be shared, as a first name is: an identifier must not repeat."""
    if not profile.repeats:
        return _identifier(profile, meaning)
    return Suggestion(profile.name, "drop", _said(meaning, "; it repeats, so it is not released"))


def _place(profile: Profile, meaning: Meaning) -> Suggestion:
    return Suggestion(
        profile.name, "drop", _said(meaning, ": not released; keep the postal code or region instead")
    )


def _weight(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return None
    further = '; the role "weight" is reserved for it and cannot be used yet, so it is dropped'
    return Suggestion(profile.name, "drop", _said(meaning, further))


def _body_weight(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return None
    decide = '"quasi" or "sensitive" if it is body weight, "drop" if it is a sampling weight'
    lines = tuple(number_lines(profile, open_values=False))
    return not_sure(profile, _said(meaning), decide, lines)


def _household(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if profile.present >= FEWEST_ROWS and profile.distinct <= FEW_CODES:
        return _category(profile, meaning)
    further = '; the role "household" is reserved for it and cannot be used yet, so it is dropped'
    return Suggestion(profile.name, "drop", _said(meaning, further))


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
    further = "; read as text to keep leading zeros" if zeros else ("; read as text, not as a number")
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
    """A hospital, a region; a small number under such a name may as well count nights or visits."""
    if not profile.numeric:
        return _category(profile, meaning)
    decide = (
        '"quasi" if others may know it about a person, "sensitive" if it counts or measures something private'
    )
    further = ", its values are numbers: codes of places, or a count"
    return not_sure(profile, _said(meaning, further), decide, tuple(number_lines(profile, open_values=False)))


def _number(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if not profile.numeric:
        return None if profile.near_unique else _category(profile, meaning)
    return Suggestion(profile.name, "quasi", _said(meaning), tuple(number_lines(profile)))


def _date(profile: Profile, meaning: Meaning) -> Suggestion | None:
    if profile.type != "date":
        return None
    return Suggestion(profile.name, "quasi", _said(meaning), tuple(date_lines(profile)))


def _private(profile: Profile, meaning: Meaning) -> Suggestion | None:
    """Sensitive; no value of it is written down."""
    if profile.numeric and profile.distinct > MOST_SENSITIVE_NUMBERS:
        lines = number_lines(profile, open_values=False)
        if lines != [FLAT]:
            measured = "level = 1  # measured by interval: neighbouring numbers mean nearly the same"
            return Suggestion(profile.name, "sensitive", _said(meaning), (*lines, measured))
    if profile.near_unique and not profile.numeric:
        return None
    return Suggestion(profile.name, "sensitive", _said(meaning))


def _free_text(profile: Profile, meaning: Meaning) -> Suggestion:
    further = ": free text may disclose anything, so it is dropped"
    return Suggestion(profile.name, "drop", _said(meaning, further))


def _label(profile: Profile, meaning: Meaning) -> Suggestion | None:
    decide = '"class" to release it unchanged, "sensitive" if nobody should learn it, "drop" to remove it'
    return None if profile.near_unique else not_sure(profile, _said(meaning), decide, (FLAT,))


def _class(profile: Profile, meaning: Meaning) -> Suggestion | None:
    decide = '"quasi" if it is a class of a school, "class" or "sensitive" if it is a label to predict'
    return None if profile.near_unique else not_sure(profile, _said(meaning), decide, (FLAT,))


NAMED: Mapping[Form, Proposal] = {
    "key": _identifier,
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
