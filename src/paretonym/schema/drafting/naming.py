"""From a column's name to what it says."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from paretonym.schema.drafting.words import KEYS, MEANINGS, PERSONS, Meaning

ANSWER = re.compile(r"(?:q|question|frage|item)_?[0-9]+[a-z]?(?:_[0-9]+)?", re.IGNORECASE)
ANSWERED = Meaning("an answer to a numbered question", "private", "")
PERSON_KEY = Meaning("a number that belongs to one person", "key", "")
SPECIAL = str.maketrans(
    {"ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ñ": "n"}
)


def meaning_of(name: str) -> Meaning | None:
    """What the longest known words in a name say, or None.

    >>> meaning_of("DateOfBirth").form, meaning_of("Straße").form, meaning_of("xyz")
    ('birth', 'place of one person', None)
    """
    if ANSWER.fullmatch(name.strip()):
        return ANSWERED
    found = [part for part in parts(name) if part in vocabulary()]
    return vocabulary()[max(found, key=len)] if found else None


def ends_like_a_key(name: str) -> bool:
    """Whether the last word is one such as id or number, whatever it numbers."""
    words = tokens(name)
    return bool(words) and words[-1] in _listed(KEYS)


def tokens(name: str) -> list[str]:
    """The words of a name, in small letters and without accents.

    >>> tokens("PatientID"), tokens("code_postal 2")
    (['patient', 'id'], ['code', 'postal', '2'])
    """
    plain = unicodedata.normalize("NFKD", name.translate(SPECIAL))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return [word for word in re.split(r"[^0-9a-z]+", parted.lower()) if word]


def parts(name: str) -> list[str]:
    """Every run of words, joined."""
    words = tokens(name)
    return [
        "".join(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1)
    ]


@cache
def vocabulary() -> dict[str, Meaning]:
    """Every known word; of two meanings of one word the first counts."""
    found = {person + key: PERSON_KEY for person in map(_joined, _listed(PERSONS)) for key in _listed(KEYS)}
    for meaning in MEANINGS:
        for word in _listed(meaning.words):
            found.setdefault(_joined(word), meaning)
    return found


def _listed(words: str) -> list[str]:
    return [" ".join(word.split()) for word in words.split(",")]


def _joined(word: str) -> str:
    return word.replace(" ", "")
