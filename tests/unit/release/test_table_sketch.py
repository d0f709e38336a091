"""Sketches of tables: what is recognized, and how often independent tables are mistaken for one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.release.release_log import SecondRelease
from paretonym.release.table_sketch import BITS, Recognition, recognize, table_sketches
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

KEY = bytes(range(32))
COLUMNS: dict[str, Any] = {
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
    "ill": {"role": "sensitive"},
}
SCHEMA: dict[str, Any] = {"columns": COLUMNS}
ILLS = ("flu", "HIV", "cold", "ulcer", "asthma", "gout", "burn", "MS")
Row = tuple[str, ...]


def drawn(generator: Random, number: int, zips: int, ages: int = 60) -> list[Row]:
    return [
        (f"{generator.randrange(zips):05}", str(20 + generator.randrange(ages)), generator.choice(ILLS))
        for _ in range(number)
    ]


def table(rows: Sequence[Row], names: tuple[str, ...] = ("zip", "age", "ill")) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def compared(first: Sequence[Row], second: Sequence[Row], key: bytes = KEY) -> Recognition:
    """What the log would say of the second table after the first."""
    before, now = (Study(table(rows), SCHEMA) for rows in (first, second))
    stored = {
        mark: sketch.as_json() for mark, sketch in table_sketches(before.table, before.schema, KEY).items()
    }
    return recognize(table_sketches(now.table, now.schema, key), stored)


ROWS = drawn(Random(1), 400, 90_000)
FRESH = drawn(Random(2), 400, 90_000)


@pytest.mark.parametrize(
    ("rows", "recognized"),
    [
        pytest.param([("00007", "33", "gout"), *ROWS[1:]], True, id="one row corrected"),
        pytest.param(ROWS[::-1], True, id="other order"),
        pytest.param(ROWS + FRESH[:100], True, id="rows added"),
        pytest.param(ROWS[:260], True, id="rows removed"),
        pytest.param(ROWS[:320] + FRESH[:80], True, id="a fifth replaced"),
        pytest.param(ROWS[:60] + FRESH[:340], False, id="most replaced"),
        pytest.param(FRESH, False, id="other people"),
    ],
)
def test_a_table_is_recognized_by_most_of_its_rows(rows: list[Row], recognized: bool) -> None:
    assert compared(ROWS, rows) == Recognition(recognized)


def test_a_table_is_recognized_by_other_names_of_its_columns() -> None:
    names = {"zip": "PLZ", "age": "Alter", "ill": "Diagnose"}
    renamed = {"columns": {names[name]: entry for name, entry in COLUMNS.items()}}
    before = Study(table(ROWS), SCHEMA)
    stored = {
        mark: sketch.as_json() for mark, sketch in table_sketches(before.table, before.schema, KEY).items()
    }
    for rows, recognized in (([("00007", "33", "gout"), *ROWS[1:]], True), (FRESH, False)):
        now = Study(table(rows, tuple(names.values())), renamed)
        assert recognize(table_sketches(now.table, now.schema, KEY), stored) == Recognition(recognized)


def test_a_sketch_says_nothing_without_the_key_and_little_with_it() -> None:
    assert compared(ROWS, ROWS, bytes(32)) == Recognition()
    sketches = table_sketches(Study(table(ROWS), SCHEMA).table, Study(table(ROWS), SCHEMA).schema, KEY)
    assert len(sketches) == 2
    assert all(len(bytes.fromhex(sketch.bits)) * 8 == BITS for sketch in sketches.values())
    # A row more or less changes about one bit in 800: nobody can try rows one by one.
    less = table_sketches(Study(table(ROWS[1:]), SCHEMA).table, Study(table(ROWS), SCHEMA).schema, KEY)
    assert less.keys() == sketches.keys()
    for mark, each in less.items():
        assert (int(sketches[mark].bits, 16) ^ int(each.bits, 16)).bit_count() < 10


@pytest.mark.parametrize("zips", [3, 30, 300, 3_000, 90_000])
def test_false_alarms_of_independent_tables(zips: int) -> None:
    """Thirty pairs of independent tables of each kind: none is taken for a corrected version of the other.
    Where the domain is so small that they have half of their rows in common, that is said instead."""
    generator = Random(f"independent {zips}")
    answers = [
        compared(drawn(generator, 300, zips, 1 + zips // 20), drawn(generator, 300, zips, 1 + zips // 20))
        for _ in range(30)
    ]
    assert not any(answer.recognized for answer in answers)
    if zips == 3:
        assert all(answer.cannot_tell for answer in answers)
    if zips >= 300:
        assert not any(answer.cannot_tell for answer in answers)


def test_identifiers_tell_tables_of_few_different_rows_apart() -> None:
    names = ("name", "zip", "age", "ill")
    schema = {"columns": {"name": {"role": "identifier"}, **COLUMNS}}
    first, second = ([(f"{who}{n}", "1", "20", "flu") for n in range(50)] for who in "AB")
    corrected = [("A0", "1", "21", "flu"), *first[1:]]
    studies = [Study(table(rows, names), schema) for rows in (first, second, corrected)]
    sketches = [table_sketches(study.table, study.schema, KEY) for study in studies]
    stored = {mark: sketch.as_json() for mark, sketch in sketches[0].items()}
    assert recognize(sketches[1], stored) == Recognition()
    assert recognize(sketches[2], stored) == Recognition(True)


def test_large_tables_share_a_sketch_with_those_of_twice_their_size() -> None:
    rows = [(str(n), "20", "flu") for n in range(70_000)]
    assert compared(rows[:60_000], rows) == Recognition(True)


LATTICE = LatticeRecoding.of({"zip": 4, "age": 1}, {"k": ">=2"})
BUCKETS = BucketsRecoding.of({"l-distinct": 3}, "anatomy")


@pytest.mark.parametrize("recoding", [LATTICE, BUCKETS], ids=["lattice", "buckets"])
def test_a_corrected_table_is_the_same_table(
    recoding: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One corrected row in a file of another name: permission is asked for as for a second release."""
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "state"))
    solution = Solution("", {}, 0, recoding)
    Study(table(ROWS), SCHEMA).publish(solution, tmp_path / "may.csv")
    corrected = Study(table([(*ROWS[0][:2], "gout"), *ROWS[1:]]), SCHEMA)
    with pytest.raises(
        SecondRelease, match=r"most rows of this table were released before \(.* in may.csv"
    ) as error:
        corrected.publish(solution, tmp_path / "june.csv")
    assert ("Buckets would be drawn anew" in str(error.value)) is (recoding is BUCKETS)
    assert not (tmp_path / "june.csv").exists()
    corrected.publish(solution, tmp_path / "june.csv", allow_second_release=True)
    # The same release again discloses nothing new, and other people are another table.
    Study(table(ROWS), SCHEMA).publish(solution, tmp_path / "again.csv")
    Study(table(FRESH), SCHEMA).publish(solution, tmp_path / "fresh.csv")
    assert issubclass(SecondRelease, InputError)
