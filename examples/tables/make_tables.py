"""Five made-up tables about people who do not exist, as publishers have them: the same bytes every time.

    python examples/tables/make_tables.py [FOLDER]

Postal codes with leading zeros, ages over 90, dates in several formats, half-empty columns, free text,
several rows per patient, names in many alphabets. Every value is drawn at random; no real data was used.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from random import Random

# ruff: noqa: S311, SIM905 (nothing here is secret; long lists of names read best as text)
Row = Mapping[str, object]

FIRST = """Anna Ben Chloé David Émile Fatma Giulia Håkon Inés Jürgen Kateřina Łukasz Miyu Noor Ólafur Priya
Quentin Rosa Søren Tomás Ümit Vera Wanjiru Xin Yusuf Zoë""".split()
LAST = """Müller García Østergård Nowak Dubois Rossi Smith Çelik Nguyễn Kowalczyk O'Brien Sørensen Ivanova
Haddad Yamamoto Schäfer Fernández Björnsson Okafor Lefèvre""".split()
DIAGNOSES = ["I21", "I50", "J18", "J44", "K35", "S72", "C34", "C50", "E11", "F32", "G40", "N39"]


def day(random: Random, first: date, last: date) -> date:
    return first + timedelta(days=random.randrange((last - first).days))


def age(random: Random) -> int:
    """Most people are in the middle of their life, a few are over 90."""
    return min(103, max(0, round(random.gauss(58, 22))))


def hospital() -> Iterator[Row]:
    """Stays in a hospital: several rows per patient, German dates, notes by hand, half of the wards empty."""
    random = Random(1)
    patients = [
        (f"P{number:05d}", day(random, date(1921, 1, 1), date(2019, 1, 1)), random.choice("mmfffd"))
        for number in range(700)
    ]
    towns = [f"{random.randrange(1000, 99999):05d}" for _ in range(60)]
    homes = {patient: random.choice(towns) for patient, _, _ in patients}
    for _ in range(1100):
        patient, born, sex = random.choice(patients)
        admitted = day(random, date(2022, 1, 1), date(2023, 12, 1))
        left = admitted + timedelta(days=min(60, int(random.expovariate(0.15))))
        yield {
            "patient_id": patient,
            "birth_date": f"{born:%d.%m.%Y}",
            "sex": sex,
            "plz": homes[patient],
            "admitted": f"{admitted:%d.%m.%Y}",
            "length_of_stay": (left - admitted).days,
            "ward": random.choice(["", "", "Innere", "Chirurgie", "Geriatrie", "Pädiatrie"]),
            "diagnosis": random.choice(DIAGNOSES),
            "insurance_type": random.choice(["statutory", "statutory", "private", "?"]),
            "note": random.choice(["", "", f"Seen by Dr. {random.choice(LAST)} on {left}, wife was called"]),
        }


def payroll() -> Iterator[Row]:
    """A company's pay: unique numbers, names, bank accounts, skewed salaries."""
    random = Random(2)
    departments = ["Sales", "Production", "Research", "Finance", "People", "Legal", "Logistics", "IT"]
    titles = ["Clerk", "Engineer", "Manager", "Director", "Technician", "Assistant", "Analyst", "Driver"]
    for number in range(600):
        hired = day(random, date(1985, 1, 1), date(2024, 1, 1))
        yield {
            "employee_no": 10000 + number,
            "first_name": random.choice(FIRST),
            "last_name": random.choice(LAST),
            "iban": f"DE{random.randrange(10**19, 10**20)}",
            "gender": random.choice(["female", "male"]),
            "age": random.randrange(17, 68),
            "department": random.choice(departments),
            "job_title": random.choice(titles),
            "hire_date": hired.isoformat(),
            "weekly_hours": random.choice([20, 30, 38, 38, 40, 40]),
            "salary": round(random.lognormvariate(10.8, 0.4)),
            "sick_days": min(60, int(random.expovariate(0.12))),
            "company_car": random.choice(["yes", "no", "no"]),
        }


