"""Two releases matched row by row without the original, beside every pair of rows compared by hand."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from paretonym.attacks.attack import match_rows
from paretonym.run.explored_frontier import Solution
from paretonym.run.study import Study
from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding
from paretonym.testing.random_tables import random_table
from tests.naive.releases import unsorted_rows


def sets_of(study: Study, name: str, level: int) -> dict[str, frozenset[int]]:
    """The leaves behind each label of a level."""
    column = next(column for column in study.bound.quasi if column.name == name)
    shown = column.hierarchy.levels[level]
    found: dict[str, set[int]] = {}
    for leaf, group in enumerate(shown.groups.tolist()):
        found.setdefault(shown.labels[group], set()).add(leaf)
    return {label: frozenset(leaves) for label, leaves in found.items()}


def fitting(
    study: Study, recodings: tuple[LatticeRecoding, LatticeRecoding], left_aside: set[str]
) -> list[int]:
    """For every row of the first release how many rows of the second may be the same one."""
    (names, first), (_, second) = (unsorted_rows(study, recoding) for recoding in recodings)
    levels = [dict(recoding.levels) for recoding in recodings]
    known = [
        {name: sets_of(study, name, level) for name, level in of.items() if name not in left_aside}
        for of in levels
    ]

    def fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        for name, a, b in zip(names, one, other, strict=True):
            if name in known[0] and not known[0][name][a] & known[1][name][b]:
                return False
            if name not in levels[0] and a != b:
                return False
        return True

    return [sum(fits(one, other) for other in second) for one in first]


@pytest.mark.parametrize("seed", range(30))
def test_every_pair_of_rows_by_hand(seed: int, tmp_path: Path) -> None:
    generator = Random(seed)
    table = random_table(generator, sensitive=seed % 2, rows=(10, 40), quasi=(1, 3), missing=0.3)
    study = table.study()
    recodings = []
    for name in ("a", "b"):
        levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
        whole = study.realized(LatticeRecoding.of(levels, {"k": ">=1"}))
        k = generator.choice(sorted(set(whole.classes.rows.tolist())))
        recodings.append(LatticeRecoding.of(levels, {"k": f">={k}"}))
        study.publish(Solution("", {}, 0, recodings[-1]), tmp_path / f"{name}.csv", allow_second_release=True)
    found = match_rows(tmp_path / "a.csv", tmp_path / "b.csv", schema=study.schema)
    if found.same:
        files = [sorted((tmp_path / name).read_text().splitlines()) for name in ("a.csv", "b.csv")]
        assert files[0] == files[1]
        return
    for place, pair in enumerate(((recodings[0], recodings[1]), (recodings[1], recodings[0]))):
        counts = fitting(study, pair, set(found.not_compared))
        assert found.single[place] == sum(count == 1 for count in counts)
        assert found.alone[place] == counts.count(0)
        assert found.smallest[place] == min((count for count in counts if count), default=0)
        assert found.rows[place] == len(counts)


def test_most_columns_can_be_compared(tmp_path: Path) -> None:
    """Bands of two widths, a tree and a masked code need no original."""
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 2}},
        "work": {"role": "quasi", "hierarchy": {"tree": {"low": ["a", "b"], "high": ["c"]}}},
    }
    generator = Random(1)
    rows = [
        [str(generator.randrange(60)), f"1{generator.randrange(3)}", generator.choice("abc")]
        for _ in range(60)
    ]

    study = Study(pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True))), {"columns": columns})
    for name, levels in (("a", (1, 1, 0)), ("b", (2, 0, 1))):
        recoding = LatticeRecoding.of(dict(zip(columns, levels, strict=True)), {"k": ">=1"})
        study.publish(Solution("", {}, 0, recoding), tmp_path / f"{name}.csv", allow_second_release=True)
    assert match_rows(tmp_path / "a.csv", tmp_path / "b.csv", schema=study.schema).not_compared == ()


def test_a_release_shows_nothing_new_beside_itself(tmp_path: Path) -> None:
    """However few rows share both their groups and a sensitive value."""
    table = random_table(Random(2), sensitive=1, rows=(40, 40), quasi=(2, 2))
    study = table.study()
    levels = {column.name: column.hierarchy.height for column in study.bound.quasi}
    recoding = LatticeRecoding.of(levels, {"k": ">=2"})
    for name in ("a.csv", "a.parquet"):
        study.publish(Solution("", {}, 0, recoding), tmp_path / name, allow_second_release=True)
    found = match_rows(tmp_path / "a.csv", tmp_path / "a.parquet", schema=study.schema)
    assert found.same
    assert (found.narrowed, found.alone) == ((0, 0), (0, 0))
