"""New rows that were added to a release, audited: alone, and beside what they were made from."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.recoding.equivalence_classes import Recoding
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.properties.test_applying import KINDS, drawn, recoding_of
from tests.properties.test_applying_groups import AGES, SCHEMA, cut_ages, people
from tests.properties.test_applying_groups import recoding_of as groups_of

UNDECIDED, BOTH = "classes kept against the rule", "k of both releases"
NEW = [20, 33, 45, 49, 51, 99]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("space", ["levels", "cuts", "parts"])
@pytest.mark.parametrize("kind", KINDS)
def test_applied_files_are_audited_as_true(kind: str, space: str, ending: str, tmp_path: Path) -> None:
    for seed in range(4):
        generator = Random(f"{kind} {seed}")
        schema, old, new = drawn(kind, generator, tmp_path)
        study, path = Study(old, schema), tmp_path / f"new.{ending}"
        recoding = recoding_of(study, generator, "k") if space == "levels" else groups_of(study, space, seed)
        try:
            _, union = study.apply(recoding, new, path, force=True)
        except (InputError, NoSolution):
            continue
        found = paretonym.audit(path, original=new, old=old, schema=schema)
        assert found.failed == ()
        # What has no place fits every part that shows everything.
        several = [BOTH] if (kind, space) == ("unknown", "parts") else []
        undecided = [check.name for check in found.checks if check.holds is None]
        assert [name for name in undecided if name != "boundaries"] == [*several, UNDECIDED]
        gone = union.left_out // union.k * union.k
        assert found["sl"] == gone / (gone + union.stay)
        assert found.rows == union.stay
        # What is promised of rows that nobody shows cannot be decided.
        assert [check.name for check in paretonym.audit(path).failed] == [BOTH]
        return
    pytest.fail("every table was refused")


PLACES = {"south": ["Ulm", "Calw"], "north": ["Kiel"], "east": ["Jena"]}
OUTSIDE: dict[str, Any] = {
    "columns": {
        "town": {"role": "quasi", "hierarchy": {"tree": PLACES}, "unknown": "top"},
        "ill": {"role": "sensitive"},
    }
}
BEFORE = pa.table({"town": ["Calw"] * 4 + ["Jena"] * 4 + ["Oslo"] * 4, "ill": list("abab" * 3)})


def test_the_top_label_of_a_chain_may_mean_only_what_has_no_place(tmp_path: Path) -> None:
    """Towns are shown unchanged at every node, those outside the tree as *. New people of Ulm are too few:
    that they are suppressed takes nobody out of the class *, and nobody of Ulm is in it."""
    new = pa.table({"town": ["Calw", "Calw", "Oslo", "Oslo", "Ulm", "Ulm"], "ill": list("abbbca")})
    recoding, path = LocalRecoding(((("town", 0),),), parse_keep({"k": ">=3"})), tmp_path / "new.csv"
    _, union = Study(BEFORE, OUTSIDE).apply(recoding, new, path)
    assert (union.stay, union.left_out) == (4, 2)
    assert path.read_text().split() == ["town,ill", "*,b", "*,b", "Calw,a", "Calw,b"]
    assert paretonym.audit(path, original=new, old=BEFORE, schema=OUTSIDE).failed == ()
    # That * may mean everything is assumed: nothing is called certain that is not.
    found = paretonym.attack(path, original=new, schema=OUTSIDE)
    assert (found.matches, found.reidentified, found.certain("ill")) == (True, 0, 0)


def test_a_top_label_may_mean_only_what_has_no_place(tmp_path: Path) -> None:
    """Of parts no label says whether * is everything: new people of Kiel, whom nothing else holds, join."""
    new = pa.table({"town": ["Oslo", "Oslo", "Calw", "Calw", "Kiel", "Kiel"], "ill": list("bbabca")})
    path = tmp_path / "new.csv"
    Study(BEFORE, OUTSIDE).apply(PartsRecoding.of({"k": 3}), new, path)
    assert path.read_text().split() == ["town,ill", "*,a", "*,b", "*,b", "*,c", "south,a", "south,b"]
    assert paretonym.attack(path, original=new, schema=OUTSIDE).certain("ill") == 0
    # The same cells without a manifest: nothing says how they were recoded.
    rows = pa.table({"town": ["*", "*", "south", "south"], "ill": list("bbab")})
    assert paretonym.attack(rows, original=new, schema=OUTSIDE).certain("ill") == 0


def flip_a_label(rows: list[list[str]], _: dict[str, Any]) -> None:
    rows[0][0] = next(row[0] for row in rows if row[0] != rows[0][0])


def change_a_value(rows: list[list[str]], _: dict[str, Any]) -> None:
    rows[0][2] = "z"


def take_a_row_out(rows: list[list[str]], manifest: dict[str, Any]) -> None:
    del rows[-1]
    manifest["output"]["rows"] -= 1


def edit_a_claim(_: list[list[str]], manifest: dict[str, Any]) -> None:
    manifest["claims"]["l-distinct"] += 1


DAMAGES: dict[Callable[..., None], str] = {
    flip_a_label: "rows not from the original",
    change_a_value: "rows not from the original",
    take_a_row_out: "classes with rows missing",
    edit_a_claim: "l-distinct",
}
RECODINGS: dict[str, Recoding] = {
    "cuts": cut_ages(),
    "parts": PartsRecoding.of({"k": 2}),
    "levels": LatticeRecoding.of({"age": 0, "town": 2}, {"k": ">=1"}),
}


def forge(path: Path, change: Callable[..., None]) -> None:
    """Change rows or manifest, and let the manifest know the new digest."""
    beside = path.with_name(f"{path.name}.manifest.json")
    manifest = json.loads(beside.read_text())
    if path.suffix == ".csv":
        header, *rows = csv.reader(path.read_text().splitlines())
    else:
        table = parquet.read_table(path)
        header, rows = table.column_names, [list(row.values()) for row in table.to_pylist()]
    change(rows, manifest)
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    else:
        columns = zip(*rows, strict=True)
        parquet.write_table(pa.table(dict(zip(header, map(list, columns), strict=True))), path)
    manifest["output"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    beside.write_text(json.dumps(manifest))


def missing_named(space: str, damage: Any, name: str) -> str:
    """Suppressed rows may lie within the sets of cuts: that one is missing shows in the classes alone."""
    return "risk-average" if space == "cuts" and damage is take_a_row_out else name


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("space", RECODINGS)
def test_damage_is_named(space: str, ending: str, damage: Callable[..., None], tmp_path: Path) -> None:
    study, new, path = Study(people(AGES), SCHEMA), people(NEW), tmp_path / f"new.{ending}"
    study.apply(RECODINGS[space], new, path)

    def failed() -> list[str]:
        found = paretonym.audit(path, original=new, old=people(AGES), schema=SCHEMA)
        return [check.name for check in found.failed]

    assert failed() == []
    forge(path, damage)
    if space == "levels" and damage is take_a_row_out:
        # Each row is a class of its own there: it may have been left out, but not in silence.
        assert "sl" in failed()
    else:
        assert missing_named(space, damage, DAMAGES[damage]) in failed()


def test_labels_made_of_old_values_ask_for_the_old_table(tmp_path: Path) -> None:
    schema = {
        "columns": {"word": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": {"role": "sensitive"}}
    }
    old = pa.table({"word": list("aabbcc"), "ill": list("xyxyxy")})
    new = pa.table({"word": ["a", "c"], "ill": ["x", "y"]})
    joined = CutsRecoding((("word", (("a", "b"), ("c",))),), parse_keep({"k": ">=2"}))
    with pytest.raises(InputError, match="column 'word': a group of the run is not allowed by this schema"):
        Study(old, schema).apply(joined, new, tmp_path / "joined.csv")
    recoding = CutsRecoding((("word", (("a",), ("b",), ("c",))),), parse_keep({"k": ">=2"}))
    path = tmp_path / "new.csv"
    Study(old, schema).apply(recoding, new, path)
    assert paretonym.audit(path, original=new, old=old, schema=schema).passed


def test_the_old_table_is_for_added_rows_alone(tmp_path: Path) -> None:
    study = Study(people(AGES), SCHEMA)
    study.apply(cut_ages(), people(NEW), tmp_path / "new.csv")
    study.publish(Solution("", {}, 0, cut_ages()), tmp_path / "old.csv")
    with pytest.raises(InputError, match="old: it belongs to rows that 'apply' added"):
        paretonym.audit(tmp_path / "old.csv", original=people(AGES), old=people(AGES), schema=SCHEMA)
    with pytest.raises(InputError, match="old: it belongs to rows that 'apply' added"):
        paretonym.audit(tmp_path / "new.csv", old=people(AGES), schema=SCHEMA)
    less = people(AGES).drop_columns("town")
    with pytest.raises(InputError, match="old: columns are not in both tables: 'town'"):
        paretonym.audit(tmp_path / "new.csv", original=people(NEW), old=less, schema=SCHEMA)


def test_a_k_of_both_that_is_too_high(tmp_path: Path) -> None:
    """Beside the old table, no class has more rows than both; without it nobody knows, and it fails."""
    columns = {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}},
        "ill": {"role": "sensitive"},
    }
    ages = [[20, 21, 30, 31, 32], [22, 33]]
    old, new = (pa.table({"age": each, "ill": ["x"] * len(each)}) for each in ages)
    study = Study(old, {"columns": columns})
    path = tmp_path / "new.csv"
    study.apply(LatticeRecoding.of({"age": 1}, {"k": ">=2"}), new, path)
    place = path.with_name("new.csv.manifest.json")
    manifest = json.loads(place.read_text())
    assert manifest["applied"] == {"beside": 5, "k": 3}
    beside: dict[str, Any] = {"original": new, "schema": {"columns": columns}}
    for said, failed in ((3, []), (4, [BOTH])):
        manifest["applied"]["k"] = said
        place.write_text(json.dumps(manifest))
        assert [check.name for check in paretonym.audit(path, **beside, old=old).failed] == failed
        alone = {check.name: check for check in paretonym.audit(path, **beside).failed}
        assert "cannot be decided: give original=, old= and schema=" in alone[BOTH].why
