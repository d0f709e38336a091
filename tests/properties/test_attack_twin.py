"""Attacks beside every world that the releases of a tiny table leave possible: whatever is called certain
holds in all of them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym.audit import Original
from paretonym.engine.recoding.equivalence_classes import Recoding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.evidence.attacks.attack import Case
from paretonym.evidence.attacks.people import People
from paretonym.evidence.attacks.published_file import Codebook, open_published
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.naive.possible_worlds import Known, everything

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
    if space == "buckets":
        return BucketsRecoding.of({"l-distinct": 2}, generator.choice(("mondrian", "anatomy")))
    if space == "parts":
        return PartsRecoding.of({"k": 2})
    levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
    keep = {"k": f">={generator.choice((1, 1, 2, 2, 3))}"}
    if space == "conditions":
        further = ("l-distinct>=2", "l-distinct>=3", "l>=1.5", "l-entropy>=1.5", "alpha<=0.5")
        name, sign, bound = generator.choice(further).partition("=")
        keep[name[:-1]] = f"{name[-1]}{sign}{bound}"
    return LatticeRecoding.of(levels, keep)


def published(
    generator: Random,
    folder: Path,
    spaces: tuple[str, ...],
    people: list[dict[str, str]],
    schema: dict[str, Any] = SCHEMA,
) -> list[Path]:
    columns = {name: [row[name] for row in people] for name in schema["columns"]}
    study, files = Study(pa.table(columns), schema), []
    for place, space in enumerate(spaces):
        path = folder / f"{place}.csv"
        try:
            study.publish(
                Solution("", {}, 0, drawn_recoding(generator, study, space)), path, allow_second_release=True
            )
        except paretonym.ParetonymError:
            continue
        files.append(path)
    return files


def check(
    files: list[Path], people: list[dict[str, str]], schema: dict[str, Any] = SCHEMA
) -> tuple[Case, Known]:
    """Everything that is called certain is certain in all worlds, value by value and person by person."""
    table = pa.table({name: [row[name] for row in people] for name in SCHEMA["columns"]})
    study, book = Study(table, schema), Codebook()
    releases = [open_published(path, None, study.schema, book, None) for path in files]
    case = Case.of(
        releases, People.of(Original.of(study.table, study.bound, study.schema)), book, study.schema
    )
    secrets = [column.name for column in study.schema.with_role("sensitive")]
    truth = everything(files, people, ("a", "b"))
    # Counts have an order of their own: people are looked up by their values.
    codes = {
        column.name: dict(zip(study.source.column(column.name).texts, column.lookup.tolist(), strict=False))
        for column in study.bound.quasi
    }
    place = {tuple(row): number for number, row in enumerate(case.people.tuples.tolist())}
    tuples = [place[tuple(code[row[name]] for name, code in codes.items())] for row in people]
    steps = [(numbers, truth) for numbers in (*case.by_file, case.together)]
    for numbers, worlds in steps:
        for name in secrets:
            certain = dict(case._certain(numbers, name).tolist())
            for person, own in enumerate(tuples):
                if own in certain:
                    assert worlds.certain[person].get(name) == case.measured[name][1][certain[own]]
                    assert people[person][name] == worlds.certain[person][name]
    rows = case._candidate_rows()
    # In buckets what stands beside quasi-identifiers is found by them, apart from sensitive values.
    assert any(release.in_buckets for release in releases) or all(
        truth.rows[person] == 1 for person, own in enumerate(tuples) if rows[own] == 1
    )
    answer = case.answer(tuple(map(str, files)))
    assert answer.matches
    assert answer.certain("s") <= sum("s" in own for own in truth.certain)
    return case, truth


SPACES = [
    ("lattice",),
    ("parts",),
    ("buckets",),
    ("lattice", "lattice"),
    ("conditions", "lattice"),
    ("conditions", "conditions"),
    ("conditions", "parts"),
    ("lattice", "parts"),
    ("lattice", "buckets"),
    ("buckets", "buckets"),
    ("lattice", "lattice", "parts"),
    ("conditions", "lattice", "lattice"),
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
        check(files, people)
