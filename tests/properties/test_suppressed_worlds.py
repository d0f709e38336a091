"""What is published says nothing of the rows that are left out: whatever they are, it is the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.release.publication import release_cost
from paretonym.release.small_counts import published_costs
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

K = 4
NAMES = ("age", "zip", "town", "since", "ill")
TREE = {"North": ["Aa", "Bb"], "South": ["Cc", "Dd", "Ee"]}
SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}, "top": 90},
        "zip": {"role": "quasi", "hierarchy": {"mask": 4}},
        "town": {"role": "quasi", "hierarchy": {"tree": TREE}},
        "since": {"role": "quasi", "hierarchy": {"date": ["month", "year"]}},
        "ill": {"role": "sensitive"},
    }
}


def person(generator: Random, ages: tuple[int, int], places: str) -> tuple[str, ...]:
    return (
        str(generator.randrange(*ages)),
        generator.choice(places) + "0" + generator.choice("12") + generator.choice("123"),
        generator.choice(("Aa", "Bb")),
        f"202{generator.randrange(2)}-0{generator.randrange(1, 4)}-1{generator.randrange(4)}",
        generator.choice("uvw"),
    )


def stranger(generator: Random) -> tuple[str, ...]:
    """Somebody who is alone in a class: in another town, with values that nobody else has."""
    odd = person(generator, (20, 110), "123456789")
    return odd[0], odd[1], generator.choice(("Cc", "Dd", "Ee")), odd[3], generator.choice("uvwxyz")


def table(rows: Sequence[tuple[str, ...]]) -> pa.Table:
    return pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))


def recoding(space: str, study: Study) -> Any:
    keep = {"k": f">={K}"}
    if space == "lattice":
        return LatticeRecoding.of({"age": 2, "zip": 3, "town": 0, "since": 2}, keep)
    if space == "local":
        sequence = (
            {"age": 2, "zip": 2, "town": 0, "since": 2},
            {"age": 2, "zip": 4, "town": 0, "since": 2},
            {"age": 2, "zip": 4, "town": 0, "since": 3},
        )
        return LocalRecoding(tuple(tuple(node.items()) for node in sequence), parse_keep(keep))
    ages, zips, towns, dates = (column.hierarchy.leaves for column in study.bound.quasi)
    young = [age for age in ages if int(age.rstrip("+")) < 40]
    half = tuple(young), ages[len(young) :]
    groups = (
        ("age", tuple(group for group in half if group)),
        ("zip", (zips,)),
        ("town", tuple((town,) for town in towns)),
        ("since", (dates,)),
    )
    return CutsRecoding(groups, parse_keep(keep))


def published(rows: list[tuple[str, ...]], space: str, path: Path) -> tuple[bytes, Any, int]:
    study = Study(table(rows), SCHEMA)
    chosen = recoding(space, study)
    gone = study.realized(chosen).suppressed
    study.publish(Solution("", {}, gone, chosen), path, allow_second_release=True)
    manifest = path.with_name(f"{path.name}.manifest.json")
    return path.read_bytes(), json.loads(manifest.read_text(encoding="utf-8")), gone


@pytest.mark.parametrize("space", ["lattice", "cuts", "local"])
@pytest.mark.parametrize("seed", range(6))
def test_other_suppressed_rows_publish_the_same(seed: int, space: str, tmp_path: Path) -> None:
    """None at all, or values that occur nowhere else, also where hierarchies do not list their values."""
    generator = Random(seed)
    stay = [person(generator, (20, 60), "1") for _ in range(60)]
    # Whoever is left out of these rows by themselves would be left out in some worlds only.
    bare = Study(table(stay), SCHEMA)
    realized = bare.realized(recoding(space, bare))
    assert realized.suppressed < K
    worlds = [stay] + [
        stay + [stranger(generator) for _ in range(generator.randint(1, K - 1))] for _ in range(5)
    ]
    found = [published(rows, space, tmp_path / f"{place}.csv") for place, rows in enumerate(worlds)]
    alike = [each[:2] for each in found if each[2] < K]
    assert len(alike) > 1
    assert all(each == alike[0] for each in alike)


@pytest.mark.parametrize("space", ["lattice", "cuts", "local"])
@pytest.mark.parametrize("seed", range(3))
def test_new_rows_look_the_same_beside_other_suppressed_rows(seed: int, space: str, tmp_path: Path) -> None:
    generator = Random(seed)
    stay = [person(generator, (20, 60), "1") for _ in range(60)]
    new = [person(generator, (15, 100), "12") for _ in range(20)] + [stranger(generator) for _ in range(9)]
    found = {}
    for place, number in enumerate((0, 2, 3)):
        study = Study(table(stay + [stranger(generator) for _ in range(number)]), SCHEMA)
        chosen, path = recoding(space, study), tmp_path / f"{place}.csv"
        if study.realized(chosen).suppressed >= K:
            continue
        study.apply(chosen, table(new), path, allow_second_release=True)
        manifest = json.loads(path.with_name(f"{path.name}.manifest.json").read_text(encoding="utf-8"))
        found[place] = path.read_bytes(), manifest
    assert len(found) > 1
    assert all(each == found[0] for each in found.values())


def test_a_value_of_a_suppressed_row_changes_no_loss() -> None:
    """Twenty people from 20 to 39 and one of 103: their gl is 9/19 each, with or without the last one."""
    rows = [(str(age), "1011", "Aa", "2020-01-10", "u") for age in range(20, 40)]
    costs = []
    for more in ([], [("103", "1011", "Cc", "2020-01-10", "u")]):
        study = Study(table(rows + more), SCHEMA)
        chosen = LatticeRecoding.of({"age": 1, "zip": 0, "town": 0, "since": 0}, {"k": ">=2"})
        cost = release_cost(study, chosen)
        assert cost.suppressed == len(more)
        costs.append(published_costs(cost, 20, 10))
    assert costs[0] == costs[1]
    assert costs[0]["gl"] == round(9 / 19 / 4, 3)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("options", [{"role": "other"}, {"role": "weight", "release": True, "round": 0.5}])
def test_a_number_of_a_suppressed_row_changes_no_type(
    kind: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """Whole numbers are integers, whoever else had half a point."""
    generator = Random(1)
    stay = [person(generator, (20, 60), "1") for _ in range(60)]
    schema = {"columns": {**SCHEMA["columns"], "score": options}}
    found = []
    for place, odd in enumerate((2.0, 2.5)):
        rows = table([*stay, stranger(Random(7))])
        score = pa.array([*(float(number % 3 + 1) for number in range(60)), odd])
        study = Study(rows.append_column("score", score), schema)
        chosen, path = recoding("lattice", study), tmp_path / f"{place}.{kind}"
        assert study.realized(chosen).suppressed == 1
        study.publish(Solution("", {}, 1, chosen), path, allow_second_release=True)
        found.append((path.read_bytes(), json.loads(Path(f"{path}.manifest.json").read_text())))
    assert found[0] == found[1]
