"""A requirements file: limits that every release of a house must meet, who set each of them, and why."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.base.errors import InputError, Problem
from paretonym.tables.schema.schema_file import broken_toml, read_text
from paretonym.tables.schema.toml_section import Section, described

ENDING = ".toml"
KEYS = ("name", "limit")
LIMIT_KEYS = ("require", "set_by", "why")
EXAMPLE = '[[limit]] with require = "k>=5", set_by = "…" and why = "…"'


@dataclass(frozen=True, slots=True)
class PolicyLimit:
    """One limit, such as `k>=5`, who set it, and why."""

    require: str
    set_by: str
    why: str

    def __str__(self) -> str:
        return f"{self.require}, set by {self.set_by}: {self.why}"


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of one file, by its name."""

    name: str
    limits: tuple[PolicyLimit, ...]

    @property
    def requirements(self) -> tuple[str, ...]:
        """The limits as requirements of an audit: `k>=5`."""
        return tuple(limit.require for limit in self.limits)

    def as_json(self) -> dict[str, Any]:
        entries = [{"require": e.require, "set_by": e.set_by, "why": e.why} for e in self.limits]
        return {"name": self.name, "limits": entries}


def is_policy(entry: str) -> bool:
    """True if an entry among requirements names a policy file.

    >>> is_policy("house.toml"), is_policy("k>=5")
    (True, False)
    """
    return entry.endswith(ENDING)


def requirements_in(entries: Iterable[str]) -> tuple[str, ...]:
    """Requirements, those of policy files in the place of their names."""
    return tuple(
        requirement
        for entry in entries
        for requirement in (read_policy(Path(entry)).requirements if is_policy(entry) else (entry,))
    )


def read_policy(path: Path) -> Policy:
    """The policy in a file; an error with everything that is wrong with it."""
    name = path.name
    text = read_text(path, name)
    try:
        mapping = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise broken_toml(text, name, error) from None
    problems: list[Problem] = []
    section = Section(name, mapping, problems)
    section.refuse_unknown(KEYS)
    entries = mapping.get("limit")
    if not isinstance(entries, list) or not entries:
        wrong = "it has no limit" if entries is None else f"limit is {described(entries)}"
        section.complain(wrong, f"begin each limit with {EXAMPLE}", "limit")
        entries = []
    limits = []
    for place, entry in enumerate(entries, 1):
        if isinstance(entry, Mapping):
            limits.append(_limit(Section(f"{name}, limit {place}", entry, problems)))
        else:
            wrong = f"it is {described(entry)}"
            problems.append(Problem(f"{name}, limit {place}", wrong, f"begin it with {EXAMPLE}"))
    title = section.text("name") or path.stem
    if problems:
        raise InputError(problems)
    return Policy(title, tuple(limits))


def _limit(section: Section) -> PolicyLimit:
    section.refuse_unknown(LIMIT_KEYS)
    texts = {key: (section.text(key) or "").strip() for key in LIMIT_KEYS}
    for key, value in texts.items():
        if not value and (key not in section.mapping or isinstance(section.mapping[key], str)):
            section.complain(f"{key} is missing", f"give it: {EXAMPLE}", key)
    return PolicyLimit(**texts)
