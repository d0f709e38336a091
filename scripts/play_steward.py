"""Play a data steward: from five tables as they come out of other programs to audited releases, by the
command line and in Python, and count actions, lines printed and questions asked.

    python scripts/play_steward.py            prints a table of counts
    python scripts/play_steward.py FOLDER     keeps tables, schemas, runs and releases there

An action is a command or a statement; a question is something that the draft leaves to a person; lines are
those of stdout and stderr, longest the most lines of one answer (in Python: characters of one object). The
tables are drawn from a fixed seed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random

COMMAND = [sys.executable, "-m", "paretonym"]
TIME = "20s"
Rows = list[list[str]]


@dataclass(frozen=True)
class Messy:
    """A table as it comes: what writes the file, the roles that the steward gives, and the answers to what
    the draft asks."""

    name: str
    write: Callable[[Path], None]
    roles: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass
class Tally:
    """What the steward did and read."""

    actions: int = 0
    lines: int = 0
    longest: int = 0
    questions: int = 0
    verdicts: list[str] = field(default_factory=list)


def _day(random: Random) -> str:
    return f"{date(2023, 1, 1) + timedelta(days=random.randrange(365)):%d.%m.%Y}"


def _amount(random: Random) -> str:
    return f"{random.randrange(1, 9)}.{random.randrange(100, 999)},{random.randrange(10, 99)}"


def _csv(
    path: Path, above: Sequence[str], rows: Rows, below: Sequence[str], encoding: str = "cp1252"
) -> None:
    lines = [*above, *(";".join(row) for row in rows), *below]
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))


def hospital(path: Path) -> None:
    """Latin-1, a title and a date above the header, German dates, decimal commas, "k. A.", a sum below; 99
    for an age that nobody knows."""
    random = Random(1)
    rows = [["Fallnr", "Alter", "Geschlecht", "Aufnahme", "PLZ", "Diagnose", "Kosten"]]
    for number in range(400):
        age = "99" if number % 40 == 0 else str(random.randrange(20, 85))
        illness = random.choice(["Grippe", "Hüftbruch", "Asthma", "k. A."])
        code = random.choice(["01067", "04109", "80331", "99084"])
        day = "k. A." if number == 7 else _day(random)
        rows.append([f"F{number}", age, random.choice("mw"), day, code, illness, _amount(random)])
    _csv(
        path, ["Patientenliste 2023;;;;;;", "", "Stand: 31.12.2023;;;;;;"], rows, ["Summe;;;;;;1.234.567,89"]
    )


def visits(path: Path) -> None:
    """Several rows for each person."""
    random = Random(2)
    people = [
        (f"P{number}", str(random.randrange(1940, 2005)), random.choice("mwd"), random.choice("ABCD"))
        for number in range(150)
    ]
    rows = [["Patient", "Geburtsjahr", "Geschlecht", "Region", "Befund"]]
    rows += [[*random.choice(people), random.choice(["ja", "nein", "unklar"])] for _ in range(450)]
    _csv(path, [], rows, [], "utf-8-sig")


def survey(path: Path) -> None:
    """A workbook with a cover sheet; the table has a title, a sampling weight and many questions."""
    import openpyxl

    random = Random(3)
    book = openpyxl.Workbook()
    cover = book.active
    cover.title = "Deckblatt"
    for line in range(30):
        cover.append([f"Hinweis {line}"])
    data = book.create_sheet("Daten")
    data.append(["Befragung 2023"])
    data.append([])
    data.append(["alter", "geschlecht", "bildung", "gewicht", *(f"f{number}" for number in range(20))])
    for _ in range(300):
        answers = [random.randrange(1, 6) for _ in range(20)]
        weight = round(0.5 + random.random(), 2)
        data.append([random.randrange(18, 90), random.choice("mw"), random.choice("ABC"), weight, *answers])
    data.append(["Summe", None, None, 300.0])
    book.save(path)


def households(path: Path) -> None:
    """Rows of people who live together."""
    random = Random(4)
    rows = [["hhid", "alter", "geschlecht", "beruf", "einkommen"]]
    for household in range(150):
        for _ in range(random.randrange(1, 4)):
            job = random.choice(["Lehrer", "Koch", "Arzt", "ohne"])
            rows.append(
                [f"H{household}", str(random.randrange(18, 80)), random.choice("mw"), job, _amount(random)]
            )
    _csv(path, ["Haushalte"], rows, [], "latin-1")


def register(path: Path) -> None:
    """Names and numbers, and a note below the table."""
    random = Random(5)
    rows = [["Name", "Versichertennummer", "Geburtsdatum", "Ort", "Leistung"]]
    for number in range(250):
        born = f"{random.randrange(1, 28):02}.{random.randrange(1, 13):02}.{random.randrange(1940, 2005)}"
        place = random.choice(["Ulm", "Köln", "Kiel", "Gera", "Jena"])
        rows.append(
            [f"Person {number}", f"A{100000 + number}", born, place, random.choice(["Geld", "Pflege"])]
        )
    _csv(path, [], rows, ["Quelle: Register, erstellt am 3.4.2024"])


TABLES = (
    Messy(
        "hospital.csv",
        hospital,
        ("--drop", "Aufnahme"),
        ("missing=value", "Alter.null=['99']", "Kosten.release_level=1"),
    ),
    Messy("visits.csv", visits, ("--quasi", "Geburtsjahr,Geschlecht,Region", "--sensitive", "Befund")),
    Messy("survey.xlsx", survey, ("--drop", "f*"), ("gewicht=weight",)),
    Messy("households.csv", households, ("--quasi", "beruf"), ("einkommen.release_level=1",)),
    Messy("register.csv", register, ("--sensitive", "Leistung")),
)


def by_commands(table: Messy, folder: Path) -> Tally:
    """From the table to an audited release by the command line."""
    tally = Tally()

    def run(*words: str) -> str:
        ended = subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False)
        tally.actions += 1
        printed = (ended.stdout + ended.stderr).splitlines()
        tally.lines += len(printed)
        tally.longest = max(tally.longest, len(ended.stdout.splitlines()))
        if ended.returncode:
            raise SystemExit(f"{table.name}: {' '.join(words)}\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    stem = Path(table.name).stem
    schema, saved, released = f"{stem}.toml", f"{stem}-run", f"{stem}-release.csv"
    drafted = run("init", table.name, *table.roles, "-o", schema)
    tally.questions = sum(line.startswith("  DECIDE") for line in drafted.splitlines())
    settings = [word for answer in table.answers for word in ("--set", answer)]
    run("schema", schema, *settings, "--data", table.name)
    run("explore", table.name, "--schema", schema, "--time", TIME, "-o", saved)
    pick = shortlisted(folder / saved)
    run("report", saved, "--pick", pick, "-o", f"{stem}.html")
    run("release", saved, "--pick", pick, "-o", released)
    run("audit", released, "--original", table.name, "--schema", schema)
    tally.verdicts.append("audited")
    return tally


def shortlisted(run: Path) -> str:
    """The release with the least detail lost among those with k of at least 5, or else with the highest k."""
    solutions = json.loads((run / "frontier.json").read_text(encoding="utf-8"))["solutions"]
    safe = [one for one in solutions if one["values"]["k"] >= 5]
    best = (
        min(safe, key=lambda one: one["values"]["loss"])
        if safe
        else max(solutions, key=lambda one: one["values"]["k"])
    )
    return str(best["id"])


def in_python(table: Messy, folder: Path) -> Tally:
    """The same in Python: draft, answers, explore, report, release, audit."""
    import paretonym as pn

    tally = Tally()
    path = folder / table.name
    draft = pn.draft(path)
    tally.questions = len(draft.decisions)
    for option, names in zip(table.roles[::2], table.roles[1::2], strict=True):
        for name in names.split(","):
            draft.set(name, role=option.removeprefix("--"))
            tally.actions += 1
    for answer in table.answers:
        left, _, value = answer.rpartition("=")
        column, _, key = left.rpartition(".")
        given = json.loads(value.replace("'", '"')) if value[0] in "[0123456789" else value
        if column:
            draft.set(column, **{key: given})
        elif left in draft["columns"]:
            draft.set(left, role=given)
        else:
            draft[left] = given
        tally.actions += 1
    study = pn.Study(path, draft)
    run = study.explore(time=TIME)
    best = run.ask(at_least={"k": 5}, best="loss", allow_unproven=True)
    released = folder / f"{path.stem}-python.csv"
    best.release(released, allow_second_release=True)
    audit = pn.audit(released, original=path, schema=draft)
    tally.actions += 6
    shown = (draft, study, run, best, audit)
    tally.lines = sum(len(repr(one).splitlines()) for one in shown)
    tally.longest = max(len(repr(one)) for one in shown)
    tally.verdicts.append("audited" if audit else "failed")
    return tally


def play(folder: Path) -> None:
    """Play all tables, and print a table of counts."""
    print(f"{'table':<16}{'way':<10}{'actions':>8}{'lines':>7}{'longest':>9}{'questions':>11}  verdict")
    for table in TABLES:
        table.write(folder / table.name)
        for way, tally in (("commands", by_commands(table, folder)), ("Python", in_python(table, folder))):
            counts = f"{tally.actions:>8}{tally.lines:>7}{tally.longest:>9}{tally.questions:>11}"
            print(f"{table.name:<16}{way:<10}{counts}  {', '.join(tally.verdicts)}", flush=True)


def main() -> None:
    """Keep what is made in a folder if one is named."""
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        play(folder)
        return
    with tempfile.TemporaryDirectory() as place:
        play(Path(place))


if __name__ == "__main__":
    main()
