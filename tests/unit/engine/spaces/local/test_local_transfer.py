"""New rows beside a local recoding: how they are shown says nothing of old rows that were suppressed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.release.release_log import SecondRelease
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

NAMES = ("age", "sex", "ill")
SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}
SEQUENCE = LocalRecoding(
    ((("age", 1), ("sex", 0)), (("age", 2), ("sex", 0))), parse_keep({"k": ">=3", "l-distinct": ">=2"})
)
STAY = [("21", "f", "flu"), ("22", "f", "cold"), ("23", "f", "flu"), ("27", "f", "HIV")]
# Three are suppressed: for what they have in common, or because they are few.
WORLDS = (
    [*STAY, *[("61", "f", "HIV")] * 3],
    [*STAY, ("61", "f", "HIV"), ("81", "m", "HIV"), ("41", "m", "flu")],
)
NEW = [("62", "f", "flu"), ("63", "f", "cold"), ("64", "f", "flu"), ("25", "f", "cold")]


def table(rows: Sequence[tuple[str, ...]]) -> pa.Table:
    return pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))


def written(path: Path) -> tuple[str, Any]:
    manifest = path.with_name(f"{path.name}.manifest.json")
    return path.read_text(encoding="utf-8"), json.loads(manifest.read_text(encoding="utf-8"))


def test_a_class_that_lacked_diversity_is_not_told(tmp_path: Path) -> None:
    """New rows of [60, 70) were shown there, as no old row is, where three old rows had one illness."""
    found = []
    for place, rows in enumerate(WORLDS):
        study, old, new = Study(table(rows), SCHEMA), tmp_path / f"{place}.csv", tmp_path / f"n{place}.csv"
        study.publish(Solution("", {}, 3, SEQUENCE), old, allow_second_release=True)
        study.apply(SEQUENCE, table(NEW), new, allow_second_release=True)
        found.append((written(old), written(new)))
    assert found[0] == found[1]
    assert found[0][1][0].splitlines()[1:] == [
        '"[20, 30)",f,cold',
    ]


PLACES: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"flat": True}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}


@pytest.mark.parametrize("odd", [("w", "p", "flu"), ("y", "s", "flu"), ("a", "a", "flu"), None])
def test_the_cheapest_class_is_that_of_the_rows_that_stay(
    odd: tuple[str, ...] | None, tmp_path: Path
) -> None:
    """A new (x, p) lies in (x, *) and in (*, p), which cost the same, whatever value a suppressed row has."""
    stay = [("x", "q", "flu"), ("x", "r", "cold"), ("y", "p", "flu"), ("z", "p", "cold")]
    study = Study(table([*stay, *([odd] if odd else [])]), PLACES)
    ages, sexes = (axis.hierarchy.levels[0].labels for axis in study.cube.axes)
    numbers = {"xq": 1, "xr": 1, "yp": 2, "zp": 2}
    of_tuple = [numbers.get(ages[i] + sexes[j], 3) for i, j in study.cube.groups.tolist()]
    chosen = LocalRecoding.of_classes(np.array(of_tuple), parse_keep({"k": ">=2"}))
    study.apply(chosen, table([("x", "p", "flu"), ("x", "p", "cold")]), tmp_path / "new.csv")
    text = (tmp_path / "new.csv").read_text(encoding="utf-8")
    assert text.splitlines()[1:] == ["*,p,cold", "*,p,flu"]


def test_a_set_of_a_level_holds_no_more_than_its_label_says(tmp_path: Path) -> None:
    """All that stay are of 1*: a new 21 is in no class, although 1* is all that the old rows have."""
    schema = {"columns": {**PLACES["columns"], "age": {"role": "quasi", "hierarchy": {"mask": 2}}}}
    study = Study(
        table([("11", "p", "flu"), ("12", "p", "cold"), ("13", "q", "flu"), ("14", "q", "flu")]), schema
    )
    of_tuple = np.arange(4) // 2
    chosen = LocalRecoding.of_classes(of_tuple, parse_keep({"k": ">=2"}))
    new = [("15", "p", "flu"), ("21", "p", "flu")]
    _, union = study.apply(chosen, table(new), tmp_path / "new.csv")
    assert (union.stay, union.nowhere) == (1, 1)


LISTED: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"tree": {"A": ["a", "b", "c"], "D": ["d", "e"], "F": ["f"]}}},
        "sex": {"role": "quasi", "hierarchy": {"tree": {"M": ["m", "n"], "P": ["p", "q", "r"]}}},
        "ill": {"role": "sensitive"},
    }
}
MEMBERS = {"A": "abc", "D": "de", "F": "f", "M": "mn", "P": "pqr"}


def members(label: str, every: str) -> str:
    return every if label == "*" else MEMBERS.get(label, label)


@pytest.mark.parametrize("kind", ["partition", "sequence"])
@pytest.mark.parametrize("seed", range(6))
def test_a_new_tuple_joins_the_cheapest_class_that_holds_it(seed: int, kind: str) -> None:
    """Tuples that no old row has, tried class by class; of classes that cost the same the first by labels."""
    draw = Random(seed)
    pairs = draw.choices([(a, s) for a in "abcdef" for s in "mnpqr"], k=28)
    study = Study(table([(a, s, draw.choice("xyz")) for a, s in pairs]), LISTED)
    keep = parse_keep({"k": ">=3"})
    nodes = tuple((("age", age), ("sex", sex)) for age, sex in ((0, 1), (1, 0), (1, 1)))
    numbers = np.array([draw.randrange(5) for _ in range(study.cube.tuples)])
    chosen = LocalRecoding(nodes, keep) if kind == "sequence" else LocalRecoding.of_classes(numbers, keep)
    realized = study.realized(chosen)
    classes = [realized.classes.labels(place) for place in np.flatnonzero(realized.stays).tolist()]
    new = [(a, s, "x") for a in "abcdef" for s in "mnpqr" if (a, s) not in pairs]
    expected = []
    for a, s, _ in new:
        sets = [(members(age, "abcdef"), members(sex, "mnpqr"), (age, sex)) for age, sex in classes]
        holding = [
            ((len(ages) - 1) / 5 + (len(sexes) - 1) / 4, labels)
            for ages, sexes, labels in sets
            if a in ages and s in sexes
        ]
        expected += [min(holding)[1]] if holding else []
    if not expected:
        return
    answer: Any = study.apply(chosen, table(new))
    rows, union = answer
    assert sorted((row["age"], row["sex"]) for row in rows.to_pylist()) == sorted(expected)
    assert union.nowhere == len(new) - len(expected)


def test_a_corrected_table_is_not_released_again(tmp_path: Path) -> None:
    """One corrected row: the second release by the same sequence is refused."""
    draw = Random(7)
    rows = [(str(draw.randrange(20, 60)), draw.choice("fm"), f"ill {draw.randrange(40)}") for _ in range(90)]
    first, second = Study(table(rows), SCHEMA), Study(table([("20", "f", "ill 1"), *rows[1:]]), SCHEMA)
    first.publish(Solution("", {}, 0, SEQUENCE), tmp_path / "a.csv")
    other = LocalRecoding(SEQUENCE.sequence[1:], SEQUENCE.keep)
    with pytest.raises(SecondRelease, match="another release of this table already exists"):
        first.publish(Solution("", {}, 0, other), tmp_path / "b.csv")
    with pytest.raises(SecondRelease, match="most rows of this table were released before"):
        second.publish(Solution("", {}, 0, SEQUENCE), tmp_path / "b.csv")
