"""The tables that two versions are compared on: small, made up, and written once for both.

Together they have every kind of hierarchy and of column: numbers with and without a decimal point, bands,
masked and kept characters, dates in two spellings, trees, files, orders, missing values under both rules,
several sensitive columns, rows that are events, odd spellings, Parquet, another encoding.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "tables"
COPIED = ("hospital", "school")
Row: TypeAlias = dict[str, str]
Draw: TypeAlias = Callable[[Random, int], Row]


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table on the disk: its file, its schema, rows of the same kind that came later, and the options that
    reading it needs. The built-in example has no file."""

    name: str
    data: str
    schema: str
    later: str | None = None
    reading: tuple[str, ...] = ()

    @property
    def is_built_in(self) -> bool:
        return not self.data


def write_tables(folder: Path) -> list[MadeTable]:
    """Write all tables and schemas; the same bytes on every machine."""
    made = [_write_made(folder, number, *kind) for number, kind in enumerate(KINDS)]
    return [MadeTable("adult", "", ""), *made, *(_copy(folder, name) for name in COPIED)]


def _write_made(folder: Path, number: int, name: str, rows: int, draw: Draw, schema: str) -> MadeTable:
    generator = Random(f"versions {number}")
    drawn = [draw(generator, place) for place in range(rows + rows // 4)]
    ending = ".parquet" if name == "typed" else ".csv"
    data, later = f"{name}{ending}", f"{name}-later{ending}"
    encoding = "latin-1" if name == "latin" else "utf-8"
    for file, part in ((data, drawn[:rows]), (later, drawn[rows:])):
        if ending == ".parquet":
            _write_parquet(folder / file, part)
        else:
            _write_csv(folder / file, part, encoding, ";" if name == "visits" else ",")
    (folder / f"{name}.toml").write_text(schema, encoding="utf-8")
    if name == "jobs":
        (folder / "district.csv").write_text(DISTRICTS, encoding="utf-8")
    reading = ("--encoding", "latin-1") if name == "latin" else ()
    return MadeTable(name, data, f"{name}.toml", later, reading)


def _copy(folder: Path, name: str) -> MadeTable:
    for ending in (".csv", ".toml"):
        shutil.copy(EXAMPLES / f"{name}{ending}", folder)
    return MadeTable(name, f"{name}.csv", f"{name}.toml")


def _write_csv(path: Path, rows: Sequence[Mapping[str, str]], encoding: str, separator: str) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=separator, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_parquet(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    import pyarrow
    import pyarrow.parquet

    def typed(name: str, text: str) -> Any:
        if not text:
            return None
        kinds: dict[str, Callable[[str], Any]] = {
            "age": int, "born": date.fromisoformat, "smokes": lambda said: said == "yes", "score": float,
        }  # fmt: skip
        return kinds.get(name, str)(text)

    columns = {name: [typed(name, row[name]) for row in rows] for name in rows[0]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def _day(generator: Random, first: str, days: int) -> date:
    return date.fromisoformat(first) + timedelta(generator.randrange(days))


def _clinic(draw: Random, place: int) -> Row:
    return {
        "id": f"P{place:04}",
        "age": str(min(97, int(draw.gauss(48, 21)) if place % 5 else 30 + place % 7) if place else 3),
        "zip": draw.choice(["01067", "01069", "01097", "04103", "04105", "10115"]),
        "sex": draw.choice("fm"),
        "diagnosis": draw.choice(["flu", "flu", "asthma", "ulcer", "angina", "gastritis"]),
        "ward": draw.choice("ABC"),
    }


def _jobs(draw: Random, place: int) -> Row:
    return {
        "job": draw.choice(["Clerk", "Clerk", "Director", "Chair", "Nurse", "Doctor", "Unknown", "?"]),
        "school": draw.choice(["Preschool", "1st-4th", "Bachelors", "Masters", "Doctorate"]),
        "district": draw.choice(["Mitte", "Süd", "Nord", "Hafen", ""]),
        "grade": draw.choice(["low", "middle", "high"]),
        "religion": draw.choice(["a", "b", "c", "c", "none"]),
        "income": str(1000 * draw.randrange(12, 60)),
        "stage": draw.choice(["I", "II", "III", "IV"]),
        "hired": draw.choice(["yes", "no"]),
    }


def _visits(draw: Random, place: int) -> Row:
    return {
        "patient": f"N{draw.randrange(90)}",
        "postcode": draw.choice(["SW1A 1AA", "SW1A 2AA", "SW1B 1AA", "N1", "N16 9", "EC1A 1BB"]),
        "admitted": _day(draw, "2019-11-20", 500).strftime("%d.%m.%Y") if draw.random() < 0.95 else "",
        "age": str(draw.randrange(0, 100)),
        "outcome": draw.choice(["home", "home", "home", "transfer", "died"]),
        "doctor": draw.choice(["x", "y"]),
    }


def _wages(draw: Random, place: int) -> Row:
    return {
        "hours": f"{draw.choice([10, 19.5, 20, 35, 38.5, 40])}",
        "pay": str(draw.randrange(9, 90) * 1000),
        "age": str(draw.randrange(18, 67)),
        "team": draw.choice(["red", "blue", "green", "grey"]),
        "bonus": str(100 * draw.randrange(0, 40)),
    }


def _odd(draw: Random, place: int) -> Row:
    return {
        "word": draw.choice(["*", "(missing)", "a,b", 'say "no"', "two\nlines", "Ελλάδα", " padded"]),
        "number": draw.choice(["7", "07", "8", "95+", "12", "-3", "1e1"]),
        "active": draw.choice(["true", "false"]),
        "[20, 30)": draw.choice(["x", "y", "z"]),
        "secret": draw.choice(["α", "β", "γ", "β"]),
    }


def _tiny(draw: Random, place: int) -> Row:
    return {"a": "12"[place % 2], "b": draw.choice("xy"), "s": "pqr"[place % 3]}


def _typed(draw: Random, place: int) -> Row:
    return {
        "age": str(draw.randrange(15, 95)) if draw.random() < 0.9 else "",
        "born": _day(draw, "1930-01-01", 30000).isoformat(),
        "smokes": draw.choice(["yes", "no", ""]),
        "city": draw.choice(["Köln", "Bonn", "Aachen", "Trier"]),
        "score": f"{draw.randrange(0, 40) / 4}",
        "disease": draw.choice(["d1", "d2", "d3", "d3"]),
    }


def _latin(draw: Random, place: int) -> Row:
    return {
        "Straße": draw.choice(["Lindenallee", "Königsweg", "Überfahrt", "Am Moor"]),
        "Größe": str(draw.randrange(150, 200)),
        "Beruf": draw.choice(["Bäcker", "Köchin", "Lehrer"]),
        "Befund": draw.choice(["gut", "mäßig", "schlecht"]),
    }


DISTRICTS = "value;part;town\nMitte;Inner;Town\nSüd;Outer;Town\nNord;Outer;Town\nHafen;Harbour;Port\n"
CLINIC = """missing = "drop"
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [5, 10, 20, 40]
bottom = 10
top = 90
importance = 2
[columns.zip]
role = "quasi"
hierarchy.mask = 5
[columns.sex]
role = "quasi"
hierarchy.flat = true
[columns.diagnosis]
role = "sensitive"
[columns.diagnosis.hierarchy.tree]
lung = ["flu", "asthma"]
stomach = ["ulcer", "gastritis"]
heart = ["angina"]
[columns.ward]
role = "other"
"""
JOBS = """null = ["?"]
missing = "value"
[columns.job]
role = "quasi"
[columns.job.hierarchy.tree]
Unknown = []
Office = ["Clerk", { Management = ["Director", "Chair"] }]
Health = ["Nurse", "Doctor"]
[columns.school]
role = "quasi"
order = ["Preschool", "1st-4th", "Bachelors", "Masters", "Doctorate"]
importance = 0.3
[columns.school.hierarchy.tree]
Low = ["Preschool", "1st-4th"]
High = ["Bachelors", "Masters", "Doctorate"]
[columns.district]
role = "quasi"
hierarchy.file = "district.csv"
[columns.grade]
role = "quasi"
order = ["low", "middle", "high"]
[columns.religion]
role = "sensitive"
[columns.income]
role = "sensitive"
type = "integer"
hierarchy.intervals = [5000, 10000]
level = 1
[columns.stage]
role = "sensitive"
order = ["I", "II", "III", "IV"]
[columns.hired]
role = "class"
"""
VISITS = """missing = "drop"
rows = "events"
[columns.patient]
role = "identifier"
[columns.postcode]
role = "quasi"
hierarchy.keep = [4, 2, 1]
[columns.admitted]
role = "quasi"
format = "%d.%m.%Y"
hierarchy.date = ["month", "quarter", "year", "decade"]
levels = [1, 4]
[columns.age]
role = "quasi"
hierarchy.intervals = [10, 50]
granularity = 5
[columns.outcome]
role = "sensitive"
[columns.doctor]
role = "drop"
"""
WAGES = """[columns.hours]
role = "quasi"
type = "decimal"
hierarchy.intervals = [2.5, 10, 20]
hierarchy.origin = 10
[columns.pay]
role = "quasi"
hierarchy.breaks = [[20000, 30000, 50000, 70000], [30000, 50000], [50000]]
importance = 2.7182818284
granularity = 5000
[columns.age]
role = "quasi"
hierarchy.intervals = [5, 10, 20]
levels = [0, 3]
[columns.team]
role = "other"
[columns.bonus]
role = "sensitive"
type = "integer"
hierarchy.intervals = [500, 1000]
level = 2
release_level = 1
"""
ODD = """missing = "value"
[columns.word]
role = "quasi"
hierarchy.flat = true
[columns.number]
role = "quasi"
hierarchy.intervals = [5, 10]
unknown = "top"
top = 90
[columns.active]
role = "quasi"
type = "boolean"
hierarchy.flat = true
[columns."[20, 30)"]
role = "quasi"
hierarchy.flat = true
[columns.secret]
role = "sensitive"
"""
TINY = """[columns.a]
role = "quasi"
hierarchy.flat = true
[columns.b]
role = "quasi"
hierarchy.flat = true
[columns.s]
role = "sensitive"
"""
TYPED = """missing = "value"
[columns.age]
role = "quasi"
hierarchy.intervals = [5, 20]
missing = "drop"
[columns.born]
role = "quasi"
hierarchy.date = ["year", "decade"]
[columns.smokes]
role = "quasi"
hierarchy.flat = true
[columns.city]
role = "quasi"
order = ["Köln", "Bonn", "Aachen", "Trier"]
[columns.score]
role = "sensitive"
level = 1
hierarchy.breaks = [[2.5, 5, 7.5]]
[columns.disease]
role = "sensitive"
"""
LATIN = """[columns."Straße"]
role = "quasi"
hierarchy.flat = true
[columns."Größe"]
role = "quasi"
hierarchy.intervals = [5, 10]
[columns.Beruf]
role = "quasi"
[columns.Beruf.hierarchy.tree]
"Küche" = ["Bäcker", "Köchin"]
Schule = ["Lehrer"]
[columns.Befund]
role = "sensitive"
order = ["gut", "mäßig", "schlecht"]
"""
KINDS: tuple[tuple[str, int, Draw, str], ...] = (
    ("clinic", 300, _clinic, CLINIC),
    ("jobs", 240, _jobs, JOBS),
    ("visits", 260, _visits, VISITS),
    ("wages", 200, _wages, WAGES),
    ("odd", 120, _odd, ODD),
    ("tiny", 12, _tiny, TINY),
    ("typed", 220, _typed, TYPED),
    ("latin", 140, _latin, LATIN),
)
