"""The estimated k-map against sums of weights row by row, its search against all nodes, and its refusals."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.base.rounding import round_one
from paretonym.engine.measures.estimated_population import (
    individual_risk,
    reachable_estimated_k_map,
    reachable_expected_reidentifications,
)
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study import SpaceName
from paretonym.study.study import Study

AGE = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4]}}
COLUMNS: dict[str, Any] = {
    "age": AGE,
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "w": {"role": "weight"},
}
# No common decimal, so that exact sums are not those of floats.
WEIGHTS = ("0.5", "1", "2.25", "40", "1e2", "0.3333333333333333", "7.1", ".125")


def drawn(seed: int) -> dict[str, list[str]]:
    random = Random(f"estimated {seed}")
    rows = range(random.randint(4, 25))
    return {
        "age": [str(random.randint(20, 27)) for _ in rows],
        "sex": [random.choice("fm") for _ in rows],
        "w": [random.choice(WEIGHTS) for _ in rows],
    }


def study(columns: dict[str, list[str]], described: dict[str, Any] = COLUMNS, **options: Any) -> Study:
    return Study(pyarrow.table(columns), {"columns": described}, **options)


def classes_of(columns: dict[str, list[str]], levels: dict[str, int]) -> dict[tuple[object, ...], list[int]]:
    """The rows of each class, by what they show."""
    width = (1, 2, 4, 100)[levels["age"]]
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for row, (age, sex) in enumerate(zip(columns["age"], columns["sex"], strict=True)):
        found[int(age) // width, sex if levels["sex"] == 0 else "*"].append(row)
    return dict(found)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fraction", [None, "5%"])
def test_twin(seed: int, fraction: str | None) -> None:
    columns, random = drawn(seed), Random(seed)
    own = study(columns, sampling_fraction=fraction)
    weights = [Fraction(weight) for weight in columns["w"]]
    factor = Fraction(1) if fraction is None else 20 * len(weights) / sum(weights)
    for _ in range(5):
        levels = {"age": random.randint(0, 3), "sex": random.randint(0, 1)}
        classes = classes_of(columns, levels)
        k = random.choice(sorted({len(rows) for rows in classes.values()}))
        staying = [rows for rows in classes.values() if len(rows) >= k]
        people = [max(len(rows), factor * sum(weights[row] for row in rows)) for rows in staying]
        found = Realized.of(LatticeRecoding.of(levels, {"k": f">={k}"}), own.cube)
        values = found.measure("k-map-estimated", "expected-reidentifications")
        assert values["k-map-estimated"] == pytest.approx(float(min(people)), rel=5.1e-10)
        pairs = zip(staying, people, strict=True)
        risks = [
            len(r) * float(individual_risk(len(r), float(f)))  # type: ignore[arg-type]
            for r, f in pairs
        ]
        assert values["expected-reidentifications"] == pytest.approx(sum(risks), rel=5.1e-10)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("suppress", ["0", "15%", "any:0.3"])
def test_exact_equals_exhaustive(seed: int, suppress: str) -> None:
    own = study(drawn(seed))
    for names, weights in (
        (("k-map-estimated", "loss"), 0),
        (("k-map-estimated", "loss"), 1),
        (("expected-reidentifications", "loss"), 0),
    ):
        asked = ("k", *names) if suppress.startswith("any") else names
        settings = {"loss": {"weights": weights}}
        found = own.explore(*asked, suppress=suppress, settings=settings, space="lattice")
        every = own.explore(*asked, suppress=suppress, search="exhaustive", settings=settings)
        assert found.search.complete
        assert [[s[n] for n in asked] for s in found] == [[s[n] for n in asked] for s in every]


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_holds_at_every_specialization(seed: int) -> None:
    own, random = study(drawn(seed)), Random(seed)
    for _ in range(20):
        high = {"age": random.randint(0, 3), "sex": random.randint(0, 1)}
        low = {name: random.randint(0, level) for name, level in high.items()}
        above = Realized.of(LatticeRecoding.of(high, {"k": ">=1"}), own.cube)
        whole = Realized.of(LatticeRecoding.of(low, {"k": ">=1"}), own.cube)
        k = int(random.choice(sorted(set(whole.sizes.tolist()))))
        below = Realized.of(LatticeRecoding.of(low, {"k": f">={k}"}), own.cube)
        reached = round_one(reachable_estimated_k_map(above, below.suppressed))
        values = below.measure("k-map-estimated", "expected-reidentifications")
        assert values["k-map-estimated"] <= reached
        least = reachable_expected_reidentifications(above, below.suppressed)
        assert values["expected-reidentifications"] >= least


def test_the_bound_is_the_value_where_nothing_is_split() -> None:
    """The rows at the highest risk are the suppressed ones."""
    own = study(drawn(3), {**COLUMNS, "w": {"role": "drop"}}, sampling_fraction="5%")
    whole = Realized.of(LatticeRecoding.of({"age": 1, "sex": 0}, {"k": ">=1"}), own.cube)
    for k in sorted(set(whole.sizes.tolist())):
        seen = Realized.of(LatticeRecoding.of({"age": 1, "sex": 0}, {"k": f">={k}"}), own.cube)
        value = seen.measure("expected-reidentifications")["expected-reidentifications"]
        assert reachable_expected_reidentifications(whole, seen.suppressed) == pytest.approx(value, rel=3e-9)


def test_answers_call_an_estimate_an_estimate() -> None:
    own = study(drawn(1), {**COLUMNS, "w": {"role": "drop"}}, sampling_fraction="2%")
    found = own.explore("expected-reidentifications", "loss", "k", suppress=0, space="lattice")
    assert str(found).endswith(
        "proven complete among releases with one level per column; expected-reidentifications is an estimate"
    )
    text = str(found.answer(at_most={"loss": 1}, best="expected-reidentifications"))
    assert "(the search is complete among releases with one level per column, but expected-" in text
    assert "expected-reidentifications is itself an estimate)" in text
    most = max(solution["expected-reidentifications"] for solution in found)
    text = str(found.answer(at_most={"expected-reidentifications": most}, best="loss"))
    assert "proven" not in text
    assert "(proven among releases with one level per column)" in str(
        found.answer(at_least={"k": 1}, best="loss")
    )


def test_a_sampling_fraction_alone() -> None:
    own = study(drawn(1), {**COLUMNS, "w": {"role": "drop"}}, sampling_fraction="2%")
    for solution in own.explore("k-map-estimated", "loss", suppress=0, space="lattice"):
        assert solution["k-map-estimated"] == 50 * solution["k"]


def test_everybody_counts_once() -> None:
    """Two visits of one person in two classes, one class once they are merged."""
    columns = {"whose": ["a", "a", "b"], "age": ["20", "22", "20"], "sex": ["f"] * 3, "w": ["3", "3", "5"]}
    own = study(columns, {"whose": {"role": "person"}, **COLUMNS})
    found = {}
    for level in (0, 2):
        recoding = LatticeRecoding.of({"age": level, "sex": 0}, {"k": ">=1"})
        found[level] = Realized.of(recoding, own.cube).measure("k-map-estimated")["k-map-estimated"]
    # {a, b} and {a}; then a counts once.
    assert found == {0: 3, 2: 8}


@pytest.mark.parametrize("space", ["cuts", "mondrian", "local"])
def test_other_spaces(space: SpaceName) -> None:
    own = study({**drawn(2), "age": [str(20 + i % 8) for i in range(len(drawn(2)["age"]))]})
    asked: dict[str, Any] = {"sweep": "k=2,4"} if space == "mondrian" else {"suppress": "10%"}
    found = own.explore("k-map-estimated", "loss", space=space, **asked)
    for solution in found:
        realized = own.realized(solution.recoding)
        people = own.cube.weights.people_in(realized.classes.of_tuple, len(realized.classes))
        people = np.maximum(people, realized.classes.sizes)
        assert solution["k-map-estimated"] == pytest.approx(float(people[realized.stays].min()))


def test_what_is_missing_is_said() -> None:
    plain = study(drawn(1), {**COLUMNS, "w": {"role": "drop"}})
    with pytest.raises(InputError) as caught:
        plain.explore("k-map-estimated", "loss", suppress=0, space="lattice")
    assert str(caught.value) == (
        "objectives: k-map-estimated estimates a population from weights or a sampling fraction, and neither "
        "is known; give the column of the weights role = \"weight\", or give sampling_fraction='2%'"
    )
    with pytest.raises(InputError, match="loss counts every row by its sampling weight, and the"):
        plain.explore("k", "loss", suppress=0, settings={"loss": {"weights": 1}}, space="lattice")
    with pytest.raises(InputError, match=r"loss\.weights is 2; give 0 or 1"):
        study(drawn(1)).explore("k", "loss", settings={"loss": {"weights": 2}}, space="lattice")
    with pytest.raises(InputError, match=r"sl\.weights is set, but sl is neither an objective nor a limit"):
        study(drawn(1)).explore("k", "loss", settings={"sl": {"weights": 1}}, space="lattice")
    events = Study(pyarrow.table(drawn(1)), {"rows": "events", "columns": COLUMNS})
    with pytest.raises(InputError, match="k-map-estimated is a risk of people, and the schema says that"):
        events.explore("k-map-estimated", "loss", suppress=0, space="lattice")
    with pytest.raises(InputError, match="a sampling fraction is above 0 and at most 1"):
        study(drawn(1), sampling_fraction="200%")


def test_a_saved_run_keeps_its_sampling_fraction(tmp_path: Path) -> None:
    columns = drawn(3)
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    own = Study(tmp_path / "s.csv", {"columns": COLUMNS}, sampling_fraction="12.5%")
    own.explore("k-map-estimated", "loss", suppress=0, space="lattice").save(tmp_path / "run")
    first = pn.load(tmp_path / "run")[0]
    again = first.known_data.realized(first.recoding).measure("k-map-estimated")
    assert again == {"k-map-estimated": first["k-map-estimated"]}


def test_a_class_stands_for_at_least_its_own_people() -> None:
    """Weights below 1 gave 0.25, less than the one person in the class, which was refused as a limit."""
    table = {"age": ["20", "20", "21"], "w": ["0.5", "3", "0.25"]}
    own = study(table, {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "w": {"role": "weight"}})
    found = own.explore("k-map-estimated", "loss", suppress=0, space="lattice")
    assert [solution["k-map-estimated"] for solution in found] == [3.75, 1.0]
    again = own.explore(
        "k-map-estimated", "loss", suppress=0, at_least={"k-map-estimated": 1}, space="lattice"
    )
    assert again.vectors().tolist() == found.vectors().tolist()
