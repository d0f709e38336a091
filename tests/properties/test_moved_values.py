"""No label tells where a value lies that fewer than k rows have: as long as it keeps its place in the order
and crosses no boundary of the schema, it may move, and every label stays as it is."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from paretonym.study import SearchName, SpaceName
from paretonym.study.study import Study

ILL = {"role": "sensitive"}
WIDTH = 100
LAYOUT = "%d %b %Y"


MONTHS = {"hierarchy": {"date": ["month", "year"]}}


def schema(kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "columns": {
            "x": {"role": "quasi", "type": kind, **entry},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "ill": ILL,
        }
    }


ENTRIES: dict[str, dict[str, Any]] = {
    "flat": {"hierarchy": {"flat": True}},
    "intervals": {"hierarchy": {"intervals": [WIDTH, 4 * WIDTH]}},
    "granularity": {"hierarchy": {"intervals": [4 * WIDTH]}, "granularity": WIDTH},
    "coded": {"hierarchy": {"intervals": [WIDTH]}, "bottom": WIDTH, "top": 8 * WIDTH},
}


def written(kind: str, point: int) -> str:
    if kind == "date":
        return (date(1990, 1, 1) + timedelta(days=point)).isoformat()
    return str(point) if kind == "integer" else f"{point // 10}.{point % 10}"


def points(generator: Random) -> list[int]:
    """Some values that many rows have, others that one or two have, and a few far away."""
    many = generator.sample(range(0, 1000, 7), generator.randint(2, 8))
    few = generator.sample(range(1000), generator.randint(3, 25))
    drawn = [point for point in many for _ in range(generator.randint(3, 12))]
    drawn += [point for point in few for _ in range(generator.randint(1, 2))]
    return drawn + generator.sample([4000, 9876, 8765], generator.randint(0, 2))


def study(kind: str, entry: str, drawn: list[int], seed: int, whose: list[str] | None = None) -> Study:
    generator = Random(seed)
    texts = [written(kind, point) for point in drawn]
    sexes = [generator.choice("fm") for _ in drawn]
    ill = [generator.choice("abc") for _ in drawn]
    rows = {"x": texts, "sex": sexes, "ill": ill}
    made = schema(kind, {**ENTRIES, "months": MONTHS}[entry])
    if whose is None:
        return Study(pa.table(rows), made)
    made["columns"]["who"] = {"role": "person"}
    return Study(pa.table({**rows, "who": whose}), made)


def moved(kind: str, entry: str, drawn: list[int], which: int, generator: Random) -> list[int] | None:
    """The same with one value elsewhere between its neighbours, in the same sets of the schema."""
    values = sorted(set(drawn))
    place = values.index(which)
    low = values[place - 1] if place else which - 50
    high = values[place + 1] if place + 1 < len(values) else which + 5000
    room = [p for p in range(low + 1, high) if p != which and p >= 0 and same_sets(kind, entry, p, which)]
    if not room:
        return None
    other = generator.choice(room)
    return [other if point == which else point for point in drawn]


def same_sets(kind: str, entry: str, one: int, other: int) -> bool:
    """Whether no boundary of the schema lies between two points."""
    scale = 10 if kind == "decimal" else 1
    if entry == "flat":
        return True
    if entry == "months":
        return written(kind, one)[:7] == written(kind, other)[:7]
    zone = [min(max(p // scale // WIDTH, 0), 8 if entry == "coded" else 10**9) for p in (one, other)]
    return zone[0] == zone[1]


def releases(made: Study, space: SpaceName, **options: Any) -> dict[str, tuple[int, Counter[Any]]]:
    """Every release that is found, by its values: its k, and how many rows show which labels."""
    found = {}
    for solution in made.explore("k", "loss", space=space, **options):
        rows = solution.release().to_pylist()
        shown = Counter((row["x"], row["sex"]) for row in rows)
        found[str(sorted(solution.values.items()))] = (int(solution.values["k"]), shown)
    return found


@pytest.mark.parametrize(("space", "search"), [("cuts", None), ("mondrian", None), ("mondrian", "improve")])
def test_one_large_income_is_in_no_label(space: SpaceName, search: SearchName | None) -> None:
    """Incomes below 40,000 and one of 987,654: with k = 40 every row showed <987654."""
    generator = Random(space)
    incomes = [generator.choice(range(12_000, 40_000, 1_000)) for _ in range(2000)] + [987_654]
    rows = {"x": incomes, "sex": [generator.choice("fm") for _ in incomes], "ill": ["a"] * len(incomes)}
    made = Study(pa.table(rows), schema("integer", ENTRIES["flat"]))
    options: dict[str, Any] = {"sweep": ["k=40,80"]} if space == "mondrian" else {"at_least": {"k": 40}}
    found = releases(made, space, search=search, **options)
    assert any(len(shown) > 3 for _, shown in found.values())
    for _, shown in found.values():
        labels = " ".join(label for label, _ in shown)
        assert "987654" not in labels
        assert not any(int(number) > 40_000 for number in re.findall(r"\d+", labels))


@pytest.mark.parametrize("space", ["cuts", "mondrian"])
def test_no_date_of_birth_of_a_pupil_is_in_a_label(space: SpaceName) -> None:
    """37 of 400 were. Months begin on the first; other days are those, or the next, that k pupils have."""
    folder = Path(__file__).parents[2] / "examples" / "tables"
    made = Study(folder / "school.csv", folder / "school.toml")
    born = Counter(pd.read_csv(folder / "school.csv")["date_of_birth"])
    ways = {"mondrian": {"sweep": ["k=2,5,10"]}, "cuts": {"suppress": 0.05, "evaluations": 2000}}
    for solution in made.explore("k", "loss", space=space, **ways[space]):  # type: ignore[arg-type]
        shown = " ".join(solution.release()["date_of_birth"].unique())
        for day in re.findall(r"\d\d \w\w\w \d{4}", shown):
            before = (datetime.strptime(day, LAYOUT) - timedelta(days=1)).strftime(LAYOUT)
            assert day.startswith("01 ") or max(born[day], born[before]) >= solution.values["k"]


WAYS: dict[str, dict[str, Any]] = {
    "cuts": {"space": "cuts", "suppress": "any:0.1", "evaluations": 400},
    "limit": {"space": "cuts", "suppress": 0.1, "evaluations": 300},
    "nsga2": {"space": "cuts", "search": "nsga2", "population": 20, "generations": 8},
    "mondrian": {"space": "mondrian", "sweep": ["k=2,3,5,8", "l=2,3"]},
    "improved": {"space": "mondrian", "search": "improve", "sweep": ["k=2,3,5,8", "l=2,3"]},
}


@pytest.mark.parametrize(
    ("kind", "entry"),
    [*product(("integer", "decimal"), ENTRIES), ("date", "flat"), ("date", "months")],
)
@pytest.mark.parametrize("way", WAYS)
def test_no_label_changes_when_a_value_of_few_rows_moves(way: str, kind: str, entry: str) -> None:
    tried = 0
    for seed in range(3):
        generator = Random(f"{way} {kind} {entry} {seed}")
        drawn = points(generator)
        first = releases(study(kind, entry, drawn, seed), **WAYS[way])
        for which in generator.sample(sorted(set(drawn)), 2):
            other = moved(kind, entry, drawn, which, generator)
            if other is None:
                continue
            second = releases(study(kind, entry, other, seed), **WAYS[way])
            for name, (k, shown) in first.items():
                # Which releases are chosen may depend on all values.
                if drawn.count(which) < k and name in second:
                    tried += 1
                    assert second[name] == (k, shown), (seed, which)
    assert tried


@pytest.mark.parametrize(("kind", "entry"), [("integer", "coded"), ("date", "flat")])
@pytest.mark.parametrize("way", ["cuts", "limit", "mondrian", "improved"])
def test_no_label_changes_when_a_value_of_few_persons_moves(way: str, kind: str, entry: str) -> None:
    """Many rows of a value may be those of one person, who has k rows there and is one."""
    tried = 0
    for seed in range(2):
        generator = Random(f"{way} {kind} {entry} {seed}")
        drawn = points(generator)
        some = max(2, len(drawn) // 2)
        whose = [
            f"own {point % 5}" if generator.random() < 0.4 else f"p{generator.randrange(some)}"
            for point in drawn
        ]
        first = releases(study(kind, entry, drawn, seed, whose), **WAYS[way])
        for which in generator.sample(sorted(set(drawn)), 3):
            persons = len({who for who, point in zip(whose, drawn, strict=True) if point == which})
            other = moved(kind, entry, drawn, which, generator)
            if other is None or all(k <= persons for k, _ in first.values()):
                continue
            second = releases(study(kind, entry, other, seed, whose), **WAYS[way])
            for name, (k, shown) in first.items():
                if persons < k and name in second:
                    tried += 1
                    assert second[name] == (k, shown), (seed, which)
    assert tried
