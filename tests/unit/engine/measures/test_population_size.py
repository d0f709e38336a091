"""k-map and presence against enumeration; search with their bounds; populations that do not fit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pyarrow
import pytest

import paretonym as pn
from paretonym.base.errors import InputError, NoSolution
from paretonym.base.rounding import round_one
from paretonym.engine.measures.population_size import (
    reachable_k_map,
    reachable_presence_max,
    reachable_presence_min,
)
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.study.study import Study

MEASURED = ("k-map", "presence-max", "presence-min")
AGES = {"columns": {"age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}}}}


def drawn(seed: int) -> RandomTable:
    return random_table(Random(f"population {seed}"), quasi=(2, 3), rows=(6, 25))


def enumerated(study: Study, people: Study, found: Realized) -> tuple[float, float, float]:
    """The three measures, person by person, by the labels that each would be shown as."""

    def shown(table: Study) -> Counter[tuple[str, ...]]:
        # Of a table as it is read: every tuple by the labels of its levels.
        cube, seen = table.cube, Counter[tuple[str, ...]]()
        for group, count in zip(cube.groups.tolist(), cube.counts.tolist(), strict=True):
            labels = []
            for axis, code, sets in zip(cube.axes, group, found.classes.sets, strict=True):
                level = sets.level or 0
                labels.append(axis.hierarchy.levels[level].labels[axis.mapping(axis.lowest, level)[code]])
            seen[tuple(labels)] += count
        return seen

    everybody = shown(people)
    classes = {
        found.classes.labels(c): int(found.classes.rows[c])
        for c in range(len(found.classes))
        if found.stays[c]
    }
    presence = [rows / everybody[labels] for labels, rows in classes.items()]
    least = min(classes.get(labels, 0) / count for labels, count in everybody.items())
    return min(everybody[labels] for labels in classes), max(presence), least


@pytest.mark.parametrize("seed", range(6))
def test_against_enumeration(seed: int) -> None:
    table = drawn(seed)
    study = table.study(with_population=True)
    columns = {n: e for n, e in table.schema["columns"].items() if e["role"] == "quasi"}
    people = RandomTable(
        tuple(
            dict(zip(table.population, row, strict=True))
            for row in zip(*table.population.values(), strict=True)
        ),
        {**table.schema, "columns": columns},
    ).study()
    generator = Random(seed)
    for _ in range(4):
        levels = {axis.name: generator.randint(axis.lowest, axis.highest) for axis in study.cube.axes}
        whole = Realized.of(LatticeRecoding.of(levels, {"k": ">=1"}), study.cube)
        k = int(generator.choice(sorted(whole.sizes.tolist())))
        found = Realized.of(LatticeRecoding.of(levels, {"k": f">={k}"}), study.cube)
        assert tuple(found.measure(*MEASURED).values()) == pytest.approx(enumerated(study, people, found))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("suppress", ["0", "15%", "any:0.3"])
def test_exact_equals_exhaustive(seed: int, suppress: str) -> None:
    study = drawn(seed).study(with_population=True)
    for names in (("k-map", "loss"), ("presence-max", "presence-min", "loss")):
        asked = ("k", *names) if suppress.startswith("any") else names
        found = study.explore(*asked, suppress=suppress, space="lattice")
        every = study.explore(*asked, suppress=suppress, search="exhaustive")
        assert found.search.complete
        assert [each.values for each in found] == [each.values for each in every]


@pytest.mark.parametrize("seed", range(8))
def test_the_bounds_hold_at_every_specialization(seed: int) -> None:
    study = drawn(seed).study(with_population=True)
    generator, axes = Random(seed), study.cube.axes
    for _ in range(25):
        high = {a.name: generator.randint(a.lowest, a.highest) for a in axes}
        low = {a.name: generator.randint(a.lowest, high[a.name]) for a in axes}
        above = Realized.of(LatticeRecoding.of(high, {"k": ">=1"}), study.cube)
        whole = Realized.of(LatticeRecoding.of(low, {"k": ">=1"}), study.cube)
        k = int(generator.choice(sorted(set(whole.sizes.tolist()))))
        below = Realized.of(LatticeRecoding.of(low, {"k": f">={k}"}), study.cube)
        values, gone = below.measure(*MEASURED), below.suppressed
        assert values["k-map"] <= reachable_k_map(above, gone)
        assert values["presence-max"] >= round_one(reachable_presence_max(above, gone))
        assert values["presence-min"] <= round_one(reachable_presence_min(above, gone))


def test_rows_of_few_people_add_up() -> None:
    """Two rows are in classes of fewer than 9 people, none of them larger than may be suppressed alone."""
    sample = ["23", "35", "41", "41", "41"]
    people = pyarrow.table({"age": ["23"] * 2 + ["35"] * 3 + ["41"] * 9})
    study = Study(pyarrow.table({"age": sample}), AGES, population_file=people)
    found = Realized.of(LatticeRecoding.of({"age": 0}, {"k": ">=1"}), study.cube)
    assert [reachable_k_map(found, rows) for rows in (0, 1, 2, 4)] == [2, 3, 9, 9]


def test_a_sample_that_is_no_sample() -> None:
    sample = pyarrow.table({"age": ["23", "23", "24", "31"]})
    people = pyarrow.table({"age": ["23", "24", "25"]})
    study = Study(sample, AGES, population_file=people)
    with pytest.raises(InputError, match="2 of 4 rows are not in the population: it has fewer people"):
        study.explore("k-map", "loss", suppress=0, space="lattice")
    # Other measures do not need it, but a wrong population is still not recorded silently.
    assert Study(sample, AGES).explore("k", "loss", suppress=0, space="lattice")


def test_what_is_missing_is_said() -> None:
    ages = pyarrow.table({"age": ["23", "23", "24", "31"]})
    with pytest.raises(InputError, match="k-map needs a table of the population that the rows were drawn"):
        Study(ages, AGES).explore("k-map", "loss", suppress=0, space="lattice")
    study = Study(ages, AGES, population_file=ages)
    with pytest.raises(InputError, match="measures of the population are not known in the space cuts"):
        study.explore("k-map", "loss", space="cuts")
    with pytest.raises(InputError, match="measures of the population are not known in the space mondrian"):
        study.explore("presence-max", "loss", space="mondrian", sweep="k=2")
    other = pyarrow.table({"years": ["23"]})
    with pytest.raises(InputError, match="read for the population"):
        Study(ages, AGES, population_file=other).explore("k-map", "loss", suppress=0, space="lattice")
    with pytest.raises(NoSolution, match="No release of this table has k-map>=9"):
        study.explore("k-map", "loss", suppress=0, at_least={"k-map": 9}, space="lattice")


def test_values_that_only_the_population_has() -> None:
    """Somebody of 27 looks like the sample's 23 in [20, 30)."""
    sample, people = ["23", "35"], ["23", "23", "27", "35", "35", "62", ""]
    schema = {**AGES, "missing": "drop"}
    study = Study(pyarrow.table({"age": sample}), schema, population_file=pyarrow.table({"age": people}))
    assert [s["k-map"] for s in study.explore("k-map", "loss", suppress=0, space="lattice")] == [6, 2]
    found = Realized.of(LatticeRecoding.of({"age": 1}, {"k": ">=1"}), study.cube).measure(*MEASURED)
    assert found == {"k-map": 2, "presence-max": 0.5, "presence-min": 0}
    top = Realized.of(LatticeRecoding.of({"age": 3}, {"k": ">=1"}), study.cube).measure(*MEASURED)
    assert top == pytest.approx({"k-map": 6, "presence-max": 1 / 3, "presence-min": 1 / 3})


def test_a_saved_run_opens_its_population_again(tmp_path: Path) -> None:
    data, people = tmp_path / "sample.csv", tmp_path / "people.csv"
    data.write_text("age\n23\n24\n", encoding="utf-8")
    people.write_text("age,name\n23,a\n23,b\n24,c\n24,d\n24,e\n", encoding="utf-8")
    study = Study(data, AGES, population_file=people)
    assert str(people) in study.inputs
    study.explore("k-map", "loss", suppress=0, space="lattice").save(tmp_path / "run")
    loaded = pn.load(tmp_path / "run")
    assert str(people) in loaded[0].known_data.inputs
    first = loaded[0]
    assert first.known_data.realized(first.recoding).measure("k-map") == {"k-map": first["k-map"]}
    people.write_text("age,name\n23,a\n24,c\n24,d\n24,e\n", encoding="utf-8")
    changed = pn.load(tmp_path / "run")[0]
    with pytest.raises(InputError, match="the population has changed since this run was made"):
        changed.known_data.realized(changed.recoding).measure("k-map")
