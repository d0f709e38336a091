"""Who is suppressed: shares by value, and groups of which nobody is left."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pyarrow.csv
import pytest

import paretonym as pn
from paretonym.engine.frontier import cautions
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.risk.suppressed_groups import SuppressedGroup, suppressed_groups
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.interfaces.cli.report_command import report
from paretonym.interfaces.cli.screen import Screen
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

# The 5 people of one gender are in no class of 10: all of them go.
COLUMNS = {"gender": ["f"] * 40 + ["SECRETGENDER"] * 5, "age": [str(20 + i % 4) for i in range(45)]}
FLAT = {"role": "quasi", "hierarchy": {"flat": True}}
SCHEMA = {"columns": {"gender": FLAT, "age": FLAT}}
GONE = (
    "A group disappears altogether: all rows with gender 'SECRETGENDER' (5 rows) are suppressed, so the "
    "release says nothing about them."
)


def study(folder: Path) -> Study:
    pyarrow.csv.write_csv(pyarrow.table(COLUMNS), folder / "people.csv")
    return Study(folder / "people.csv", SCHEMA)


def test_a_group_that_disappears(tmp_path: Path) -> None:
    front = study(tmp_path).explore("k", "loss", suppress="any:0.2", space="lattice")
    solution = front.ask(at_least={"k": 10}, best="loss")
    assert solution.suppressed == 5
    assert solution.describe().suppressed[0] == SuppressedGroup("gender", "SECRETGENDER", 5, 5)
    assert GONE in solution.warnings()
    front.save(tmp_path / "run")
    (tmp_path / "people.csv").rename(tmp_path / "elsewhere.csv")
    # Stored with the run: the data are not needed.
    loaded = pn.load(tmp_path / "run").pick(solution.id)
    assert GONE in loaded.warnings()
    assert loaded.describe().suppressed == solution.describe().suppressed
    assert solution.describe().as_json()["suppressed"][0]["share"] == 1


def test_nothing_of_it_is_published(tmp_path: Path) -> None:
    front = study(tmp_path).explore("k", "loss", suppress="any:0.2", space="lattice")
    solution = front.ask(at_least={"k": 10}, best="loss")
    front.save(tmp_path / "run")
    solution.release(tmp_path / "release.csv")
    for path in (tmp_path / "release.csv", tmp_path / "release.csv.manifest.json"):
        assert "SECRETGENDER" not in path.read_text(encoding="utf-8")
    for audience in ("public", "officer"):
        out = tmp_path / f"{audience}.html"
        report(tmp_path / "run", out, pick=solution.id, reader=audience, screen=Screen(quiet=True))
        assert ("SECRETGENDER" in out.read_text(encoding="utf-8")) == (audience == "officer")


@pytest.mark.parametrize("seed", range(5))
def test_against_rows(seed: int) -> None:
    cube = random_table(Random(seed), rows=(20, 40)).study().cube
    generator = Random(seed)
    levels = {axis.name: generator.randint(axis.lowest, axis.highest) for axis in cube.axes}
    whole = Realized.of(LatticeRecoding.of(levels, {"k": ">=1"}), cube)
    assert suppressed_groups(whole) == ()
    k = sorted(whole.sizes.tolist())[len(whole.sizes) // 2]
    found = Realized.of(LatticeRecoding.of(levels, {"k": f">={k}"}), cube)
    rows, gone = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for t, count in enumerate(cube.counts.tolist()):
        for j, axis in enumerate(cube.axes):
            label = axis.hierarchy.levels[axis.lowest].labels[cube.groups[t, j]]
            rows[axis.name, label] += count
            gone[axis.name, label] += 0 if found.stays[found.classes.of_tuple[t]] else count
    for each in suppressed_groups(found):
        assert (each.rows, each.gone) == (rows[each.column, each.value], gone[each.column, each.value])
    shares = [each.share for each in suppressed_groups(found)]
    assert shares == sorted(shares, reverse=True)
    assert (not shares) == (found.suppressed == 0)


def test_who_is_missing_for_their_values() -> None:
    """Five with HIV and six with flu look alike among themselves, and are suppressed for ℓ, not for k."""
    rows = [("11", "HIV")] * 5 + [("12", "flu")] * 6 + [("13", "a")] * 2 + [("21", x) for x in "abcde"]
    columns: dict[str, Any] = {
        "zip": {"role": "quasi", "hierarchy": {"mask": 2}},
        "ill": {"role": "sensitive"},
    }
    table = pyarrow.table({"zip": [zip_code for zip_code, _ in rows], "ill": [ill for _, ill in rows]})
    made = Study(table, {"columns": columns})
    keep = {"k": ">=5", "l-distinct": ">=2"}
    for conditions, missing in ((keep, 11), ({"k": ">=5"}, 0), ({"k": ">=6"}, 0)):
        facts = made.facts(LatticeRecoding.of({"zip": 0}, conditions))
        assert facts.by_values == missing
    solution = Solution("", {"k": 5}, 13, LatticeRecoding.of({"zip": 0}, keep))
    said = [text for text in cautions(solution, made) if "Suppression tells values" in text]
    assert said[0].startswith("Suppression tells values: 11 people are missing although enough others look")
    assert "HIV" not in said[0]
