"""A recoding made real says the same of itself as the search did, for every measure and every rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.engine.measures.card import Measure
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import RandomTable
from paretonym.study.study import Study
from tests.strategies import tables


@pytest.mark.parametrize("suppress", ["0", "20%", "any:0.3"])
@settings(max_examples=12)
@given(table=tables(sensitive=1) | tables(sensitive=2))
def test_measures_agree_with_the_search(table: RandomTable, suppress: str) -> None:
    study = table.study()
    names = ("k", "l", "t-js", "loss", "entropy-loss", "precision-loss")
    front = study.explore(*names, suppress=suppress, at_most={"sl": 0.9}, space="lattice")
    for solution in front:
        found = Realized.of(solution.recoding, study.cube)
        assert found.measure(*solution.values) == pytest.approx(solution.values, rel=5.1e-10, abs=1e-12)
        assert found.suppressed == solution.suppressed


def test_every_measure_has_a_value() -> None:
    study = pn.example("adult-six")
    recoding = LatticeRecoding.of({axis.name: axis.highest for axis in study.cube.axes}, {"k": ">=1"})
    found = Realized.of(recoding, study.cube)

    def possible(card: Measure) -> bool:
        return card.counted.over != "class" and "ordered" not in card.name and not card.needs

    names = [name for name, card in MEASURES.items() if possible(card)]
    values = found.measure(*names)
    assert values["k"] == study.cube.rows
    assert values["loss"] == 1
    assert values["t"] == 0


def test_classes_show_labels() -> None:
    study = pn.example("adult")
    levels = {axis.name: axis.highest for axis in study.cube.axes} | {"sex": 0}
    classes = LatticeRecoding.of(levels, {}).classes(study.cube)
    place = study.cube.axes.index(next(axis for axis in study.cube.axes if axis.name == "sex"))
    assert {classes.labels(c)[place] for c in range(len(classes))} == {"Female", "Male"}
    assert classes.rows.sum() == study.cube.rows


def test_a_saved_run_opens_its_data_again(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("sex\nf\nf\nm\n", encoding="utf-8")
    schema = {"columns": {"sex": {"role": "quasi", "hierarchy": {"flat": True}}}}
    Study(data, schema).explore("k", "loss", suppress=0, space="lattice").save(tmp_path / "run")
    front = pn.load(tmp_path / "run")
    assert front[0].known_data.realized(front[0].recoding).measure("k") == {"k": 3}
    data.write_text("sex\nf\nf\nf\n", encoding="utf-8")
    changed = pn.load(tmp_path / "run")[0]
    with pytest.raises(InputError, match="the data have changed since this run was made"):
        changed.known_data.realized(changed.recoding)
