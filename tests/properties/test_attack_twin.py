"""Attacks beside every world that the releases of a tiny table leave possible: whatever is reported as known
is so, and nobody is said to have resisted of whom all worlds say the same."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym.recoding.recoding_contract import Recoding
from paretonym.run.explored_frontier import Solution
from paretonym.run.study import Study
from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding
from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from tests.naive.possible_worlds import everything

SCHEMA: dict[str, Any] = {
    "columns": {
        "a": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4]}},
        "b": {"role": "quasi", "hierarchy": {"flat": True}},
        "o": {"role": "other"},
        "s": {"role": "sensitive"},
    }
}


def drawn_rows(generator: Random, number: int) -> list[dict[str, str]]:
    wide = generator.random() < 0.3
    return [
        {
            "a": str(generator.randrange(6)),
            "b": generator.choice("xy"),
            "o": generator.choice("pq") if wide else "p",
            "s": generator.choice("uvw" if wide else "uuvw"),
        }
        for _ in range(number)
    ]


def drawn_recoding(generator: Random, study: Study, space: str) -> Recoding:
    if space == "lattice":
        levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
        return LatticeRecoding.of(levels, {"k": f">={generator.choice((1, 1, 2, 2, 3))}"})
    if space == "buckets":
        return BucketsRecoding.of({"l-distinct": 2}, generator.choice(("mondrian", "anatomy")))
    return PartsRecoding.of({"k": 2})


def published(
    generator: Random, folder: Path, spaces: tuple[str, ...], people: list[dict[str, str]]
) -> list[Path]:
    columns = {name: [row[name] for row in people] for name in SCHEMA["columns"]}
    study, files = Study(pa.table(columns), SCHEMA), []
    for place, space in enumerate(spaces):
        path = folder / f"{place}.csv"
        try:
            study.publish(Solution("", {}, 0, drawn_recoding(generator, study, space)), path)
        except paretonym.ParetonymError:
            continue
        files.append(path)
    return files


def check(files: list[Path], people: list[dict[str, str]], folder: Path) -> paretonym.attacks.findings.Attack:
    table = pa.table({name: [row[name] for row in people] for name in SCHEMA["columns"]})
    found = paretonym.attack(*files, original=table, schema=SCHEMA, estimates=False)
    known = everything(files, people, ("a", "b"))
    for person, own in enumerate(known.certain):
        assert all(people[person][name] == value for name, value in own.items())
    certain = sum("s" in own for own in known.certain)
    (values,) = found.disclosures
    assert found.matches
    for path in files:
        # Whoever has more files learns no less.
        alone = paretonym.attack(path, original=table, schema=SCHEMA, estimates=False)
        assert alone.disclosures[0].known <= values.known
        assert alone.disclosures[0].known + alone.disclosures[0].likely <= values.known + values.likely
        assert alone.reidentified <= found.reidentified
    assert values.known <= certain <= values.known + values.undecided + values.likely
    # Rows that are equal are not told apart here; of files that are subtracted they are.
    single = sum(rows == 1 for rows in known.rows)
    assert single <= found.reidentified + found.undecided
    # In buckets what stands beside quasi-identifiers is found by them, apart from sensitive values.
    columns = {"o"} if any(path.with_name(f"{path.stem}.qit.csv").exists() for path in files) else {"o", "s"}
    assert found.reidentified <= sum(columns <= set(own) for own in known.certain)
    return found


SPACES = [
    ("lattice",),
    ("parts",),
    ("buckets",),
    ("lattice", "lattice"),
    ("lattice", "parts"),
    ("lattice", "buckets"),
    ("buckets", "buckets"),
    ("lattice", "lattice", "parts"),
]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("spaces", SPACES, ids="+".join)
def test_beside_all_possible_worlds(seed: int, spaces: tuple[str, ...], tmp_path: Path) -> None:
    generator = Random(f"{spaces} {seed}")
    people = drawn_rows(
        generator, generator.randint(4, 6 if "buckets" not in spaces else 5) - (len(spaces) > 2)
    )
    files = published(generator, tmp_path, spaces, people)
    if files:
        check(files, people, tmp_path)
