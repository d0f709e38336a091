"""The binary spread index, beside a count of every row."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.measures.recoded_counts import Realized
from paretonym.report.spread_index import spread_index

COLUMNS = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive"},
}


def sizes_by_row(rows: list[tuple[int, str]], realized: Realized) -> list[int]:
    """The size of each row's class, 0 where it is suppressed, by the values of the row."""
    axes = [axis.hierarchy.leaves for axis in realized.cube.axes]
    places = {tuple(codes): place for place, codes in enumerate(realized.cube.groups.tolist())}
    found = []
    for row in rows:
        place = places[tuple(leaves.index(str(value)) for leaves, value in zip(axes, row, strict=True))]
        owner = int(realized.classes.of_tuple[place])
        found.append(int(realized.classes.rows[owner]) if realized.stays[owner] else 0)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_beside_every_row(seed: int) -> None:
    generator = Random(f"spread {seed}")
    rows = [(generator.randint(0, 7), generator.choice("fm")) for _ in range(generator.randint(10, 40))]
    table = pa.table({"age": [a for a, _ in rows], "sex": [s for _, s in rows], "ill": ["x"] * len(rows)})
    study = pn.Study(table, {"columns": COLUMNS})
    front = study.explore("k", "loss", suppress=0.2, space="lattice")
    realized = [Realized.of(solution.recoding, study.cube) for solution in front]
    for one in realized:
        for other in realized:
            index = spread_index(("a", one), ("b", other))
            before, after = sizes_by_row(rows, one), sizes_by_row(rows, other)
            pairs = list(zip(before, after, strict=True))
            assert index.gain == sum(max(b - a, 0) for a, b in pairs)
            assert index.loss == sum(max(a - b, 0) for a, b in pairs)
            assert index.better == pytest.approx(sum(b > a for a, b in pairs) / len(rows))
            assert index.worse == pytest.approx(sum(b < a for a, b in pairs) / len(rows))
            assert index.gain - index.loss == sum(after) - sum(before)


def test_a_comparison_has_them() -> None:
    front = pn.example("adult").explore("k", "loss", suppress=0.01, space="lattice")
    spreads = pn.compare({"a": front, "b": front}).as_json()["spreads"]
    assert len(spreads) == 9
    assert all(spread["gain"] != spread["loss"] for spread in spreads)
