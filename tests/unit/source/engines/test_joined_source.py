"""Old and new rows as one source: counted at coarser levels or not, the answers are those of rows."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import paretonym
from paretonym import NoSolution, Solution, Study
from tests.unit.source.engines.test_coarse_counts import coarse, in_memory, little_room, rows, schema, written

__all__ = ["little_room"]


def later(seed: int) -> pa.Table:
    """Rows of other people; some of their values are not in the old rows."""
    table = rows(seed)
    names = pa.array([f"later {place}" for place in range(table.num_rows)])
    ages = pc.if_else(pc.equal(table["age"], 30), 83, table["age"])
    return table.set_column(0, "name", names).set_column(1, "age", ages).slice(0, 200)


@pytest.mark.parametrize(("space", "missing"), [("lattice", "value"), ("local", "drop")])
def test_new_rows_beside_coarser_counts(space: str, missing: str, tmp_path: Path, little_room: None) -> None:
    path = written(rows(7), tmp_path, ".parquet")
    new = written(later(8), tmp_path, ".csv")
    study = coarse(path, missing)
    assert study.raised
    plain = Study(in_memory(path), schema(dict(study.levels), missing))
    front, expected = (each.explore("k", "loss", space=space, suppress="any:0.4") for each in (study, plain))
    places = range(1, len(expected), 5)
    found = [applied(front[place], new) for place in places]
    assert found == [applied(expected[place], new) for place in places]
    place = next(place for place, each in zip(places, found, strict=True) if not isinstance(each, str))
    files = []
    for name, solution in (("coarse", front[place]), ("plain", expected[place])):
        out = tmp_path / f"{name}.csv"
        solution.apply(new, out, allow_second_release=True)
        files.append(out.read_bytes() + out.with_name(f"{out.name}.manifest.json").read_bytes())
    assert files[0] == files[1]


def applied(solution: Solution, new: Path) -> Any:
    """The new rows and the union, or why there are none."""
    try:
        table, union = solution.apply(new)
    except NoSolution as nothing:
        return str(nothing)
    return table.to_csv(), union


def test_an_audit_beside_old_rows_that_are_too_many(tmp_path: Path, little_room: None) -> None:
    path, new = written(rows(7), tmp_path, ".parquet"), written(later(8).slice(0, 60), tmp_path, ".csv")
    study = coarse(path)
    solution = next(each for each in study.explore("k", "loss", suppress="any:0.4") if each["k"] > 4)
    solution.apply(new, tmp_path / "added.csv")
    where: dict[str, Any] = {"original": new, "old": path, "engine": "duckdb", "memory": "64MiB"}
    found = paretonym.audit(tmp_path / "added.csv", schema=schema(), **where)
    # Nothing below the counted levels is known of old rows, so that nobody can tell the k of both.
    assert [check.name for check in found.checks if check.holds is False] == ["k of both releases"]
    assert paretonym.audit(tmp_path / "added.csv", schema=schema(), original=new, old=path).passed


def test_persons_who_return_are_counted_once_however_they_are_spelled(tmp_path: Path) -> None:
    """30 people, all of whom return as decimals beside a new one: 31, not 61."""
    described = {
        "rows": "people",
        "columns": {
            "id": {"role": "person"},
            "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [20, 40]}},
            "diag": {"role": "sensitive"},
        },
    }
    old, new = [*range(30)] * 2, [*range(30), 200]
    tables = [
        pa.table({"id": cells, "age": [20 + n % 30 for n in range(len(cells))], "diag": ["a"] * len(cells)})
        for cells in (pa.array(old), pa.array([Decimal(n) for n in new], pa.decimal128(12, 2)))
    ]
    path = tmp_path / "new.csv"
    for given in (tables[0], written(tables[0], tmp_path, ".parquet")):
        solution = Study(given, described).explore("k", "loss", suppress=0)[0]
        assert solution.apply(tables[1], path, allow_second_release=True, force=True)[1].k == 31
    found = paretonym.audit(path, schema=described, original=tables[1], old=tables[0])
    assert found.passed, found
    (check,) = [check for check in found.checks if check.name == "k-persons"]
    assert (check.said, check.holds) == (31, None)
    assert check.why.endswith("and was not verified")
    assert any(text.endswith("the persons of both releases and was not verified") for text in found.warnings)
