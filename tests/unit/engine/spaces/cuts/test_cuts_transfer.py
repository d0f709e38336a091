"""New rows beside cuts: that a value may be shown says nothing of old rows that were suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

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
    solution = Solution("", {}, max(0, len(rows) - len(STAY)), recoding, data=study)
    study.publish(solution, path)
    return solution


def test_a_value_of_suppressed_rows_alone_is_not_told(tmp_path: Path) -> None:
    """Nobody in the release is x: new ones are suppressed, whether two old ones were or none."""
    with_two = released([*STAY, *[("x", "Aa", "flu")] * 2], tmp_path / "two.csv")
    without = released(STAY, tmp_path / "none.csv")
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "none.csv").read_bytes()
    without.apply(table(NEW), tmp_path / "a.csv", allow_second_release=True)
    _, union = with_two.apply(table(NEW), tmp_path / "b.csv", allow_second_release=True)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (union.nowhere, union.left_out, union.stay) == (8, 8, 1)


def test_a_class_that_was_not_shown_stays_away(tmp_path: Path) -> None:
    """Nobody of South is in the release, though the schema lists it: new rows there join no class."""
    for place, more in enumerate(([], [("m", "Dd", "flu")] * 2)):
        solution = released([*STAY, *more], tmp_path / f"{place}.csv")
        found, union = solution.apply(table(NEW[4:]))
        assert [row["town"] for row in found.to_pylist()] == ["North"]
        assert union.nowhere == 4


def test_the_only_value_of_a_column_means_no_other(tmp_path: Path) -> None:
    """All old rows are f: new ones who are m were published as f, unless somebody suppressed was m too."""
    women = [("f", "Aa", "flu")] * 4
    for place, more in enumerate(([], [("m", "Aa", "flu")])):
        solution = released([*women, *more], tmp_path / f"{place}.csv")
        found, union = solution.apply(table([("m", "Aa", "cold"), ("f", "Aa", "gout")]))
        assert [(row["sex"], row["ill"]) for row in found.to_pylist()] == [("f", "gout")]
        assert union.nowhere == 1
