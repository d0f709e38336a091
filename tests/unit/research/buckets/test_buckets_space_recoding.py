"""Buckets: Anatomy's assignment, what a reader guesses, and which measure looks where."""

from __future__ import annotations

import csv
from itertools import permutations
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym as pn
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.research.buckets.buckets_space import WAYS, BucketsRecoding, anatomy
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.tables.data_kinds import OwnFrame
from tests.strategies import tables


@given(variety=st.integers(2, 5), rows=st.lists(st.integers(0, 30), min_size=5, max_size=9).filter(any))
def test_anatomy_deals_every_row_out(variety: int, rows: list[int]) -> None:
    """Every bucket has ℓ values or more, none of them twice, and nothing is left over."""
    totals = np.array(rows)
    if totals.max() * variety > totals.sum():
        with pytest.raises(NoSolution, match="One sensitive value is in more than 1 of"):
            anatomy(totals, variety)
        return
    cells = anatomy(totals, variety)
    assert cells.sum(axis=0).tolist() == totals.tolist()
    assert cells.max() == 1
    assert (cells.sum(axis=1) >= variety).all()
    assert len(cells) == totals.sum() // variety


@settings(max_examples=10)
@given(tables(rows=(10, 60), sensitive=1, bounds=False) | tables(rows=(10, 60), sensitive=2, bounds=False))
def test_values_are_those_of_parts_and_sizes_those_of_people(table: RandomTable) -> None:
    cube = table.study().cube
    parts = Realized.of(PartsRecoding.of({"k": 3}), cube)
    buckets = Realized.of(BucketsRecoding.of({"k": 3}), cube)
    shared = ("l", "t", "t-js", "delta", "alpha", "l-distinct")
    assert buckets.measure(*shared) == parts.measure(*shared)
    assert buckets.measure("k", "loss") == {"k": cube.counts.min(), "loss": 0}
    assert buckets.classes.buckets is not None
    for guess, margin in zip(buckets.classes.buckets.guesses, cube.sensitive, strict=True):
        assert guess.sum(axis=1) == pytest.approx(cube.counts)
        assert guess.sum(axis=0) == pytest.approx(margin.totals)


def test_anatomy_guesses_by_who_shares_a_bucket() -> None:
    """Two values in each bucket: a row of either is taken to have both, half each."""
    study = pn.Study(
        _frame([("20", "x"), ("20", "x"), ("30", "y"), ("30", "y")]),
        {"columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": {"role": "sensitive"}}},
    )
    found = Realized.of(BucketsRecoding.of({"l": 2}, "anatomy"), study.cube)
    assert found.classes.buckets is not None
    assert found.classes.buckets.guesses[0].tolist() == [[1, 1], [1, 1]]
    assert found.measure("l", "privacy-loss", "k") == {"l": 2, "privacy-loss": 0, "k": 2}


def _frame(rows: list[tuple[str, str]]) -> OwnFrame:
    import pyarrow

    return pyarrow.table({"age": [row[0] for row in rows], "ill": [row[1] for row in rows]})


@pytest.mark.parametrize("way", WAYS)
def test_written_and_read_back(way: str) -> None:
    recoding = BucketsRecoding.of({"l": 2}, way)
    assert recoding.as_json() == {"requirement": {"l": 2}, "buckets": way, "keep": {}}
    assert BucketsRecoding.from_json(recoding.as_json()) == recoding


@pytest.mark.parametrize(
    ("requirement", "way", "said"),
    [
        (
            {"k": 2},
            "anatomy",
            "method: Anatomy makes buckets only for l, of one sensitive column",
        ),
        (
            {"l": 2.5},
            "anatomy",
            "sweep: Anatomy cannot make buckets for l=2.5; give a whole number of at least 2",
        ),
        ({"l": 2}, "anatomi", "method: unknown bucketization method 'anatomi'; did you mean 'anatomy'?"),
    ],
)
def test_refused(requirement: dict[str, float], way: str, said: str) -> None:
    cube = random_table(Random(1), sensitive=1).study().cube
    with pytest.raises(InputError) as error:
        BucketsRecoding.of(requirement, way).classes(cube)
    assert str(error.value).startswith(said)


def test_anatomy_names_the_sensitive_columns() -> None:
    cube = random_table(Random(1), sensitive=2).study().cube
    one, other = (margin.name for margin in cube.sensitive)
    with pytest.raises(InputError, match=f"but '{one}' and '{other}' are sensitive"):
        BucketsRecoding.of({"l": 2}, "anatomy").classes(cube)


def test_nothing_to_mix_up() -> None:
    with pytest.raises(InputError, match="the schema has no column of role 'sensitive'"):
        BucketsRecoding.of({"k": 2}).classes(random_table(Random(1)).study().cube)


# Age, illness and patient.
VISITS = [*(("20", ill, "A") for ill in "xxyyz"), ("30", "z", "B")]


def test_a_person_with_most_rows_of_a_bucket_has_values_for_certain(tmp_path: Path) -> None:
    """Why persons are refused. Every world that a release in buckets leaves possible, where whole persons are
    in one bucket: one of two persons has x, and yet one of them has it in all worlds."""
    columns: dict[str, Any] = {
        "age": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
        "patient": {"role": "drop"},
    }
    frame = pa.table(dict(zip(columns, zip(*VISITS, strict=True), strict=True)))
    rows = pn.Study(frame, {"rows": "events", "columns": columns})
    picks: list[Any] = list(rows.explore("l", "loss", space="buckets", sweep="l=3"))
    (pick,) = picks
    assert pick["l"] == 3
    pick.release(tmp_path / "x.csv")
    shown, values = (
        list(csv.DictReader((tmp_path / f"x.{part}.csv").read_text().splitlines())) for part in ("qit", "st")
    )
    assert {row["bucket"] for row in shown} == {row["bucket"] for row in values}
    ages = [row["age"] for row in shown]
    worlds = set(permutations(row["ill"] for row in values))
    assert len(worlds) == 90
    of_a = [{ill for age, ill in zip(ages, world, strict=True) if age == "20"} for world in worlds]
    assert all({"x", "y"} <= own for own in of_a)
    holders = {who for _, ill, who in VISITS if ill == "x"}
    assert len(holders) / len({who for *_, who in VISITS}) == 1 / 2
    persons = pn.Study(frame, {"columns": {**columns, "patient": {"role": "person"}}})
    with pytest.raises(InputError, match="the space buckets counts rows, not persons"):
        persons.explore("l", "loss", space="buckets", sweep="l=3")


@settings(max_examples=60)
@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=6), st.data())
def test_what_several_rows_of_a_bucket_show(values: list[str], data: st.DataObject) -> None:
    """The formula of the documentation: the share of the permutations in which a person has a value."""
    own = data.draw(st.integers(1, len(values)))
    having = values.count("x")
    worlds = list(permutations(values))
    found = sum("x" in world[:own] for world in worlds) / len(worlds)
    assert found == pytest.approx(1 - comb(len(values) - having, own) / comb(len(values), own))
    assert found >= having / len(values) - 1e-12
