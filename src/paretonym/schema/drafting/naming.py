"""From a column's name to what it says."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from paretonym.schema.drafting.words import KEYS, MEANINGS, PERSONS, Meaning

ANSWER = re.compile(r"(?:q|question|frage|item)_?[0-9]+[a-z]?(?:_[0-9]+)?", re.IGNORECASE)
ANSWERED = Meaning("an answer to a numbered question", "private", "")
# Words that say something only if nothing else stands beside them: the name of a product is no person's.
ALONE = [[word] for word in ("name", "names", "nom", "nombre", "household", "haushalt", "foyer", "hogar")]
SHORTEST_START, SHORTEST_END = 3, 5
PERSON_KEY = Meaning("a number that belongs to one person", "key", "")
SPECIAL = str.maketrans(
    {"ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ñ": "n"}
)


def meaning_of(name: str) -> Meaning | None:
    """What a name says, or None. Its last words count most: a household income is an income.

    >>> meaning_of("DateOfBirth").form, meaning_of("Straße").form, meaning_of("xyz")
    ('birth', 'place of one person', None)
    >>> meaning_of("household_income").says, meaning_of("Haushaltseinkommen").says
    ('money', 'money')
    """
    if ANSWER.fullmatch(name.strip()):
        return ANSWERED
    words = tokens(name)
    for last in range(len(words), 0, -1):
        for first in range(last):
            found = vocabulary().get("".join(words[first:last]))
            if found is not None and (last - first == len(words) or words[first:last] not in ALONE):
                return found
    return _compound(words)


def ends_like_a_key(name: str) -> bool:
    """Whether the last word is one such as id or number, whatever it numbers."""
    words = tokens(name)
    return bool(words) and words[-1] in _listed(KEYS)


def tokens(name: str) -> list[str]:
    """The words of a name, in small letters and without accents.

    >>> tokens("PatientID"), tokens("code_postal 2")
    (['patient', 'id'], ['code', 'postal', '2'])
    >>> tokens("gender1")
    ['gender', '1']
    """
    plain = unicodedata.normalize("NFKD", name.translate(SPECIAL))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])", " ", plain)
    return [word for word in re.split(r"[^0-9a-z]+", parted.lower()) if word]


def _compound(words: list[str]) -> Meaning | None:
    """What the end of a long word says: Aufnahmedatum is a Datum. What stands before it must be long enough
    to be a word too: an estate is no state."""
    ends = (
        word[start:]
        for word in reversed(words)
        for start in range(SHORTEST_START, len(word) - SHORTEST_END + 1)
    )
    return next((vocabulary()[end] for end in ends if end in vocabulary()), None)


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
