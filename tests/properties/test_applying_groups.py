"""New rows with groups and regions: beside an obvious twin, and read again by the audit's own reader."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.recoding.equivalence_classes import Recoding
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.research.exams.random_tables import RandomTable, random_cuts, random_table
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.naive.releases import in_order, write_manifest, write_table
from tests.properties.test_applying import KINDS
from tests.properties.test_applying import drawn as drawn_kind

SEEDS = range(16)
ILL = {"role": "sensitive"}


def recoding_of(study: Study, kind: str, seed: int) -> Recoding:
    """Random cuts that leave out some of the smallest classes, or the parts of a small k, every other
    time improved ones."""
    if kind == "parts":
        return PartsRecoding.of({"k": 2 + seed % 3}, seed=seed if seed % 2 else None)
    return random_cuts(study.cube, seed)


def smallest_class(recoding: Recoding) -> int:
    entry = recoding.as_json()
    return int(entry["requirement"]["k"]) if "requirement" in entry else int(entry["keep"]["k"][2:])


def drawn(seed: int) -> RandomTable:
    return random_table(Random(f"apply {seed}"), rows=(40, 90), sensitive=1, missing=0.3)


def tabled(table: RandomTable, rows: Any) -> pa.Table:
    return pa.table(
        {name: pa.array([row[name] for row in rows], pa.string()) for name in table.schema["columns"]}
    )


@pytest.mark.parametrize("kind", ["cuts", "parts"])
@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_known_people_look_as_theirs_do(kind: str, seed: int) -> None:
    """Each new row has the quasi-identifiers of an old one: it joins the class that shows them, counted by
    hand."""
    table = drawn(seed)
    study, new = table.study(), Random(seed).choices(table.rows, k=30)
    recoding = recoding_of(study, kind, seed)
    realized = study.realized(recoding)
    names = [axis.name for axis in study.cube.axes]
    every = Study(tabled(table, new), study.schema)
    old = Counter(
        realized.classes.labels(place)
        for place in np.flatnonzero(realized.stays).tolist()
        for _ in range(int(realized.classes.rows[place]))
    )
    placed = [holding_class(study, realized, row) for row in new if key(every, row)]
    rows = [label for label in placed if label is not None]
    k = smallest_class(recoding)
    expected = Counter(label for label in rows if old[label] + rows.count(label) >= k)
    solution = Solution("", {}, 0, recoding, data=study)
    if not expected:
        with pytest.raises(NoSolution, match="Every new row would have to be suppressed"):
            solution.apply(tabled(table, new))
        return
    found, union = solution.apply(tabled(table, new))
    assert Counter(tuple(row[name] for name in names) for row in found.to_pylist()) == expected
    assert (union.old, union.stay) == (old.total(), expected.total())
    assert union.k == min((old + expected).values())
    assert union.nowhere == len(placed) - len(rows)
    assert union.holds


def holding_class(study: Study, realized: Any, row: Any) -> tuple[str, ...] | None:
    """What the cheapest class shows that stays and whose sets hold the values of a row."""
    leaves = []
    for column in study.bound.quasi:
        texts = study.table.column(column.name).texts
        codes = dict(zip(texts, column.codes.tolist(), strict=True))
        leaves.append(column.null_code if row[column.name] is None else codes[row[column.name]])
    candidates = []
    for place in np.flatnonzero(realized.stays).tolist():
        sets = list(zip(realized.classes.sets, realized.classes.shown[place].tolist(), strict=True))
        if all(own.first[i] <= leaf < own.after[i] for leaf, (own, i) in zip(leaves, sets, strict=True)):
            cost = sum(
                float(axis.importance) * own.sizes[i] / axis.hierarchy.domain
                for axis, (own, i) in zip(study.cube.axes, sets, strict=True)
            )
            candidates.append((cost, place))
    return realized.classes.labels(min(candidates)[1]) if candidates else None


def key(study: Study, row: Any) -> bool:
    """Whether a row has everything that the schema asks for."""
    if study.schema.missing == "value":
        return True
    return all(row[name] for name in (c.name for c in study.schema.columns if c.role == "quasi"))


@pytest.mark.parametrize("kind", ["cuts", "parts"])
@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_again_by_the_audit(kind: str, seed: int, tmp_path: Path) -> None:
    table = drawn(seed)
    cut = len(table.rows) * 3 // 4
    old, new = tabled(table, table.rows[:cut]), tabled(table, table.rows[cut:])
    study = Study(old, table.schema)
    check_together(study, old, new, recoding_of(study, kind, seed), tmp_path)


@pytest.mark.parametrize("space", ["cuts", "parts"])
@pytest.mark.parametrize("kind", KINDS)
def test_new_values_are_read_again_by_the_audit(kind: str, space: str, tmp_path: Path) -> None:
    """Of each kind of column; some tables bring values that no label holds, but not all."""
    done = 0
    for seed in range(4):
        schema, old, new = drawn_kind(kind, Random(f"{kind} {seed}"), tmp_path)
        study = Study(old, schema)
        recoding = recoding_of(study, space, seed)
        try:
            check_together(study, old, new, recoding, tmp_path)
        except (InputError, NoSolution):
            continue
        done += 1
    assert done >= 1


def check_together(study: Study, old: pa.Table, new: pa.Table, recoding: Recoding, folder: Path) -> None:
    """Old and new files as one release of old and new rows: every row is one that its labels give."""
    solution = Solution("", {}, 0, recoding, data=study)
    rows, union = solution.apply(new)
    solution.apply(new, folder / "new.csv", force=True)
    both, names = folder / "both.csv", rows.column_names
    cells = [*solution.release().to_pylist(), *rows.to_pylist()]
    texts = [tuple("" if row[name] is None else str(row[name]) for name in names) for row in cells]
    write_table(both, names, in_order(texts))
    roles = {name: study.schema.column(name).role for name in names}
    quasi = [place for place, name in enumerate(names) if roles[name] == "quasi"]
    labels = {names[place]: sorted({row[place] for row in texts}) for place in quasi}
    space = "cuts" if isinstance(recoding, CutsRecoding) else "mondrian"
    write_manifest(both, roles, {"k": union.k}, {"space": space, "labels": labels, "keep": {}})
    found = paretonym.audit(both, original=pa.concat_tables([old, new]), schema=study.schema)
    # Rows are left out by the class of old and new rows: both files may miss some of one.
    missing = ("classes with rows missing", "rows of the original missing", "loss", "gl", "sl")
    # The old rows alone decided where labels begin and end.
    assert [check for check in found.failed if check.name not in (*missing, "boundaries")] == []
    assert failed(folder / "new.csv") == ["k of both releases"]


def failed(path: Path) -> list[str]:
    """What fails of added rows alone: that nobody can decide it without the older ones."""
    return [check.name for check in paretonym.audit(path).failed]


def people(ages: list[int], towns: list[str] | None = None) -> pa.Table:
    towns = towns or ["Kiel"] * len(ages)
    return pa.table(
        {"age": ages, "town": towns, "ill": ["a", "b"] * (len(ages) // 2) + ["c"] * (len(ages) % 2)}
    )


AGE = {"role": "quasi", "hierarchy": {"intervals": [10]}}
TREE = {"north": ["Kiel", "Husum"], "south": ["Ulm", "Calw"]}
TOWN = {"role": "quasi", "hierarchy": {"tree": TREE}}
SCHEMA = {"columns": {"age": AGE, "town": TOWN, "ill": ILL}}
EVERYWHERE = (("Kiel", "Husum", "Ulm", "Calw"),)
AGES = [20, 20, 30, 40, 50, 60]


def cut_ages() -> CutsRecoding:
    """Ages 20, from 30 to below 50, from 50 on."""
    return CutsRecoding(
        (("age", (("20",), ("30", "40"), ("50", "60"))), ("town", EVERYWHERE)), parse_keep({"k": ">=2"})
    )


def applied(recoding: Recoding, old: pa.Table, new: pa.Table, schema: Any = None) -> list[str]:
    """The first column of the new rows."""
    study = Study(old, schema or SCHEMA)
    rows, _ = Solution("", {}, 0, recoding, data=study).apply(new)
    return [str(cell) for cell in rows.column(0).to_pylist()]


def test_a_new_number_is_shown_by_the_label_that_holds_it() -> None:
    new = people([20, 33, 45, 49, 51, 99])
    assert applied(cut_ages(), people(AGES), new) == ["50+", "50+", "<30", "[30, 50)", "[30, 50)", "[30, 50)"]


@pytest.mark.parametrize("space", ["cuts", "mondrian"])
def test_numbers_beyond_those_of_the_release_are_in_its_ends(space: str) -> None:
    """Where everybody was 20, that is everything."""
    cuts = CutsRecoding((("age", (("20",),)), ("town", EVERYWHERE)), parse_keep({"k": ">=2"}))
    recoding = cuts if space == "cuts" else PartsRecoding.of({"k": 2})
    assert applied(recoding, people([20] * 4), people([20, 33])) == ["*", "*"]
    assert applied(cut_ages(), people(AGES), people([-30, 29, 99])) == ["50+", "<30", "<30"]


def test_a_value_without_a_place_in_a_tree_is_the_schemas_mistake() -> None:
    with pytest.raises(InputError, match="'Bonn'"):
        applied(cut_ages(), people(AGES), people([20], ["Bonn"]))


def test_what_has_no_place_joins_no_class_that_shows_a_place() -> None:
    town = {**TOWN, "unknown": "top"}
    schema = {"columns": {"town": town, "ill": ILL}}
    north = CutsRecoding((("town", (("Kiel", "Husum"), ("Ulm", "Calw"))),), parse_keep({"k": ">=2"}))
    old = pa.table({"town": ["Kiel", "Husum", "Ulm", "Calw"], "ill": list("abab")})
    new = pa.table({"town": ["Bonn", "Trier", "Ulm"], "ill": list("aba")})
    # No class of the release shows everything.
    assert applied(north, old, new, schema) == ["south"]


def test_a_new_word_among_words_in_no_order_joins_no_class() -> None:
    schema = {"columns": {"word": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": ILL}}
    old = pa.table({"word": ["a", "a", "c", "c"], "ill": list("xyxy")})
    recoding = CutsRecoding((("word", (("a", "c"),)),), parse_keep({"k": ">=2"}))
    apart = CutsRecoding((("word", (("a",), ("c",))),), parse_keep({"k": ">=1"}))
    new = pa.table({"word": ["b", "c"], "ill": list("xy")})
    assert applied(recoding, old, new, schema) == ["*", "*"]
    assert applied(apart, old, new, schema) == ["c"]


def test_dates_between_and_beyond() -> None:
    days = [date(2024, 1, 1) + timedelta(days=10 * n) for n in range(6)]
    schema = {"columns": {"day": {"role": "quasi", "hierarchy": {"date": ["month", "year"]}}, "ill": ILL}}
    texts = [day.isoformat() for day in days]
    # As many have the first day behind the cut as there are before it.
    old = pa.table({"day": [*texts, texts[3], texts[3]], "ill": list("abababab")})
    recoding = CutsRecoding((("day", (tuple(texts[:3]), tuple(texts[3:]))),), parse_keep({"k": ">=1"}))
    new = pa.table({"day": ["2023-05-05", "2024-01-30", "2024-01-31", "2025-01-01"], "ill": list("abab")})
    before, after = f"before {texts[3]}", f"from {texts[3]}"
    assert applied(recoding, old, new, schema) == [before, before, after, after]


def test_a_child_of_a_tree_without_rows_is_no_region() -> None:
    """Nobody was in Calw: no part shows it, and no new row can be there. Husum beside Kiel has one."""
    old = people([20] * 12, ["Kiel"] * 4 + ["Husum"] * 4 + ["Ulm"] * 4)
    recoding = PartsRecoding.of({"k": 4})
    study = Study(old, SCHEMA)
    solution = Solution("", {}, 0, recoding, data=study)
    assert {row["town"] for row in solution.release().to_pylist()} == {"Kiel", "Husum", "south"}
    rows, union = solution.apply(people([20, 20], ["Husum", "Calw"]))
    assert sorted(row["town"] for row in rows.to_pylist()) == ["Husum", "south"]
    assert (union.k, union.stay) == (4, 2)
    split = people([20] * 8 + [30] * 8, ["Kiel"] * 4 + ["Husum"] * 4 + ["Kiel", "Ulm"] * 4)
    solution = Solution("", {}, 0, recoding, data=Study(split, SCHEMA))
    # Shown somewhere, but not there: those of twenty are all in the north.
    rows, union = solution.apply(people([30, 20], ["Kiel", "Calw"]))
    assert (rows.num_rows, union.left_out, union.nowhere, union.classes_left_out) == (1, 1, 1, 0)
    with pytest.raises(NoSolution, match="none of them lies in a region that the old release shows"):
        solution.apply(people([20], ["Calw"]))


def test_new_rows_that_all_lack_a_value_are_none() -> None:
    schema = {**SCHEMA, "missing": "drop"}
    new = people([20, 20]).set_column(1, "town", pa.array([None, None], pa.string()))
    with pytest.raises(NoSolution, match="each of them lacks a required value"):
        applied(cut_ages(), people(AGES), new, schema)


def test_a_value_between_two_regions_lies_in_one_of_them() -> None:
    """The schema gives the boundary between 15 and 21: <20 and 20+, whether or not anybody was 20."""
    schema = {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}, "ill": ILL}}
    old = pa.table({"age": [5, 15, 21, 25], "ill": list("abab")})
    recoding = PartsRecoding.of({"k": 2})
    new = pa.table({"age": [3, 20, 31], "ill": list("abb")})
    assert applied(recoding, old, new, schema) == ["20+", "20+", "<20"]


def test_a_requirement_of_values_is_kept() -> None:
    """Two more of one illness would leave its part with l below 2: they are left out."""
    old = people([20] * 4 + [60] * 4, ["Kiel"] * 8)
    study = Study(old, SCHEMA)
    recoding = PartsRecoding.of({"l": 2})
    new = pa.table({"age": [20, 20, 60, 60], "town": ["Kiel"] * 4, "ill": ["a", "a", "a", "b"]})
    rows, union = Solution("", {}, 0, recoding, data=study).apply(new)
    assert (len(rows), union.left_out, union.classes_left_out, union.holds) == (2, 2, 1, True)


@pytest.mark.parametrize(
    ("recoding", "why"),
    [
        (BucketsRecoding.of({"k": 2}), "new rows would need their own buckets and permutation"),
        (BucketsRecoding.of({"l": 2}, "anatomy"), "new rows would need their own buckets and permutation"),
    ],
)
def test_what_cannot_be_applied_is_refused(recoding: Recoding, why: str, tmp_path: Path) -> None:
    solution = Solution("", {}, 0, recoding, data=Study(people(AGES), SCHEMA))
    with pytest.raises(InputError, match=why):
        solution.apply(people([20]), tmp_path / "new.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("recoding", [cut_ages(), PartsRecoding.of({"k": 2})])
def test_the_manifest_tells_what_the_file_is(recoding: Recoding, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"new.{ending}"
    study = Study(people(AGES), SCHEMA)
    _, union = Solution("", {}, 0, recoding, data=study).apply(people([20, 45, 51]), path)
    manifest = json.loads((tmp_path / f"new.{ending}.manifest.json").read_text())
    assert manifest["applied"] == {"beside": 6, "k": union.k}
    assert manifest["output"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert manifest["recoding"]["space"] in ("cuts", "mondrian")
    assert failed(path) == ["k of both releases"]
    written = path.read_bytes()
    with pytest.raises(InputError, match="already exists"):
        Solution("", {}, 0, recoding, data=study).apply(people([20]), path)
    assert path.read_bytes() == written
