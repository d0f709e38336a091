"""Signs that a column identifies people by itself: its name, or the shape of its values.

A column that looks like names, addresses, e-mail, telephone or national numbers, or like free text, is not
published unchanged unless the schema says that it may be. The signs are quiet on ordinary columns: most
values must have the shape, and where ordinary numbers could have it by chance, check digits decide. No value
is ever part of an answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from paretonym.schema.name_vocabulary import noun_of, tokens

WORDS = Path(__file__).with_name("identifier_words.toml")
# So many different values are looked at.
MOST_SAMPLED = 1_000
# Fewer values with a shape may have it by chance.
FEWEST_VALUES = 3
# A column with so few values is a code or an answer, whatever its name.
FEW_CODES = 10
SHORTEST_PHONE = 6
# So many characters of a value are looked at.
LONGEST = 200
TRUTHS = ("true", "false", "yes", "no", "ja", "nein", "oui", "non", "si", "sí", "y", "n", "0", "1")


def identifying_sign(name: str, texts: Sequence[str], rows: int) -> str | None:
    """What a column seems to hold that identifies people, for a sentence; None if it looks ordinary. `texts`
    are its distinct values, which `rows` rows have.

    >>> identifying_sign("Anschrift", ["Am Ufer 3", "Lindenweg 12", "Marktplatz 1"], 60)
    'its name suggests where one person lives'
    >>> identifying_sign("q7", ["a@example.org", "b@example.org", "c@example.org"], 60)
    'its values look like e-mail addresses'
    >>> identifying_sign("department", ["sales", "research", "legal"], 60)
    """
    return sign_of_values(texts, rows) or _sign_of_name(name, texts, rows)


def sign_of_values(texts: Sequence[str], rows: int) -> str | None:
    """What the shape of the values says, whatever their column is called."""
    sample = _sample(texts)
    if len(sample) < FEWEST_VALUES:
        return None
    for shape in SHAPES:
        if sum(map(shape.fits, sample)) >= max(shape.fewest, shape.share * len(sample)):
            return f"its values look like {shape.noun}"
    hardly_repeated = 5 * len(texts) >= rows
    return "its values look like free text" if hardly_repeated and _are_prose(sample) else None


def _sample(texts: Sequence[str]) -> list[str]:
    return [text.strip()[:LONGEST] for text in texts[:: max(1, len(texts) // MOST_SAMPLED)]]


def _sign_of_name(name: str, values: Sequence[str], rows: int) -> str | None:
    """What the name says, unless the values cannot be that: a phone of yes and no is no number."""
    meaning, distinct, texts = noun_of(name), len(values), _sample(values)
    if meaning is None or distinct < FEWEST_VALUES or all(text.lower() in TRUTHS for text in texts):
        return None
    numbers = all(re.fullmatch(r"[+-]?[0-9]*[.,]?[0-9]+", text) for text in texts)
    many = distinct > FEW_CODES
    plausible = {
        "person name": not numbers,
        "place of one person": not numbers or many,
        "contact": many and (not numbers or min(map(len, texts)) >= SHORTEST_PHONE),
        "person": many,
        "key": many and 20 * distinct >= rows,
        "free text": many and 20 * distinct >= rows and not numbers and _blanks(texts) >= 1,
    }
    return f"its name suggests {meaning.says}" if plausible.get(meaning.form, False) else None


class Shape(NamedTuple):
    """What values may look like, and from which share and number of them on a column looks like that."""

    noun: str
    fits: Callable[[str], bool]
    share: float
    fewest: int = FEWEST_VALUES


def _written(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.fullmatch(text) is not None


def _checked(pattern: str, check: Callable[[str], bool]) -> Callable[[str], bool]:
    """A pattern whose letters and digits, without what separates them, have the right check digit."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.fullmatch(text) is not None and check(re.sub(r"[^0-9A-Z]", "", text.upper()))


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def _iban(text: str) -> bool:
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def _weighted(weights: Sequence[int], modulus: int) -> Callable[[str], bool]:
    """Digits whose weighted sum, that of the check digit included, is a multiple."""
    return lambda text: (
        sum(weight * int(digit) for weight, digit in zip(weights, text, strict=True)) % modulus == 0
    )


