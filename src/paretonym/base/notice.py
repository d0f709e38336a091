"""Warnings in full, with a short form: one line for all warnings of one kind."""

from __future__ import annotations

from collections.abc import Iterable


class Notice(str):
    """A warning in full. `brief` says the same of several subjects, such as columns: its parts are for one
    subject and for many.

    >>> brief = "column {names} is rare", "{number} columns are rare: {names}"
    >>> notices = [Notice(f"Column '{name}' …", brief, name) for name in "ab"]
    >>> in_brief([*notices, "k is 1: 3 people look like nobody else. Somebody …"])
    ('2 columns are rare: a, b.', 'k is 1: 3 people look like nobody else.')
    """

    brief: tuple[str, str]
    subject: str

    def __new__(cls, text: str, brief: tuple[str, str], subject: str) -> Notice:
        notice = super().__new__(cls, text)
        notice.brief, notice.subject = brief, subject
        return notice

    def __reduce__(self) -> tuple[type[Notice], tuple[str, tuple[str, str], str]]:
        return Notice, (str(self), self.brief, self.subject)


def in_brief(warnings: Iterable[str]) -> tuple[str, ...]:
    """One line for each kind of warning; of one that is no notice, the first sentence."""
    lines: dict[str | tuple[str, str], list[str]] = {}
    for warning in warnings:
        if isinstance(warning, Notice):
            lines.setdefault(warning.brief, []).append(warning.subject)
        else:
            lines.setdefault(_first_sentence(warning), [])
    return tuple(
        key if isinstance(key, str)
        else f"{key[len(names) > 1].format(names=', '.join(names), number=len(names))}."
        for key, names in lines.items()
    )  # fmt: skip


def _first_sentence(text: str) -> str:
    head, end, _rest = text.partition(". ")
    return f"{head}." if end else text
