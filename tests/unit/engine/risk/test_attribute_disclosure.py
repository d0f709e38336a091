"""Values that their class gives away, counted by hand and again from the rows of the release."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow
import pytest
from hypothesis import given, settings

from paretonym.engine.risk.attribute_disclosure import Known, disclosures, known_values
from paretonym.release.publication import recoded_rows
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.research.exams.random_tables import RandomTable
from paretonym.study.study import Study
from tests.strategies import tables

FLAT = {"role": "quasi", "hierarchy": {"flat": True}}


def study(**columns: list[str]) -> Study:
    secret = {name: {"role": "sensitive"} for name in columns if name != "town"}
    return Study(pyarrow.table(columns), {"columns": {"town": FLAT, **secret}})


def test_by_hand() -> None:
    """Three towns: one of one illness, one of ten with nine alike (not more than 90 %), one of twenty with
    nineteen alike."""
    town = ["A"] * 4 + ["B"] * 10 + ["C"] * 20
    illness = ["flu"] * 4 + ["flu"] * 9 + ["cold"] + ["cold"] * 19 + ["flu"]
    party = ["red", "blue"] * 17
    made = study(town=town, illness=illness, party=party)
    (plain,) = [s for s in made.explore("k", "loss", suppress=0, space="lattice") if s["loss"] == 0]
    realized = made.realized(plain.recoding)
    assert known_values(realized) == (Known("illness", certain=4, likely=20), Known("party", 0, 0))
    first, second = disclosures(realized)
    assert (first.l, first.alpha, first.known.certain) == (1, 1, 4)
    assert (second.l, second.alpha, second.t) == (2, 0.5, 0)


def test_a_value_that_nearly_all_have_is_no_surprise() -> None:
    """Two towns without an injury, and one with three of them: 97 of 100 have none."""
    made = study(town=["A"] * 80 + ["B"] * 10 + ["C"] * 10, injury=["none"] * 97 + ["arm"] * 3)
    (plain,) = [s for s in made.explore("k", "loss", suppress=0, space="lattice") if s["loss"] == 0]
    (known,) = known_values(made.realized(plain.recoding))
    assert known == Known("injury", 90, 0, 90, 0.97)
    said = " ".join(plain.warnings())
    assert "'injury' is certain for 90 people" in said
    assert "For 90 people of them that is no surprise: it is the value that 97 % of all have." in said
    assert "none" not in said


def naive(rows: list[dict[str, str]], quasi: list[str], secret: str) -> tuple[int, int]:
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in quasi)].append(row[secret])
    most = [(len(values), max(Counter(values).values())) for values in classes.values()]
    certain = sum(size for size, largest in most if largest == size)
    return certain, sum(size for size, largest in most if largest < size and 10 * largest > 9 * size)


@pytest.mark.parametrize("space", ["lattice", "mondrian"])
@settings(max_examples=12)
@given(table=tables(rows=(20, 80), quasi=(1, 3), sensitive=2, bounds=False))
def test_from_the_rows_of_the_release(table: RandomTable, space: str) -> None:
    made = table.study()
    further = {"sweep": "k=2,5"} if space == "mondrian" else {"suppress": "any:0.3"}
    for solution in made.explore("k", "loss", space=space, **further)[:5]:  # type: ignore[arg-type]
        released = recoded_rows(made, solution.recoding)
        names = {
            role: [released.columns[i].name for i in released.with_role(role)]
            for role in ("quasi", "sensitive")
        }
        texts = [[*column.texts.to_pylist(), ""] for column in released.columns]
        codes = released.rows(0, len(released))
        rows = [
            {c.name: texts[j][int(codes[j][i])] for j, c in enumerate(released.columns)}
            for i in range(len(released))
        ]
        found = {known.column: known[1:3] for known in known_values(made.realized(solution.recoding))}
        coarse = {c.name for c in made.schema.with_role("sensitive") if c.level}
        for secret in set(names["sensitive"]) - coarse:
            assert found[secret] == naive(rows, names["quasi"], secret)


def test_in_buckets_the_class_is_the_bucket() -> None:
    made = study(town=[*"ABCDEFGH"], illness=["flu", "cold"] * 4)
    front = made.explore("k", "l", space="buckets", sweep="l=2")
    assert isinstance(front[0].recoding, BucketsRecoding)
    assert known_values(made.realized(front[0].recoding)) == (Known("illness", 0, 0),)
    assert front[0].warnings()[0].startswith("k is 1: 8 people look like nobody else.")