def survey() -> Iterator[Row]:
    """A household survey: weights, household numbers, answers, words for "no answer"."""
    random = Random(3)
    countries = ["Österreich", "Türkiye", "Polska", "Ελλάδα", "Україна", "España", "日本", "France", "Ísland"]
    schooling = ["none", "primary", "secondary", "vocational", "bachelor", "master", "NA"]
    faiths = ["none", "catholic", "protestant", "orthodox", "muslim", "other", "NA"]
    for number in range(800):
        yield {
            "respondent_id": f"R-{number:04d}",
            "hhid": 400 + number // 3,
            "pweight": f"{random.uniform(0.2, 4):.3f}",
            "age": "95+" if number % 160 == 7 else age(random),
            "sex": random.choice(["1", "2"]),
            "country_of_birth": random.choice([*countries, *countries[:2] * 5]),
            "education": random.choice(schooling),
            "marital_status": random.choice(["single", "married", "married", "divorced", "widowed", "NA"]),
            "number_of_children": min(9, int(random.expovariate(0.6))),
            "household_income": random.choice(["", f"{round(random.lognormvariate(10.3, 0.6), -2):.0f}"]),
            "religion": random.choice(faiths),
            "q1": random.randrange(1, 6),
            "q2": random.choice(["agree", "neither", "disagree", "NA"]),
            "interview_mode": random.choice(["phone", "web", "visit"]),
        }


def shop() -> Iterator[Row]:
    """Orders of a web shop: American dates, addresses, baskets, reviews in sentences."""
    random = Random(4)
    customers = [
        (20000 + number, f"{random.randrange(501, 99951):05d}", age(random)) for number in range(300)
    ]
    opinions = ["Came quickly, fits well", "Too small, sent it back", "Großartig, gerne wieder", "Nunca más"]
    goods = ["books", "garden", "health", "toys", "baby", "clothing", "electronics"]
    for number in range(900):
        customer, code, years = random.choice(customers)
        ordered = day(random, date(2023, 1, 1), date(2024, 7, 1))
        yield {
            "order_id": 7_000_001 + number,
            "customer_id": customer,
            "email": f"{customer}@example.org",
            "zip": code,
            "customer_age": max(18, years),
            "order_date": f"{ordered:%m/%d/%Y}",
            "category": random.choice(goods),
            "order_total": f"{random.lognormvariate(3.6, 0.8):.2f}",
            "payment_method": random.choice(["card", "invoice", "paypal"]),
            "device": random.choice(["phone", "laptop", "tablet"]),
            "review": random.choice(
                ["", "", f"{random.choice(opinions)}! Yours, {random.choice(FIRST)} {number}"]
            ),
            "ip": f"192.0.2.{random.randrange(256)}",
        }


def school() -> Iterator[Row]:
    """Pupils of a town: classes, marks, absences, special needs, a column that is the same for all."""
    random = Random(5)
    tongues = ["Deutsch"] * 6 + ["Türkçe", "العربية", "Polski", "Русский", "Français"]
    for number in range(400):
        year = random.randrange(5, 11)
        yield {
            "pupil_id": f"{number * 7919 % 100000:05d}",
            "name": f"{random.choice(FIRST)} {random.choice(LAST)} {number}",
            "date_of_birth": f"{day(random, date(2014 - year, 1, 1), date(2015 - year, 1, 1)):%d %b %Y}",
            "gender": random.choice(["f", "m", "m", "f", "x"]),
            "school": random.choice(["Goethe-Gymnasium", "Lindenschule", "École Voltaire", "Realschule Süd"]),
            "class": f"{year}{random.choice('abc')}",
            "district": random.choice(["Nord", "Süd", "Ost", "West", "Mitte", "Hafen"]),
            "mother_tongue": random.choice(tongues),
            "school_year": "2023/24",
            "final_grade": random.choice(["1", "2", "2", "3", "3", "4", "5"]),
            "absences": min(40, int(random.expovariate(0.2))),
            "special_needs": random.choice(["no", "no", "no", "no", "yes"]),
        }


TABLES: Mapping[str, Callable[[], Iterator[Row]]] = {
    "hospital": hospital,
    "payroll": payroll,
    "survey": survey,
    "shop": shop,
    "school": school,
}


def write_table(name: str, folder: Path) -> Path:
    """Make one of the tables; its file."""
    rows = list(TABLES[name]())
    path = folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for table in TABLES:
        print(write_table(table, target))
