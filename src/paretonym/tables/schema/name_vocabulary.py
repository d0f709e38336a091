"""Meanings of column names: the words of `name_vocabulary.toml`, read when the first name is looked up."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("name_vocabulary.toml")


class Meaning(NamedTuple):
    """Meaning of a family of words, for a sentence, and how such a column is treated."""

    says: str
    form: str


ANSWER = re.compile(r"(?:q|question|frage|item)_?[0-9]+[a-z]?(?:_[0-9]+)?", re.IGNORECASE)
ANSWERED = Meaning("an answer to a numbered question", "answer")
PERSON_KEY = Meaning("a number that belongs to one person", "person")
RECORD_KEY = PERSON_KEY._replace(form="key")
PERSON_NAME = Meaning("the name of a person", "person name")
# The shortest first part and the shortest end of a compound word.
SHORTEST_START, SHORTEST_END = 3, 5
SPECIAL = str.maketrans(
    {"ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ñ": "n"}
)


def meaning_of(name: str) -> Meaning | None:
    """The meaning of a name, or None. Its last words count most: a household income is an income.

    >>> meaning_of("DateOfBirth").form, meaning_of("Straße").form, meaning_of("xyz")
    ('birth', 'place of one person', None)
    >>> meaning_of("household_income").says, meaning_of("Haushaltseinkommen").says
    ('money', 'money')
    """
    if ANSWER.fullmatch(name.strip()):
        return ANSWERED
    words = tokens(name)
    endings = (_ending(words, last) for last in range(len(words), 0, -1))
    return next((meaning for meaning in endings if meaning is not None), None) or _compound(words)


def noun_of(name: str) -> Meaning | None:
    """The meaning of the last words of a name, numbers behind them aside: a type of street is no street.

    >>> noun_of("E-Mail 2").form, noun_of("Wohnadresse").form, noun_of("street_type")
    ('contact', 'place of one person', None)
    """
    words = tokens(name)
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    return _ending(words, len(words)) or _compound(words[-1:])


def ends_like_a_key(name: str) -> bool:
    """True if the last word is one such as id or number, whatever it numbers."""
    words = tokens(name)
    return bool(words) and words[-1] in _entries()["keys"]


def tokens(name: str) -> list[str]:
    """The words of a name, in lower case and without accents.

    >>> tokens("PatientID"), tokens("code_postal 2")
    (['patient', 'id'], ['code', 'postal', '2'])
    >>> tokens("gender1")
    ['gender', '1']
    """
    plain = unicodedata.normalize("NFKD", name.translate(SPECIAL))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])", " ", plain)
    return [word for word in re.split(r"[^0-9a-z]+", parted.lower()) if word]


def _ending(words: list[str], last: int) -> Meaning | None:
    """The meaning of the longest known words before a place."""
    for first in range(last):
        meaning = vocabulary().get("".join(words[first:last]))
        part_of_name = last - first < len(words)
        if meaning is not None and not (part_of_name and words[first:last] in _entries()["alone"]):
            return meaning
    return None


def _compound(words: list[str]) -> Meaning | None:
    """Meaning of the end of a compound word: Aufnahmedatum is a Datum. The part before it must be long enough
    to be a word too: an estate is not a state."""
    ends = (
        word[start:]
        for word in reversed(words)
        for start in range(SHORTEST_START, len(word) - SHORTEST_END + 1)
    )
    return next((vocabulary()[end] for end in ends if end in vocabulary()), None)


@cache
def vocabulary() -> dict[str, Meaning]:
    """Every known word, or words without the blanks between them; of two meanings the first counts."""
    entries = _entries()
    listed = [
        (word, Meaning(family["says"], family["form"]))
        for family in entries["meanings"]
        for word in family["words"]
    ]

    def pairs(whose: str, what: str, meaning: Meaning) -> list[tuple[str, Meaning]]:
        return [(first + second, meaning) for first, second in product(entries[whose], entries[what])]

    families = (
        *pairs("persons", "keys", PERSON_KEY),
        *pairs("records", "keys", RECORD_KEY),
        *listed,
        *pairs("persons", "names", PERSON_NAME),
    )
    words: dict[str, Meaning] = {}
    for word, meaning in families:
        words.setdefault(word.replace(" ", ""), meaning)
    return words


@cache
def _entries() -> dict[str, Any]:
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {**entries, "alone": [[word] for word in entries["alone"]]}
