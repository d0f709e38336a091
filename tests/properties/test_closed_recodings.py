"""What a release leaves out lies in no class that stays: every solution that suppresses rows, of every space
and of the joint run, passes its own audit, and has the values that the search says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding import Boxes, parse_keep
from paretonym.engine.spaces.local import partition_search
from paretonym.engine.spaces.local.closure import closed
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.research.exams.random_tables import RandomTable, owned, random_table
from paretonym.study import SpaceName
from paretonym.study.study import Study

SPACES: tuple[SpaceName | None, ...] = ("lattice", "cuts", "local", None)
QUESTIONS = (
    (("k", "gl", "sl"), "0.3"),
    (("k", "loss"), "any:0.4"),
    (("k", "l", "loss"), "any:0.4"),
    (("t", "gl"), "any:0.3"),
    (("l", "loss"), "0.2"),
)


def drawn(seed: int) -> RandomTable:
    """A random table, in every third of which persons have several rows."""
    generator = Random(f"closed {seed}")
    table = random_table(generator, quasi=(1, 3), rows=(8, 40), sensitive=1, missing=0.2)
    return owned(table, generator) if seed % 3 == 2 else table


def nothing_lies_inside(made: Realized) -> bool:
    """True if no tuple that is left out lies inside a class that stays."""
    boxes = Boxes.of(made.classes.sets, made.classes.shown[made.stays])
    outside = ~made.stays[made.classes.of_tuple]
    return bool((boxes.find(made.cube.first_leaves[outside]) < 0).all())


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("seed", range(12))
def test_every_solution_that_suppresses_passes_its_audit(
    seed: int, space: SpaceName | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of larger tables, too, whose partitions are not all tried."""
    if seed % 2:
        monkeypatch.setattr(partition_search, "FEW_PARTITIONS", 0)
    names, suppress = QUESTIONS[seed % len(QUESTIONS)]
    study, path = drawn(seed).study(), tmp_path / "release.csv"
    for solution in study.explore(*names, space=space, suppress=suppress, threads=1):
        if not solution.suppressed:
            continue
        made = study.realized(solution.recoding)
        values = {name: solution.values[name] for name in {*names, "k", "gl", "loss"}}
        assert made.measure(*values) == values
        assert solution.space != "local" or nothing_lies_inside(made)
        solution.release(path, force=True, allow_second_release=True)
        exact = [f"{name}{sign}{solution.values[name]!r}" for name in ("gl", "loss") for sign in ("<=", ">=")]
        found = pn.audit(path, original=study.table, schema=study.schema, require=exact)
        assert [f"{check.name}: {check.said} {check.found} {check.why}" for check in found.failed] == []


def pair() -> Study:
    """Two people with x, two with y, and one with z."""
    columns = {"v": {"role": "quasi", "hierarchy": {"flat": True}}}
    return Study(pa.table({"v": list("xxyyz")}), {"columns": columns})


def test_whoever_lies_inside_a_class_is_in_it(tmp_path: Path) -> None:
    study, path = pair(), tmp_path / "release.csv"
    run = study.explore("k", "gl", "sl", space="local", suppress="0.2")
    assert {(each["k"], each.suppressed) for each in run} == {(1, 0), (2, 0), (2, 1), (5, 0)}
    for made in (
        LocalRecoding.of_classes(np.array([0, 0, 1]), parse_keep({"k": ">=4"})),
        LocalRecoding(((("v", 0),), (("v", 1),)), parse_keep({"k": ">=3"})),
    ):
        study.publish(pn.Solution("", {}, 0, made), path, force=True, allow_second_release=True)
        assert path.read_text().split() == ["v", *"*****"]
        assert pn.audit(path, original=study.table, schema=study.schema).passed


def test_a_manifest_says_which_values_its_losses_count(tmp_path: Path) -> None:
    """One of three values is left out: two are shown as a set of two of two, not of three."""
    columns = {"v": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}}
    study, path = (
        Study(pa.table({"v": ["11", "12", "11", "12", "35"]}), {"columns": columns}),
        tmp_path / "r.csv",
    )
    recoding = LocalRecoding.of_classes(np.array([0, 0, 1]), parse_keep({"k": ">=4"}))
    manifest = study.publish(pn.Solution("", {}, 1, recoding), path)
    assert manifest["domain"] == "gl and loss count the values of the rows that stay"
    assert (manifest["statements"]["gl"], study.realized(recoding).measure("gl")["gl"]) == (1.0, 0.4)
    found = pn.audit(path, original=study.table, schema=study.schema, require=["gl<=0.4", "gl>=0.4"])
    assert found.failed == ()


def test_a_class_that_would_miss_a_condition_does_not_stay() -> None:
    """The four in the south differ in their illness, as required; one of the three others is in Bern, beside
    two of them in the list of the south. Together most have the same illness."""
    tree = {"South": ["Ulm", "Bern", "Calw"], "North": ["Kiel"]}
    columns = {
        "town": {"role": "quasi", "hierarchy": {"tree": tree}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
    towns = ["Ulm", "Calw", "Ulm", "Calw", "Bern", "Bern", "Bern", "Kiel", "Kiel"]
    table = {"town": towns, "sex": list("mfmfmmmmm"), "ill": list("abab" + "aaa" + "ab")}
    study = Study(pa.table(table), {"columns": columns})
    towns_of = [study.cube.axes[0].hierarchy.leaves[leaf] for leaf in study.cube.first_leaves[:, 0]]
    of_tuple = np.array([{"Ulm": 0, "Calw": 0, "Bern": 1, "Kiel": 2}[town] for town in towns_of])

    def staying(**keep: str) -> dict[tuple[str, ...], int]:
        classes = closed(study.cube, of_tuple, parse_keep(keep))
        made = Realized.of_classes(study.cube, classes, parse_keep(keep))
        places = np.flatnonzero(made.stays).tolist()
        return {classes.labels(place): int(classes.rows[place]) for place in places}

    kiel = {("Kiel", "m"): 2}
    assert staying(k=">=2") == {("South", "*"): 4, ("Bern", "m"): 3, **kiel}
    # With seven people l would be 7/5: the four are left out, although theirs is 2.
    assert staying(k=">=2", l=">=1.5") == kiel
    assert staying(k=">=2", l=">=1.4") == {("South", "*"): 7, **kiel}
