"""Comparisons: points whose order is known, and runs measured anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from paretonym.base.errors import InputError
from paretonym.engine.measures import Realized
from paretonym.engine.recoding import Recoding, digest
from paretonym.report.comparison import Measured, _shares
from paretonym.research.exams.random_tables import random_table
from paretonym.study.run_comparison import compare
from paretonym.study.study import Study


@pytest.fixture(scope="module")
def study() -> Study:
    return random_table(Random(12), rows=(60, 80), sensitive=1).study()


def test_every_run_is_measured_anew(study: Study) -> None:
    runs = {
        "levels": study.explore("k", "loss", suppress=0, space="lattice"),
        "parts": study.explore("k", "loss", space="mondrian", sweep=["k=2,4", "t-js=0.2"]),
        "buckets": study.explore(space="buckets", sweep="t-js=0.2"),
    }
    found = compare(runs, threads=2)
    assert {point.method for point in found.points} == {"levels", "parts k", "parts t-js", "buckets"}
    for point in found.points:
        run = runs[point.run]
        solution = next(each for each in run.candidates or run.solutions if each.id == point.id)
        again = study.realized(solution.recoding).measure("privacy-loss", "utility-loss")
        assert point.values == tuple(again.values())
    joint = {point.values for point in found.points if point.joint}
    for point in found.points:
        beaten = any(
            other.values[0] <= point.values[0]
            and other.values[1] <= point.values[1]
            and other.values != point.values
            for other in found.points
        )
        assert (point.values in joint) != beaten
    assert found.as_json() == compare(runs).as_json()


def test_what_several_runs_found_is_measured_once(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    front = study.explore("k", "loss", suppress=0, space="lattice")
    alone = compare({"first": front})
    asked: list[Recoding] = []
    realized = Study.realized

    def noted(study: Study, recoding: Recoding) -> Realized:
        asked.append(recoding)
        return realized(study, recoding)

    monkeypatch.setattr(Study, "realized", noted)
    both = compare(
        {"first": front, "second": study.explore("k", "gl", suppress=0, space="lattice"), "third": front}
    )
    assert len(asked) == len(set(map(digest, asked))) < len(both.points)
    values = [point.values for point in alone.points]
    for run in ("first", "third"):
        assert [point.values for point in both.points if point.run == run] == values


def points(**methods: list[tuple[float, float]]) -> list[Measured]:
    return [
        Measured(name, name, "", "", values, False) for name, found in methods.items() for values in found
    ]


def test_shares_by_hand() -> None:
    """a has (0, 1) and (1, 0), b has (1, 1). With the corner (1.01, 1.01) a covers 1.01·0.01 twice without
    what it covers doubly, b a square of 0.01."""
    first, second = _shares(points(a=[(0.0, 1.0), (1.0, 0.0)], b=[(1.0, 1.0)]), ["min", "min"])
    whole = 2 * 1.01 * 0.01 - 0.01**2
    assert (first.method, first.releases, second.method, second.releases) == ("a", 2, "b", 1)
    assert (first.covered, first.alone) == pytest.approx((1.0, 1 - 0.01**2 / whole))
    assert (second.covered, second.alone) == pytest.approx((0.01**2 / whole, 0.0), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_runs_does_not_matter(seed: int) -> None:
    """Levels and cuts reach many vectors both; each of these names both."""
    study = random_table(Random(seed), rows=(12, 40), sensitive=1).study()
    runs = {
        "lattice": study.explore("k", "loss", suppress=0, space="lattice"),
        "cuts": study.explore("k", "loss", suppress=0, space="cuts"),
        "parts": study.explore("k", "loss", space="mondrian", sweep=["k=2,3,4"]),
    }
    one = compare(runs, measures=("k", "loss"))
    other = compare({name: runs[name] for name in ("parts", "cuts", "lattice")}, measures=("k", "loss"))
    assert one.joint == other.joint
    assert set(one.shares) == set(other.shares)
    for values in {point.values for point in one.joint}:
        reaching = {point.method for point in one.points if point.values == values}
        assert {point.method for point in one.joint if point.values == values} == reaching
    assert len({(point.values, point.method) for point in one.joint}) == len(one.joint)


def test_other_data_and_other_schemas_are_refused(study: Study) -> None:
    front = study.explore("k", "loss", suppress=0, space="lattice")
    other = (
        random_table(Random(13), rows=(60, 80), sensitive=1)
        .study()
        .explore("k", "loss", suppress=0, space="lattice")
    )
    with pytest.raises(InputError, match="two: this run was made from other data than one; compare"):
        compare({"one": front, "two": other})


def test_the_same_data_counted_elsewhere_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in memory and in DuckDB, another kind of file, other rows in another order, a table in SQLite;
    not a file with one cell changed, and not one whose values have other names."""
    monkeypatch.chdir(tmp_path)
    rows = [(str(20 + n % 9), "mf"[n % 2], ("flu", "gout")[n % 3 % 2]) for n in range(60)]
    schema = {
        "columns": {
            "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5]}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "illness": {"role": "sensitive"},
        }
    }

    def written(name: str, lines: Sequence[tuple[str, ...]]) -> str:
        Path(name).write_text("\n".join(map(",".join, [("age", "sex", "illness"), *lines])) + "\n")
        return name

    first = written("a.csv", rows)
    with closing(sqlite3.connect("a.db")) as database:
        database.execute("create table people (age integer, sex text, illness text)")
        database.executemany("insert into people values (?, ?, ?)", rows)
        database.commit()
    renamed = [(age, {"m": "w", "f": "x"}[sex], illness) for age, sex, illness in rows]
    runs = {
        "csv": Study(first, schema),
        "reversed": Study(written("b.csv", rows[::-1]), schema),
        "sqlite": Study("sqlite:///a.db", schema, table="people"),
    }
    fronts = {name: each.explore("k", "loss", suppress=0, space="lattice") for name, each in runs.items()}
    assert len({point.values for point in compare(fronts, measures=("k", "loss")).joint}) == len(
        fronts["csv"]
    )
    for other in (renamed, [("21", "m", "flu"), *rows[1:]], rows[1:]):
        front = Study(written("c.csv", other), schema).explore("k", "loss", suppress=0, space="lattice")
        with pytest.raises(InputError, match="other: this run was made from other data than csv"):
            compare({"csv": fronts["csv"], "other": front})


def test_infinite_values_have_no_volume(study: Study) -> None:
    runs = {"parts": study.explore("k", "loss", space="mondrian", sweep="k=2,60")}
    found = compare(runs, measures=("delta", "loss"))
    assert all(0 <= share.covered <= 1 for share in found.shares)


def test_the_floor_is_in_the_comparison_where_it_is_known() -> None:
    """By k and loss in either order; releases of the levels lie on its near side."""
    table = random_table(Random(12), rows=(60, 80), sensitive=1).study()
    runs = {
        "levels": table.explore("k", "loss", suppress=0, space="lattice"),
        "joint": table.explore("k", "loss"),
    }
    found = compare(runs, measures=("k", "loss"))
    bound = runs["joint"].least_cost
    assert bound is not None
    assert found.floor == tuple((float(k), least) for k, least in bound.steps)
    assert compare(runs, measures=("loss", "k")).floor == tuple((least, k) for k, least in found.floor)
    assert compare(runs).floor == ()
    for point in found.points:
        if point.run == "levels":
            assert point.values[1] >= bound.at(int(point.values[0])) - 1e-9
