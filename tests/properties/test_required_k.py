"""Each person's own k: measured as somebody would by hand, in every space, and never released."""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.engine.measures.class_size import reachable_k_ratio
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.equivalence_classes import Classes

COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi", "type": "integer", "domain": [0, 7], "hierarchy": {"intervals": [2, 4]}},
    "sex": {"role": "quasi", "order": ["f", "m"], "hierarchy": {"flat": True}},
    "wish": {"role": "required-k", "default": 2},
    "ill": {"role": "sensitive"},
}
NODES = tuple(itertools.product(range(4), range(2)))
Row = tuple[int, str, int | None, str]


def drawn_rows(seed: int) -> list[Row]:
    generator = Random(f"required {seed}")
    return [
        (
            generator.randint(0, 7),
            generator.choice("fm"),
            generator.choice([None, 1, 2, 3, 5, 9]),
            generator.choice("xyz"),
        )
        for _ in range(generator.randint(2, 24))
    ]


def study_of(rows: list[Row], **wish: Any) -> pn.Study:
    names = ("age", "sex", "wish", "ill")
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    return pn.Study(table, {"columns": {**COLUMNS, "wish": {**COLUMNS["wish"], **wish}}})


def shown(row: Row, levels: tuple[int, int]) -> tuple[object, object]:
    return (row[0], row[0] // 2, row[0] // 4, "*")[levels[0]], (row[1], "*")[levels[1]]


def naive_ratio(classes: list[list[Row]]) -> Fraction:
    return min(Fraction(len(rows), max(row[2] or 2 for row in rows)) for rows in classes)


def staying(rows: list[Row], levels: tuple[int, int], allowed: int) -> list[list[Row]]:
    """The classes that stay under the suppression rule limit."""
    groups = defaultdict(list)
    for row in rows:
        groups[shown(row, levels)].append(row)
    classes = sorted(groups.values(), key=len)
    gone = 0
    for size in sorted({len(each) for each in classes}):
        more = sum(len(each) for each in classes if len(each) == size)
        if gone + more > allowed:
            return [each for each in classes if len(each) >= size]
        gone += more
    raise AssertionError("every row was suppressed")


@pytest.mark.parametrize("seed", range(60))
def test_every_node_is_measured_as_by_hand(seed: int) -> None:
    """The best of every k-ratio and loss; what exact search closes cannot add to it."""
    rows = drawn_rows(seed)
    study, generator = study_of(rows), Random(seed)
    allowed = generator.choice([0, 0, len(rows) // 4, len(rows) // 2])
    best: dict[float, float] = {}
    limit = str(Fraction(allowed, len(rows)))
    for search in ("exact", "exhaustive"):
        front = study.explore(
            "k-ratio", "loss", suppress=float(Fraction(limit)) + 1e-9, space="lattice", search=search
        )
        for solution in front:
            levels = tuple(solution.recoding.as_json()["levels"].values())
            naive = naive_ratio(staying(rows, levels, allowed))
            assert solution["k-ratio"] == pytest.approx(float(naive))
            best[solution["k-ratio"]] = solution["loss"]
        top = max(float(naive_ratio(staying(rows, levels, allowed))) for levels in NODES)
        assert max(best) == pytest.approx(top)


def whole_units_staying(
    rows: list[Row], units: list[str], levels: tuple[int, int], allowed: int, by: str
) -> list[int]:
    """The places of the rows that stay if a suppressed row takes its whole unit with it: as many units as
    need be for the largest smallest class that suppresses few enough rows."""
    best = list(range(len(rows)))
    for least in range(1, len(rows) + 1):
        stay = set(range(len(rows)))
        while True:
            groups = defaultdict(list)
            for place in stay:
                groups[shown(rows[place], levels)].append(place)
            sized = {
                look: len({units[i] for i in own} if by == "person" else own) for look, own in groups.items()
            }
            gone = {units[i] for look, own in groups.items() if sized[look] < least for i in own}
            if not gone:
                break
            stay = {i for i in stay if units[i] not in gone}
        if not stay or len(rows) - len(stay) > allowed:
            return best
        best = sorted(stay)
    return best


@pytest.mark.parametrize("role", ["person", "household"])
@pytest.mark.parametrize("seed", range(12))
def test_whole_persons_or_households_go_together(seed: int, role: str) -> None:
    """A table with required-k and such a unit could not be explored at all."""
    rows, generator = drawn_rows(seed), Random(f"units {seed}")
    units = [str(generator.randint(1, len(rows))) for _ in rows]
    names = ("age", "sex", "wish", "ill")
    table = pa.table({**{name: [row[i] for row in rows] for i, name in enumerate(names)}, "unit": units})
    columns = {**COLUMNS, "unit": {"role": role}}
    study = pn.Study(table, {"columns": columns, "suppress": {"unit": role}})
    share = generator.choice([0.15, 0.3, 0.6])
    allowed = int(Fraction(str(share)) * len(rows))
    front = study.explore("k-ratio", "loss", suppress=share, space="lattice", search="exhaustive")
    true = {}
    for levels in NODES:
        groups = defaultdict(list)
        for place in whole_units_staying(rows, units, levels, allowed, role):
            groups[shown(rows[place], levels)].append(place)
        sizes = [len({units[i] for i in own} if role == "person" else own) for own in groups.values()]
        asked = [max(rows[i][2] or 2 for i in own) for own in groups.values()]
        true[levels] = min(map(Fraction, sizes, asked))
    for solution in front:
        assert solution["k-ratio"] == pytest.approx(
            float(true[tuple(solution.recoding.as_json()["levels"].values())])
        )
    assert max(solution["k-ratio"] for solution in front) == pytest.approx(float(max(true.values())))
    exact = study.explore("k-ratio", "loss", suppress=share, space="lattice", search="exact")
    assert [dict(s.values) for s in exact] == [dict(s.values) for s in front]


@pytest.mark.parametrize("seed", range(200))
def test_what_no_specialization_reaches(seed: int) -> None:
    rows, generator = drawn_rows(seed), Random(seed)
    cube, allowed = study_of(rows).cube, generator.randint(0, len(rows) - 1)
    for high in NODES:
        classes = Classes.at_levels(cube, dict(zip(("age", "sex"), high, strict=True)))
        seen = Seen(cube, classes, np.ones(len(classes), dtype=np.bool_))
        bound = reachable_k_ratio(seen, allowed)
        for low in itertools.product(range(high[0] + 1), range(high[1] + 1)):
            assert float(naive_ratio(staying(rows, low, allowed))) <= bound + 1e-12


def test_it_never_falls_where_nothing_is_suppressed() -> None:
    for seed in range(100):
        rows = drawn_rows(seed)
        ratio = {levels: naive_ratio(staying(rows, levels, 0)) for levels in NODES}
        for low, high in itertools.product(NODES, NODES):
            if all(a <= b for a, b in zip(low, high, strict=True)):
                assert ratio[low] <= ratio[high]


@pytest.mark.parametrize("space", ["lattice", "cuts", "mondrian", "local", "buckets", "microaggregation"])
def test_every_space_measures_it_and_none_releases_it(space: str) -> None:
    generator = Random(5)
    rows: list[Row] = [
        (
            generator.randint(0, 7),
            generator.choice("fm"),
            generator.choice([1, 2, 4]),
            generator.choice("xyz"),
        )
        for _ in range(120)
    ]
    study = study_of(rows)
    second = {"microaggregation": "sse", "buckets": "utility-loss"}.get(space, "loss")
    swept: dict[str, Any] = {"mondrian": {"sweep": "k=2,10"}, "buckets": {"sweep": "l=1,2"}}.get(space, {})
    front = study.explore("k-ratio", second, suppress=0, space=space, **swept)  # type: ignore[arg-type]
    assert len(front)
    for solution in front:
        assert "wish" not in study.release(solution.recoding).column_names
        realized = Realized.of(solution.recoding, study.cube)
        assert realized.stays.all()
        assert solution["k-ratio"] == pytest.approx(float(naive_ratio(grouped(rows, realized, space))))


def grouped(rows: list[Row], realized: Realized, space: str) -> list[list[Row]]:
    """The rows by class; in buckets by their quasi-identifiers, which are shown as they are."""
    axes = [axis.hierarchy.leaves for axis in realized.cube.axes]
    groups = defaultdict(list)
    for row in rows:
        here = [leaves.index(str(value)) for leaves, value in zip(axes, row[:2], strict=True)]
        place = realized.cube.groups.tolist().index(here)
        groups[place if space == "buckets" else int(realized.classes.of_tuple[place])].append(row)
    return list(groups.values())


def test_what_is_refused() -> None:
    flat = {"role": "quasi", "hierarchy": {"flat": True}}
    with pytest.raises(pn.InputError, match="k-ratio needs a column of role required-k"):
        pn.Study(pa.table({"age": ["1", "2"]}), {"columns": {"age": flat}}).explore(
            "k-ratio", "loss", space="lattice"
        )
    for wishes, wrong in (
        ([None, 3], "1 of 2 rows do not say which k"),
        ([0, 3], "1 of 2 rows requires no whole number"),
    ):
        table = pa.table({"age": ["1", "1"], "wish": pa.array(wishes, pa.int64())})
        study = pn.Study(table, {"columns": {"age": flat, "wish": {"role": "required-k"}}})
        with pytest.raises(pn.InputError, match=wrong):
            study.explore("k", "loss", space="lattice")
