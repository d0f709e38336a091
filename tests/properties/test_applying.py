"""New rows beside an obvious twin: old and new rows bound as one table, recoded row by row, counted."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.measures.objective import Objective
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.naive.releases import unsorted_rows

TREE = {"low": ["a", "b"], "high": ["c", "d"]}
# For each kind of hierarchy what the schema says, and values to draw from.
KINDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "intervals": ({"hierarchy": {"intervals": [5, 10]}}, [str(n) for n in range(-12, 40)]),
    "breaks": ({"hierarchy": {"breaks": [[0, 10, 20], [10]]}}, [str(n) for n in range(-12, 40)]),
    "top coded": (
        {"hierarchy": {"intervals": [5, 10]}, "bottom": 0, "top": 30},
        [str(n) for n in range(-9, 40)],
    ),
    "mask": ({"hierarchy": {"mask": 2}}, [f"{a}{b}" for a in "12" for b in range(10)]),
    "keep": ({"hierarchy": {"keep": [2, 1]}}, [f"{a}{b}{c}" for a in "12" for b in "xy" for c in range(3)]),
    "date": (
        {"hierarchy": {"date": ["month", "year"]}},
        [(date(2023, 11, 1) + timedelta(days=9 * n)).isoformat() for n in range(20)],
    ),
    "tree": ({"hierarchy": {"tree": TREE}}, list("abcd")),
    "unknown": ({"hierarchy": {"tree": TREE}, "unknown": "top"}, [*"abcd", "x", "y"]),
    "flat": ({"hierarchy": {"flat": True}}, list("abc")),
    "file": ({"hierarchy": {"file": "h.csv"}}, list("abcd")),
}


def drawn(kind: str, generator: Random, folder: Path) -> tuple[dict[str, Any], pa.Table, pa.Table]:
    """A schema, an old table and new rows."""
    (folder / "h.csv").write_text("a;low;all\nb;low;all\nc;high;all\nd;high;all\n", encoding="utf-8")
    entry, values = KINDS[kind]
    columns = {
        "q": {"role": "quasi", **entry},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
    if "file" in entry["hierarchy"]:
        columns["q"]["hierarchy"] = {"file": str(folder / "h.csv")}

    def table(rows: int) -> pa.Table:
        cells = {"q": values, "sex": ["f", "m"], "ill": ["flu", "cold", "none"]}
        return pa.table({name: [generator.choice(of) for _ in range(rows)] for name, of in cells.items()})

    return {"columns": columns}, table(generator.randint(20, 60)), table(generator.randint(5, 25))


def recoding_of(study: Study, generator: Random, measure: str) -> LatticeRecoding:
    levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
    whole = study.realized(LatticeRecoding.of(levels, {"k": ">=1"}))
    values = Objective.of(measure, study.cube).of_classes(study.cube, whole.classes).tolist()
    threshold = generator.choice(sorted(set(values)))
    sign = "<=" if measure == "t" else ">="
    number = int(threshold) if measure == "k" else repr(threshold)
    return LatticeRecoding.of(levels, {measure: f"{sign}{number}"})


def marked(rows: pa.Table, mark: str) -> pa.Table:
    return rows.append_column("mark", pa.array([mark] * len(rows)))


def by_hand(
    study: Study, schema: dict[str, Any], old_rows: pa.Table, new: pa.Table, recoding: LatticeRecoding
) -> dict[str, Any]:
    """The union bound as one table, in which a column marks the new rows; rows that the old release left out
    are taken away, then new rows of classes that are too small."""
    every = LatticeRecoding(recoding.levels, parse_keep({"k": ">=1"}))
    _, old = unsorted_rows(study, recoding)
    union = pa.concat_tables([marked(old_rows, "old"), marked(new, "new")])
    both = Study(union, {"columns": {**schema["columns"], "mark": {"role": "other"}}})
    _, rows = unsorted_rows(both, every)
    added = [row[:-1] for row in rows if row[-1] == "new"]
    k = int(recoding.keep[0].bounds[0])
    sizes = Counter(row[:2] for row in old) + Counter(row[:2] for row in added)
    stay = [row for row in added if sizes[row[:2]] >= k]
    left = Counter(row[:2] for row in old) + Counter(row[:2] for row in stay)
    return {"rows": sorted(stay), "k": min(left.values()), "old": len(old), "k_of_all": min(sizes.values())}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_union_counted_by_hand(kind: str, seed: int, tmp_path: Path) -> None:
    generator = Random(f"{kind} {seed}")
    schema, old, new = drawn(kind, generator, tmp_path)
    study = Study(old, schema)
    recoding = recoding_of(study, generator, "k")
    expected = by_hand(study, schema, old, new, recoding)
    solution = Solution("", {}, 0, recoding, data=study)
    if not expected["rows"]:
        with pytest.raises(NoSolution, match="Every new row would have to be suppressed"):
            solution.apply(new)
        return
    path = tmp_path / "new.csv"
    rows, union = solution.apply(new)
    assert solution.apply(new, path) == (path, union)
    found = sorted(tuple(row.values()) for row in rows.to_pylist())
    assert found == expected["rows"]
    assert (union.old, union.stay, union.k) == (expected["old"], len(found), expected["k"])
    assert union.k_of_all == expected["k_of_all"]
    assert union.left_out == len(new) - len(found)
    assert union.holds
    # Nobody can decide it without the older rows.
    assert [check.name for check in paretonym.audit(path).failed] == ["k of both releases"]


@pytest.mark.parametrize("measure", ["l", "t", "l-entropy"])
@pytest.mark.parametrize("seed", range(4))
def test_other_rules_are_kept_by_what_is_written(measure: str, seed: int, tmp_path: Path) -> None:
    """Every class of the union that has new rows has what the recoding asks, measured by itself."""
    generator = Random(f"{measure} {seed}")
    schema, old, new = drawn("intervals", generator, tmp_path)
    study = Study(old, schema)
    recoding = recoding_of(study, generator, measure)
    try:
        rows, union = Solution("", {}, 0, recoding, data=study).apply(new)
    except NoSolution:
        return
    _, before = unsorted_rows(study, recoding)
    both = pa.concat_tables(
        [pa.table(dict(zip(("q", "sex", "ill"), zip(*before, strict=True), strict=True))), rows]
    )
    flat = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in ("q", "sex")}
    joined = Study(both, {"columns": {**flat, "ill": {"role": "sensitive"}}})
    as_is = LatticeRecoding.of({"q": 0, "sex": 0}, {"k": ">=1"})
    found = joined.realized(as_is)
    sign, bound = recoding.keep[0].text[:2], recoding.keep[0].bounds[0]
    values = Objective.of(measure, joined.cube).of_classes(joined.cube, found.classes)
    new_labels = {(row["q"], row["sex"]) for row in rows.to_pylist()}
    for number, value in enumerate(values.tolist()):
        if found.classes.labels(number) in new_labels:
            assert value >= bound - 1e-9 if sign == ">=" else value <= bound + 1e-9
    assert union.k == found.measure("k")["k"]


def test_a_value_without_a_place_is_refused(tmp_path: Path) -> None:
    schema, old, _ = drawn("tree", Random(0), tmp_path)
    study = Study(old, schema)
    new = pa.table({"q": ["x"], "sex": ["f"], "ill": ["flu"]})
    with pytest.raises(InputError, match="'x'"):
        study.apply(recoding_of(study, Random(0), "k"), new)


def test_new_rows_are_written_down_in_the_run(tmp_path: Path) -> None:
    schema, old, new = drawn("flat", Random(1), tmp_path)
    Study(old, schema).explore("k", "loss", space="lattice").save(tmp_path / "run")
    front = paretonym.load(tmp_path / "run", data=old)
    front[0].release(tmp_path / "old.csv")
    _, union = front[0].apply(new, tmp_path / "new.csv")
    releases = paretonym.load(tmp_path / "run", data=old).record.releases  # type: ignore[union-attr]
    assert [(entry["file"], entry.get("new_rows")) for entry in releases] == [
        ("old.csv", None), ("new.csv", union.read),
    ]  # fmt: skip
