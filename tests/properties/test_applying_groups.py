"""New rows with groups and regions: beside an obvious twin, and read again by the audit's own reader."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym.errors import InputError, NoSolution
from paretonym.recoding.class_condition import parse_keep
from paretonym.recoding.recoding_contract import Recoding
from paretonym.run.explored_run import Solution
from paretonym.run.study import Study
from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding
from paretonym.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.testing.random_tables import RandomTable, random_cuts, random_table
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
    """Each new row has the quasi-identifiers of an old one: its labels are that one's, counted by hand."""
    table = drawn(seed)
    study, new = table.study(), Random(seed).choices(table.rows, k=30)
    recoding = recoding_of(study, kind, seed)
    realized = study.realized(recoding)
    names = [axis.name for axis in study.cube.axes]
    every = Study(tabled(table, new), study.schema)
    label_of = labels_of_rows(study, realized)
    gone = {label for label, stays in zip(map(realized.classes.labels, range(len(realized.classes))),
                                          realized.stays.tolist(), strict=True) if not stays}  # fmt: skip
    old = Counter(label for label in labels_by_row(study, realized) if label not in gone)
    named = [(row, label_of[tuple(row[name] for name in names)]) for row in new if key(every, row)]
    # Groups that the release does not show take in no new row, unless the schema lists their values.
    rows = [label for row, label in named if kind == "parts" or not unseen(study, row, label, old)]
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
    assert union.k_of_all == min((old + Counter(rows)).values())
    assert union.nowhere == len(named) - len(rows)
    assert union.holds


def unseen(study: Study, row: Any, label: tuple[str, ...], old: Iterable[tuple[str, ...]]) -> bool:
    """Whether a row has a value that the schema does not list in a group that no old row shows."""
    for column, own, shown in zip(study.bound.quasi, label, zip(*old, strict=True), strict=True):
        leaves = dict(zip(study.table.column(column.name).texts, column.codes.tolist(), strict=True))
        line = len(column.hierarchy.leaves) - column.cutting.alone
        if own not in shown and column.hierarchy.listed <= leaves.get(row[column.name], -1) < line:
            return True
    return False


def key(study: Study, row: Any) -> bool:
    """Whether a row has everything that the schema asks for."""
    if study.schema.missing == "value":
        return True
    return all(row[name] for name in (c.name for c in study.schema.columns if c.role == "quasi"))


def labels_by_row(study: Study, realized: Any) -> list[tuple[str, ...]]:
    from paretonym.release.released_rows import RowTuples

    tuples = RowTuples.of(study.table, study.bound, study.cube).every()
    return [realized.classes.labels(realized.classes.of_tuple[t]) for t in tuples.tolist() if t >= 0]


def labels_of_rows(study: Study, realized: Any) -> dict[tuple[Any, ...], tuple[str, ...]]:
    """What rows with these quasi-identifiers show."""
    columns = [study.table.column(axis.name) for axis in study.cube.axes]
    cells = [[(*column.texts, None)[code] for code in column.codes] for column in columns]
    dropped = study.table.dropped(study.bound.omitted)
    kept = [row for row, gone in zip(zip(*cells, strict=True), dropped, strict=True) if not gone]
    return dict(zip(kept, labels_by_row(study, realized), strict=True))


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
    assert [check for check in found.failed if check.name not in missing] == []
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
    assert applied(cut_ages(), people(AGES), new) == ["20", "50+", "50+", "[30, 50)", "[30, 50)", "[30, 50)"]


def test_a_number_that_no_label_holds_is_refused() -> None:
    with pytest.raises(InputError, match=r"'age': values that are in no group of the release: '19', '25'; "):
        applied(cut_ages(), people(AGES), people([19, 25, 33]))


@pytest.mark.parametrize("space", ["cuts", "mondrian"])
def test_the_label_of_the_only_number_holds_no_other(space: str) -> None:
    """Where everybody was 20, new rows of 33 were shown as 20."""
    cuts = CutsRecoding((("age", (("20",),)), ("town", EVERYWHERE)), parse_keep({"k": ">=2"}))
    recoding = cuts if space == "cuts" else PartsRecoding.of({"k": 2})
    assert applied(recoding, people([20] * 4), people([20, 20])) == ["20", "20"]
    with pytest.raises(InputError, match=r"'age': values that are in no (group|region) of the release: '33'"):
        applied(recoding, people([20] * 4), people([20, 33]))


def test_not_more_than_twenty_values_are_named() -> None:
    with pytest.raises(InputError) as refused:
        applied(cut_ages(), people(AGES), people(list(range(-30, 15))))
    assert "'-11' and 25 more" in str(refused.value)


def test_a_value_without_a_place_in_a_tree_is_the_schemas_mistake() -> None:
    with pytest.raises(InputError, match="'Bonn'"):
        applied(cut_ages(), people(AGES), people([20], ["Bonn"]))


def test_what_has_no_place_stands_alone_if_the_schema_says_so() -> None:
    town = {**TOWN, "unknown": "top"}
    schema = {"columns": {"town": town, "ill": ILL}}
    north = CutsRecoding((("town", (("Kiel", "Husum"), ("Ulm", "Calw"))),), parse_keep({"k": ">=2"}))
    old = pa.table({"town": ["Kiel", "Husum", "Ulm", "Calw"], "ill": list("abab")})
    new = pa.table({"town": ["Bonn", "Trier", "Ulm"], "ill": list("aba")})
    assert applied(north, old, new, schema) == ["*", "*", "south"]


def test_a_new_word_among_words_in_no_order_is_refused() -> None:
    schema = {"columns": {"word": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": ILL}}
    old = pa.table({"word": ["a", "a", "c", "c"], "ill": list("xyxy")})
    recoding = CutsRecoding((("word", (("a", "c"),)),), parse_keep({"k": ">=2"}))
    apart = CutsRecoding((("word", (("a",), ("c",))),), parse_keep({"k": ">=1"}))
    new = pa.table({"word": ["b", "c"], "ill": list("xy")})
    assert applied(recoding, old, new, schema) == ["*", "*"]
    with pytest.raises(InputError, match="column 'word': values that are in no group of the release: 'b'"):
        applied(apart, old, new, schema)


def test_dates_between_and_beyond() -> None:
    days = [date(2024, 1, 1) + timedelta(days=10 * n) for n in range(6)]
    schema = {"columns": {"day": {"role": "quasi", "hierarchy": {"date": ["month", "year"]}}, "ill": ILL}}
    old = pa.table({"day": [day.isoformat() for day in days], "ill": list("ababab")})
    texts = [day.isoformat() for day in days]
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
