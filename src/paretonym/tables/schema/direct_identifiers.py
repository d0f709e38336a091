"""Signs that a column identifies people by itself: its name, or the shape of its values.

A column that looks like names, addresses, e-mail, telephone or national numbers, or like free text, is not
published unchanged unless the schema says that it may be. The signs are quiet on ordinary columns: most
values must have the shape, and where ordinary numbers could have it by chance, check digits decide. No value
is ever part of an answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from paretonym.tables.schema.name_vocabulary import noun_of, tokens

FILE = Path(__file__).with_name("direct_identifiers.toml")
# So many different values are looked at.
MOST_SAMPLED = 1_000
# Fewer values with a shape may have it by chance.
FEWEST_VALUES = 3
# Other columns have words that are names of people, too.
SHARE_OF_NAMES = 0.4
# A column with so few values is a code or an answer, whatever its name.
FEW_CODES = 10
SHORTEST_PHONE = 6
# So many characters of a value are looked at.
LONGEST = 200
TRUTHS = ("true", "false", "yes", "no", "ja", "nein", "oui", "non", "si", "sí", "y", "n", "0", "1")


def identifying_sign(name: str, texts: Sequence[str], rows: int) -> str | None:
    """Words for the sign that a column identifies people; None if it looks ordinary. `texts`
    are its distinct values, which `rows` rows have.

    >>> identifying_sign("Anschrift", ["Am Ufer 3", "Lindenweg 12", "Marktplatz 1"], 60)
    'its name suggests where one person lives'
    >>> identifying_sign("q7", ["a@example.org", "b@example.org", "c@example.org"], 60)
    'its values look like e-mail addresses'
    >>> identifying_sign("department", ["sales", "research", "legal"], 60)
    """
    return sign_of_values(texts, rows) or _sign_of_name(name, texts, rows)


def sign_of_values(texts: Sequence[str], rows: int) -> str | None:
    """The sign that the shape of the values gives, whatever their column is called."""
    sample = _sample(texts)
    if len(sample) < FEWEST_VALUES:
        return None
    for shape in _shapes():
        if sum(map(shape.fits, sample)) >= max(shape.fewest, shape.share * len(sample)):
            return f"its values look like {shape.noun}"
    if sum(map(_is_person, sample)) >= max(FEWEST_VALUES, SHARE_OF_NAMES * len(sample)):
        return "its values look like names of people"
    hardly_repeated = 5 * len(texts) >= rows
    return "its values look like free text" if hardly_repeated and _are_prose(sample) else None


def patterns() -> tuple[str, ...]:
    """Nouns for the shapes of values, each once."""
    return (*dict.fromkeys(shape.noun for shape in _shapes()), "names of people", "free text")


def _sample(texts: Sequence[str]) -> list[str]:
    return [text.strip()[:LONGEST] for text in texts[:: max(1, len(texts) // MOST_SAMPLED)]]


def _sign_of_name(name: str, values: Sequence[str], rows: int) -> str | None:
    """The sign that the name gives, unless the values cannot be that: a phone of yes and no is no number."""
    meaning, distinct, texts = noun_of(name), len(values), _sample(values)
    if meaning is None or distinct < FEWEST_VALUES or all(text.lower() in TRUTHS for text in texts):
        return None
    numbers = all(re.fullmatch(r"[+-]?[0-9]*[.,]?[0-9]+", text) for text in texts)
    many = distinct > FEW_CODES
    plausible = {
        "person name": not numbers and not (tokens(name)[-1:] == tokens(name) and _are_kinds(texts)),
        "place of one person": not numbers or (many and not _are_coarse(texts)),
        "contact": many and (not numbers or min(map(len, texts)) >= SHORTEST_PHONE),
        "person": many,
        "key": many and 20 * distinct >= rows,
        "free text": many and 20 * distinct >= rows and not numbers and _blanks(texts) >= 1,
    }
    return f"its name suggests {meaning.says}" if plausible.get(meaning.form, False) else None


def _are_coarse(texts: Sequence[str]) -> bool:
    """True if numbers have one or two decimals at most: degrees like these lead to no house."""
    decimals = [len(re.split("[.,]", text)[1]) if re.search("[.,]", text) else 0 for text in texts]
    return 1 <= max(decimals, default=0) <= 2


def _are_kinds(texts: Sequence[str]) -> bool:
    """True if a fifth of the texts are written like kinds of things ("Owl monkey"): names of people have no
    long words in small letters behind the first."""
    kinds = sum(any(word[:1].islower() and len(word) > 3 for word in text.split()[1:]) for text in texts)
    return 5 * kinds >= len(texts)


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of values, as `direct_identifiers.toml` describes it."""

    noun: str
    written: str
    share: float
    fewest: int = FEWEST_VALUES
    check: str = ""
    weights: Sequence[int] = ()
    modulus: int = 10

    def fits(self, text: str) -> bool:
        """True if a text is written like this, and its letters and digits have the right check digit."""
        if not _compiled(self.written).fullmatch(text):
            return False
        plain = re.sub(r"[^0-9A-Z]", "", text.upper())
        if self.weights:
            products = (weight * int(digit) for weight, digit in zip(self.weights, plain, strict=True))
            return sum(products) % self.modulus == 0
        return CHECKS[self.check](plain) if self.check else True


