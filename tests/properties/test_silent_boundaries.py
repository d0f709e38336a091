"""Nothing that a release of cuts shows depends on rows that are not in it: tables that differ only in
suppressed rows, also such as lie in the gap beside a cut, give equal bytes under an equal recoding."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.measures.recoded_counts import meeting
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.naive.boundaries import Column, shown_rows

FLAT = {"hierarchy": {"flat": True}}
# How values are written, and what the schema says about them.
COLUMNS: dict[str, tuple[Callable[[int], str], dict[str, Any]]] = {
    "flat integers": (str, {"type": "integer", **FLAT}),
    "intervals": (str, {"type": "integer", "hierarchy": {"intervals": [20, 100]}}),
    "odd intervals": (str, {"type": "integer", "hierarchy": {"intervals": [7], "origin": 3}}),
    "breaks": (str, {"type": "integer", "hierarchy": {"breaks": [[33, 110, 250, 260], [110]]}}),
    "granules": (str, {"type": "integer", "hierarchy": {"intervals": [50]}, "granularity": 10}),
    "coded": (str, {"type": "integer", "hierarchy": {"intervals": [20]}, "bottom": 40, "top": 250}),
    "levels": (str, {"type": "integer", "hierarchy": {"intervals": [20, 100]}, "levels": [1, 3]}),
    "decimals": (lambda n: f"{n // 10}.{n % 10}", {"type": "decimal", **FLAT}),
    "even decimals": (lambda n: str(Decimal(n) / 10), {"type": "decimal", "hierarchy": {"intervals": [2.5]}}),
    "flat dates": (lambda n: str(date(2019, 11, 20) + timedelta(n)), {"type": "date", **FLAT}),
    "months": (
        lambda n: str(date(2019, 11, 20) + timedelta(n)),
        {"type": "date", "hierarchy": {"date": ["month", "year"]}},
    ),
}
K = 4


def written(name: str, points: list[int]) -> list[str]:
    return [COLUMNS[name][0](point) for point in points]


def study(name: str, rows: list[tuple[int, str, str]], whose: list[str] | None) -> Study:
    columns: dict[str, Any] = {
        "x": {"role": "quasi", **COLUMNS[name][1]},
        "town": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
    table = {
        "x": written(name, [point for point, _, _ in rows]),
        "town": [town for _, town, _ in rows],
        "ill": [ill for _, _, ill in rows],
    }
    if whose is not None:
        columns["who"] = {"role": "person"}
        table["who"] = whose
    return Study(pa.table(table), {"columns": columns})


def recoding(made: Study, name: str, cuts: list[int]) -> CutsRecoding:
    """The groups between some points, in the values of one table; a granule is never divided."""
    ages, towns = (column.hierarchy.leaves for column in made.bound.quasi)
    order = {COLUMNS[name][0](point): point for point in range(400)} | {"<40": 0, "250+": 399}
    groups: dict[int, list[str]] = {}
    for leaf in ages:
        groups.setdefault(bisect_right(cuts, order[leaf]), []).append(leaf)
    parts = tuple(tuple(group) for group in groups.values())
    return CutsRecoding(
        (("x", parts), ("town", tuple((town,) for town in towns))), parse_keep({"k": f">={K}"})
    )


def published(made: Study, chosen: CutsRecoding, folder: Path) -> tuple[bytes, dict[str, Any]] | str:
    try:
        gone = made.realized(chosen).suppressed
    except InputError as error:
        return str(error)
    folder.mkdir()
    made.publish(Solution("", {}, gone, chosen), folder / "r.csv", allow_second_release=True)
    return (folder / "r.csv").read_bytes(), json.loads((folder / "r.csv.manifest.json").read_text())


def staying(generator: Random) -> list[tuple[int, str, str]]:
    """Rows of two towns, some values many times."""
    values = generator.sample(range(10, 390), generator.randint(3, 9))
    return [
        (value, town, generator.choice("uvw"))
        for value in values
        for town in "AC"
        for _ in range(generator.choice([1, 2, 3, 4, 5, 8]))
    ]


def strangers(
    generator: Random, rows: list[tuple[int, str, str]], cuts: list[int], number: int
) -> list[tuple[int, str, str]]:
    """Fewer than k rows of a third town, most of them in the gap beside a cut, up to its ends."""
    values = sorted({point for point, _, _ in rows})
    found = []
    for _ in range(number):
        cut = generator.choice(cuts)
        place = bisect_right(values, cut - 1)
        low, high = (values[place - 1] if place else 0), (values[place] if place < len(values) else 399)
        point = generator.randint(low, high) if generator.random() < 0.8 else generator.randrange(400)
        found.append((point, "B", generator.choice("uvwx")))
    return found


def cuts_between(name: str, generator: Random) -> list[int]:
    """Some points at which a column may be cut: of granules and of bounded levels only their edges."""
    step = {"granules": 10, "levels": 20}.get(name, 1)
    return sorted(generator.sample(range(20, 380, step), generator.randint(1, 4)))


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("name", COLUMNS)
def test_suppressed_rows_change_no_byte_of_cuts(name: str, persons: bool, tmp_path: Path) -> None:
    shown = 0
    for seed in range(12):
        generator = Random(f"{name} {persons} {seed}")
        rows, cuts = staying(generator), cuts_between(name, generator)
        if name == "coded":
            cuts = [cut for cut in cuts if 40 < cut < 250] or [100]
        whose = [f"p{generator.randrange(len(rows))}" for _ in rows] if persons else None
        number, results = generator.randrange(1, K), []
        for place in range(4):
            # The first table has nobody else; the others as many, so that as many rows are suppressed.
            extra = strangers(generator, rows, cuts, number) if place else []
            owners = None if whose is None else [*whose, *(f"s{i}" for i in range(len(extra)))]
            made = study(name, [*rows, *extra], owners)
            chosen = recoding(made, name, cuts)
            if not _keeps_something(made, chosen):
                break
            results.append(published(made, chosen, tmp_path / f"{seed}-{place}"))
        assert all(result == results[1] for result in results[1:]), (seed, cuts)
        assert all(result[0] == results[0][0] for result in results), (seed, cuts)
        shown += any(isinstance(result, tuple) for result in results)
    assert shown > 3


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_one_value_does_not_tell_whether_others_go(name: str, tmp_path: Path) -> None:
    """All rows that stay have one value. Shown as it is where nobody else is in the table, but as `*` beside
    a suppressed row, it would tell of that row."""
    rows = [(140, town, "u") for town in "AC" for _ in range(K)]
    results = []
    for place, extra in enumerate(([], [(180, "B", "u")], [(140, "B", "v"), (220, "B", "u")])):
        made = study(name, [*rows, *extra], None)
        results.append(published(made, recoding(made, name, [200]), tmp_path / str(place)))
    assert isinstance(results[0], tuple)
    assert all(result == results[0] for result in results)
    assert results[0][1]["recoding"]["labels"]["x"] == ["*"]


@pytest.mark.parametrize("name", ["flat integers", "intervals", "months"])
def test_a_column_of_missing_values_does_not_tell_whether_others_go(name: str, tmp_path: Path) -> None:
    results = []
    for place, extra in enumerate(([], written(name, [180]))):
        quasi = {"role": "quasi", "missing": "value", **COLUMNS[name][1]}
        columns = {"x": quasi, "town": {"role": "quasi", **FLAT}}
        table = {"x": ["" for _ in range(K)] + extra, "town": ["A"] * K + ["B" for _ in extra]}
        made = Study(pa.table(table), {"columns": columns})
        groups = tuple(
            (column.name, tuple((leaf,) for leaf in column.hierarchy.leaves)) for column in made.bound.quasi
        )
        results.append(
            published(made, CutsRecoding(groups, parse_keep({"k": f">={K}"})), tmp_path / str(place))
        )
    assert isinstance(results[0], tuple)
    assert results[0] == results[1]


def _keeps_something(made: Study, chosen: CutsRecoding) -> bool:
    return bool(meeting(made.cube, chosen.made(made.cube), chosen.keep).any())


def day(point: int) -> date:
    return date(2019, 11, 20) + timedelta(point)


EDGES: dict[str, Callable[[int], bool]] = {
    "intervals": lambda point: point % 20 == 0,
    "odd intervals": lambda point: point % 7 == 3,
    "breaks": lambda point: point in (33, 110, 250, 260),
    "granules": lambda point: point % 10 == 0,
    "coded": lambda point: 40 <= point <= 250 and (point % 20 == 0 or point in (40, 250)),
    "levels": lambda point: point % 20 == 0,
    "even decimals": lambda point: point % 25 == 0,
    "months": lambda point: day(point).day == 1,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_labels_of_cuts_are_those_of_the_rule(name: str) -> None:
    compared = refused = 0
    decimal, dated = "decimals" in name, name in ("flat dates", "months")
    column = Column(
        (lambda point: str(day(point))) if dated else (lambda n: f"{Decimal(n) / 10:f}") if decimal else str,
        EDGES.get(name, lambda point: False),
        10 if decimal else 1,
        day if dated else None,
    )
    for seed in range(60):
        generator = Random(f"rule {name} {seed}")
        rows, cuts = staying(generator), cuts_between(name, generator)
        if decimal and seed % 2:
            rows = [(point // 10 * 10, town, ill) for point, town, ill in rows]
        if name == "coded":
            cuts = [cut for cut in cuts if 40 < cut < 250] or [100]
        rows += strangers(generator, rows, cuts, generator.randrange(K))
        if name == "coded":
            rows = [(min(max(point, 39), 250), town, ill) for point, town, ill in rows]
        made = study(name, rows, None)
        chosen = recoding(made, name, cuts)
        classes = Counter((bisect_right(cuts, point), town) for point, town, _ in rows)
        left = [
            (point, bisect_right(cuts, point), town)
            for point, town, _ in rows
            if classes[bisect_right(cuts, point), town] >= K
        ]
        if not left:
            continue
        k = min(size for size in classes.values() if size >= K)
        sizes = Counter(point for point, _, _ in left)
        expected = shown_rows(column, [(point, group) for point, group, _ in left], sizes, k)
        if expected is None:
            refused += 1
            with pytest.raises(InputError, match="a cut would show a value of fewer people"):
                made.realized(chosen)
            continue
        compared += 1
        realized = made.realized(chosen)
        labels: Counter[tuple[str, ...]] = Counter()
        for place in range(len(realized.classes)):
            if realized.stays[place]:
                labels[realized.classes.labels(place)] += int(realized.classes.rows[place])
        assert labels == Counter((label, town) for label, (_, _, town) in zip(expected, left, strict=True)), (
            seed,
            cuts,
        )
    assert compared > 10
    assert refused or name not in ("flat integers", "decimals", "flat dates")
