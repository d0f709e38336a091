"""Tables with several rows per person, from the schema to the attack: what is counted, what is said, and what
never leaves the input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import paretonym as pn
from paretonym.base.errors import InputError, NoSolution
from paretonym.interfaces.cli.apply_command import summary

COLUMNS: dict[str, Any] = {
    "patient": {"role": "person"},
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive"},
}
SCHEMA: dict[str, Any] = {"columns": COLUMNS}
ILLNESS = ("flu", "cold", "asthma", "ulcer")
SECRET = "Zz"  # every pseudonym begins with it


def visits(moving: int = 0, seed: int = 1) -> dict[str, list[Any]]:
    """Five visits of 40 patients of whom no two have the same age and sex; some grow older in between."""
    random, rows = Random(seed), []
    for number in range(40):
        for visit in range(5):
            older = visit if number < moving else 0
            rows.append(
                (f"{SECRET}{number:02}", 20 + number + older, "fm"[number % 2], random.choice(ILLNESS))
            )
    random.shuffle(rows)
    return {name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}


def written(folder: Path, table: dict[str, list[Any]], name: str = "visits.csv") -> Path:
    path = folder / name
    lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join([",".join(table), *lines]))
    return path


@pytest.fixture
def explored(tmp_path: Path) -> Callable[..., Any]:
    def explore(moving: int = 0, *names: str, **options: Any) -> Any:
        front = pn.Study(written(tmp_path, visits(moving)), schema=SCHEMA).explore(
            *names, **{"space": "lattice", **options}
        )
        front.save(tmp_path / "run")
        return pn.load(tmp_path / "run")

    return explore


def test_forty_patients_with_five_visits_each_are_unique(
    explored: Callable[..., Any], tmp_path: Path
) -> None:
    front = explored()
    assert str(front).startswith(
        "Frontier of 6 releases in (k, loss) over 200 rows of 40 people, proven complete "
        "among releases with one level per column"
    )
    assert [solution["k"] for solution in front] == [40, 20, 10, 5, 2, 1]
    unchanged = front[-1]
    assert unchanged["loss"] == 0
    assert "k is 1: 40 people look like nobody else" in unchanged.warnings()[0]
    path = unchanged.release(tmp_path / "unchanged.csv")
    found = pn.attack(path, original=tmp_path / "visits.csv", schema=SCHEMA)
    assert (found.people, found.reidentified, found.unit, bool(found)) == (40, 40, "people", False)
    assert found.certain("ill") == 40


def test_no_pseudonym_leaves_the_input(explored: Callable[..., Any], tmp_path: Path) -> None:
    front = explored(7)
    pick = front[-2]
    pick.release(tmp_path / "public.csv")
    (tmp_path / "visits.csv").rename(tmp_path / "input")
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != "input":
            assert SECRET not in path.read_text(encoding="utf-8", errors="replace"), path
    assert "patient" not in (tmp_path / "public.csv").read_text().splitlines()[0]


def test_a_digest_of_counts_does_not_depend_on_pseudonyms() -> None:
    table = visits(7)
    other = {**table, "patient": [f"Q{name[2:]}" for name in table["patient"]]}
    first, second = (pn.Study(_frame(each), schema=SCHEMA).cube.digest for each in (table, other))
    assert first == second
    shared = {**table, "patient": [name[:3] for name in table["patient"]]}
    assert pn.Study(_frame(shared), schema=SCHEMA).cube.digest != first


def _frame(table: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    return pa.table(table)


def test_a_manifest_claims_rows_and_states_persons(explored: Callable[..., Any], tmp_path: Path) -> None:
    front = explored()
    pick = next(each for each in front if each["k"] == 5)
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert (manifest["rows"], manifest["suppress"]) == ("persons", {"unit": "row"})
    assert (manifest["claims"]["k"], manifest["statements"]["k-persons"]) == (25, 5)
    assert not {"risk-highest", "risk-average"} & set(manifest["claims"])
    alone = pn.audit(path)
    stated = next(check for check in alone.checks if check.name == "k-persons")
    assert stated.holds is None
    assert "the file does not say which person a row belongs to" in stated.why
    required = pn.audit(path, require=["k>=5"])
    assert [check.name for check in required.failed] == ["k>=5"]
    assert "cannot be verified" in required.failed[0].why
    full = pn.audit(path, original=tmp_path / "visits.csv", schema=SCHEMA, require=["k>=5", "alpha<=1"])
    assert full.passed, full
    assert full["k-persons"] == 5
    assert not pn.audit(path, original=tmp_path / "visits.csv", schema=SCHEMA, require=["k>=6"]).passed


@pytest.mark.parametrize("said", [4, 6, 26, 0, 2.5, "many"])
def test_a_forged_number_of_persons_fails(explored: Callable[..., Any], tmp_path: Path, said: Any) -> None:
    pick = next(each for each in explored() if each["k"] == 5)
    path = pick.release(tmp_path / "public.csv")
    place = path.with_name("public.csv.manifest.json")
    manifest = json.loads(place.read_text())
    manifest["statements"]["k-persons"] = said
    place.write_text(json.dumps(manifest))
    assert not pn.audit(path, original=tmp_path / "visits.csv", schema=SCHEMA).passed
    # Without the original only what no file can have is refuted: more people than rows, or parts of them.
    assert pn.audit(path).passed == (said in (4, 6))


@pytest.mark.parametrize("unit", ["person", "household"])
def test_another_unit_than_the_schemas_fails(explored: Callable[..., Any], tmp_path: Path, unit: str) -> None:
    """Nothing was suppressed, so that the rows do not show it."""
    path = next(each for each in explored() if each["k"] == 5).release(tmp_path / "public.csv")
    place = path.with_name("public.csv.manifest.json")
    manifest = json.loads(place.read_text())
    manifest["suppress"]["unit"] = unit
    place.write_text(json.dumps(manifest))
    found = pn.audit(path, schema=SCHEMA)
    assert [check.name for check in found.failed] == ["what is suppressed"]


def test_an_audit_measures_persons_as_the_search_does(explored: Callable[..., Any], tmp_path: Path) -> None:
    front = explored(15, "k", "l", "t", "loss", suppress="10%")
    assert front.search.complete
    assert str(front).endswith(
        "proven complete among releases with one level per column by evaluating every node"
    )
    pick = next(each for each in front if 2 <= each["k"] <= 10)
    path = pick.release(tmp_path / "public.csv")
    wanted = [f"{name}>={pick[name] * (1 - 1e-9)}" for name in ("k", "l")] + [f"t<={pick['t'] + 1e-9}"]
    found = pn.audit(path, original=tmp_path / "visits.csv", schema=SCHEMA, require=wanted)
    assert found.passed, found
    measured = {check.name: check.found for check in found.checks if check.kind == "requirement"}
    assert list(measured.values()) == pytest.approx([pick["k"], pick["l"], pick["t"]])
    attack = pn.attack(path, original=tmp_path / "visits.csv", schema=SCHEMA)
    assert attack.smallest == pick["k"]


def test_people_whose_quasi_identifiers_differ_are_reported(explored: Callable[..., Any]) -> None:
    front = explored(7)
    assert front.warnings == (
        "7 of 40 people have rows with different quasi-identifiers: they are in several equivalence classes, "
        "and count once in each of them. k is the smallest number of different people in a class. Somebody "
        "who knows several rows of one of them can intersect these classes, which k does not count.",
    )
    assert front.warnings[0] in front[0].warnings()


def test_the_report_says_what_a_certain_value_is(explored: Callable[..., Any]) -> None:
    front = explored(0)
    page = front.report(front[0].id)
    assert "A value is certain if all of a class have it." in page.html
    assert "if all rows of an equivalence class have it" not in page.html


def test_rows_without_a_person_are_refused() -> None:
    table = visits()
    table["patient"][:3] = [None, "", None]
    with pytest.raises(InputError, match="3 of 200 rows do not say which person they belong to"):
        pn.Study(_frame(table), schema=SCHEMA).explore(space="lattice")
    dropped = {"columns": {**COLUMNS, "patient": {"role": "person", "missing": "drop"}}}
    assert pn.Study(_frame(table), schema=dropped).explore(space="lattice").table.rows == 197


def test_schemas_that_cannot_be_meant() -> None:
    twice = {"columns": {**COLUMNS, "ill": {"role": "person"}}}
    with pytest.raises(InputError, match="2 columns have the role person: patient, ill"):
        pn.Study(_frame(visits()), schema=twice)
    without = {"suppress": {"unit": "person"}, "columns": {**COLUMNS, "patient": {"role": "drop"}}}
    with pytest.raises(InputError, match=r'suppress.unit is "person", but no column has the role person'):
        pn.Study(_frame(visits()), schema=without)


def test_a_space_that_counts_rows_refuses_persons() -> None:
    study, why = pn.Study(_frame(visits()), schema=SCHEMA), "sensitive values are permuted between rows"
    with pytest.raises(InputError, match=f"the space buckets counts rows, not persons: {why}"):
        study.explore(space="buckets", sweep="k=5")


@pytest.mark.parametrize("moving", [0, 7])
def test_a_local_recoding_counts_persons(moving: int, tmp_path: Path) -> None:
    """The audit and the attacker find by themselves in which class a row can be."""
    front = pn.Study(written(tmp_path, visits(moving)), schema=SCHEMA).explore(space="local", suppress="5%")
    picks: list[Any] = list(front)
    pick = min((each for each in picks if each["k"] >= 2), key=lambda each: each["k"])
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert manifest["statements"]["k-persons"] == pick["k"]
    beside: dict[str, Any] = {"original": tmp_path / "visits.csv", "schema": SCHEMA}
    assert pn.audit(path, **beside, require=[f"k>={pick['k']:.0f}"]).failed == ()
    assert pn.attack(path, **beside).smallest == pick["k"]
    # New rows of the people of a class add nobody to it; as many strangers as people double it.
    again = visits(seed=2)
    written(tmp_path, again, "new.csv")
    added, union = pick.apply(tmp_path / "new.csv", tmp_path / "new-public.csv")
    assert union.persons
    assert union.k == pick["k"]
    beside = {"original": tmp_path / "new.csv", "schema": SCHEMA, "old": tmp_path / "visits.csv"}
    assert pn.audit(added, **beside).failed == ()
    again["patient"] = [f"N{name}" for name in again["patient"]]
    assert pick["k"] < pick.apply(_frame(again))[1].k <= 2 * pick["k"]


@pytest.mark.parametrize("moving", [0, 7])
@pytest.mark.parametrize("search", ["sweep", "improve"])
def test_parts_of_persons(moving: int, search: str, explored: Callable[..., Any], tmp_path: Path) -> None:
    """Mondrian from the search to the attack; new rows of old and of new persons."""
    front = explored(moving, "k", "l", "loss", space="mondrian", search=search, sweep=["k=2,5,10", "l=2"])
    assert {solution["k"] for solution in front} >= {5.0, 10.0}
    pick = next(each for each in front if each["k"] == 5)
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert manifest["statements"]["k-persons"] == 5
    beside: dict[str, Any] = {"original": tmp_path / "visits.csv", "schema": SCHEMA}
    wanted = ["k>=5", f"l>={max(1, pick['l'] * (1 - 1e-9))}"]
    assert pn.audit(path, **beside, require=wanted).failed == ()
    assert [check.name for check in pn.audit(path, **beside, require=["k>=6"]).failed] == ["k>=6"]
    assert pn.attack(path, **beside).smallest == 5
    _, union = pick.apply(_frame(visits(moving, seed=2)))
    assert (union.k, union.persons, union.stay) == (5, True, 200)


@pytest.mark.parametrize("moving", [0, 7])
def test_cuts_of_persons(moving: int, explored: Callable[..., Any], tmp_path: Path) -> None:
    """Cuts from the search to the attack; new rows of old and of new persons."""
    front = explored(moving, "k", "loss", space="cuts", suppress="10%", evaluations=400)
    lattice = pn.Study(_frame(visits(moving)), schema=SCHEMA).explore(
        "k", "loss", suppress="10%", space="lattice"
    )
    for node in lattice:
        assert any(each["k"] >= node["k"] and each["loss"] <= node["loss"] for each in front)
    pick = next(each for each in front if each["k"] == 5)
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert manifest["statements"]["k-persons"] == 5
    beside: dict[str, Any] = {"original": tmp_path / "visits.csv", "schema": SCHEMA}
    assert pn.audit(path, **beside, require=["k>=5"]).failed == ()
    assert pn.attack(path, **beside).smallest == 5
    _, union = pick.apply(_frame(visits(moving, seed=2)))
    assert (union.k, union.persons) == (5, True)
    strangers = visits(moving, seed=2)
    strangers["patient"] = [f"N{name}" for name in strangers["patient"]]
    assert pick.apply(_frame(strangers))[1].k >= 5


def test_whole_persons_are_suppressed(tmp_path: Path) -> None:
    """Where everybody's quasi-identifiers agree, that is so in any case; otherwise a suppressed row takes its
    person's others with it. The audit finds out whose; the attacker takes nobody for suppressed."""
    schema = {"suppress": {"unit": "person"}, **SCHEMA}
    study = pn.Study(_frame(visits()), schema=schema)
    for suppress in ("10%", "any:0.1"):
        rows = pn.Study(_frame(visits()), schema=SCHEMA).explore(suppress=suppress, space="lattice")
        assert [s.values for s in study.explore(suppress=suppress, space="lattice")] == [
            s.values for s in rows
        ]
    table = visits()
    table["age"][0] = 95
    moved = pn.Study(written(tmp_path, table), schema=schema)
    with pytest.raises(InputError, match=r"tries every threshold, and the schema says suppress.unit"):
        moved.explore(space="lattice")
    pick = next(
        each for each in moved.explore(suppress="5%", space="lattice") if each.suppressed and each["k"] > 1
    )
    assert pick.suppressed % 5 == 0
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert manifest["suppress"] == {"unit": "person"}
    assert manifest["statements"]["k-persons"] == pick["k"]
    beside: dict[str, Any] = {"original": tmp_path / "visits.csv", "schema": schema}
    assert pn.audit(path, **beside, require=[f"k>={pick['k']:.0f}"]).failed == ()
    found = pn.attack(path, **beside)
    assert (found.absent, found.smallest) == (0, pick["k"] + pick.suppressed // 5)


@pytest.mark.parametrize("moving", [True, False], ids=["quasi-identifiers differ", "quasi-identifiers agree"])
def test_new_rows_of_whole_persons(moving: bool, tmp_path: Path) -> None:
    """Whoever was suppressed stays so; a new row that is suppressed takes the person's other new rows with
    it. The manifest says so, the audit decides what it can, and the attack assumes nobody away."""
    schema = {"suppress": {"unit": "person"}, **SCHEMA}
    table = visits()
    theirs = [row for row, name in enumerate(table["patient"]) if name == table["patient"][0]]
    for row in theirs[:1] if moving else theirs:
        table["age"][row] = 95
    front = pn.Study(written(tmp_path, table), schema=schema).explore(
        "k", "loss", suppress="5%", space="lattice"
    )
    pick: Any = next(each for each in front if each.suppressed == 5 and each["k"] > 1)
    pick.release(tmp_path / "public.csv")
    new = visits(seed=2)
    new["age"][next(n for n, name in enumerate(new["patient"]) if name != table["patient"][0])] = 95
    written(tmp_path, new, "new.csv")
    path, union = pick.apply(tmp_path / "new.csv", tmp_path / "new-public.csv")
    assert (union.unit, union.returning, union.left_out, union.stay) == ("person", 5, 10, 190)
    assert union.k == pick["k"]
    text = "\n".join(summary(union, path)[0])
    assert "10 rows suppressed, all of a person together, because 1 class would be too small." in text
    assert "5 of those rows belong to persons that the old release suppressed: they stay suppressed" in text
    assert json.loads(Path(f"{path}.manifest.json").read_text())["suppress"] == {"unit": "person"}
    beside: dict[str, Any] = {"original": tmp_path / "new.csv", "schema": schema}
    found = pn.audit(path, **beside, old=tmp_path / "visits.csv")
    assert found.failed == ()
    torn = next(check for check in found.checks if check.name == "classes with rows missing")
    assert torn.holds is None
    assert "rows go with their person" in torn.reason
    attacked = pn.attack(path, **beside)
    assert (attacked.people, attacked.reidentified) == (40, 0)
    with pytest.raises(NoSolution, match="the old release suppressed the person of each"):
        pick.apply(_frame({name: [cells[row] for row in theirs] for name, cells in table.items()}))


def test_somebody_left_alone_by_whole_persons_is_counted(tmp_path: Path) -> None:
    """Five people have new rows of a class, four of them also rows that are suppressed: as whole persons they
    go, and the fifth is alone in the new file. The numbers of the release say so; an attacker who takes
    nobody for suppressed still sees four candidates."""
    schema = {"suppress": {"unit": "person"}, **SCHEMA}
    old = [(f"B{n}", 20 + n % 4, "fm"[n // 4], "flu") for n in range(8)] + [("S", 60, "m", "flu")]
    new = [("A", 21, "m", "ulcer"), *((f"E{n}", 20 + n, "f", "cold") for n in range(4))]
    for n in range(4):
        new += [(f"D{n}", 20 + n, "m", "flu"), (f"D{n}", 40 + 10 * n, "m", "cold")]
    for name, rows in (("visits.csv", old), ("new.csv", new)):
        columns = (list(column) for column in zip(*rows, strict=True))
        written(tmp_path, dict(zip(COLUMNS, columns, strict=True)), name)
    front = pn.Study(tmp_path / "visits.csv", schema=schema).explore(suppress="20%", space="lattice")
    pick: Any = next(each for each in front if each["k"] == 4)
    path, union = pick.apply(tmp_path / "new.csv", tmp_path / "new-public.csv")
    assert (union.k, union.k_of_new, union.stay) == (5, 1, 5)
    beside: dict[str, Any] = {"original": tmp_path / "new.csv", "schema": schema}
    found = pn.attack(path, **beside)
    assert (found.people, found.absent, found.reidentified, found.smallest) == (9, 0, 0, 4)
    # The same class without rows that nothing explains: it is not known whose these are.
    new = [("A", 21, "m", "ulcer"), ("S", 22, "m", "flu"), *new[1:5]]
    columns = (list(column) for column in zip(*new, strict=True))
    written(tmp_path, dict(zip(COLUMNS, columns, strict=True)), "new.csv")
    path, union = pick.apply(tmp_path / "new.csv", tmp_path / "again.csv", allow_second_release=True)
    assert (union.k_of_new, union.returning) == (1, 1)
    found = pn.attack(path, **beside)
    assert found.reidentified == 0


def test_suppressed_rows_of_few_people_look_like_none(tmp_path: Path) -> None:
    """One old patient with many rows is suppressed: neither manifest nor public report may say that anybody
    was."""
    table = visits()
    for name, value in zip(COLUMNS, (f"{SECRET}99", 95, "f", "flu"), strict=True):
        table[name] += [value] * 20
    front = pn.Study(written(tmp_path, table), schema=SCHEMA).explore(suppress="10%", space="lattice")
    pick = next(each for each in front if each.suppressed == 20 and each["k"] >= 5)
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert manifest["statements"]["sl"] == 0
    assert pn.audit(path, original=tmp_path / "visits.csv", schema=SCHEMA).passed


def test_a_column_that_is_one_persons_is_not_kept_unnoticed() -> None:
    """Forty rooms in 200 rows look harmless, but each is one patient's."""
    table = visits()
    rooms = {"room": [name.replace(SECRET, "R") for name in table["patient"]]}
    schema = {"columns": {**COLUMNS, "room": {"role": "other"}}}
    with pytest.raises(InputError, match="40 distinct values in 40 people would be released unchanged"):
        pn.Study(_frame({**table, **rooms}), schema=schema).explore(space="lattice")


def test_new_rows_count_old_and_new_persons_together(explored: Callable[..., Any], tmp_path: Path) -> None:
    pick = next(each for each in explored() if each["k"] == 5)
    _, union = pick.apply(_frame(visits(seed=2)))
    assert (union.k, union.persons, union.stay) == (5, True, 200)
    strangers = visits(seed=2)
    strangers["patient"] = [f"N{name}" for name in strangers["patient"]]
    assert pick.apply(_frame(strangers))[1].k == 10


def test_a_person_is_one_in_whatever_digits(tmp_path: Path) -> None:
    """Everybody has two rows, under 1 and 1.0 of a column of decimals."""
    from decimal import Decimal

    import pandas as pd

    def rows(first: int, number: int) -> Any:
        people = range(first, first + number)
        digits = [Decimal(f"{each}{end}") for each in people for end in ("", ".0")]
        return pd.DataFrame(
            {
                "patient": digits,
                "age": [20 + 5 * (each % 2) for each in people for _ in "ab"],
                "sex": ["f"] * 2 * number,
                "ill": ["flu", "cold"] * number,
            }
        )

    front = pn.Study(rows(0, 8), schema=SCHEMA).explore("k", "loss", space="lattice")
    assert [solution["k"] for solution in front] == [8, 4]
    _, union = front[-1].apply(rows(8, 2))
    assert (union.k, union.k_of_new, union.most_rows) == (5, 1, 2)
