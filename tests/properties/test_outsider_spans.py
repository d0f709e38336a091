"""Two releases of any space matched without the original: no label is said to be apart from one that shares a
value with it, and every pair of rows compared by hand."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

from paretonym.attacks.attack import match_rows
from paretonym.attacks.label_spans import spans
from paretonym.errors import InputError
from paretonym.recoding.recoding_contract import Recoding
from paretonym.run.explored_frontier import Solution
from paretonym.run.study import Study
from paretonym.schema.schema_file import schema_from
from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding
from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.testing.random_tables import RandomTable
from tests.properties.test_applying_groups import recoding_of
from tests.strategies import seeds, tables


def drawn(study: Study, space: str, generator: Random) -> Recoding:
    if space == "levels":
        levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
        return LatticeRecoding.of(levels, {"k": ">=1"})
    return recoding_of(study, space, generator.randrange(1000))


SPACES = ("levels", "cuts", "parts")


@settings(max_examples=25)
@given(tables(rows=(20, 60), missing=0.4, bounds=False), seeds)
def test_labels_that_share_a_value_overlap(table: RandomTable, seed: int) -> None:
    generator, study = Random(seed), table.study()
    shown = [study.realized(drawn(study, generator.choice(SPACES), generator)).classes.sets for _ in range(2)]
    for column, first, second in zip(study.bound.quasi, *shown, strict=True):
        found = spans(study.schema.column(column.name), [*first.labels, *second.labels])
        if found is None:
            continue
        for i, j in product(range(len(first.labels)), range(len(second.labels))):
            shared = first.first[i] < second.after[j] and second.first[j] < first.after[i]
            one, other = found[first.labels[i]], found[second.labels[j]]
            assert not shared or (one[0] < other[1] and other[0] < one[1])


TREE = {"north": ["Kiel", "Husum"], "south": ["Ulm", "Calw"]}
SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "town": {"role": "quasi", "hierarchy": {"tree": TREE}},
        "word": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}
TOWNS = [town for towns in TREE.values() for town in towns]


def meant(label: str) -> frozenset[Any]:
    """The values of a label, as a person reads it: ages below a hundred, towns, words."""
    if label == "*":
        return frozenset([*range(-1, 120), *TOWNS, *"abcdef"])
    if found := re.fullmatch(r"\[(-?\d+), (-?\d+)\)|<(\d+)|(\d+)\+|(\d+)", label):
        low, high, below, above, one = (None if text is None else int(text) for text in found.groups())
        if one is not None:
            return frozenset([one])
        first = low if low is not None else above if above is not None else -1
        after = high if high is not None else below if below is not None else 120
        return frozenset(range(first, after))
    listed = label.strip("{}").split(", ")
    return frozenset(value for part in listed for value in TREE.get(part, [part]))


def by_hand(one: pa.Table, other: pa.Table) -> list[int]:
    """For every row of a release how many rows of the other may be the same one."""
    names = ("age", "town", "word")
    sets = [[[meant(row[n]) for n in names] for row in table.to_pylist()] for table in (one, other)]
    ill = [table["ill"].to_pylist() for table in (one, other)]
    return [
        sum(
            own == theirs and all(a & b for a, b in zip(mine, yours, strict=True))
            for theirs, yours in zip(ill[1], sets[1], strict=True)
        )
        for own, mine in zip(ill[0], sets[0], strict=True)
    ]


@pytest.mark.parametrize(
    "pair",
    [("cuts", "parts"), ("cuts", "cuts"), ("levels", "cuts"), ("levels", "parts")],
)
@pytest.mark.parametrize("seed", range(3))
def test_every_pair_of_rows_by_hand(pair: tuple[str, str], seed: int, tmp_path: Path) -> None:
    generator = Random(f"{pair} {seed}")
    rows = [
        (
            generator.randrange(100),
            generator.choice(TOWNS),
            generator.choice("abcdef"),
            generator.choice("xyz"),
        )
        for _ in range(60)
    ]
    table = pa.table(dict(zip(SCHEMA["columns"], map(list, zip(*rows, strict=True)), strict=True)))
    study, tables = Study(table, SCHEMA), []
    for name, space in zip("ab", pair, strict=True):
        recoding = drawn(study, space, generator)
        study.publish(Solution("", {}, 0, recoding), tmp_path / f"{name}.csv", allow_second_release=True)
        tables.append(study.release(recoding))
    found = match_rows(tmp_path / "a.csv", tmp_path / "b.csv", schema=SCHEMA)
    assert found.not_compared == ()
    for place, (one, other) in enumerate(((tables[0], tables[1]), (tables[1], tables[0]))):
        counts = by_hand(one, other)
        assert found.single[place] == sum(number == 1 for number in counts)
        assert found.alone[place] == counts.count(0)
        assert found.smallest[place] == min((number for number in counts if number), default=0)


@pytest.mark.parametrize(
    ("entry", "apart", "together"),
    [
        (
            {"flat": True},
            [("<30", "30"), ("[10, 30)", "30+"), ("-5", "5")],
            [("<30", "<5"), ("29.5", "[3, 30)")],
        ),
        (
            {"date": ["month", "quarter", "year", "decade"]},
            [("2020-03", "2020-04-01"), ("before 2020-Q2", "2020-04"), ("2019", "2020s")],
            [
                ("2020-03", "2020-03-31"), ("2020-Q1", "from 2020-03-31"), ("2019", "2010s"),
                ("2020-01 … before 2021", "2020-12"),
            ],
        ),
        ({"mask": 2}, [("12**", "13**"), ("12**", "1301")], [("12**", "123*"), ("12**", "1299")]),
        ({"flat": True}, [("{a, b}", "c"), ("(missing)", "a")], [("{a, b}", "b"), ("*", "(missing)")]),
    ],
)  # fmt: skip
def test_labels_apart_and_together(entry: dict[str, Any], apart: list[Any], together: list[Any]) -> None:
    column = schema_from({"columns": {"q": {"role": "quasi", "hierarchy": entry}}}).columns[0]
    for pairs, expected in ((apart, False), (together, True)):
        for one, other in pairs:
            found = spans(column, [one, other])
            assert found is not None
            (a, b), (c, d) = found[one], found[other]
            assert (a < d and c < b) is expected, (one, other)


def test_a_date_in_its_own_format() -> None:
    entry = {"role": "quasi", "hierarchy": {"date": ["month"]}, "format": "%d %b %Y"}
    column = schema_from({"columns": {"q": entry}}).columns[0]
    found = spans(column, ["08 Aug 2005 … before 11 Jul 2008", "2008-07", "11 Jul 2008"])
    assert found is not None
    assert found["08 Aug 2005 … before 11 Jul 2008"][1] == found["11 Jul 2008"][0]
    assert found["2008-07"][0] < found["11 Jul 2008"][0] < found["2008-07"][1]


def test_what_cannot_be_read_is_not_compared() -> None:
    column = schema_from({"columns": {"q": {"role": "quasi", "hierarchy": {"tree": TREE}}}}).columns[0]
    assert spans(column, ["north", "elsewhere"]) is None


def test_buckets_are_refused(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3, 4], "town": TOWNS, "word": list("abcd"), "ill": list("xyxy")})
    study = Study(table, SCHEMA)
    study.publish(
        Solution("", {}, 0, PartsRecoding.of({"k": 2})), tmp_path / "a.csv", allow_second_release=True
    )
    study.publish(
        Solution("", {}, 0, BucketsRecoding.of({"k": 2})), tmp_path / "b.csv", allow_second_release=True
    )
    with pytest.raises(InputError, match="together with one of another kind only if the original"):
        match_rows(tmp_path / "a.csv", tmp_path / "b.csv", schema=SCHEMA)
