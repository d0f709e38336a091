"""Which column, and which field of it, a problem of a schema is about: the page shows it there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from paretonym.errors import Problem
from paretonym.schema.schema_parser import COLUMN_KEYS, SCHEMA_NAME

_QUOTED = re.compile(r"'[^']*'")
# What a problem says where it does not begin with the key it is about.
_SAID: Mapping[str, str] = {
    "in order": "order",
    "in the tree": "hierarchy",
    "and no level": "level",
    "would be released as they are": "kept",
    "the format": "format",
    "not dates": "format",
    "could be read as day and month": "format",
    "role": "role",
}


def placed(problems: Iterable[Problem], names: Iterable[str]) -> list[dict[str, Any]]:
    """Problems with the column and the key that they are about; None where they are about more than one."""
    # The longest name first: one may begin like another.
    ordered = sorted(names, key=len, reverse=True)
    return [_placed(problem, ordered) for problem in problems]


def _placed(problem: Problem, names: list[str]) -> dict[str, Any]:
    column = next((name for name in names if _within(problem.place, name)), None)
    key = None if column is None else _key(problem, column)
    entry = {"place": problem.place, "wrong": problem.wrong, "remedy": problem.remedy}
    return {**entry, "column": column, "key": key}


def _start(name: str) -> str:
    return f"{SCHEMA_NAME}, column '{name}'"


def _within(place: str, name: str) -> bool:
    return place == _start(name) or place.startswith(f"{_start(name)}, ")


def _key(problem: Problem, column: str) -> str | None:
    if problem.place != _start(column):
        return "hierarchy"
    # Values stand in quotes, and may be called anything.
    plain = _QUOTED.sub("", problem.wrong)
    first = plain.split(maxsplit=1)[0] if plain.split() else ""
    if first in COLUMN_KEYS:
        return first
    return next((key for words, key in _SAID.items() if words in plain), None)
