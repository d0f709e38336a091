"""Roles that a person gives to columns, by their names or by patterns such as q*."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from paretonym.base.errors import InputError, did_you_mean, shown
from paretonym.tables.schema.roles import ROLE_RULES, ROLES, Role


def columns_like(pattern: str, names: Sequence[str], place: str) -> tuple[str, ...]:
    """The columns that a name or a pattern means; at least one.

    >>> columns_like("q*", ["age", "q1", "q2"], "people.csv"), columns_like("age", ["age"], "people.csv")
    (('q1', 'q2'), ('age',))
    """
    columns = (pattern,) if pattern in names else tuple(name for name in names if fnmatchcase(name, pattern))
    if not columns:
        raise InputError.of(place, f"there is no column '{pattern}'", did_you_mean(pattern, names))
    return columns


def role_named(name: str, place: str) -> Role:
    """The role of this name."""
    role = next((role for role in ROLES if role == name), None)
    if role is None:
        raise InputError.of(place, f"the role '{name}' is unknown", did_you_mean(name, ROLES))
    return role


def chosen_roles(choices: Mapping[Role, Iterable[str]], names: Sequence[str], place: str) -> dict[str, Role]:
    """The role of each column that was given one; what is named counts before a pattern that fits it."""
    roles: dict[str, Role] = {}
    exact: set[str] = set()
    for role, patterns in choices.items():
        for pattern in patterns:
            for name in columns_like(pattern, names, place):
                if name in roles and roles[name] != role and (pattern == name) == (name in exact):
                    wrong = f"column '{name}' is given the roles {roles[name]} and {role}"
                    raise InputError.of(place, wrong, "name it once")
                if name not in exact:
                    roles[name] = role
                exact |= {name} if pattern == name else set()
    for role in choices:
        columns = [name for name, chosen in roles.items() if chosen == role]
        if ROLE_RULES[role].second is not None and len(columns) > 1:
            wrong = f"{len(columns)} columns are given the role {role}: {shown(columns)}"
            raise InputError.of(place, wrong, "give it to one")
    return roles
