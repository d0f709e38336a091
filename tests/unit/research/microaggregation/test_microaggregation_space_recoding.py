"""What microaggregation shows: means of numbers, smallest sets of categories, and files that the audit
accepts."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.research.exams.random_tables import random_table
from paretonym.research.microaggregation.microaggregation_space import MeansRecoding

TREE = {"Up": {"One": ["a", "b"], "Two": ["c"]}, "Down": ["d"]}
AGE: dict[str, Any] = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}


def study(age: list[str | None], place: str, **further: Any) -> pn.Study:
    columns = {"age": {**AGE, **further}, "place": {"role": "quasi", "hierarchy": {"tree": TREE}}}
    table = pa.table({"age": pa.array(age, pa.string()), "place": list(place)})
    return pn.Study(table, schema={"missing": "value", "columns": columns})


def shown(made: pn.Study, k: int, partition: Any = "mdav") -> list[tuple[str, ...]]:
    classes = MeansRecoding.of({"k": k}, partition).classes(made.cube)
    return sorted(classes.labels(place) for place in range(len(classes)))


def test_means_and_smallest_sets() -> None:
    """20, 21, 23 have the mean 21⅓, of two as, and 60, 61, 62 are in d."""
    made = study(["20", "21", "23", "60", "61", "62"], "aabddd")
    assert shown(made, 3) == [("21", "One"), ("61", "d")]
    assert shown(made, 3, "mondrian") == [("21", "One"), ("61", "d")]
    assert shown(made, 6) == [("41", "*")]


def test_means_are_rounded_to_granules_and_never_finer_than_levels() -> None:
    ages: list[str | None] = ["20", "21", "23", "60", "61", "62"]
    assert shown(study(ages, "aabddd", granularity=5), 3) == [("20", "One"), ("60", "d")]
    bounded = study(ages, "aabddd", levels=[1, 2])
    assert shown(bounded, 3) == [("[20, 30)", "One"), ("[60, 70)", "d")]


def test_what_is_missing_has_no_mean() -> None:
    made = study(["20", "21", None, "60", "61", "62"], "aaaddd")
    assert shown(made, 3) == [("*", "a"), ("61", "d")]


def test_classes_that_look_alike_are_one() -> None:
    """10, 30 and 19, 21 have the same mean."""
    made = study(["10", "30", "19", "21"], "aabb")
    classes = MeansRecoding.of({"k": 2}).classes(made.cube)
    labels = {classes.labels(place) for place in range(len(classes))}
    assert len(labels) == len(classes)
    assert classes.rows.min() >= 2


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("partition", ["mdav", "mondrian"])
def test_every_class_has_k_rows_and_looks_like_no_other(seed: int, partition: Any) -> None:
    cube = random_table(Random(f"means {seed}"), rows=(6, 80), sensitive=1).study().cube
    found = Realized.of(MeansRecoding.of({"k": 3}, partition), cube)
    classes = found.classes
    assert classes.rows.min() >= 3
    assert len({classes.labels(place) for place in range(len(classes))}) == len(classes)
    for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True)):
        leaves = axis.unit_ends[cube.groups[:, j]]
        own = classes.shown[classes.of_tuple, j]
        assert ((sets.first[own] <= leaves) & (leaves < sets.after[own])).all()


def test_a_release_is_audited(tmp_path: Path) -> None:
    generator = Random(1)
    ages: list[str | None] = [str(generator.randint(17, 80)) for _ in range(120)]
    made = study(ages, "".join(generator.choices("abcd", k=120)))
    run = made.explore(space="microaggregation")
    assert [objective.name for objective in run.objectives] == ["k", "sse"]
    run[-1].release(tmp_path / "release.csv")
    audit = pn.audit(tmp_path / "release.csv")
    assert audit
    again = made.realized(run[-1].recoding)
    assert again.measure("sse")["sse"] == pytest.approx(run[-1]["sse"])
    assert 0 < run[-1]["sse"] < 1


def test_it_competes_by_squared_error_alone() -> None:
    made = study(["20", "21", "23", "60", "61", "62"], "aabddd")
    with pytest.raises(InputError, match="compared by their squared error"):
        made.explore("k", "loss", space="microaggregation")
