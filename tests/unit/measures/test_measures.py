"""The registry, rounding, and exact costs."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from paretonym.errors import Field, InputError
from paretonym.measures.cell_costs import RULES, lattice_costs
from paretonym.measures.objective import objective, objectives
from paretonym.measures.registry import MEASURES
from paretonym.measures.whole_number_costs import EXACT
from paretonym.rounding import rounded
from paretonym.testing.random_tables import RandomTable, random_table

KNOWN = f"known: {', '.join(sorted(MEASURES))}"


def test_every_name_is_its_key() -> None:
    assert all(card.name == name for name, card in MEASURES.items())
    assert {card.better for card in MEASURES.values()} == {"more", "less"}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["los"], f"objectives: there is no measure 'los'; did you mean 'loss'? {KNOWN}"),
        ([""], "objectives: no objective is named; name at least one, such as k,loss"),
        (
            ["l"],
            "objectives: l needs a column of role 'sensitive', and the schema has none; "
            'give a column role = "sensitive", or leave l out',
        ),
        (["k@q0"], "objectives: 'k@q0' names a column, but k is not about one; ask for k"),
        (["zzz"], f"objectives: there is no measure 'zzz'; {KNOWN}"),
        (["k", "loss", "k"], "objectives: 'k' is named twice; name each objective once"),
        ([], "objectives: no objective is named; name at least one, such as k,loss"),
    ],
)
def test_refused(names: list[str], said: str) -> None:
    with pytest.raises(InputError) as error:
        objectives(names, random_table(Random(0)).study().cube)
    assert str(error.value) == said


def test_the_place_is_named() -> None:
    with pytest.raises(InputError, match=r"^best: there is no measure 'x'; "):
        objective("x", random_table(Random(0)).study().cube, place=Field("best"))


def test_rounding_removes_the_order_of_sums() -> None:
    generator = Random(0)
    for _ in range(200):
        parts = [generator.random() for _ in range(50)]
        sums = [sum(generator.sample(parts, 50)) for _ in range(5)]
        assert len(set(rounded(np.array(sums)).tolist())) == 1


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 123456789012.0, 2.0**53, np.inf, -np.inf])
def test_rounding_leaves_whole_numbers_and_infinities(value: float) -> None:
    assert rounded(np.array([value])).tolist() == [value]


@pytest.mark.parametrize("value", [1 / 3, 2 / 3, 1e-7 / 3, 12345.678901234567, 0.1 + 0.2, -1 / 7])
def test_rounding_to_twelve_digits(value: float) -> None:
    assert rounded(np.array([value])).tolist() == [float(f"{value:.11e}")]
    assert rounded(rounded(np.array([value]))).tolist() == rounded(np.array([value])).tolist()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", RULES)
def test_costs_are_whole(name: str, seed: int) -> None:
    """Sums of whole numbers are exact in any order, as long as every digit's sums stay below 2⁵³."""
    cube = random_table(Random(seed)).study().cube
    costs = lattice_costs(RULES[name](cube), cube)
    rule = costs.rule
    for digit in costs.units:
        for axis, levels in zip(cube.axes, digit, strict=True):
            assert len(levels) == axis.steps + 1
            assert all(np.array_equal(level, np.rint(level)) for level in levels)
    for total in costs.totals:
        assert np.array_equal(total, np.rint(total))
    assert max(sum(total[d].max() for total in costs.totals) for d in range(len(costs.units))) < EXACT
    assert (rule.most.times(cube.rows) - rule.base).over(rule.whole) <= 1.0


def test_a_column_of_one_value_costs_nothing_in_any_loss() -> None:
    """`one` has one value and a hierarchy above it: whatever is shown, it says the same."""
    rows = ({"one": "x", "two": "a"}, {"one": "x", "two": "b"})
    columns: dict[str, dict[str, Any]] = {
        "one": {"role": "quasi", "hierarchy": {"tree": {"letters": ["x"]}}, "levels": [1, 1]},
        "two": {"role": "quasi", "hierarchy": {"flat": True}},
    }
    for loss in ("precision-loss", "loss", "entropy-loss"):
        front = RandomTable(rows, {"columns": columns}).study().explore("k", loss, suppress=0)
        assert [(each["k"], each[loss]) for each in front] == [(2, 0.5), (1, 0)]


def test_a_column_of_one_value_costs_nothing_but_weighs() -> None:
    rows = ({"one": "x", "two": "a"}, {"one": "x", "two": "b"})
    columns = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in ("one", "two")}
    (top, *_) = RandomTable(rows, {"columns": columns}).study().explore("k", "gl", suppress=0)
    assert (top["k"], top["gl"]) == (2, 0.5)
