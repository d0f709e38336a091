"""Audits of published means beside the original: own releases pass, whatever the schema rounds or codes, and
a forged file passes only where no class could tell."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.release import ReleaseLog, publish_release
from paretonym.research.microaggregation.microaggregation_space import MeansRecoding
from paretonym.tables.schema import schema_from
from tests.naive.releases import in_order

Rows = list[list[str]]

PEOPLE = [
    ("20", "1000", "a", "flu"), ("21", "1100", "a", "gout"), ("22", "1050", "b", "cold"),
    ("23", "1200", "b", "flu"), ("40", "5000", "c", "gout"), ("41", "5300", "c", "flu"),
    ("42", "5200", "c", "cold"), ("44", "5100", "c", "flu"), ("60", "9000", "d", "HIV"),
    ("61", "9100", "d", "HIV"), ("63", "9400", "d", "HIV"), ("65", "9700", "d", "HIV"),
]  # fmt: skip
FOREIGN = "rows not from the original"
NAMES = ["age", "wage", "place", "ill"]
TREE = {"Up": {"One": ["a", "b"], "Two": ["c"]}, "Down": ["d"]}


def schema(**age: Any) -> dict[str, Any]:
    return {
        "missing": "value",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}, **age},
            "wage": {"role": "quasi", "hierarchy": {"intervals": [1000]}},
            "place": {"role": "quasi", "hierarchy": {"tree": TREE}},
            "ill": {"role": "sensitive"},
        },
    }


def table(rows: Any) -> pa.Table:
    return pa.table(
        {
            name: pa.array(list(cells), pa.string())
            for name, cells in zip(NAMES, zip(*rows, strict=True), strict=True)
        }
    )


def released(folder: Path, rows: Any, columns: Mapping[str, Any], k: int, partition: Any = "mdav") -> Path:
    study, path = pn.Study(table(rows), schema=schema_from(columns)), folder / "release.csv"
    publish_release(study, MeansRecoding.of({"k": k}, partition), path, log=ReleaseLog.of_run(None))
    return path


def forge(path: Path, change: Callable[[Rows], None]) -> None:
    """Change rows, and let the manifest agree with them."""
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    change(rows)
    ordered = in_order([tuple(row) for row in rows])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *ordered])
    manifest = path.with_name(f"{path.name}.manifest.json")
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["output"] |= {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "rows": len(rows)}
    labels = document["recoding"]["labels"]
    document["recoding"]["labels"] = {
        name: sorted({row[head.index(name)] for row in rows}) for name in labels
    }
    manifest.write_text(json.dumps(document), encoding="utf-8")
    for check in pn.audit(path).failed:
        if check.kind == "claim":
            document["claims"][check.name] = check.found
    manifest.write_text(json.dumps(document), encoding="utf-8")


def test_an_own_release_and_the_first_words_of_its_verdict(tmp_path: Path) -> None:
    """The three classes of the means (22, 1088), (42, 5150), (62, 9300)."""
    path = released(tmp_path, PEOPLE, schema(), 4)
    audit = pn.audit(path, original=table(PEOPLE), schema=schema())
    assert audit
    assert str(audit).startswith(f"{path}: not decided: rows of the original, loss, gl; the other ")
    holds = {check.name for check in audit.checks if check.kind == "original" and check.holds}
    assert holds == {
        "rows of the original missing",
        FOREIGN,
        "unchanged columns",
        "sets of categories",
        "means",
    }
    assert audit["sl"] == 0


def set_cells(column: str, value: str, where: str) -> Callable[[Rows], None]:
    """Show a value in a column of all rows of the class of a wage."""
    place = NAMES.index(column)

    def change(rows: Rows) -> None:
        for row in rows:
            if row[1] == where:
                row[place] = value

    return change


def several(*changes: Callable[[Rows], None]) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        for one in changes:
            one(rows)

    return change


def swap_illnesses(rows: Rows) -> None:
    """HIV moves into a class of other places: no 'd' is there."""
    rows[0][3], rows[-1][3] = rows[-1][3], rows[0][3]


def other_illness(rows: Rows) -> None:
    rows[0][3] = "HIV"


FORGED = [
    (other_illness, {"unchanged columns", FOREIGN}),
    (swap_illnesses, {FOREIGN}),
    (set_cells("place", "Down", "1088"), {"sets of categories", FOREIGN}),
    (set_cells("wage", "1091", "1088"), {"means"}),
    (set_cells("wage", "1087.5", "1088"), {"means"}),
    (set_cells("wage", "999999", "9300"), {"means"}),
    # 1,000 is the lowest wage, and only one person's; the sum is right.
    (several(set_cells("wage", "1000", "1088"), set_cells("wage", "5238", "5150")), {"means"}),
    # Nobody above 65, though the sum is right.
    (several(set_cells("age", "16", "1088"), set_cells("age", "68", "9300")), {"means"}),
    # The means of 'd' and of 'c' exchanged: right in the whole column, wrong beside the places.
    (
        several(*(set_cells("wage", *pair) for pair in (("x", "9300"), ("9300", "5150"), ("5150", "x")))),
        {"means"},
    ),
    (lambda rows: rows.pop(), {"rows of the original missing"}),
]  # fmt: skip


@pytest.mark.parametrize(("change", "failing"), FORGED)
def test_a_forged_release_fails(tmp_path: Path, change: Callable[[Rows], None], failing: set[str]) -> None:
    path = released(tmp_path, PEOPLE, schema(), 4)
    forge(path, change)
    assert pn.audit(path).passed
    audit = pn.audit(path, original=table(PEOPLE), schema=schema())
    assert failing <= {check.name for check in audit.failed}
    assert not any(value in check.why for check in audit.failed for value in ("HIV", "9700", "1000"))


def test_what_no_class_could_tell_is_not_decided(tmp_path: Path) -> None:
    """A mean may be one off and another one less: other classes have these means within the rounding."""
    alike = [(age, wage, "a", ill) for age, wage, _, ill in PEOPLE]
    path = released(tmp_path, alike, schema(), 4)
    forge(path, several(set_cells("wage", "1089", "1088"), set_cells("wage", "5149", "5150")))
    audit = pn.audit(path, original=table(alike), schema=schema())
    assert audit.passed
    assert str(audit).startswith(f"{path}: not decided: rows of the original")


SETTINGS: list[dict[str, Any]] = [
    {}, {"granularity": 5}, {"top": 70}, {"bottom": 25, "top": 70}, {"top": 70, "granularity": 5},
    {"bottom": 25, "granularity": 10}, {"levels": [1, 2]}, {"domain": [10, 90]},
]  # fmt: skip


@pytest.mark.parametrize("partition", ["mdav", "mondrian"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_own_releases_hold(tmp_path: Path, setting: dict[str, Any], partition: Any) -> None:
    """Means that fall on what is coded at an end, and granules that begin there, among them."""
    generator = Random(f"{setting} {partition}")
    for number in range(3):
        rows = [
            (
                None if number == 1 and generator.random() < 0.1 else str(generator.randint(17, 80)),
                f"{generator.uniform(0, 900):.{number}f}",
                generator.choice("abcd"),
                generator.choice("xyz"),
            )
            for _ in range(40)
        ]
        columns = schema(**setting)
        folder = tmp_path / str(number)
        folder.mkdir()
        path = released(folder, rows, columns, 3, partition)
        audit = pn.audit(path, original=table(rows), schema=columns)
        assert audit, [check.why for check in audit.failed]
