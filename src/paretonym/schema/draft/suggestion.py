"""What is proposed for one column."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.schema.model import Role


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A role, why it was guessed, and the lines of TOML (comments too) that follow the role.

    `decide` says what a person must decide where the role is undecided.
    """

    name: str
    role: Role
    reason: str
    lines: tuple[str, ...] = ()
    decide: str = ""