def _german_insurance(text: str) -> bool:
    digits = f"{ord(text[0]) - 64:02}{text[1:9]}"
    products = (int(digit) * (1 + place % 2) for place, digit in enumerate(digits))
    return sum(number - 9 * (number > 9) for number in products) % 10 == int(text[9])


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


DATE = re.compile(r"[0-9]{1,4}[-./ ][0-9]{1,2}[-./ ][0-9]{1,4}")
PHONE = re.compile(
    r"\+[0-9][0-9 ()/.-]{6,20}"  # +49 30 123456
    r"|00[1-9][0-9 ()/.-]{7,20}"  # 0049 30 123456
    r"|\(?0[1-9][0-9]{1,4}\)?[ /-]{1,3}[0-9][0-9 /-]{4,14}"  # 030 1234567, 0171/123 45 67
    r"|0[1-9][0-9]{8,10}"  # 01711234567, 0612345678
    r"|0[1-9](?:[ .-][0-9]{2}){4}"  # 06 12 34 56 78
    r"|[6-9][0-9]{2}(?: [0-9]{3}){2}|[6-9][0-9]{2}(?: [0-9]{2}){3}"  # 612 345 678, 912 34 56 78
    r"|(?:1[ -])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. ])[0-9]{3}[-. ][0-9]{4}"  # (555) 234-5678
)
# Streets, with the house number where their language writes it; and what may follow them.
GERMAN = (
    r"(?:[\w.'-]+ ){0,3}[\w.'-]*(?:stra(?:ß|ss)e|str\.?|weg|allee|gasse|chaussee|straat|laan|damm|ufer|steig)"
)
ROMANCE = (
    r"(?:rue|avenue|av\.?|boulevard|bd|chemin|impasse|quai|place|route|allée|calle|c/|avenida|avda\.?|paseo"
    r"|plaza|camino|carrer|ronda|gran vía|via|viale|corso)"
    r" [\w .'-]+?"
)
ENGLISH = (
    r"(?:[\w.'-]+ ){1,4}(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|terrace"
    r"|crescent|square|sq|highway|hwy|parkway|pkwy)"
)
HOUSE = r"[0-9]{1,4} ?[a-z]?(?:[-/][0-9]{1,4}[a-z]?)?"
PLACE = r"(?:[,;\n].*)?"
TOWN = r"(?:[0-9]{4,5} [^,;0-9]+[,;] ?)?"
ADDRESS = (
    rf"{TOWN}(?:{GERMAN} {HOUSE}{PLACE}|{ROMANCE},? {HOUSE}{PLACE}|{HOUSE},? (?:bis |ter )?{ROMANCE}{PLACE}"
    rf"|[0-9]{{1,5}}[a-z]? {ENGLISH}\.?(?: .*)?{PLACE})"
)
STREET = (
    r"(?:[\w.'-]+ ){0,2}[\w.'-]{2,}(?:stra(?:ß|ss)e|str\.|weg|allee|gasse)"
    r"|(?:rue|avenue|boulevard|chemin|impasse|calle|avenida) [\w .'-]+"
    r"|(?:[\w.'-]+ ){1,3}(?:street|avenue|road|lane|boulevard)"
)


def _is_phone(text: str) -> bool:
    return bool(PHONE.fullmatch(text)) and not DATE.fullmatch(text)


@cache
def _words(kind: str) -> frozenset[str]:
    """The titles, institutions, little words or names of the file of words."""
    return frozenset(tomllib.loads(WORDS.read_text(encoding="utf-8"))[kind].split())


def _is_person(text: str) -> bool:
    """Whether a text consists of words, with a common name of a person among them or a title before them."""
    if len(text) > 60 or any(character.isdigit() for character in text):
        return False
    words = tokens(text)
    if not 1 <= len(words) <= 5 or not _words("institutions").isdisjoint(words):
        return False
    return (len(words) > 1 and words[0] in _words("titles")) or not _words("names").isdisjoint(words)


