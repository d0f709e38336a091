"""Persons in Mondrian's parts: beside splitting row by row, read again by the audit, and in every class."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import paretonym
from paretonym.base.errors import NoSolution
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.engine.spaces.mondrian.partition_requirement import required_of_parts
from paretonym.research.exams.random_tables import RandomTable, bounded, owned, random_table
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.naive import parts as naive
from tests.naive.twin import Table
from tests.properties.test_groups_audit import strays
from tests.strategies import tables
from tests.unit.engine.spaces.mondrian.test_partition import REQUIREMENTS, shown_leaves

KINDS = ("intervals", "order", "tree", "flat")
MEASURED = ("k", "l", "alpha", "l-distinct", "l-entropy", "t", "t-js", "delta", "beta")


@settings(max_examples=25, deadline=None)
@given(tables(rows=(5, 60), sensitive=1, bounds=False, persons=True))
def test_parts_of_persons_are_those_of_splitting_row_by_row(drawn: RandomTable) -> None:
    cube, table = drawn.study().cube, Table.of(drawn.rows, drawn.schema)
    for requirement in REQUIREMENTS:
        # Parts of a table that misses what is required may meet it, if somebody is in several of them.
        slow = naive.parts(table, drawn.schema, requirement)
        if not all(naive.keeps(table, rows, requirement) for rows in slow.values()):
            with pytest.raises(NoSolution):
                PartsRecoding.of(requirement).classes(cube)
            continue
        classes = PartsRecoding.of(requirement).classes(cube)
        assert shown_leaves(cube, classes) == {region: len(rows) for region, rows in slow.items()}
        assert classes.persons is not None
        assert sorted(classes.persons.tolist()) == sorted(map(naive.size, slow.values()))


@settings(max_examples=20, deadline=None)
@given(tables(rows=(5, 60), sensitive=2, kinds=KINDS, persons=True))
def test_every_class_of_every_kind_of_parts_meets_the_requirement(drawn: RandomTable) -> None:
    study = drawn.study()
    for number, requirement in enumerate(REQUIREMENTS):
        for seed in (None, number):
            try:
                made = study.realized(PartsRecoding.of(requirement, seed))
            except NoSolution:
                continue
            values = made.measure(*requirement)
            for limit in required_of_parts(requirement):
                assert limit.allows(values[limit.name]), (requirement, seed)


def drawn_table(seed: int) -> RandomTable:
    generator = Random(f"persons in parts {seed}")
    table = random_table(generator, rows=(20, 90), sensitive=1 + seed % 2, labelled=True, missing=0.4)
    table = owned(strays(table, seed) if seed % 4 == 3 else table, generator)
    return bounded(table, generator) if generator.random() < 0.3 else table


def published(study: Study, recoding: PartsRecoding, path: Path) -> dict[str, float]:
    values = study.realized(recoding).measure(*MEASURED, "loss")
    study.publish(Solution("", values, 0, recoding), path, allow_second_release=True)
    return values


@pytest.mark.parametrize("seed", range(16))
def test_an_audit_counts_the_persons_of_parts(seed: int, tmp_path: Path) -> None:
    """The search, the manifest, the audit's SQL and the attacker count the same persons."""
    study, path = drawn_table(seed).study(), tmp_path / "r.csv"
    requirement = {"k": 1 + seed % 4} if seed % 3 else {"k": 1 + seed % 4, "l-distinct": 1}
    try:
        values = published(study, PartsRecoding.of(requirement, seed=seed if seed % 2 else None), path)
    except NoSolution:
        return
    found = paretonym.audit(path, original=study.table, schema=study.schema, require=limits(values))
    unsure = [check.name for check in found.failed if "cannot be verified: classes overlap" in check.why]
    assert [check.name for check in found.failed if check.name not in unsure] == []
    attack = paretonym.attack(path, original=study.table, schema=study.schema)
    assert attack.matches
    if not unsure:
        assert (found["k-persons"], attack.smallest, unsure) == (values["k"], values["k"], [])
    assert values["k"] <= attack.smallest


def limits(values: dict[str, float]) -> list[str]:
    """What a release has, as requirements that it just meets."""
    return [_limit(name, value) for name, value in values.items() if value < 1e300]


def _limit(name: str, value: float) -> str:
    if name == "loss" or not name.startswith(("k", "l")):
        most = 1.0 if name in ("loss", "alpha", "t") else value + 1
        return f"{name}<={min(value + 1e-9, most)}"
    return f"{name}>={value if value == int(value) else value * (1 - 1e-9)}"


def ages(*rows: tuple[str, int]) -> Study:
    columns: dict[str, Any] = {
        "who": {"role": "person"},
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}},
    }
    who, age = zip(*rows, strict=True)
    return Study(pa.table({"who": list(who), "age": [str(each) for each in age]}), {"columns": columns})


def test_one_person_with_many_rows_shows_no_boundary() -> None:
    """Eight rows at 26 are one person's: where four persons are required, no label ends there. If they are
    four persons', one does; one of them has rows below it too, and is counted on both sides."""
    rows = [(f"p{age}", age) for age in (20, 21, 22)] + [("a", 23)]
    alone = ages(*rows, *8 * [("a", 26)], ("b", 27), ("c", 28), ("d", 29))
    assert PartsRecoding.of({"k": 4}).classes(alone.cube).sets[0].labels == ("*",)
    classes = PartsRecoding.of({"k": 4}).classes(ages(*rows, *((who, 26) for who in "abcdabcd")).cube)
    assert classes.sets[0].labels == ("<26", "26+")
    assert classes.persons is not None
    assert (classes.rows.tolist(), classes.persons.tolist()) == ([4, 8], [4, 4])
