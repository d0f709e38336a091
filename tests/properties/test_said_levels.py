"""What is said of a release is what its file shows: every level that is named occurs there, in every space
and every output. Equal files with equal manifests have equal public pages, whoever was suppressed."""

from __future__ import annotations

import csv
import re
from html import escape, unescape
from pathlib import Path
from random import Random

import pyarrow
import pytest

import paretonym as pn
from paretonym.base.errors import in_python
from paretonym.interfaces.web.open_runs import OpenRun
from paretonym.interfaces.web.release_detail import point_facts
from paretonym.study.explored_run import Solution

TOWNS = {"North": ["Aa", "Bb"], "South": ["Cc", "Dd"], "West": ["Ee"]}
SCHEMA = {
    "columns": {
        "kg": {"role": "quasi", "type": "decimal", "hierarchy": {"intervals": [5, 20]}},
        "town": {"role": "quasi", "hierarchy": {"tree": TOWNS}},
        "born": {"role": "quasi", "type": "date", "hierarchy": {"date": ["month", "year"]}},
        "zip": {"role": "quasi", "hierarchy": {"keep": [2, 1]}},
        "ill": {"role": "sensitive"},
    }
}
NAMES = tuple(SCHEMA["columns"])
# Of each space the question that makes most of it, and of all of them together.
QUESTIONS: dict[str, dict[str, object]] = {
    "every method": {"names": ("k", "loss"), "suppress": "any:0.3"},
    "lattice": {"names": ("k", "loss"), "suppress": "any:0.3", "space": "lattice"},
    "local": {"names": ("k", "loss"), "suppress": "any:0.3", "space": "local", "evaluations": 2000},
    "cuts": {"names": ("k", "loss"), "suppress": "20%", "space": "cuts", "evaluations": 100},
    "mondrian": {"names": ("k", "loss"), "space": "mondrian"},
    "microaggregation": {"names": ("k", "sse"), "space": "microaggregation"},
    "buckets": {"names": ("k", "l"), "space": "buckets"},
}
LEVEL = re.compile(
    r"unchanged|not shown|in steps of|by (month|year|the means)|first|in (\d+|one) (group|band)"
)
Row = tuple[str, ...]


def people(draw: Random, rows: int) -> list[Row]:
    """Similar people, and two whom nobody is similar to."""
    usual = [
        (f"{draw.randrange(600, 700, 25) / 10}", draw.choice(("Aa", "Bb", "Ee")), f"199{draw.randrange(2)}-"
         f"0{draw.randrange(1, 4)}-11", draw.choice(("104", "105", "120")), draw.choice("uvw"))
        for _ in range(rows)
    ]  # fmt: skip
    return [*usual, ("12.3", "Dd", "1950-01-02", "77", "v"), ("199.9", "Cc", "2020-12-31", "9", "u")]


def explored(rows: list[Row], question: dict[str, object]) -> pn.Run:
    table = pyarrow.table({name: [row[i] for row in rows] for i, name in enumerate(NAMES)})
    options = {name: value for name, value in question.items() if name != "names"}
    return pn.Study(table, SCHEMA).explore(*question["names"], seed=0, **options)  # type: ignore[misc, arg-type]


def occurs(phrase: str, cells: set[str], original: set[str]) -> bool:
    """True if some cell of the file is of the level that a phrase names."""
    if phrase == "unchanged":
        return bool(cells & original)
    if phrase == "not shown":
        return any(not cell.strip("*") for cell in cells)
    if step := re.fullmatch(r"in steps of (\d+)", phrase):
        ends = [re.fullmatch(r"\[([\d.-]+), ([\d.-]+)\)", cell) for cell in cells]
        return any(end is not None and float(end[2]) - float(end[1]) == float(step[1]) for end in ends)
    if phrase in ("by month", "by year"):
        form = r"\d{4}-\d{2}" if phrase == "by month" else r"\d{4}"
        return any(re.fullmatch(form, cell) for cell in cells)
    if phrase in ("first 2 characters", "first character"):
        return any(re.fullmatch(r"\d{2}\*" if "2" in phrase else r"\d\*", cell) for cell in cells)
    if phrase == "by the means of classes":
        return bool(cells - original)
    number = re.fullmatch(r"in (\d+|one) (?:groups?|bands?)", phrase)
    return number is not None and len(cells) >= int(number[1].replace("one", "1"))


def shown_cells(solution: Solution, folder: Path) -> dict[str, set[str]]:
    path = folder / f"{solution.id}.csv"
    solution.release(path, allow_second_release=True)
    parts = [path] if path.exists() else [folder / f"{solution.id}.qit.csv"]
    with parts[0].open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: {row[name] for row in rows} for name in NAMES[:-1]}


@pytest.mark.parametrize("space", QUESTIONS)
def test_every_level_that_is_named_occurs(space: str, tmp_path: Path) -> None:
    rows = people(Random(0), 12)
    run = explored(rows, QUESTIONS[space])
    run.save(tmp_path / "run")
    opened = OpenRun.of("1", tmp_path / "run", run.data.source)  # type: ignore[union-attr]
    assert len(run) > 0
    for solution in run[:: max(1, len(run) // 3)]:
        described = solution.describe()
        cells = shown_cells(solution, tmp_path)
        for column in described.columns:
            original = {row[NAMES.index(column.name)] for row in rows}
            phrases = [part for words in column.words.words.split(" or ") for part in words.split(", ")]
            missing = [phrase for phrase in phrases if not occurs(phrase, cells[column.name], original)]
            assert not missing, (column, cells[column.name])
            assert set(column.words.labels) <= cells[column.name]
        said = {column.name: str(column.words) for column in described.columns}
        in_json = {column["name"]: column["shown"] for column in described.as_json()["columns"]}
        facts = point_facts(opened, opened.frontier.pick(solution.id), in_python)
        assert in_json == said == {name: shown["words"] for name, shown in facts["shown"].items()}
        assert facts["text"].startswith(described.shown)
        pages = [run.report(pick=solution.id, reader=reader).html for reader in ("public", "officer")]
        for page in [*pages, solution._repr_html_()]:
            assert all(f"<td>{escape(words)}</td>" in page for words in said.values())
            named = {unescape(cell) for cell in re.findall("<td>([^<]*)</td>", page)}
            assert {cell for cell in named if LEVEL.match(cell)} <= {*said.values(), "unchanged"}


SUPPRESSED = (
    ("12.3", "Dd", "1950-01-02", "77", "v"),
    ("61.0", "Cc", "1990-02-28", "9", "u"),
    ("199.9", "Dd", "2020-12-31", "2044", "w"),
)


@pytest.mark.parametrize("space", ["local", "lattice", "cuts"])
def test_equal_files_have_equal_public_pages(space: str, tmp_path: Path) -> None:
    """Where nobody, or somebody else, is suppressed."""
    pages: dict[tuple[bytes, bytes], str] = {}
    compared = 0
    rows = people(Random(1), 12)[:-2]
    for place, gone in enumerate(((), *((one,) for one in SUPPRESSED))):
        run = explored([*rows, *gone], QUESTIONS[space])
        for solution in [one for one in run if one.suppressed == len(gone)]:
            path = tmp_path / f"{place}-{solution.id}.csv"
            solution.release(path, allow_second_release=True)
            key = path.read_bytes(), Path(f"{path}.manifest.json").read_bytes()
            page = run.report(pick=solution.id, reader="public").html
            compared += key in pages
            assert pages.setdefault(key, page) == page
    assert compared > 2
