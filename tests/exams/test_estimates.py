"""The measures that look at what classes show: beside explicit enumeration, in every space."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from paretonym.engine.measures.estimates.counting_queries import queries
from paretonym.engine.measures.estimates.released_regions import Seen, regions
from paretonym.engine.measures.estimates.squared_error import squared_error
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.recoding.equivalence_classes import Recoding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.study import SearchName
from tests.naive import estimates
from tests.naive.levels import Shown
from tests.naive.twin import Classes, Row, Table

TWINS = ("utility-loss", "query-error")
# Their twins are in tests/naive/purposes.py.
DECLARED = ("ci-overlap", "sign-kept", "table-error", "mean-error", "quantile-error", "purpose")
NUMBERS = ("sse",)
ANALYSTS = ("marginal-error", "association-error", "pmse")
# Their twins are in test_population_size.py and test_estimated_population.py.
POPULATION = ("k-map", "presence-max", "presence-min")
ESTIMATED = ("k-map-estimated", "expected-reidentifications")
# In tests/properties, too.
HOUSEHOLDS, REQUIRED = ("k-household",), ("k-ratio",)


def small_table(seed: int) -> RandomTable:
    return random_table(Random(f"estimates {seed}"), quasi=(2, 3), rows=(8, 30), sensitive=1 + seed % 2)


def seen_by(drawn: RandomTable, table: Table, found: Realized) -> Classes:
    """The rows of every class that stays, by the values that it shows."""
    classes: dict[tuple[Shown, ...], list[Row]] = {}
    for row in table.rows:
        place = int(found.classes.of_tuple[tuple_of(found, row)])
        if found.stays[place]:
            classes.setdefault(shown_by(found, place), []).append(row)
    return classes


def shown_by(found: Realized, place: int) -> tuple[Shown, ...]:
    shown = []
    for j, (axis, sets) in enumerate(zip(found.cube.axes, found.classes.sets, strict=True)):
        entry = int(found.classes.shown[place, j])
        leaves = axis.hierarchy.leaves[sets.first[entry] : sets.after[entry]]
        shown.append(frozenset(None if leaf == "(missing)" else leaf for leaf in leaves))
    return tuple(shown)


def tuple_of(found: Realized, row: Row) -> int:
    """The tuple that a row belongs to. Leaves are values as they are written, in these tables."""
    wanted = np.ones(found.cube.tuples, dtype=np.bool_)
    for j, axis in enumerate(found.cube.axes):
        value = row[axis.name]
        leaf = axis.hierarchy.leaves.index("(missing)" if value is None else value)
        wanted &= found.cube.groups[:, j] == axis.hierarchy.levels[axis.lowest].groups[leaf]
    return int(np.flatnonzero(wanted)[0])


def lattice_node(generator: Random, drawn: RandomTable) -> Recoding:
    axes = drawn.study().cube.axes
    levels = {axis.name: generator.randint(axis.lowest, axis.highest) for axis in axes}
    return LatticeRecoding.of(levels, {"k": ">=2"} if generator.random() < 0.5 else {})


@pytest.mark.parametrize("seed", range(24))
def test_utility_loss_of_lattices_and_parts(seed: int) -> None:
    drawn, generator = small_table(seed), Random(seed)
    table = Table.of(drawn.rows, drawn.schema)
    cube = drawn.study().cube
    node = lattice_node(generator, drawn)
    if not node.classes(cube).rows.max() >= 2:
        node = LatticeRecoding.of(dict(node.as_json()["levels"]), {})
    for recoding in (node, PartsRecoding.of({"k": 2}), PartsRecoding.of({"k": 4})):
        found = Realized.of(recoding, cube)
        classes = seen_by(drawn, table, found)
        slow = estimates.utility_loss(table, [classes] * len(table.sensitive))
        assert found.measure("utility-loss")["utility-loss"] == pytest.approx(slow, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_reader_who_knows_the_margins(seed: int) -> None:
    """Beside the same fitting of every cell of every class."""
    drawn = random_table(Random(f"margins {seed}"), quasi=(2, 2), rows=(8, 16), sensitive=1)
    table, cube = Table.of(drawn.rows, drawn.schema), drawn.study().cube
    found = Realized.of(PartsRecoding.of({"k": 3}), cube)
    slow = estimates.fitted_loss(table, seen_by(drawn, table, found), table.sensitive[0], 300)
    fast = found.measure("utility-loss", settings={"utility-loss": {"reader": "margins"}})["utility-loss"]
    assert fast == pytest.approx(slow, abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_utility_loss_of_buckets(seed: int) -> None:
    """Every row as it is, once with each sensitive value of its part."""
    drawn = small_table(seed)
    table, cube = Table.of(drawn.rows, drawn.schema), drawn.study().cube
    parts = Realized.of(PartsRecoding.of({"k": 3}), cube)
    found = Realized.of(BucketsRecoding.of({"k": 3}), cube)
    slow = 0.0
    for column in table.sensitive:
        total = 0.0
        large = estimates.populations(table, Fraction(1, 20))
        members = seen_by(drawn, table, parts)
        for population in large:
            inside = [row for row in table.rows if estimates.belongs(table, population, row)]
            true = {v: Fraction(sum(r[column.name] == v for r in inside)) for v in column.values}
            guess = {v: Fraction(0) for v in column.values}
            for rows in members.values():
                here = sum(estimates.belongs(table, population, row) for row in rows)
                for row in rows:
                    guess[row[column.name]] += Fraction(here, len(rows))
            total += estimates.distance(column, true, guess)
        slow += total / len(large) if large else 0.0
    assert found.measure("utility-loss")["utility-loss"] == pytest.approx(
        slow / len(table.sensitive), abs=1e-9
    )


@pytest.mark.parametrize("seed", range(16))
def test_what_analysts_tabulate(seed: int) -> None:
    drawn, generator = small_table(seed), Random(seed)
    table, cube = Table.of(drawn.rows, drawn.schema), drawn.study().cube
    for recoding in (PartsRecoding.of({"k": 3}), lattice_node(generator, drawn)):
        if not any(recoding.classes(cube).rows >= 2):
            continue
        found = Realized.of(recoding, cube)
        slow = estimates.analyst_errors(table, seen_by(drawn, table, found))
        assert found.measure(*ANALYSTS) == pytest.approx(slow, abs=1e-9)


@pytest.mark.parametrize("seed", range(16))
def test_squared_errors(seed: int) -> None:
    drawn, generator = small_table(seed), Random(seed)
    table, cube = Table.of(drawn.rows, drawn.schema), drawn.study().cube
    for recoding in (PartsRecoding.of({"k": 3}), lattice_node(generator, drawn)):
        if not any(recoding.classes(cube).rows >= 2):
            continue
        found = Realized.of(recoding, cube)
        slow = estimates.squared_error(table, seen_by(drawn, table, found))
        assert squared_error(found, (), {}) == pytest.approx(slow, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_answers_to_queries(seed: int) -> None:
    """Each answer, and the mean of what is off."""
    drawn = small_table(seed)
    table, cube = Table.of(drawn.rows, drawn.schema), drawn.study().cube
    settings = {"queries": 30.0, "qd": 2.0, "sel": 0.3, "seed": float(seed)}
    found = Realized.of(PartsRecoding.of({"k": 3}), cube)
    errors = []
    for column in table.sensitive:
        asked = queries(cube, column.name, settings)
        margin = next(m for m in cube.sensitive if m.name == column.name)
        answers = asked.answers(regions(Seen(cube, found.classes, found.stays), [column.name]))
        classes = seen_by(drawn, table, found)
        for i in range(len(answers)):
            population = tuple(
                frozenset(
                    None if leaf == "(missing)" else leaf
                    for place, leaf in enumerate(axis.hierarchy.leaves)
                    if asked.leaves[i, asked.starts[j] + place]
                )
                if asked.involved[i, j]
                else None
                for j, axis in enumerate(cube.axes)
            )
            wanted = {label for label, is_in in zip(margin.labels, asked.values[i], strict=True) if is_in}
            inside = [row for row in table.rows if estimates.belongs(table, population, row)]
            true = sum(row[column.name] in wanted for row in inside)
            guess = estimates.estimated(population, classes, column)
            slow = sum((count for value, count in guess.items() if value in wanted), Fraction(0))
            assert asked.truth[i] == true > 0
            assert answers[i] == pytest.approx(float(slow), abs=1e-9)
        errors.append((np.abs(answers - asked.truth) / asked.truth).mean())
    value = found.measure("query-error", settings={"query-error": settings})["query-error"]
    assert value == pytest.approx(sum(errors) / len(errors))


@pytest.mark.parametrize("seed", range(8))
def test_the_original_costs_nothing(seed: int) -> None:
    cube = small_table(seed).study().cube
    original = LatticeRecoding.of({axis.name: axis.lowest for axis in cube.axes}, {})
    values = Realized.of(original, cube).measure(*TWINS, *ANALYSTS)
    assert values == pytest.approx(dict.fromkeys((*TWINS, *ANALYSTS), 0.0), abs=1e-12)


def test_every_measure_from_classes_has_a_twin_here() -> None:
    from_classes = {name for name, card in MEASURES.items() if card.counted.from_classes is not None}
    people = {*POPULATION, *ESTIMATED, *HOUSEHOLDS, *REQUIRED}
    assert from_classes == {*TWINS, *ANALYSTS, *NUMBERS, *DECLARED, *people}


SETTINGS: Mapping[str, Mapping[str, float]] = {"utility-loss": {"minsup": 0.4}, "query-error": {"seed": 7.0}}


@pytest.mark.parametrize("name", TWINS)
def test_settings_count(name: str) -> None:
    cube = small_table(5).study().cube
    found = Realized.of(PartsRecoding.of({"k": 4}), cube)
    plain, set_otherwise = found.measure(name), found.measure(name, settings=SETTINGS)
    assert plain != set_otherwise
    assert found.measure(name) == plain


@pytest.mark.parametrize("suppress", ["0", "20%", "any:0.3"])
@pytest.mark.parametrize("search", ["exact", "exhaustive"])
def test_a_lattice_can_be_searched_for_it(suppress: str, search: SearchName) -> None:
    """What the search says of a solution is what is measured of it anew."""
    study = small_table(4).study()
    names = ("privacy-loss", "utility-loss", "query-error")
    front = study.explore(*names, suppress=suppress, search=search)
    assert front.search.complete
    assert len(front) > 1
    for solution in front:
        again = Realized.of(solution.recoding, study.cube).measure(*names)
        assert again == pytest.approx({name: solution.values[name] for name in names}, rel=5.1e-10, abs=1e-12)
