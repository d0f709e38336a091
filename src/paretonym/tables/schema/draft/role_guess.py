"""A guess at a column's role, with its reason: the first rule of `role_rules.toml` that fits what the name
means and what the values show.

A guess never releases a column unchanged. Ambiguous columns are left to a person.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from paretonym.tables.schema.draft.column_profile import Profile
from paretonym.tables.schema.draft.hierarchy_proposals import PROPOSALS
from paretonym.tables.schema.name_vocabulary import Meaning, meaning_of
from paretonym.tables.schema.roles import ROLE_RULES, Role

FILE = Path(__file__).with_name("role_rules.toml")
CHOICES = (
    '"quasi" if others may know it about a person, "sensitive" if nobody should learn it, "other" '
    'to release it unchanged, "drop" to remove it'
)
GIVEN = "given, not guessed"
SOME_DAY = datetime(2020, 3, 31, 23, 59)


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

    @property
    def removed(self) -> bool:
        """True if no release would ever show the column."""
        return ROLE_RULES[self.role].removed

    @property
    def heading(self) -> str:
        """The role, behind the word for what happens to its columns if there is one."""
        plain = ROLE_RULES[self.role].plain
        return f"{plain} ({self.role})" if plain else self.role


@dataclass(frozen=True, slots=True)
class Rule:
    """A guess about columns that fit, as `role_rules.toml` writes it; `unreadable`: as it is written, nobody
    can say what the values are."""

    role: Role
    reason: str = "{says}"
    names: Sequence[str] = ()
    not_names: Sequence[str] = ()
    values: Sequence[str] = ()
    lines: str = "none"
    decide: str = ""
    unreadable: bool = False

    def fits(self, form: str, profile: Profile) -> bool:
        """True if it is for names of this form, and its properties hold of the values."""
        if form in self.not_names or (self.names and form not in self.names):
            return False
        return all(
            bool(getattr(profile, value.removeprefix("not "))) != value.startswith("not ")
            for value in self.values
        )


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order in which they are tried."""
    return tuple(Rule(**entry) for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["rules"])


def guess(profile: Profile, role: Role | None = None) -> Suggestion:
    """Suggestion of the first rule that fits. If a person has given the `role`, the lines of the first that
    gives the same, or what the values suggest."""
    meaning = meaning_of(profile.name)
    form = "" if meaning is None else meaning.form
    fitting = [rule for rule in rules() if rule.fits(form, profile)]
    rule = fitting[0] if role is None else _of_role(profile, role, fitting)
    number = f"{profile.distinct:,}"
    facts = {
        "says": _says(meaning),
        "distinct": number,
        "present": f"{profile.present:,}",
        "values": "its 1 value show" if number == "1" else f"its {number} different values show",
        "sign": profile.sign if "sign" in rule.reason else "",
        "formats": " and as ".join(SOME_DAY.strftime(layout or "%Y-%m-%d") for layout in profile.layouts),
        "choices": CHOICES,
    }
    lines = tuple(PROPOSALS[rule.lines](profile))
    return Suggestion(
        profile.name, role or rule.role, rule.reason.format(**facts), lines, rule.decide.format(**facts)
    )


def _of_role(profile: Profile, role: Role, fitting: Sequence[Rule]) -> Rule:
    """The rule for a column whose role is given. Dates with several readings stay open."""
    if fitting[0].unreadable and role in ("quasi", "sensitive"):
        return replace(fitting[0], reason=GIVEN)
    if role == "sensitive":
        private = (rule for rule in rules() if "private" in rule.names and rule.fits("private", profile))
        return replace(next(private, Rule(role)), reason=GIVEN)
    usual = Rule(role, lines="values" if role == "quasi" else "none")
    return replace(next((rule for rule in fitting if rule.role == role), usual), reason=GIVEN)


def _says(meaning: Meaning | None) -> str:
    return "" if meaning is None else f"the name suggests {meaning.says}"


def one_of_each(suggestions: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """These suggestions with one column each that says whose a row is, which household's, or its weight:
    a schema has no more. The first of them stays."""
    taken = {one.role for one in suggestions if one.reason == GIVEN}
    distinct = []
    for one in suggestions:
        second = ROLE_RULES[one.role].second if one.role in taken and one.reason != GIVEN else None
        taken.add(one.role)
        # The reason without what follows from it.
        reason = f"{_says(meaning_of(one.name)) or one.reason}; another column is taken for that"
        distinct.append(one if second is None else replace(one, role=second, reason=reason))
    return tuple(distinct)


def repeating_keys(profiles: Mapping[str, Profile], suggestions: Sequence[Suggestion]) -> tuple[str, ...]:
    """The identifiers that occur in more than one row: perhaps rows are not people."""
    return tuple(one.name for one in suggestions if one.role == "identifier" and profiles[one.name].repeats)