def _luhn(digits: str) -> bool:
    return _doubled(digits[::-1]) % 10 == 0


def _doubled(digits: str) -> int:
    """The sum of the digits of numbers of which every second is doubled."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(digits))
    return sum(number - 9 * (number > 9) for number in doubled)


def _iban(text: str) -> bool:
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def _german_insurance(text: str) -> bool:
    return _doubled(f"{ord(text[0]) - 64:02}{text[1:9]}") % 10 == int(text[9])


def _german_tax(digits: str) -> bool:
    rest = 10
    for digit in digits[:-1]:
        rest = ((int(digit) + rest) % 10 or 10) * 2 % 11
    return (11 - rest) % 10 == int(digits[-1])


def _french(text: str) -> bool:
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])


def _spanish(text: str) -> bool:
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


CHECKS: Mapping[str, Callable[[str], bool]] = {
    "luhn": _luhn,
    "iban": _iban,
    "french": _french,
    "spanish": _spanish,
    "german insurance": _german_insurance,
    "german tax": _german_tax,
}


@cache
def _entries() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def _shapes() -> tuple[Shape, ...]:
    """The shapes of the file, in the order in which they are tried."""
    return tuple(Shape(**entry) for entry in _entries()["shapes"])


@cache
def _compiled(written: str) -> re.Pattern[str]:
    """A pattern of the file with its parts."""
    parts: dict[str, str] = _entries()["parts"]
    return re.compile(re.sub(r"<(\w+)>", lambda part: parts[part[1]], written), re.IGNORECASE)


@cache
def _words(kind: str) -> frozenset[str]:
    """The titles, institutions, little words or names of the file."""
    return frozenset(_entries()[kind].split())


def _is_person(text: str) -> bool:
    """True if a text consists of words, with a common name of a person among them or a title before them."""
    if len(text) > 60 or any(character.isdigit() for character in text):
        return False
    words = tokens(text)
    if not 1 <= len(words) <= 5 or not _words("institutions").isdisjoint(words):
        return False
    return (len(words) > 1 and words[0] in _words("titles")) or not _words("names").isdisjoint(words)


def _are_prose(texts: Sequence[str]) -> bool:
    """True if texts are sentences: some words each, little ones among them."""
    if len(texts) < FEW_CODES or _blanks(texts) < 3:
        return False
    sentences = sum(not _words("little").isdisjoint(tokens(text)) or text[-1:] in ".!?" for text in texts)
    return 2 * sentences >= len(texts)


def _blanks(texts: Sequence[str]) -> float:
    return sum(text.count(" ") for text in texts) / len(texts)
