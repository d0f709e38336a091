"""Columns that identify people by themselves, and ordinary ones that must not be mistaken for them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema import bind, schema_from
from paretonym.tables.schema.direct_identifiers import identifying_sign, sign_of_values
from paretonym.tables.source import Counts

ROWS = 500
FIRST = ("Anna", "Peter", "Julia", "Lukas", "Emma", "Paul", "Sofia", "Ben")
LAST = ("Schmidt", "Müller", "Novotny", "Krause", "Özdemir", "Lehmann")


def digits(number: int, seed: int) -> str:
    return "".join(random.Random(seed).choices("0123456789", k=number))


def with_luhn(begin: str) -> str:
    """The digits with the check digit that makes the sum of alternately doubled digits a multiple of ten."""
    total = 0
    for place, digit in enumerate(reversed(begin)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number // 10 + number % 10
    return begin + str(-total % 10)


def iban(seed: int) -> str:
    account = "37040044" + digits(10, seed)
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


IDENTIFYING = {
    "names of people": [f"{first} {last}" for first in FIRST for last in LAST],
    "names of people, the family first": [f"{last}, {first}" for first in FIRST for last in LAST],
    "names of people behind titles": ["Frau Abele", "Herr Zwick", "Dr. Tschirner", "Frau Prof. Obst"],
    "names of people, first names": list(FIRST),
    "addresses in German": ["Hauptstr. 12", "Lindenweg 3", "Am Ufer 4", "Berliner Straße 17a, 10115 Berlin"],
    "addresses in English": ["12 Main St", "4 Elm Avenue, Springfield", "77 Sunset Blvd", "9 Old Oak Road"],
    "addresses in French": ["12 rue de la Paix", "3 avenue Foch", "8 bis rue Victor Hugo"],
    "addresses in Spanish": ["Calle Mayor 5", "Calle de Alcalá 12", "Avenida de América 3"],
    "addresses in Spanish, with a comma": [
        "Avda. del Mar, 103",
        "Plaza de España, 4",
        "Carrer de Balmes, 12",
    ],
    "addresses behind their town": [
        "14019 Berlin, Bahnhofstr. 61",
        "69002 Lyon, rue Bossuet 8",
        "1010 Wien, Lindenweg 3",
    ],
    "streets": ["Hauptstraße", "Lindenweg", "Gartenstraße", "Kirchgasse", "Schulstraße"],
    "e-mail addresses": ["a@example.org", "b@example.org", "unknown", "c@example.org"],
    "telephone numbers, international": ["+49 30 123456", "+49 171 9988776", "+43 1 5554433"],
    "telephone numbers, German": ["030 1234567", "0171/1234567", "0221-998877"],
    "telephone numbers, French": ["0612345678", "01-02-48-90-88", "04 78 12 34 56"],
    "telephone numbers, Spanish": ["612 345 678", "912 34 56 78", "600 809 414"],
    "telephone numbers, American": ["(555) 123-4567", "212-555-0199", "415.555.2671"],
    "bank accounts": [iban(seed) for seed in range(5)],
    "card numbers": [with_luhn("4" + digits(14, seed)) for seed in range(8)],
    "national or insurance numbers, American": [f"12{n}-45-678{n}" for n in range(9)],
    "national or insurance numbers, Canadian": [with_luhn(digits(8, seed)) for seed in range(12)],
    "national or insurance numbers, German": [f"12{day:02}0580A12{day % 10}" for day in range(1, 28)],
    "addresses of devices": ["192.168.0.1", "10.0.0.7", "8.8.8.8"],
}

ORDINARY = {
    "product": ["Apple Juice", "Green Tea", "Office Chair", "Desk Lamp", "USB Cable", "Yoga Mat"],
    "product_name": [
        "Apple iPhone 13 Pro Max 256GB",
        "Samsung Galaxy S21 Ultra",
        "Sony WH-1000XM4 Headphones",
    ],
    "city": ["Berlin", "München", "Frankfurt am Main", "Nürnberg", "San Antonio", "New York", "St. Louis"],
    "department": ["Sales", "Research", "Human Resources", "Innere Medizin", "Station 3", "Engineering 2"],
    "icd": [f"{letter}{number:02}.1" for letter in "ABCDEF" for number in range(20)],
    "disease": ["Morbus Crohn", "Parkinson disease", "Essential hypertension", "Acute bronchitis"],
    "day": [f"{day:02}.{month:02}.2020" for day in range(1, 29) for month in range(1, 13)],
    "day_iso": [f"2020-{month:02}-{day:02}" for day in range(1, 29) for month in range(1, 13)],
    "day_us": [f"{month:02}-{day:02}-2020" for day in range(1, 29) for month in range(1, 13)],
    "amount": [f"{number * 37 % 9973}.{number % 100:02}" for number in range(200)],
    "nine_digits": [digits(9, seed) for seed in range(200)],
    "eleven_digits": [digits(11, seed) for seed in range(200)],
    "ean": ["4" + digits(12, seed) for seed in range(100)],
    "plz": [digits(5, seed) for seed in range(100)],
    "trade": ["Koch", "Bäcker", "Schneider", "Bauer", "Fischer", "Lehrer", "Müller", "Richter"],
    "size": ["klein", "mittel", "gross"],
    "colour": ["schwarz", "weiss", "braun", "rosa", "rot"],
    "semester": ["Spring 2021", "Spring 2022", "Winter 2021", "Summer 2022"],
    "rank": [f"Platz {number}" for number in range(1, 30)],
    "branch": [f"Filiale Nürnberg {number}" for number in range(1, 30)],
    "religion": ["Christian", "Muslim", "Jewish", "Hindu", "none"],
    "school": ["Anne-Frank-Schule", "Albert-Einstein-Gymnasium", "Goethe-Gymnasium", "Max-Planck-Gymnasium"],
    "company": ["Müller GmbH", "Schmidt AG", "Smith & Co", "Weber GmbH"],
    "street_type": ["street", "avenue", "road", "lane"],
    "phone": ["yes", "no", "unknown"],
    "email": ["yes", "no"],
    "answer": ["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree", "Strongly disagree"],
    "salutation": ["Herr", "Frau", "divers"],
    "visit_number": [str(number) for number in range(1, 14)],
    "interval": [f"{hour:02}:00-{hour + 1:02}:00" for hour in range(24)],
}

ORDINARY["lat"] = [f"-{20 + n // 9}.{n % 100:02}" for n in range(60)]
ORDINARY["name"] = ["Cheetah", "Owl monkey", "Mountain beaver", "Greater short-tailed shrew", "Cow"]

SENTENCES = [
    "The patient said that he was not feeling well",
    "She was admitted after a fall at home and is stable",
    "He has not taken his pills for a week",
    "Her son called because of the bill",
    "They want to move to another ward",
    "It was not possible to reach the family",
    "He is afraid of the operation",
    "She has no complaints today",
    "The nurse was not in the room when he fell",
    "He wants to go home for the weekend",
]


@pytest.mark.parametrize(("what", "texts"), IDENTIFYING.items(), ids=list(IDENTIFYING))
def test_values_of_direct_identifiers(what: str, texts: list[str]) -> None:
    sign = sign_of_values(texts, ROWS)
    assert sign is not None
    assert sign.removeprefix("its values look like ").split(" (")[0] in what or what in sign


@pytest.mark.parametrize(("name", "texts"), ORDINARY.items(), ids=list(ORDINARY))
def test_ordinary_columns(name: str, texts: list[str]) -> None:
    assert identifying_sign(name, texts, max(ROWS, 2 * len(texts))) is None


@pytest.mark.parametrize(
    "name",
    [
        "Name",
        "Vorname",
        "Kundenname",
        "patient name",
        "Anschrift",
        "Wohnadresse",
        "street",
        "surname 2",
        "Ansprechpartner",
    ],
)
def test_names_alone_suffice_for_people_and_places(name: str) -> None:
    assert "its name suggests" in str(identifying_sign(name, ["Qx", "Zv", "Wk"], ROWS))


@pytest.mark.parametrize(
    "name", ["E-Mail", "Telefon", "Tel.", "Tel-Nr", "customer_id", "SSN", "KVNR", "Patienten-Nr"]
)
def test_names_of_numbers_need_many_values(name: str) -> None:
    many = [digits(8, seed) for seed in range(30)]
    assert "its name suggests" in str(identifying_sign(name, many, ROWS))
    assert identifying_sign(name, ["11", "12", "13"], ROWS) is None


def test_sentences_are_free_text_if_they_hardly_repeat() -> None:
    assert sign_of_values(SENTENCES, 20) == "its values look like free text"
    assert sign_of_values(SENTENCES, 2000) is None
    assert "free text" in str(identifying_sign("Bemerkung", [f"ruft {n} an" for n in range(12)], 100))


@pytest.mark.parametrize("role", ["other", "class", "sensitive"])
def test_names_and_addresses_are_not_published_by_accident(role: str, table: Callable[..., Counts]) -> None:
    people = [f"{first} {last}" for first in FIRST for last in LAST[:2]]
    rows = [
        (people[number % 16], f"Lindenweg {number % 7}", str(20 + number % 5), "a" if number % 2 else "b")
        for number in range(60)
    ]
    cells = dict(zip(("Name", "Anschrift", "age", "arm"), zip(*rows, strict=True), strict=True))
    quasi = {"age": {"role": "quasi", "hierarchy": {"flat": True}}}
    columns = {name: {"role": role} for name in ("Name", "Anschrift", "arm")}
    with pytest.raises(InputError) as error:
        bind(schema_from({"columns": {**columns, **quasi}}), table(**cells))
    problems = {problem.column: problem for problem in error.value.problems}
    assert set(problems) == {"Name", "Anschrift"}
    assert problems["Name"].field == "kept"
    assert problems["Name"].wrong == (
        f"its values look like names of people, and the role {role} publishes it unchanged"
    )
    assert not any(text in str(error.value) for row in rows for text in row[:2])
    allowed = {name: {**column, "kept": "yes"} for name, column in columns.items()}
    assert bind(schema_from({"columns": {**allowed, **quasi}}), table(**cells)).rows == 60
