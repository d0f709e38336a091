"""Checklists: the items of a published rule, and what of a release is looked at for each. They are TOML
files; those that come with paretonym are in the folder `checklists`, and others are read alike."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from paretonym.base.errors import Field, InputError, Problem, did_you_mean
from paretonym.base.language import ENGLISH, current_language
from paretonym.tables.schema.direct_identifiers import patterns, sign_of_values
from paretonym.tables.schema.name_vocabulary import tokens
from paretonym.tables.schema.schema_file import broken_toml, read_text
from paretonym.tables.schema.toml_section import Section, all_of, described, leaf, text, whole

FOLDER = Path(__file__).with_name("checklists")
ENDING = ".toml"
# A shorter word counts only on its own: a "pin" is not in "shipping".
SHORTEST_END = 5
CRITERIA = ("singling-out", "linkability", "inference")
EXAMPLE = '[[item]] with text = "…"'
# A text, or one for each language, by its code.
Texts: TypeAlias = Mapping[str, str]


def _texts(value: object) -> Texts | None:
    if isinstance(value, str):
        return {ENGLISH: value}
    every = isinstance(value, Mapping) and all(isinstance(one, str) for one in value.values())
    return dict(value) if isinstance(value, Mapping) and every and ENGLISH in value else None


def _among(*choices: str) -> Callable[[object], str | None]:
    return lambda value: value if isinstance(value, str) and value in choices else None


class Check(NamedTuple):
    """A key of an item that says what is looked at: how its value is read, and what is expected there."""

    read: Callable[[Any], Any]
    expected: str


# What a checklist can ask of a release. Each is a finding of its own.
CHECKS: Mapping[str, Check] = {
    "words": Check(all_of(leaf), "a list of words that names of columns may contain"),
    "patterns": Check(all_of(leaf), "a list of what values may look like"),
    "oldest": Check(whole, "the highest age that may be shown by itself"),
    "postal": Check(whole, "how many digits of a postal code may be shown"),
    "sparse": Check(all_of(leaf), "a list of beginnings of postal codes that may not be shown"),
    "dates": Check(_among("year"), '"year": dates are shown by year or coarser'),
    "limit": Check(text, 'a measure with its bound, such as "risk-highest<=0.09"'),
    "criterion": Check(_among(*CRITERIA), "one of " + ", ".join(CRITERIA)),
    "show": Check(all_of(leaf), "a list of measures whose values help to decide"),
}
ITEM_KEYS = ("text", "note", "person", *CHECKS)
KEYS = ("title", "source", "url", "note", "item")


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item: its text and a note on it, what is looked at, and whether a person decides even if nothing
    speaks against it. Nothing can be looked at for some items."""

    text: Texts
    note: Texts
    checks: Mapping[str, Any]
    person: bool = False


@dataclass(frozen=True, slots=True)
class Checklist:
    """The items of a published rule, with its source."""

    name: str
    title: Texts
    source: str
    url: str
    note: Texts
    items: tuple[ChecklistItem, ...]


def in_words(texts: Texts) -> str:
    """A text in the current language, or in English."""
    return texts.get(current_language(), texts.get(ENGLISH, ""))


def checklist_names() -> tuple[str, ...]:
    """The names of the checklists that come with paretonym.

    >>> checklist_names()
    ('ema-0070', 'hipaa-safe-harbor', 'wp216')
    """
    return tuple(sorted(path.stem for path in FOLDER.glob(f"*{ENDING}")))


def read_checklist(name: str) -> Checklist:
    """A checklist by its name, or from a file; an error with everything that is wrong with it."""
    path = Path(name) if name.endswith(ENDING) else FOLDER / f"{name}{ENDING}"
    if path.parent == FOLDER and path.stem not in checklist_names():
        remedy = f"{did_you_mean(name, checklist_names())}, or give a file (TOML)"
        raise InputError.of(Field("checklists"), f"there is no checklist '{name}'", remedy)
    content = read_text(path, path.name)
    try:
        mapping = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise broken_toml(content, path.name, error) from None
    problems: list[Problem] = []
    section = Section(path.name, mapping, problems)
    section.refuse_unknown(KEYS)
    for key in ("title", "source", "item"):
        if key not in mapping:
            section.complain(f"{key} is missing", f"give it; begin each item with {EXAMPLE}", key)
    title = section.read("title", _texts, "a text, or one for each language") or {}
    source, url = section.text("source") or "", section.text("url") or ""
    if url and not url.startswith("https://"):
        section.complain("url does not begin with https://", "give the address of the rule", "url")
    note = section.read("note", _texts, "a text, or one for each language") or {}
    entries = mapping.get("item", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        section.complain(f"item is {described(entries)}", f"begin each item with {EXAMPLE}", "item")
        entries = []
    items = tuple(_item(Section(f"{path.name}, item {i}", e, problems)) for i, e in enumerate(entries, 1))
    if problems:
        raise InputError(problems)
    return Checklist(path.stem, title, source, url, note, items)


def _item(section: Section) -> ChecklistItem:
    section.refuse_unknown(ITEM_KEYS)
    if "text" not in section.mapping:
        section.complain("text is missing", f"give it: {EXAMPLE}", "text")
    texts, note = (section.read(key, _texts, "a text, or one for each language") for key in ("text", "note"))
    person = section.read("person", lambda value: value if isinstance(value, bool) else None, "true or false")
    values = {key: section.read(key, check.read, check.expected) for key, check in CHECKS.items()}
    for pattern in values["patterns"] or ():
        if pattern not in patterns():
            section.complain(f"nothing finds {pattern}", did_you_mean(pattern, patterns()), "patterns")
    checks = {key: value for key, value in values.items() if value is not None}
    return ChecklistItem(texts or {}, note or {}, checks, bool(person))


def name_contains(name: str, words: Sequence[str]) -> bool:
    """True if the name of a column contains one of some words.

    >>> name_contains("PatientPhone 2", ["phone"]), name_contains("shipping", ["pin"])
    (True, False)
    >>> name_contains("Wohnadresse", ["adresse"]), name_contains("birth_city", ["zip code"])
    (True, False)
    """
    parts = tokens(name)
    line = f" {' '.join(parts)} "
    return any(
        f" {word} " in line
        or (len(word) >= SHORTEST_END and any(part.endswith(word.replace(" ", "")) for part in parts))
        for word in words
    )


def looks_like(texts: Sequence[str], rows: int, kinds: Sequence[str]) -> bool:
    """True if the values of a column look like one of some kinds of identifiers."""
    sign = sign_of_values(texts, rows) or ""
    return any(sign.endswith(f" {kind}") for kind in kinds)
