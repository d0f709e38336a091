"""Where the risk of a table comes from."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings

from paretonym.errors import InputError
from paretonym.run.study import Study
from paretonym.testing.random_tables import RandomTable
from tests.strategies import tables

COLUMNS = {"a": ["2", "1", "1"], "b": ["0", "3", "0"], "c": ["0", "6", "0"]}
SCHEMA = {"columns": {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in COLUMNS}}


def study(columns: dict[str, list[str]], rows: str = "people") -> Study:
    import pyarrow

    return Study(pyarrow.table(columns), {**SCHEMA, "rows": rows})


def test_by_hand() -> None:
    """The table of sdcMicro's tests: contributions of 50, 37.5 and 37.5 percent."""
    found = study(COLUMNS).risk()
    assert str(found) == (
        "3 people of 3 (100 %) are unique in the quasi-identifiers together; 3 already by at most 2 of them."
    )
    assert [(each.name, each.values, each.alone, each.score) for each in found.columns] == [
        ("a", 2, 1, 0.5), ("b", 2, 1, 0.375), ("c", 2, 1, 0.375),
    ]  # fmt: skip
    assert [(each.without, each.smallest_without) for each in found.columns] == [(1, 1), (3, 1), (3, 1)]
    assert found.by_size == (2, 1)
    assert [(each.columns, each.rows, each.score) for each in found.combinations[:3]] == [
        (("a",), 1, 0.25), (("b",), 1, 0.25), (("c",), 1, 0.25),
    ]  # fmt: skip
    assert found.sample is None


def test_one_quasi_identifier() -> None:
    import pyarrow

    table = pyarrow.table({"a": ["x", "y", "y"]})
    found = Study(table, {"columns": {"a": {"role": "quasi", "hierarchy": {"flat": True}}}}).risk()
    assert str(found) == "1 person of 3 (33 %) is unique in the quasi-identifiers together."
    assert (found.size, found.combinations, found.columns[0].without) == (0, (), 0)


@given(tables())
@settings(max_examples=20, deadline=None)
def test_what_dropping_a_column_leaves(table: RandomTable) -> None:
    own = table.study()
    found = own.risk()
    cube = own.cube.finest or own.cube
    rows = [
        tuple(group)
        for group, n in zip(cube.groups.tolist(), cube.counts.tolist(), strict=True)
        for _ in range(n)
    ]
    assert found.uniques == sum(n == 1 for n in Counter(rows).values())
    for j, each in enumerate(found.columns):
        left = Counter(row[:j] + row[j + 1 :] for row in rows)
        assert each.without == sum(n == 1 for n in left.values())
        assert each.smallest_without == min(left.values())
        assert each.average_without == pytest.approx(len(left) / len(rows))
    json.dumps(found.as_json(), allow_nan=False)


def test_estimates_are_of_people() -> None:
    found = study(COLUMNS).risk(sampling_fraction="50%")
    assert found.sample is not None
    assert found.sample.as_json()["population_uniques"]["trusted"] == "zayatz"
    with pytest.raises(InputError, match="the schema says that rows are events"):
        study(COLUMNS, rows="events").risk(sampling_fraction=0.5)
    for wrong in ("0", "150%", "-1"):
        with pytest.raises(InputError, match="above 0 and at most 1"):
            study(COLUMNS).risk(sampling_fraction=wrong)
    assert study(COLUMNS, rows="events").risk().as_json()["risk"] is None
