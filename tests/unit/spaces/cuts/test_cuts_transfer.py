"""New rows beside cuts: that a value may be shown says nothing of old rows that were suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paretonym.errors import InputError
from paretonym.recoding.class_condition import parse_keep
from paretonym.run.explored_run import Solution
from paretonym.run.study import Study
from paretonym.spaces.cuts.cuts_recoding import CutsRecoding

NAMES = ("sex", "town", "ill")
SCHEMA: dict[str, Any] = {
    "columns": {
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "town": {"role": "quasi", "hierarchy": {"tree": {"North": ["Aa", "Bb"], "South": ["Cc", "Dd"]}}},
        "ill": {"role": "sensitive"},
    }
}
STAY = [*[("f", "Aa", "flu")] * 4, *[("m", "Bb", "cold")] * 4]
NEW = [*[("x", "Aa", "flu")] * 4, ("f", "Bb", "flu"), *[("m", "Cc", "flu")] * 4]


def table(rows: Sequence[tuple[str, ...]]) -> pa.Table:
    return pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))


def released(rows: Sequence[tuple[str, ...]], path: Path) -> Solution:
    """Everybody by sex and by the whole of North or South, four in a class."""
    study = Study(table(rows), SCHEMA)
    sexes = tuple((sex,) for sex in study.bound.quasi[0].hierarchy.leaves)
    groups = (("sex", sexes), ("town", (("Aa", "Bb"), ("Cc", "Dd"))))
    recoding = CutsRecoding(groups, parse_keep({"k": ">=4"}))
    solution = Solution("", {}, len(rows) - len(STAY), recoding, data=study)
    study.publish(solution, path)
    return solution


def test_a_value_of_suppressed_rows_alone_is_not_told(tmp_path: Path) -> None:
    """Nobody in the release is x. Where two suppressed rows were, four new ones were shown, which are refused
    where nobody was: the new file told of the two."""
    with_two = released([*STAY, *[("x", "Aa", "flu")] * 2], tmp_path / "two.csv")
    without = released(STAY, tmp_path / "none.csv")
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "none.csv").read_bytes()
    with pytest.raises(InputError, match="values that are in no group of the release: 'x'"):
        without.apply(table(NEW))
    without.apply(table(NEW[4:]), tmp_path / "a.csv", allow_second_release=True)
    _, union = with_two.apply(table(NEW), tmp_path / "b.csv", allow_second_release=True)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (union.nowhere, union.left_out, union.stay) == (4, 4, 5)


def test_what_the_schema_lists_is_shown_whoever_had_it(tmp_path: Path) -> None:
    """South is a group of the schema: new rows there say nothing of old ones."""
    for place, more in enumerate(([], [("m", "Dd", "flu")] * 2)):
        solution = released([*STAY, *more], tmp_path / f"{place}.csv")
        found, union = solution.apply(table(NEW[4:]))
        assert [row["town"] for row in found.to_pylist()].count("South") == 4
        assert union.nowhere == 0
