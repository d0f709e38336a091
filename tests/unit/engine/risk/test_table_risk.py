"""Where the risk of a table comes from."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings

from paretonym.base.errors import InputError
from paretonym.research.exams.random_tables import RandomTable
from paretonym.study.study import Study
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


def minimal_by_hand(rows: list[tuple[str, ...]]) -> Counter[tuple[int, ...]]:
    """For each set of columns, of how many different rows it is a minimal unique: nobody else has the same
    values there, and somebody else has on every smaller set. The last cell says whose a row is."""
    columns, found = range(len(rows[0]) - 1), Counter[tuple[int, ...]]()

    def alone(row: tuple[str, ...], own: tuple[int, ...]) -> bool:
        return all(r[-1] == row[-1] for r in rows if all(r[j] == row[j] for j in own))

    for row in set(rows):
        for size in (1, 2, 3):
            for own in combinations(columns, size):
                smaller = (own[:i] + own[i + 1 :] for i in range(size))
                if alone(row, own) and not any(alone(row, each) for each in smaller if each):
                    found[own] += 1
    return found


@pytest.mark.parametrize("seed", range(4))
def test_people_whose_rows_differ(seed: int) -> None:
    """A person who moves is in several classes; own rows never hide somebody."""
    import pyarrow

    random = Random(seed)
    rows = []
    for person in range(14):
        home = [random.choice("xyz"), random.choice("12345"), random.choice("fm"), random.choice("abc")]
        for _ in range(random.choice([1, 2, 3])):
            home[random.randrange(4)] = random.choice("xy12fmab")
            rows.append((*home, f"p{person}"))
    names = ["a", "b", "c", "d", "who"]
    table = pyarrow.table({name: [row[j] for row in rows] for j, name in enumerate(names)})
    quasi = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in names[:4]}
    found = Study(table, {"columns": {**quasi, "who": {"role": "person"}}}).risk(sampling_fraction="5%")
    right = minimal_by_hand(rows)
    assert {each.columns: each.rows for each in found.combinations} == {
        tuple(names[j] for j in own): n for own, n in right.items()
    }
    classes = {row[:4]: {r[-1] for r in rows if r[:4] == row[:4]} for row in rows}
    assert dict(found.classes.sizes) == Counter(len(people) for people in classes.values())
    for j, column in enumerate(found.columns):
        rest = defaultdict[tuple[str, ...], set[str]](set)
        for row in rows:
            rest[row[:j] + row[j + 1 : 4]].add(row[4])
        assert column.smallest_without == min(map(len, rest.values()))
        assert column.average_without == len(rest) / sum(map(len, rest.values()))
    assert found.sample is None
    assert "Combinations of columns count person-groups: a person once for each" in found.warnings[0]
    assert found.warnings[1].startswith("The population is not estimated")
    unique = {next(iter(people)) for people in classes.values() if len(people) == 1}
    assert str(found).startswith(f"{len(unique)} people of 14 (")
    assert (found.uniques, found.classes.rows, sum(found.by_size)) == (len(unique), 14, len(unique))
    assert sum(part.rows for part in found.classes.bins()) == 14
    for j, column in enumerate(found.columns):
        values = defaultdict[str, set[str]](set)
        for row in rows:
            values[row[j]].add(row[4])
        assert column.alone == len({next(iter(people)) for people in values.values() if len(people) == 1})
        assert column.without <= 14