NATIONAL = "national or insurance numbers"
BORN = r"(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])[0-9]{2}"
NROB = r"(?:[0-9]{2})?[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
BYTE = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
SHAPES: tuple[Shape, ...] = (
    Shape("e-mail addresses", _written(r".*[\w.+-]+@[\w-]+(?:\.[\w-]+)+.*"), 0.1),
    Shape("bank accounts (IBAN)", _checked(r"[a-z]{2}[0-9]{2}(?: ?[a-z0-9]){11,30}", _iban), 0.2),
    Shape("addresses of devices (IP)", _written(rf"(?:{BYTE}\.){{3}}{BYTE}"), 0.5),
    Shape("telephone numbers", _is_phone, 0.5),
    Shape("card numbers", _checked(r"[3-6](?:[ -]?[0-9]){12,18}", _luhn), 0.9, 5),
    # The United States, the United Kingdom, Germany, Italy, Brazil, the Nordic countries: by their form.
    Shape(NATIONAL, _written(r"(?!000|666|9)[0-9]{3}-[0-9]{2}-[0-9]{4}"), 0.5),
    Shape(NATIONAL, _written(r"[a-ceghj-prstw-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]"), 0.5),
    Shape(NATIONAL, _written(rf"[0-9]{{2}} ?{BORN} ?[a-z] ?[0-9]{{3}}"), 0.5),
    Shape(NATIONAL, _written(r"[a-z]{6}[0-9]{2}[a-ehlmprst][0-9]{2}[a-z][0-9]{3}[a-z]"), 0.5),
    Shape(NATIONAL, _written(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"), 0.5),
    Shape(NATIONAL, _written(rf"{BORN}[-+a][0-9]{{3}}[0-9a-y]|{NROB}[-+][0-9]{{4}}"), 0.5),
    # Switzerland, France, Spain, German health insurance and taxes, Poland, the NHS, the Netherlands, Canada
    # and Sweden: by their check digits.
    Shape(NATIONAL, _checked(r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}", _weighted((1, 3) * 6 + (1,), 10)), 0.5),
    Shape(NATIONAL, _checked(r"[12](?: ?[0-9ab]){14}", _french), 0.5),
    Shape(NATIONAL, _checked(r"(?:[xyz]-?[0-9]{7}|[0-9]{8})-?[a-z]", _spanish), 0.5),
    Shape(NATIONAL, _checked(r"[a-z] ?(?:[0-9] ?){9}", _german_insurance), 0.9, 10),
    Shape(NATIONAL, _checked(r"[1-9](?: ?[0-9]){10}", _german_tax), 0.9, 10),
    Shape(NATIONAL, _checked(r"[0-9]{11}", _weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)), 0.9, 10),
    Shape(NATIONAL, _checked(r"[0-9](?:[ -]?[0-9]){9}", _weighted(range(10, 0, -1), 11)), 0.9, 10),
    Shape(NATIONAL, _checked(r"[0-9]{9}", _weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11)), 0.9, 10),
    Shape(NATIONAL, _checked(r"[0-9](?:[ -]?[0-9]){8,9}", _luhn), 0.9, 10),
    Shape("addresses", _written(ADDRESS), 0.3),
    Shape("streets", _written(STREET), 0.6, 5),
    Shape("names of people", _is_person, 0.4),
)


def _are_prose(texts: Sequence[str]) -> bool:
    """Whether texts are sentences: some words each, little ones among them."""
    if len(texts) < FEW_CODES or _blanks(texts) < 3:
        return False
    sentences = sum(not _words("little").isdisjoint(tokens(text)) or text[-1:] in ".!?" for text in texts)
    return 2 * sentences >= len(texts)


def _blanks(texts: Sequence[str]) -> float:
    return sum(text.count(" ") for text in texts) / len(texts)
