"""The roles of columns: one table of what each role means. How a column of a role is checked and bound stands
beside it in `schema_binding.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from paretonym.base.language import N_

Role: TypeAlias = Literal[
    "identifier", "quasi", "sensitive", "class", "other", "drop", "person", "weight", "household",
    "required-k", "undecided",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRules:
    """Rules of a role for its column.

    `words`: what its columns are, in a report. `plain`: what happens to them, in one word, if there is
    one. `removed`: no release ever shows it. `released`: a release shows it, recoded or unchanged.
    `counted`: its values are counted with the rows even if no release shows them. `needs_missing_rule`:
    the schema must say what happens to rows without a value. `open_values`: messages may show its values.
    `numbers`: its values are numbers. `second`: at most one column has the role, and this is what another
    could be. `unstated`: what a row without a value does not say, if every row must have one; and
    `remedy` what to do then. `unused`: keys that would silently do nothing, each with what to do instead;
    a role without a hierarchy may have its keys, so that roles can be tried out.
    """

    words: str
    plain: str = ""
    removed: bool = False
    released: bool = False
    counted: bool = False
    needs_missing_rule: bool = False
    open_values: bool = False
    numbers: bool = False
    second: Role | None = None
    unstated: str = ""
    remedy: str = ""
    unused: Mapping[str, str] = field(default_factory=dict)


_BOUNDED = "use levels = [lowest, highest] to bound the search, or omit it"
_UNCHANGED = (
    'the column is published unchanged: generalize it in the data, or set role = "sensitive" or "other"'
)
_DROP_ROWS = 'or set missing = "drop" for this column to drop these rows'
_NO_DEFAULT = {"default": 'omit it: only a column with role = "required-k" has a default'}
_NO_WEIGHT = {
    "release": "omit it: only a weight is released or not as it says",
    "round": "omit it: only weights that are released are rounded",
    **_NO_DEFAULT,
}

ROLE_RULES: Mapping[Role, RoleRules] = {
    "identifier": RoleRules(words=N_("identifiers, not released"), removed=True, unused=_NO_WEIGHT),
    "quasi": RoleRules(
        words=N_("quasi-identifiers"),
        plain="generalized",
        released=True,
        counted=True,
        needs_missing_rule=True,
        open_values=True,
        unused={"level": _BOUNDED, "release_level": _BOUNDED, **_NO_WEIGHT},
    ),
    "sensitive": RoleRules(
        words=N_("sensitive"),
        plain="protected",
        released=True,
        counted=True,
        needs_missing_rule=True,
        unused={
            "levels": "use level = … for where it is measured, or omit it",
            "importance": "omit it",
            "granularity": "omit it",
            "domain": "omit it",
            **_NO_WEIGHT,
        },
    ),
    "class": RoleRules(
        words=N_("to be predicted"),
        released=True,
        counted=True,
        unused={"release_level": _UNCHANGED, "bottom": _UNCHANGED, "top": _UNCHANGED, **_NO_WEIGHT},
    ),
    "other": RoleRules(words=N_("others"), released=True, counted=True, unused=_NO_WEIGHT),
    "drop": RoleRules(words=N_("not released"), removed=True, unused=_NO_WEIGHT),
    "person": RoleRules(
        words=N_("says which person a row belongs to, not released"),
        removed=True,
        counted=True,
        second="identifier",
        unstated="do not say which person they belong to",
        remedy=f"give every row its person, {_DROP_ROWS}",
        unused=_NO_WEIGHT,
    ),
    "weight": RoleRules(
        words=N_("says how many people a row stands for"),
        counted=True,
        numbers=True,
        second="drop",
        unstated="have no weight",
        remedy=f"give every row its weight, {_DROP_ROWS}",
        unused={
            "release_level": "use release = true with round = 10 to publish it rounded, or omit it",
            **_NO_DEFAULT,
        },
    ),
    "household": RoleRules(
        words=N_("says who lives together, not released"),
        removed=True,
        counted=True,
        second="drop",
        unstated="do not say which household they belong to",
        remedy=f"give every row its household (somebody who lives alone is a household of one), {_DROP_ROWS}",
        unused=_NO_WEIGHT,
    ),
    "required-k": RoleRules(
        words=N_("says how large a group each person wants to be in, not released"),
        removed=True,
        counted=True,
        numbers=True,
        second="drop",
        unstated="do not say which k they require",
        remedy=f"say with default = 5 what people require who state nothing, {_DROP_ROWS}",
        unused={name: remedy for name, remedy in _NO_WEIGHT.items() if name != "default"},
    ),
    "undecided": RoleRules(words=N_("not decided")),
}
ROLES: tuple[Role, ...] = get_args(Role)
